// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/unique_fd.hpp"

namespace acceld {

// A listening Unix socket, and the file that belongs to it if it was made here.
class Listener {
 public:
    // Makes a socket that only our user may connect to. An abandoned socket at `path`
    // is replaced; one that somebody listens on, or any other file, is not.
    [[nodiscard]] static std::expected<Listener, std::string> bind(const std::string& path);

    // Takes over a socket that already listens; nothing is removed at the end.
    [[nodiscard]] static Listener adopt(base::UniqueFd socket);

    Listener(Listener&& other) noexcept;
    Listener& operator=(Listener&&) = delete;
    ~Listener();

    // Waits for a front end. Nothing when `stop_fd` becomes readable first.
    [[nodiscard]] std::expected<std::optional<base::UniqueFd>, std::string> accept(
        int stop_fd) const;

 private:
    struct File {
        std::string path;
        dev_t device;
        ino_t inode;
    };

    explicit Listener(base::UniqueFd socket) : socket_(std::move(socket)) {}

    base::UniqueFd socket_;
    std::optional<File> file_;
};

}  // namespace acceld

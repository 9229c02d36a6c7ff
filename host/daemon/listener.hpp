// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/unique_fd.hpp"

namespace acceld {

// Whether a socket that was given by number is a front end already, or is where front
// ends will come from.
[[nodiscard]] std::expected<bool, std::string> is_connected(int fd);

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

    // Readable when a front end has come.
    [[nodiscard]] int fd() const { return socket_.value(); }
    // Nothing if it has left again, or none has come.
    [[nodiscard]] std::expected<std::optional<base::UniqueFd>, std::string> accept() const;

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

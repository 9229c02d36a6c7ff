// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <utility>

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
    [[nodiscard]] static Listener adopt(base::UniqueFd socket, std::string name);

    Listener(Listener&& other) noexcept;
    Listener& operator=(Listener&& other) noexcept;
    ~Listener();

    // For the log.
    [[nodiscard]] const std::string& name() const { return name_; }

    // Readable when a front end has come.
    [[nodiscard]] int fd() const { return socket_.value(); }
    // Nothing if it has left again, or none has come.
    [[nodiscard]] std::expected<std::optional<base::UniqueFd>, std::string> accept() const;

 private:
    struct File {
        dev_t device;
        ino_t inode;
    };

    Listener(base::UniqueFd socket, std::string name)
        : socket_(std::move(socket)), name_(std::move(name)) {}

    base::UniqueFd socket_;
    std::string name_;
    std::optional<File> file_;  // called `name_`
};

}  // namespace acceld

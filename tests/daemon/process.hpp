// SPDX-License-Identifier: MIT
//
// The real program as a child process, and a front end that talks to it.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/unique_fd.hpp"
#include "vhost/message.hpp"
#include "vhost/protocol.hpp"

namespace daemon_test {

// Gone, with everything in it, at the end.
class TemporaryDirectory {
 public:
    TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory();

    [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
    std::filesystem::path path_;
};

class Acceld {
 public:
    // `inherited` becomes descriptor 9 of the program.
    explicit Acceld(std::vector<std::string> arguments, int inherited = -1);
    Acceld(const Acceld&) = delete;
    Acceld& operator=(const Acceld&) = delete;
    ~Acceld();

    // Waits until the program has written `text`; false when it has ended without.
    bool wait_for(const std::string& text);
    void signal(int number) const;
    // Reads the rest and returns the exit status, or 128 and the signal.
    int wait();

    // Standard output and error so far.
    [[nodiscard]] const std::string& output() const { return output_; }
    [[nodiscard]] std::size_t open_fds() const;

 private:
    bool read_more();

    pid_t pid_ = -1;
    base::UniqueFd pipe_;
    std::string output_;
    std::size_t seen_ = 0;
};

// Blocks: the program answers or ends.
class Client {
 public:
    explicit Client(const std::string& path);
    explicit Client(base::UniqueFd socket) : socket_(std::move(socket)) {}

    [[nodiscard]] bool connected() const { return static_cast<bool>(socket_); }
    void send(vhost::Request request, const vhost::Bytes& payload = {});
    // The payload of the reply; nothing when the program closes the connection.
    [[nodiscard]] std::optional<vhost::Bytes> ask(vhost::Request request,
                                                  const vhost::Bytes& payload = {});

 private:
    base::UniqueFd socket_;
};

}  // namespace daemon_test

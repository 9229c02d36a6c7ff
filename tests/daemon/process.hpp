// SPDX-License-Identifier: MIT
//
// The real program as a child process, and a front end that talks to it.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
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
    // The `inherited` become the descriptors 9, 8, ... of the program.
    explicit Acceld(const std::vector<std::string>& arguments,
                    std::initializer_list<int> inherited = {},
                    const std::string& program = built());
    // By a shell, which has the program as "$@" and the descriptors too.
    Acceld(const std::string& script, const std::vector<std::string>& arguments,
           std::initializer_list<int> inherited = {});
    // The program beside these tests.
    [[nodiscard]] static std::string built();
    Acceld(const Acceld&) = delete;
    Acceld& operator=(const Acceld&) = delete;
    ~Acceld();

    // Waits until the program has written `text`; false when it has ended without.
    bool wait_for(const std::string& text);
    void signal(int number) const;
    // Reads the rest and returns the exit status, or 128 and the signal.
    int wait();

    // Takes what is there, without waiting: a program that nobody listens to stops in the end.
    void listen();

    // Standard output and error so far.
    [[nodiscard]] const std::string& output() const { return output_; }
    [[nodiscard]] std::size_t open_fds() const;
    [[nodiscard]] pid_t pid() const { return pid_; }

 private:
    void start(std::vector<std::string> words, std::initializer_list<int> inherited);
    bool read_more();

    pid_t pid_ = -1;
    base::UniqueFd pipe_;
    std::string output_;
    std::size_t seen_ = 0;
};

// How long the program may take for anything: what is not there then never comes.
inline constexpr int kPatienceMs = 60'000;
[[nodiscard]] base::UniqueFd listen_on(const std::string& path);

// Blocks: the program answers or ends.
class Client {
 public:
    explicit Client(const std::string& path);
    explicit Client(base::UniqueFd socket);

    [[nodiscard]] bool connected() const { return static_cast<bool>(socket_); }
    [[nodiscard]] int fd() const { return socket_.value(); }
    void send(vhost::Request request, const vhost::Bytes& payload = {},
              std::initializer_list<int> fds = {}, bool need_reply = false);
    // Any bytes at all, with any descriptors.
    void send_raw(std::span<const std::byte> bytes, std::span<const int> fds = {});
    // The payload of the reply; nothing when the program closes the connection.
    [[nodiscard]] std::optional<vhost::Bytes> ask(vhost::Request request,
                                                  const vhost::Bytes& payload = {},
                                                  std::initializer_list<int> fds = {},
                                                  bool need_reply = false);
    // Whether the acknowledgement, of which there is to be one, says that it was done.
    [[nodiscard]] bool done(vhost::Request request, const vhost::Bytes& payload = {},
                            std::initializer_list<int> fds = {});
    // Whether the program closes the connection and has nothing more to say.
    [[nodiscard]] bool dropped();

 private:
    base::UniqueFd socket_;
};

// A message on the wire.
[[nodiscard]] vhost::Bytes message(vhost::Request request, const vhost::Bytes& payload,
                                   bool need_reply);

}  // namespace daemon_test

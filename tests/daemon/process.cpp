// SPDX-License-Identifier: MIT
#include "daemon/process.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include "vhost/send_fds.hpp"

namespace daemon_test {

namespace {

constexpr int kLastInherited = 9;

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    REQUIRE(path.size() < sizeof(address.sun_path));
    path.copy(address.sun_path, path.size());
    return address;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
    std::string name = std::filesystem::temp_directory_path() / "acceld-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::filesystem::remove_all(path_);
}

std::string Acceld::built() {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return here / "../../host/daemon/virtio-acceld";
}

Acceld::Acceld(const std::vector<std::string>& arguments, std::initializer_list<int> inherited,
               const std::string& program) {
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    start(std::move(words), inherited);
}

Acceld::Acceld(const std::string& script, const std::vector<std::string>& arguments,
               std::initializer_list<int> inherited) {
    std::vector<std::string> words{"/bin/sh", "-c", script, "sh", built()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    start(std::move(words), inherited);
}

void Acceld::start(std::vector<std::string> arguments, std::initializer_list<int> inherited) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    pipe_ = base::UniqueFd(ends[0]);
    const base::UniqueFd output(ends[1]);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output.value(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.value(), STDERR_FILENO);
    int place = kLastInherited;
    for (const int fd : inherited)
        posix_spawn_file_actions_adddup2(&actions, fd, place--);
    std::vector<char*> words;
    for (std::string& argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    const int error = ::posix_spawn(&pid_, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    REQUIRE(error == 0);
}

Acceld::~Acceld() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

bool Acceld::read_more() {
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(pipe_.value(), buffer.data(), buffer.size());
    if (got <= 0) return false;
    output_.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
}

bool Acceld::wait_for(const std::string& text) {
    for (;;) {
        const auto at = output_.find(text, seen_);
        if (at != std::string::npos) {
            seen_ = at + text.size();
            return true;
        }
        if (!read_more()) return false;
    }
}

void Acceld::signal(int number) const {
    REQUIRE(::kill(pid_, number) == 0);
}

int Acceld::wait() {
    while (read_more()) {
    }
    int status = 0;
    REQUIRE(::waitpid(pid_, &status, 0) == pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Acceld::listen() {
    pollfd written{pipe_.value(), POLLIN, 0};
    while (::poll(&written, 1, 0) == 1 && read_more()) {
    }
}

std::size_t Acceld::open_fds() const {
    const std::filesystem::directory_iterator fds("/proc/" + std::to_string(pid_) + "/fd");
    return static_cast<std::size_t>(std::distance(begin(fds), end(fds)));
}

base::UniqueFd listen_on(const std::string& path) {
    base::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = address_of(path);
    REQUIRE(::bind(socket.value(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
            0);
    REQUIRE(::listen(socket.value(), 1) == 0);
    return socket;
}

Client::Client(const std::string& path)
    : Client(base::UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))) {
    const sockaddr_un address = address_of(path);
    if (::connect(socket_.value(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
        0) {
        socket_.reset();
    }
}

Client::Client(base::UniqueFd socket) : socket_(std::move(socket)) {
    const timeval patience{.tv_sec = kPatienceMs / 1000, .tv_usec = 0};
    if (socket_)
        ::setsockopt(socket_.value(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

vhost::Bytes message(vhost::Request request, const vhost::Bytes& payload, bool need_reply) {
    vhost::Bytes bytes =
        vhost::to_bytes(vhost::Header{static_cast<std::uint32_t>(request),
                                      vhost::kVersion | (need_reply ? vhost::kNeedReplyFlag : 0),
                                      static_cast<std::uint32_t>(payload.size())});
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

void Client::send_raw(std::span<const std::byte> bytes, std::span<const int> fds) {
    REQUIRE(vhost_test::send_fds(socket_.value(), {bytes.begin(), bytes.end()}, fds,
                                 MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
}

void Client::send(vhost::Request request, const vhost::Bytes& payload,
                  std::initializer_list<int> fds, bool need_reply) {
    send_raw(message(request, payload, need_reply), {fds.begin(), fds.size()});
}

std::optional<vhost::Bytes> Client::ask(vhost::Request request, const vhost::Bytes& payload,
                                        std::initializer_list<int> fds, bool need_reply) {
    send(request, payload, fds, need_reply);
    vhost::Header header{};
    if (::recv(socket_.value(), &header, sizeof(header), MSG_WAITALL) != sizeof(header)) {
        return std::nullopt;
    }
    REQUIRE(header.request == static_cast<std::uint32_t>(request));
    REQUIRE(header.flags == (vhost::kVersion | vhost::kReplyFlag));
    vhost::Bytes reply(header.size);
    if (!reply.empty() && ::recv(socket_.value(), reply.data(), reply.size(), MSG_WAITALL) !=
                              static_cast<ssize_t>(reply.size())) {
        return std::nullopt;
    }
    return reply;
}

bool Client::done(vhost::Request request, const vhost::Bytes& payload,
                  std::initializer_list<int> fds) {
    const auto reply = ask(request, payload, fds, true);
    REQUIRE(reply.has_value());
    REQUIRE(reply->size() == sizeof(std::uint64_t));
    return *reply == vhost::to_bytes(std::uint64_t{0});
}

bool Client::dropped() {
    std::byte more{};
    const ssize_t got = ::recv(socket_.value(), &more, sizeof(more), 0);
    // What the program had not read yet makes a reset of the end.
    return got == 0 || (got < 0 && errno == ECONNRESET);
}

}  // namespace daemon_test

// SPDX-License-Identifier: MIT
//
// Where front ends come from, and how a service manager passes it.
#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <doctest/doctest.h>
#include <poll.h>

#include "daemon/process.hpp"
#include "sandbox/in_child.hpp"

using daemon_test::Acceld;
using daemon_test::Client;
using daemon_test::listen_on;
using daemon_test::TemporaryDirectory;
using vhost::Request;

TEST_SUITE_BEGIN("daemon/sockets");

namespace {

// systemd passes from descriptor 3 on. The test's are 9 and 8.
constexpr const char* kActivate =
    "exec env LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=first: \"$@\" 3<&9 4<&8 9<&- 8<&-";

bool is_served(Client& client) {
    return client.ask(Request::GetFeatures).has_value();
}

// What has come, or "none".
std::string notice(const base::UniqueFd& socket) {
    std::array<char, 64> text{};
    const ssize_t size = ::recv(socket.value(), text.data(), text.size(), MSG_DONTWAIT);
    return size < 0 ? "none" : std::string(text.data(), static_cast<std::size_t>(size));
}

rlim_t lowest_free_fd(pid_t pid) {
    const std::filesystem::path fds = "/proc/" + std::to_string(pid) + "/fd";
    rlim_t fd = 0;
    while (std::filesystem::is_symlink(fds / std::to_string(fd)))
        ++fd;
    return fd;
}

}  // namespace

TEST_CASE("front ends of two sockets are served at a time") {
    TemporaryDirectory directory;
    const std::string a = directory.file("a");
    const std::string b = directory.file("b");
    Acceld acceld({"--socket-path", a, "--socket-path", b, "--max-guests", "2", "--provider=mock"});
    REQUIRE(acceld.wait_for("listening on " + a));
    REQUIRE(acceld.wait_for("listening on " + b));
    Client first(a);
    Client second(b);
    CHECK(is_served(first));
    CHECK(is_served(second));
    CHECK(is_served(first));
    acceld.signal(SIGTERM);
    CHECK(acceld.wait() == 0);
    CHECK_FALSE(std::filesystem::exists(a));
    CHECK_FALSE(std::filesystem::exists(b));
}

TEST_CASE("--max-guests is for all sockets together, which take turns") {
    TemporaryDirectory directory;
    const std::string a = directory.file("a");
    const std::string b = directory.file("b");
    Acceld acceld({"--socket-path", a, "--socket-path", b, "--provider=mock"});
    REQUIRE(acceld.wait_for("listening on " + b));
    Client first(a);
    REQUIRE(is_served(first));
    Client again(a);
    Client other(b);
    again.send(Request::GetFeatures);
    other.send(Request::GetFeatures);
    first = Client(base::UniqueFd());
    std::array replies{pollfd{again.fd(), POLLIN, 0}, pollfd{other.fd(), POLLIN, 0}};
    REQUIRE(::poll(replies.data(), replies.size(), -1) == 1);
    CHECK(replies[0].revents == 0);
    CHECK(replies[1].revents == POLLIN);
    (replies[1].revents != 0 ? other : again) = Client(base::UniqueFd());
    replies[replies[1].revents != 0 ? 1 : 0].fd = -1;
    CHECK(::poll(replies.data(), replies.size(), -1) == 1);
}

TEST_CASE("a listening socket can be given beside others, a connected one cannot") {
    TemporaryDirectory directory;
    const base::UniqueFd socket = listen_on(directory.file("given"));
    Acceld both({"--fd=9", "--socket-path", directory.file("s"), "--provider=mock"},
                {socket.value()});
    REQUIRE(both.wait_for("listening on " + directory.file("s")));
    REQUIRE(both.wait_for("listening on descriptor 9"));
    Client client(directory.file("given"));
    CHECK(is_served(client));

    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    base::UniqueFd ours(ends[0]);
    const base::UniqueFd theirs(ends[1]);
    ours.reset();
    Acceld connected({"--fd=9", "--socket-path", directory.file("t"), "--provider=mock"},
                     {theirs.value()});
    CHECK(connected.wait() == 1);
    CHECK(connected.output().contains("--fd: a front end that is connected is the only one\n"));
    CHECK_FALSE(std::filesystem::exists(directory.file("t")));
}

TEST_CASE("sockets of another kind are refused") {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    base::UniqueFd ours(ends[0]);
    const base::UniqueFd theirs(ends[1]);
    ours.reset();
    Acceld acceld({"--fd=9", "--provider=mock"}, {theirs.value()});
    CHECK(acceld.wait() == 1);
    CHECK(acceld.output().contains("virtio-acceld: --fd: it is not a Unix stream socket\n"));
}

TEST_CASE("sockets that a service manager passes are listened on, and left where they are") {
    TemporaryDirectory directory;
    const base::UniqueFd first = listen_on(directory.file("a"));
    const base::UniqueFd second = listen_on(directory.file("b"));
    Acceld acceld(kActivate, {"--provider=mock", "--max-guests=2"},
                  {first.value(), second.value()});
    REQUIRE(acceld.wait_for("listening on first"));
    REQUIRE(acceld.wait_for("listening on descriptor 4"));
    Client a(directory.file("a"));
    Client b(directory.file("b"));
    CHECK(is_served(a));
    CHECK(is_served(b));
    acceld.signal(SIGTERM);
    CHECK(acceld.wait() == 0);
    CHECK(std::filesystem::exists(directory.file("a")));
}

TEST_CASE("a single process takes a socket of a service manager too") {
    TemporaryDirectory directory;
    const base::UniqueFd socket = listen_on(directory.file("a"));
    Acceld acceld("exec env LISTEN_PID=$$ LISTEN_FDS=1 \"$@\" 3<&9 9<&-",
                  {"--provider=mock", "--single-process", "--once"}, {socket.value()});
    Client client(directory.file("a"));
    CHECK(is_served(client));
    client = Client(base::UniqueFd());
    CHECK(acceld.wait() == 0);
}

TEST_CASE("what a service manager passes to others, or passes wrong, is not taken") {
    TemporaryDirectory directory;
    const base::UniqueFd socket = listen_on(directory.file("a"));
    {
        const Client gone(directory.file("a"));
    }
    Acceld other("exec env LISTEN_PID=1 LISTEN_FDS=1 \"$@\" 3<&9", {"--provider=mock", "--once"},
                 {socket.value()});
    CHECK(other.wait() == 2);
    CHECK(other.output() == "virtio-acceld: --socket-path or --fd is required\n");

    Acceld number("exec env LISTEN_PID=$$ LISTEN_FDS=x \"$@\" 3<&9", {"--provider=mock"},
                  {socket.value()});
    CHECK(number.wait() == 2);
    CHECK(number.output() == "virtio-acceld: LISTEN_FDS: 'x' is no number of sockets\n");

    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    base::UniqueFd ours(ends[0]);
    const base::UniqueFd theirs(ends[1]);
    ours.reset();
    Acceld connected("exec env LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=guest \"$@\" 3<&9",
                     {"--provider=mock"}, {theirs.value()});
    CHECK(connected.wait() == 1);
    CHECK(connected.output().contains("virtio-acceld: guest: it does not listen\n"));
}

TEST_CASE("a service manager is told when front ends can come, and of the end") {
    for (const bool abstract : {false, true}) {
        for (const char* process : {"--max-guests=1", "--single-process"}) {
            CAPTURE(abstract);
            CAPTURE(process);
            TemporaryDirectory directory;
            const std::string path = directory.file("notify");
            const base::UniqueFd manager(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
            sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
            path.copy(address.sun_path, path.size());
            if (abstract) address.sun_path[0] = '\0';
            const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
            REQUIRE(::bind(manager.value(), reinterpret_cast<const sockaddr*>(&address), size) ==
                    0);

            const std::string name = abstract ? "@" + path.substr(1) : path;
            Acceld acceld("exec env NOTIFY_SOCKET=" + name + " \"$@\"",
                          {"--provider=mock", "--socket-path", directory.file("s"), process});
            REQUIRE(acceld.wait_for("listening on"));
            acceld.signal(SIGTERM);
            CHECK(acceld.wait() == 0);
            CHECK(notice(manager) == "READY=1");
            CHECK(notice(manager) == "STOPPING=1");
            CHECK(notice(manager) == "none");
        }
    }
}

TEST_CASE("a daemon that cannot accept any more ends, with the session that stands by") {
    if (sandbox_test::kSanitized) return;  // they need descriptors of their own to look around
    TemporaryDirectory directory;
    const std::string path = directory.file("socket");
    Acceld acceld({"--socket-path", path, "--provider=mock"});
    REQUIRE(acceld.wait_for("listening on " + path));
    const rlim_t free = lowest_free_fd(acceld.pid());
    const rlimit no_more{.rlim_cur = free, .rlim_max = free};
    REQUIRE(::prlimit(acceld.pid(), RLIMIT_NOFILE, &no_more, nullptr) == 0);
    const Client client(path);
    CHECK(acceld.wait() == 1);
    CHECK(acceld.output().contains("no more front ends are let in: accept: "));
}

TEST_SUITE_END();

// SPDX-License-Identifier: MIT
#include "vm/backend.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <doctest/doctest.h>

namespace {

struct Rig {
    Rig() : directory(vm::TemporaryDirectory::make().value()) {}

    vm::Result<std::vector<vm::Backend>> open(int interrupt = -1) {
        return vm::open_backends(options, directory.path(), interrupt);
    }

    vm::TemporaryDirectory directory;
    vm::Options options;
};

vm::UniqueFd listen_at(const std::filesystem::path& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.native().copy(address.sun_path, sizeof address.sun_path - 1);
    vm::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(fd.value(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(fd.value(), 1) == 0);
    return fd;
}

TEST_SUITE_BEGIN("vm/backend");

TEST_CASE("a socket that somebody listens on is connected to") {
    Rig rig;
    const auto socket = rig.directory.path() / "listening";
    rig.options.sockets = {socket, socket};
    const auto listener = listen_at(socket);

    const auto backends = rig.open();

    REQUIRE(backends);
    REQUIRE(backends->size() == 2);
    for (const auto& backend : *backends) {
        CHECK(backend.connection);
        CHECK_FALSE(backend.daemon);
    }
}

TEST_CASE("a socket that nobody listens on is named with the reason") {
    Rig rig;
    std::filesystem::path socket;
    std::string reason;
    SUBCASE("no such file") {
        socket = rig.directory.path() / "none";
        reason = "No such file or directory";
    }
    SUBCASE("left behind") {
        socket = rig.directory.path() / "stale";
        listen_at(socket);
        reason = "Connection refused";
    }
    SUBCASE("a path that no socket can have") {
        socket = std::string(200, 'x');
        reason = "File name too long";
    }
    rig.options.sockets = {socket};

    const auto backend = rig.open();

    REQUIRE_FALSE(backend);
    CHECK(backend.error().text == "no daemon at " + socket.native() + ": " + reason);
}

TEST_CASE("a daemon that ends before it listens is quoted") {
    Rig rig;
    rig.options.daemon = "echo no such provider >&2; exit 3; :";

    const auto backend = rig.open();

    REQUIRE_FALSE(backend);
    CHECK(backend.error().text ==
          "the daemon ended before it listened: status 3, no such provider");
}

TEST_CASE("an interrupt ends the wait for a daemon") {
    Rig rig;
    rig.options.daemon = "exec sleep 1000; :";
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const vm::UniqueFd in(ends[0]);
    {
        const vm::UniqueFd out(ends[1]);
    }  // end of file is readable too

    const auto backend = rig.open(in.value());

    REQUIRE_FALSE(backend);
    CHECK(backend.error().text == "interrupted");
}

TEST_SUITE_END();

}  // namespace

// SPDX-License-Identifier: MIT
#include "vm/monitor.hpp"

#include <array>
#include <csignal>
#include <string_view>

#include <sys/socket.h>

#include <doctest/doctest.h>

#include "vm/files.hpp"

namespace {

TEST_SUITE_BEGIN("vm/monitor");

TEST_CASE("the state is what the monitor answers, without its line editing and vectors") {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    const vm::UniqueFd ours(ends[0]);
    const vm::UniqueFd qemu(ends[1]);
    REQUIRE(vm::write_all(qemu.value(),
                          "(qemu) i\033[K\033[Din\033[K\033[D\033[Dinfo cpus\033[K\r\n"
                          "* CPU #0: thread_id=1\r\nRIP=ffff HLT=1\r\nXMM00=0000\r\n(qemu) "));

    CHECK(vm::machine_state(ours.value()) == "* CPU #0: thread_id=1\nRIP=ffff HLT=1\n");

    std::array<char, 512> asked{};
    const ssize_t got = ::recv(qemu.value(), asked.data(), asked.size(), 0);
    CHECK(std::string_view(asked.data(), static_cast<std::size_t>(got))
              .contains("info registers -a\n"));
}

TEST_CASE("a monitor that is gone has nothing to say") {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    const vm::UniqueFd ours(ends[0]);
    vm::UniqueFd{ends[1]};

    ::signal(SIGPIPE, SIG_IGN);
    CHECK(vm::machine_state(ours.value()) == "");
}

TEST_SUITE_END();

}  // namespace

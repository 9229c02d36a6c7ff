// SPDX-License-Identifier: MIT
//
// Many front ends one after the other, and what the program holds meanwhile.
#include <doctest/doctest.h>

#include "daemon/soak.hpp"
#include "daemon/vm.hpp"

using namespace daemon_test;
using vhost::Request;

TEST_SUITE_BEGIN("daemon/lives");

namespace {

// The allocator of a sanitizer keeps what was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kResidentTells = false;
#else
constexpr bool kResidentTells = true;
#endif

// What the allocator may do with what it has.
constexpr std::size_t kSlackKib = 2048;

// One front end; each of five leaves in another way.
void live(Daemon& daemon, int n) {
    if (n % 5 == 0) {
        Client client = daemon.connect();
        REQUIRE(client.ask(Request::GetFeatures).has_value());
        return;
    }
    Vm vm(daemon.connect());
    vm.start();
    const auto context = vm.call(driver::create_context(1)).id();
    REQUIRE(vm.call(driver::allocate_buffer(2, {context, 4096})).status() == wire::Status::Ok);
    switch (n % 5) {
        case 1:  // in good order, but for its objects
            vm.stop_ring();
            return;
        case 2: {  // with commands under way
            const auto frame = driver::create_context(3).bytes();
            while (vm.publish(frame, {{frame.size()}, {24}})) {
            }
            vm.kick();
            return;
        }
        case 3: {  // inside a message that has brought a descriptor
            const auto bytes = message(Request::SetVringErr, u64(0), false);
            const int fd = vm.err_fd.value();
            vm.client.send_raw(std::span(bytes).first(13), {&fd, 1});
            return;
        }
        default:  // thrown out
            vm.client.send(Request::SetFeatures, u64(1));
            CHECK(vm.client.dropped());
    }
}

}  // namespace

TEST_CASE("any number of front ends leave no descriptor, no mapping and no memory behind") {
    const int lives = soaking() ? 10'000 : 200;
    Daemon daemon;
    int n = 0;
    while (n < lives / 10)
        live(daemon, n++);
    const Usage early = daemon.usage_at_rest();
    while (n < lives)
        live(daemon, n++);
    const Usage late = daemon.usage_at_rest();

    CAPTURE(early.resident_kib);
    CAPTURE(late.resident_kib);
    CHECK(late.processes == early.processes);
    CHECK(late.fds == early.fds);
    CHECK(late.guest_mappings == early.guest_mappings);
    if (kResidentTells) CHECK(late.resident_kib <= early.resident_kib + kSlackKib);
}

TEST_CASE("any number of resets and pauses of one guest leave nothing behind") {
    const int rounds = soaking() ? 10'000 : 200;
    Daemon daemon;
    Vm vm(daemon.connect());
    vm.start();
    const auto round = [&](int i) {
        const auto context = vm.call(driver::create_context(1)).id();
        REQUIRE(vm.call(driver::allocate_buffer(2, {context, 4096})).status() == wire::Status::Ok);
        const std::uint32_t base = vm.stop_ring();
        if (i % 2 == 0) vm.ring.restart();
        vm.start_ring(i % 2 == 0 ? 0 : base);
        daemon.acceld.listen();
    };
    int i = 0;
    while (i < rounds / 10)
        round(i++);
    const Usage early = daemon.settled_usage();
    while (i < rounds)
        round(i++);
    const Usage late = daemon.settled_usage();
    CHECK(late.fds == early.fds);
    CHECK(late.guest_mappings == early.guest_mappings);
    if (kResidentTells) CHECK(late.resident_kib <= early.resident_kib + kSlackKib);
}

TEST_SUITE_END();

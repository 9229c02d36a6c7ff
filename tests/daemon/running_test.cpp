// SPDX-License-Identifier: MIT
//
// A running device from outside: when commands are served and when not, what a pause and a
// reset leave, and what a front end may change in mid-run.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>
#include <poll.h>

#include "daemon/vm.hpp"

using namespace daemon_test;
using vhost::Request;
using wire::Status;

TEST_SUITE_BEGIN("daemon/running");

namespace {

struct Rig {
    // Set up to where the ring is to be started.
    Rig() {
        vm.negotiate();
        vm.share_memory();
    }
    void publish(const driver::Request& request) {
        REQUIRE(vm.publish(request.bytes(), {{request.size()}, {256}}).has_value());
    }
    void publish() { publish(driver::get_device_info(++id)); }
    // The answer to the command that was published last.
    [[nodiscard]] bool answered() {
        const auto done = vm.collect();
        return done && done->answer.request_id() == id && done->answer.status() == Status::Ok;
    }
    [[nodiscard]] bool works() {
        publish();
        vm.kick();
        return answered();
    }
    void configure() {
        vm.client.send(Request::SetVringNum, state(0, 32));
        vm.client.send(Request::SetVringBase, state(0, 0));
        vm.client.send(Request::SetVringAddr, vm.ring_addresses());
    }
    [[nodiscard]] bool enable(std::uint32_t enabled) {
        return vm.client.done(Request::SetVringEnable, state(0, enabled));
    }
    [[nodiscard]] bool start() {
        return vm.client.done(Request::SetVringKick, u64(0), {vm.kick_fd.value()});
    }
    // How many commands were taken since the ring was started at 0.
    [[nodiscard]] vhost::Bytes stop() {
        return vm.client.ask(Request::GetVringBase, state(0, 0)).value();
    }

    Daemon daemon;
    Vm vm{daemon.connect()};
    std::uint64_t id = 0;
};

}  // namespace

TEST_CASE("a command from before the ring was enabled is served without a kick") {
    Rig rig;
    rig.publish();
    rig.vm.start_ring();
    CHECK(rig.answered());
}

TEST_CASE("a command from a pause is served at the start, without a kick") {
    Rig rig;
    rig.vm.start_ring();
    REQUIRE(rig.works());
    CHECK(rig.stop() == state(0, 1));
    rig.publish();
    REQUIRE(rig.start());
    CHECK(rig.answered());
}

TEST_CASE("a ring that is started and not enabled takes nothing, whatever is kicked") {
    Rig rig;
    rig.configure();
    rig.publish();
    REQUIRE(rig.start());
    rig.vm.kick();

    SUBCASE("a stop finds everything as it was") {
        CHECK(rig.stop() == state(0, 0));
        CHECK(rig.vm.ring.memory().used_index() == 0);
        CHECK(rig.vm.ring.kick_wanted());
        CHECK(vhost_test::drain(rig.vm.kick_fd) == 1);
    }
    SUBCASE("the kick is not lost") {
        REQUIRE(rig.enable(1));
        CHECK(rig.answered());
    }
}

TEST_CASE("a ring that is enabled and not started takes nothing") {
    Rig rig;
    rig.configure();
    rig.publish();
    REQUIRE(rig.enable(1));
    rig.vm.kick();
    CHECK(rig.stop() == state(0, 0));
    CHECK(rig.vm.ring.memory().used_index() == 0);
    REQUIRE(rig.start());
    CHECK(rig.answered());
}

TEST_CASE("a ring that is disabled in mid-run rests, and goes on when it is enabled again") {
    Rig rig;
    rig.vm.start_ring();
    REQUIRE(rig.works());
    for (int i = 0; i < 3; ++i) {
        REQUIRE(rig.enable(0));
        rig.publish();
        if (i > 0) rig.vm.kick();
        REQUIRE(rig.vm.client.ask(Request::GetQueueNum) == u64(1));
        CHECK_FALSE(rig.vm.pop().has_value());
        REQUIRE(rig.enable(1));
        CHECK(rig.answered());
    }
    REQUIRE(rig.enable(0));
    rig.publish();
    rig.vm.kick();
    CHECK(rig.stop() == state(0, 4));
}

TEST_CASE("a kick descriptor may be changed in mid-run, and the old one is deaf then") {
    Rig rig;
    rig.vm.start_ring();
    REQUIRE(rig.works());
    const base::UniqueFd old = std::exchange(rig.vm.kick_fd, vhost_test::make_eventfd());
    REQUIRE(rig.start());
    CHECK(rig.works());
    vhost_test::kick(old);
    REQUIRE(rig.vm.client.ask(Request::GetQueueNum) == u64(1));
    CHECK(vhost_test::drain(old) == 1);
    CHECK(rig.works());
}

TEST_CASE("features may be set again in mid-run, and only what was offered") {
    Rig rig;
    rig.vm.start_ring();
    const auto set = [&](std::uint64_t features) {
        return rig.vm.client.done(Request::SetFeatures, u64(features));
    };
    for (const std::uint64_t features :
         {vhost::kVersion1 | vhost::kAccessPlatform, vhost::kVersion1,
          vhost::kVersion1 | vhost::kProtocolFeaturesBit,
          vhost::kVersion1 | vhost::kAccessPlatform | vhost::kProtocolFeaturesBit}) {
        CHECK(set(features));
        CHECK(rig.works());
        CHECK_FALSE(set(features | vhost::bit(28)));
        CHECK_FALSE(set(~std::uint64_t{0}));
        CHECK(rig.works());
    }
    REQUIRE(rig.enable(0));
    rig.publish();
    rig.vm.kick();
    SUBCASE("without the protocol bit, all rings are enabled") {
        CHECK(set(vhost::kVersion1));
        CHECK(rig.answered());
    }
    SUBCASE("with it, they are as they were") {
        CHECK(set(vhost::kVersion1 | vhost::kProtocolFeaturesBit));
        CHECK(rig.stop() == state(0, 8));
    }
}

TEST_CASE("protocol features may be taken back in mid-run, with what they allow") {
    Rig rig;
    rig.vm.start_ring();
    rig.vm.client.send(Request::SetProtocolFeatures, u64(vhost::kReplyAck));
    CHECK(rig.works());
    CHECK_FALSE(rig.vm.client.done(Request::ResetDevice));
    CHECK_FALSE(rig.vm.client.done(Request::RemMemReg, region(rig.vm.memory.region())));
    CHECK(rig.works());
    rig.vm.client.send(Request::SetProtocolFeatures, u64(0));
    CHECK(rig.works());
    // There is no way left to say no.
    rig.vm.client.send(Request::ResetDevice, {}, {}, true);
    CHECK(rig.vm.client.dropped());
    CHECK(rig.daemon.serves());
}

TEST_CASE("a pause keeps every object, a reset none") {
    Rig rig;
    rig.vm.start_ring();
    const std::uint64_t context = rig.vm.call(driver::create_context(1)).id();
    const auto use = [&] { return rig.vm.call(driver::create_queue(2, context)).status(); };
    REQUIRE(use() == Status::Ok);
    const std::uint32_t base = rig.vm.stop_ring();
    CHECK(base == 2);

    SUBCASE("pause") {
        rig.vm.start_ring(base);
        CHECK(use() == Status::Ok);
    }
    SUBCASE("reset") {
        rig.vm.ring.restart();
        rig.vm.start_ring(0);
        CHECK(use() == Status::StaleObject);
    }
    SUBCASE("RESET_DEVICE") {
        REQUIRE(rig.vm.client.done(Request::ResetDevice));
        rig.vm.ring.restart();
        rig.vm.start_ring(0);
        CHECK(use() == Status::StaleObject);
    }
    SUBCASE("another front end") {
        rig.vm.client = Client(base::UniqueFd());
        Vm next(rig.daemon.connect());
        next.start();
        CHECK(next.call(driver::create_queue(2, context)).status() == Status::StaleObject);
    }
}

TEST_CASE("after GET_VRING_BASE all that was taken is answered, and nothing is touched") {
    Rig rig;
    rig.vm.start_ring();
    // Of commands that take their time: all are taken when the first is answered.
    constexpr std::uint32_t kCommands = 10;
    constexpr std::size_t kBytes = 512 << 10;
    const auto context = rig.vm.call(driver::create_context(1)).id();
    const auto buffer = rig.vm.call(driver::allocate_buffer(2, {context, kBytes})).id();
    const auto data = rig.vm.memory.allocate(kBytes);
    for (std::uint32_t i = 0; i < kCommands; ++i) {
        const auto write = driver::write_buffer(3 + i, buffer, 0, data.bytes);
        const auto head = rig.vm.memory.allocate(write.head().size());
        std::ranges::copy(write.head(), head.bytes.begin());
        REQUIRE(rig.vm.publish(std::array{head, data}, {rig.vm.memory.allocate(16)}).has_value());
    }
    rig.vm.kick();
    REQUIRE(rig.vm.collect().has_value());
    CHECK(rig.vm.stop_ring() == 2 + kCommands);
    std::uint32_t answers = 1;
    while (const auto done = rig.vm.pop()) {
        CHECK(done->answer.status() == Status::Ok);
        ++answers;
    }
    CHECK(answers == kCommands);

    vhost_test::drain(rig.vm.call_fd);
    vhost_test::drain(rig.vm.kick_fd);
    rig.publish();
    rig.vm.kick();
    REQUIRE(rig.enable(1));
    REQUIRE(rig.vm.client.ask(Request::GetQueueNum) == u64(1));
    CHECK_FALSE(rig.vm.pop().has_value());
    CHECK(vhost_test::drain(rig.vm.call_fd) == 0);
    CHECK(vhost_test::drain(rig.vm.kick_fd) == 1);
}

TEST_CASE("an impossible ring rings the error bell, rests, and is mended by a reset") {
    Rig rig;
    rig.vm.start_ring();
    REQUIRE(rig.works());
    rig.vm.ring.memory().set_available_index(1000);
    rig.vm.kick();
    pollfd error{rig.vm.err_fd.value(), POLLIN, 0};
    REQUIRE(::poll(&error, 1, kPatienceMs) == 1);

    rig.vm.stop_ring();
    rig.vm.ring.restart();
    rig.vm.start_ring();
    CHECK(rig.works());
}

TEST_SUITE_END();

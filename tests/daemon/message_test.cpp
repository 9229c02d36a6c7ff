// SPDX-License-Identifier: MIT
//
// The control socket from outside: every message, every order, every way to break one.
// tests/vhost/ has the same rules case by case, with the session in the test's own process.
#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include <sys/socket.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "daemon/soak.hpp"
#include "daemon/vm.hpp"

using namespace daemon_test;
using vhost::Bytes;
using vhost::Request;
using wire::Status;

TEST_SUITE_BEGIN("daemon/message");

namespace {

bool works(Vm& vm) {
    return vm.call(driver::get_device_info(1)).status() == Status::Ok;
}

}  // namespace

TEST_CASE("each message has the answer of drm-guide.md 5.3") {
    enum class Answer { Reply, Done, Refused };
    using enum Answer;
    Daemon daemon;
    Vm vm(daemon.connect());
    vm.negotiate();
    const int fd = vm.kick_fd.value();
    const int ram = vm.memory.file().value();
    const Bytes features = vm.client.ask(Request::GetFeatures).value();
    const Bytes protocol_features = vm.client.ask(Request::GetProtocolFeatures).value();
    const Bytes memory = region(vm.memory.region());
    const Bytes ring = vm.ring_addresses();
    Bytes logged = ring;
    logged[4] = std::byte{1};

    struct {
        Request request;
        Bytes payload;
        int fd;  // -1 for none
        Answer answer;
        std::size_t reply = 0;  // bytes
    } const steps[] = {
        {Request::GetFeatures, {}, -1, Reply, 8},
        {Request::SetFeatures, features, -1, Done},
        {Request::SetFeatures, u64(vhost::kVersion1 | 1), -1, Refused},
        {Request::GetProtocolFeatures, {}, -1, Reply, 8},
        {Request::SetProtocolFeatures, protocol_features, -1, Done},
        {Request::SetProtocolFeatures, u64(vhost::kReplyAck | vhost::bit(12)), -1, Refused},
        {Request::SetOwner, {}, -1, Done},
        {Request::ResetOwner, {}, -1, Done},
        {Request::GetQueueNum, {}, -1, Reply, 8},
        {Request::GetMaxMemSlots, {}, -1, Reply, 8},
        {Request::SetBackendReqFd, {}, fd, Done},
        {Request::GetConfig, config_access(0, 16), -1, Reply, 28},
        {Request::GetConfig, config_access(4, 2), -1, Reply, 14},
        {Request::GetConfig, config_access(15, 2), -1, Reply, 0},
        {Request::SetConfig, config_access(0, 16), -1, Refused},
        {Request::SetMemTable, table({vm.memory.region()}), ram, Done},
        {Request::AddMemReg, memory, ram, Refused},
        {Request::RemMemReg, memory, ram, Done},
        {Request::RemMemReg, memory, -1, Refused},
        {Request::SetVringKick, u64(0), fd, Refused},
        {Request::SetVringNum, state(0, 24), -1, Refused},
        {Request::SetVringNum, state(0, 65536), -1, Refused},
        {Request::SetVringNum, state(1, 32), -1, Refused},
        {Request::SetVringNum, state(0, 32), -1, Done},
        {Request::SetVringBase, state(0, 65536), -1, Refused},
        {Request::SetVringBase, state(0, 0), -1, Done},
        {Request::SetVringAddr, logged, -1, Refused},
        {Request::SetVringAddr, ring, -1, Done},
        {Request::SetVringKick, u64(0), fd, Refused},
        {Request::AddMemReg, memory, ram, Done},
        {Request::SetVringCall, u64(vhost::kNoFdFlag), -1, Done},
        {Request::SetVringCall, u64(0), vm.call_fd.value(), Done},
        {Request::SetVringErr, u64(0), vm.err_fd.value(), Done},
        {Request::SetVringErr, u64(1), vm.err_fd.value(), Refused},
        {Request::SetVringKick, u64(vhost::kNoFdFlag), -1, Refused},
        {Request::SetVringKick, u64(1), fd, Refused},
        {Request::SetVringKick, u64(0), fd, Done},
        {Request::SetVringKick, u64(0), fd, Done},
        {Request::SetVringNum, state(0, 32), -1, Refused},
        {Request::SetVringBase, state(0, 0), -1, Refused},
        {Request::SetVringAddr, ring, -1, Refused},
        {Request::SetVringEnable, state(0, 2), -1, Refused},
        {Request::SetVringEnable, state(0, 1), -1, Done},
        {Request::GetVringBase, state(0, 0), -1, Reply, 8},
        {Request::GetVringBase, state(0, 0), -1, Reply, 8},
        {Request::ResetDevice, {}, -1, Done},
        // Not offered: SET_LOG_BASE, SEND_RARP, IOTLB_MSG, GET_INFLIGHT_FD, SET_STATUS,
        // GET_STATUS; and what nobody has ever heard of.
        {Request{6}, u64(0), ram, Refused},
        {Request{19}, u64(0), -1, Refused},
        {Request{22}, Bytes(32), -1, Refused},
        {Request{31}, Bytes(20), -1, Refused},
        {Request{39}, u64(8), -1, Refused},
        {Request{40}, {}, -1, Refused},
        {Request{0}, {}, -1, Refused},
        {Request{0xffffffff}, Bytes(268), fd, Refused},
    };
    for (const auto& step : steps) {
        CAPTURE(step.request);
        CAPTURE(&step - steps);
        const std::initializer_list<int> one{step.fd};
        const auto reply = vm.client.ask(step.request, step.payload,
                                         step.fd < 0 ? std::initializer_list<int>{} : one, true);
        REQUIRE(reply.has_value());
        if (step.answer == Reply)
            CHECK(reply->size() == step.reply);
        else
            CHECK((*reply == u64(0)) == (step.answer == Done));
    }
    vm.start_ring();
    CHECK(works(vm));
}

TEST_CASE("the ring starts whatever the order of its messages, and needs no kick") {
    Daemon daemon;
    enum Step { Memory, Num, Base, Addresses, Kick, Call, Enable, kSteps };
    std::array<Step, kSteps> order{Memory, Num, Base, Addresses, Kick, Call, Enable};
    // Every 84th of the 5040, or all.
    const int stride = soaking() ? 1 : 84;
    int n = 0;
    do {
        if (n++ % stride != 0) continue;
        CAPTURE(n);
        Vm vm(daemon.connect());
        vm.client.send(Request::SetProtocolFeatures,
                       vm.client.ask(Request::GetProtocolFeatures).value());
        const auto frame = driver::get_device_info(7).bytes();
        REQUIRE(vm.publish(frame, {{frame.size()}, {256}}).has_value());

        std::array<bool, kSteps> done{};
        const auto take = [&](Step step) {
            switch (step) {
                case Memory:
                    return vm.client.done(Request::AddMemReg, region(vm.memory.region()),
                                          {vm.memory.file().value()});
                case Num:
                    return vm.client.done(Request::SetVringNum, state(0, 32));
                case Base:
                    return vm.client.done(Request::SetVringBase, state(0, 0));
                case Addresses:
                    return vm.client.done(Request::SetVringAddr, vm.ring_addresses());
                case Kick:
                    return vm.client.done(Request::SetVringKick, u64(0), {vm.kick_fd.value()});
                case Call:
                    return vm.client.done(Request::SetVringCall, u64(0), {vm.call_fd.value()});
                default:
                    return vm.client.done(Request::SetVringEnable, state(0, 1));
            }
        };
        for (const Step step : order) {
            const bool started = done[Kick];
            const bool complete = done[Memory] && done[Num] && done[Addresses];
            const bool geometry = step == Num || step == Base || step == Addresses;
            done[step] = take(step);
            CHECK(done[step] == (step == Kick ? complete : !(geometry && started)));
        }
        if (!done[Kick]) REQUIRE(take(Kick));
        // An answer from before SET_VRING_CALL interrupts nobody.
        const auto answer = vm.look();
        REQUIRE(answer.has_value());
        CHECK(answer->answer.request_id() == 7);
    } while (std::ranges::next_permutation(order).found);
    CHECK(n == 5040);
}

TEST_CASE("the set-up may be cut off anywhere, and leaves nothing behind") {
    Daemon daemon;
    const Usage before = daemon.usage_at_rest();
    vhost_test::GuestRam ram(0x10000, 0x100000, 4096);
    const auto event = vhost_test::make_eventfd();
    struct {
        Bytes bytes;
        std::vector<int> fds;
    } const messages[] = {
        {message(Request::SetProtocolFeatures, u64(vhost::kConfigureMemSlots), false), {}},
        {message(Request::SetVringCall, u64(0), false), {event.value()}},
        {message(Request::AddMemReg, region(ram.region()), false), {ram.fd()}},
        {message(Request::SetMemTable, table({ram.region(), {0, 4096, 0, 0}}), false),
         {ram.fd(), ram.fd()}},
        {message(Request::SetVringKick, u64(vhost::kNoFdFlag), false), {}},
    };
    std::size_t total = 0;
    for (const auto& each : messages)
        total += each.bytes.size();

    // Every 9th byte, or each.
    for (std::size_t cut = 0; cut < total; cut += soaking() ? 1 : 9) {
        CAPTURE(cut);
        Client client = daemon.connect();
        std::size_t left = cut;
        for (const auto& each : messages) {
            const std::size_t part = std::min(left, each.bytes.size());
            if (part == 0) break;
            client.send_raw(std::span(each.bytes).first(part), each.fds);
            left -= part;
        }
    }
    CHECK(daemon.serves());
    CHECK(daemon.returns_to(before));
}

TEST_CASE("a message that is not one ends its session only, with all its descriptors closed") {
    Daemon daemon;
    const Usage before = daemon.usage_at_rest();
    const auto event = vhost_test::make_eventfd();
    const std::vector<int> many(40, event.value());
    const auto header = [](Request request, std::uint32_t flags, std::uint32_t size) {
        return vhost::to_bytes(vhost::Header{static_cast<std::uint32_t>(request), flags, size});
    };
    const auto with = [](Request request, const Bytes& payload) {
        return message(request, payload, true);
    };
    struct {
        Bytes bytes;
        std::size_t fds;
    } const cases[] = {
        {header(Request::GetFeatures, 2, 0), 0},
        {header(Request::GetFeatures, vhost::kVersion | vhost::kReplyFlag, 0), 0},
        {header(Request::SetFeatures, vhost::kVersion, 0xffffffff), 1},
        {header(Request::SetFeatures, vhost::kVersion, 9), 0},
        {header(Request{99}, vhost::kVersion, 269), 1},
        {with(Request::GetFeatures, {}), 1},
        {with(Request::SetVringCall, u64(0)), 2},
        {with(Request::SetVringCall, u64(0)), 0},
        {with(Request::SetVringCall, u64(vhost::kNoFdFlag)), 1},
        {with(Request::SetVringNum, state(0, 32)), 1},
        {with(Request::SetMemTable, table({})), 9},
        {with(Request::SetMemTable, table({})), 40},
        {with(Request{99}, {}), 8},
        {with(Request{99}, {}), 9},
        {message(Request{99}, {}, false), 0},
        {message(Request::SetFeatures, u64(1), false), 0},
        {message(Request::GetVringBase, state(1, 0), false), 0},
    };
    for (const auto& bad : cases) {
        CAPTURE(&bad - cases);
        Client client = daemon.connect();
        client.send_raw(bad.bytes, std::span(many).first(bad.fds));
        CHECK(client.dropped());
    }
    CHECK(daemon.serves());
    CHECK(daemon.returns_to(before));
}

TEST_CASE("a descriptor of the wrong kind is refused, or harms its own ring only") {
    Daemon daemon;
    const Usage before = daemon.usage_at_rest();
    {
        Vm vm(daemon.connect());
        vm.negotiate();
        vm.share_memory();
        const Bytes more = region({0x2'0000'0000, 4096, 0x1000, 0});
        const base::UniqueFd directory(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        const base::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
        const base::UniqueFd read_only(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
        for (const int fd : {directory.value(), null.value(), read_only.value(), vm.client.fd(),
                             vm.kick_fd.value()}) {
            CAPTURE(fd);
            CHECK_FALSE(vm.client.done(Request::AddMemReg, more, {fd}));
        }

        // A bell that cannot be rung, and one that cannot be heard.
        REQUIRE(vm.client.done(Request::SetVringCall, u64(0), {directory.value()}));
        vm.client.send(Request::SetVringNum, state(0, 32));
        vm.client.send(Request::SetVringAddr, vm.ring_addresses());
        REQUIRE(vm.client.done(Request::SetVringEnable, state(0, 1)));
        REQUIRE(vm.client.done(Request::SetVringKick, u64(0), {vm.kick_fd.value()}));
        const auto frame = driver::get_device_info(3).bytes();
        REQUIRE(vm.publish(frame, {{frame.size()}, {256}}).has_value());
        vm.kick();
        const auto answer = vm.look();
        REQUIRE(answer.has_value());
        CHECK(answer->answer.request_id() == 3);

        REQUIRE(vm.client.done(Request::SetVringKick, u64(0), {directory.value()}));
        CHECK(vm.client.ask(Request::GetQueueNum) == u64(1));
    }
    CHECK(daemon.serves());
    CHECK(daemon.returns_to(before));
}

TEST_SUITE_END();

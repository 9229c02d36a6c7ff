// SPDX-License-Identifier: MIT
//
// What a chain in flight may and may not do when its ring or its memory goes away.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <sys/eventfd.h>

#include <doctest/doctest.h>

#include "vhost/virtqueue.hpp"
#include "virtqueue/rig.hpp"

using namespace virtqueue;
using driver::NotPopped;
using wire::Status;

TEST_SUITE_BEGIN("virtqueue/epoch");

namespace {

// A device that answers nothing until it is drained.
class Holding final : public vhost::Handler {
 public:
    void serve(vhost::Ticket ticket, const wire::Chain& chain, vhost::Answers&) noexcept override {
        held_.emplace_back(ticket, chain);
    }
    void drain(vhost::Answers& answers) noexcept override {
        for (const auto& [ticket, chain] : std::exchange(held_, {}))
            answers.complete(ticket, engine_.process(chain));
    }
    void reset() noexcept override { (void)engine_.reset(++name_space_); }

    [[nodiscard]] std::size_t held() const { return held_.size(); }

 private:
    std::uint16_t name_space_ = 1;
    engine::Engine engine_ =
        engine::Engine::create({}, std::make_unique<mock::Provider>(), {}, name_space_).value();
    std::vector<std::pair<vhost::Ticket, wire::Chain>> held_;
};

class Notes final : public vhost::Observer {
 public:
    void chain_unusable(vhost::ChainDefect) override { ++unusable; }
    void ring_stopped(vhost::RingFault) override { ++stopped; }
    void message_refused(std::string_view, std::string_view) override {}

    int unusable = 0;
    int stopped = 0;
};

// The queue that a daemon has, without its front end.
struct Transport {
    Transport() {
        queue.set_memory(memory.device_side());
        REQUIRE(queue.set_size(8).has_value());
        REQUIRE(queue.set_addresses(ring.memory().addresses()).has_value());
        queue.set_enabled(true);
        REQUIRE(start() == vhost::Start::Resumed);
    }
    std::expected<vhost::Start, std::string> start() {
        REQUIRE(queue.set_base(0).has_value());
        return queue.start(base::UniqueFd(::eventfd(0, EFD_NONBLOCK)));
    }
    // One GET_DEVICE_INFO, in the n-th place for one.
    void publish(std::size_t n) {
        const driver::Block request = block.part(128 * n, 16);
        const driver::Block response = block.part(128 * n + 16, 92);
        driver::get_device_info(n + 1).copy_to(request.bytes);
        REQUIRE(ring.publish({&request, 1}, {&response, 1}).has_value());
    }
    void serve() { queue.serve(device, notes); }
    void drain() { queue.drain(device, notes); }

    driver::SharedMemory memory{1 << 16};
    driver::Ring ring{memory, 8};
    driver::Block block = memory.allocate(std::size_t{4} * 128);
    vhost::Virtqueue queue{256};
    Holding device;
    Notes notes;
};

}  // namespace

TEST_CASE("VQ-018 what is being served ends before the ring stops, what waits is never touched") {
    Transport t;
    t.publish(0);
    t.publish(1);
    t.serve();
    REQUIRE(t.device.held() == 2);
    t.publish(2);

    t.drain();
    t.queue.stop();
    t.device.reset();
    CHECK(t.ring.memory().used_index() == 2);
    CHECK(std::ranges::all_of(t.block.part(2 * 128 + 16, 92).bytes,
                              [](std::byte b) { return b == std::byte{0}; }));

    CHECK(t.ring.restart() == 3);
    const Bytes before(t.block.bytes.begin(), t.block.bytes.end());
    REQUIRE(t.start() == vhost::Start::Anew);
    t.serve();
    t.drain();
    CHECK(t.ring.pop().error() == NotPopped::Empty);
    CHECK(std::ranges::equal(before, t.block.bytes));

    t.publish(0);
    t.serve();
    t.drain();
    CHECK(t.ring.pop() == driver::UsedElement{0, 92});
    t.queue.stop();
}

TEST_CASE("after a chain without end the queue has nothing to do, after a false index it stops") {
    Transport t;
    t.ring.memory().set_descriptor(
        0, {.address = t.block.guest, .length = 16, .flags = vhost::kDescriptorNext, .next = 0});
    t.ring.memory().publish(0);
    t.serve();
    CHECK(t.ring.memory().used(0) == driver::UsedElement{0, 0});
    CHECK(t.notes.unusable == 1);
    CHECK_FALSE(t.queue.pending());
    CHECK(t.ring.kick_wanted());
    CHECK(t.queue.runnable());

    t.ring.memory().set_available_index(100);
    t.serve();
    CHECK(t.notes.stopped == 1);
    CHECK_FALSE(t.queue.runnable());
    CHECK_FALSE(t.queue.pending());
    CHECK(t.ring.memory().used_index() == 1);
    t.queue.stop();
}

TEST_CASE("VQ-020 a response can be written after the effect, though its memory was taken away") {
    auto memory = std::make_unique<driver::SharedMemory>(1 << 16);
    const auto witness = vhost::Mapping::create(memory->file(), 0, 1 << 16).value();
    driver::Ring ring(*memory, 8);
    driver::Device device(std::make_unique<mock::Provider>());
    device.start(*memory, ring.memory());
    const driver::Block request = memory->allocate(24);
    const driver::Block response = memory->allocate(24);
    driver::create_context(7).copy_to(request.bytes);
    REQUIRE(ring.publish({&request, 1}, {&response, 1}).has_value());
    vhost::DescriptorChain chain;
    REQUIRE(device.take(chain));
    const std::uint64_t place = response.guest - memory->guest();
    device.stop();
    memory.reset();  // the driver's mapping and the device's, but for what the chain holds

    CHECK(device.execute(chain) == 24);
    const auto written = witness.bytes().subspan(place, 24);
    const Answer answer{24, {written.begin(), written.end()}};
    CHECK(answer.status() == Status::Ok);
    CHECK(answer.request_id() == 7);
    CHECK(device.engine().live().contexts == 1);
    CHECK_FALSE(device.needs_reset());
}

TEST_SUITE_END();

// SPDX-License-Identifier: MIT
//
// A process that serves a ring dies, and another one goes on.
#include <csignal>
#include <map>
#include <memory>

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <doctest/doctest.h>
#include <unistd.h>

#include "vhost/front_end.hpp"
#include "vhost/ring.hpp"
#include "vhost/virtqueue.hpp"

using vhost::RingState;
using vhost_test::DriverRing;
using vhost_test::GuestRam;

TEST_SUITE_BEGIN("vhost/takeover");

namespace {

constexpr std::uint16_t kRing = 8;

template <class T>
std::shared_ptr<T> shared_between_processes() {
    void* at =
        ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(at != MAP_FAILED);
    return {static_cast<T*>(at), [](T* mapped) { ::munmap(mapped, sizeof(T)); }};
}

class Nobody final : public vhost::Observer {
 public:
    void chain_unusable(vhost::ChainDefect) override {}
    void ring_stopped(vhost::RingFault) override { ++faults; }
    void message_refused(std::string_view, std::string_view) override {}
    int faults = 0;
};

// Completes what it is told to, with a mark of its own.
class Marker final : public vhost::Handler {
 public:
    void serve(vhost::Ticket ticket, const wire::Chain& chain,
               vhost::Answers& answers) noexcept override {
        chain.writable[0][0] = std::byte{0xdd};
        answers.complete(ticket, 1);
    }
    void reset() noexcept override {}
};

// A ring of eight with a chain for every two descriptors, and who may serve it.
struct Scene {
    GuestRam ram{0x1000, 0x1000, 1 << 16};
    DriverRing driver{ram, kRing};
    std::shared_ptr<RingState> state = shared_between_processes<RingState>();
    vhost::Memory::Shared memory = vhost::Memory::none()->with(ram.region(), ram.file()).value();
    base::UniqueFd kick = vhost_test::make_eventfd();
    base::UniqueFd call = vhost_test::make_eventfd();

    Scene() {
        const auto data = ram.guest() + (driver.end() + 63) / 64 * 64;
        for (std::uint16_t head = 0; head < kRing; head += 2) {
            driver.link(head,
                        {{data, 16, 0, 0}, {data + 64 + head, 1, vhost::kDescriptorWrite, 0}});
        }
    }

    [[nodiscard]] vhost::RingAddresses addresses() const {
        const auto a = driver.addresses();
        return {a.descriptors, a.available, a.used};
    }
    [[nodiscard]] vhost::Ring ring(std::uint16_t next_available) const {
        return {vhost::RingView::locate(memory, kRing, addresses()).value(), next_available,
                *state};
    }
    // Set up like the one that served it, as a session's is.
    [[nodiscard]] std::unique_ptr<vhost::Virtqueue> onlooker() {
        auto queue = std::make_unique<vhost::Virtqueue>(kRing, state.get());
        REQUIRE(queue->set_size(kRing).has_value());
        REQUIRE(queue->set_addresses(addresses()).has_value());
        queue->set_memory(memory);
        queue->set_enabled(true);
        queue->set_call(base::UniqueFd(::dup(call.value())));
        REQUIRE(queue->start(base::UniqueFd(::dup(kick.value()))).has_value());
        queue->leave_to_other();
        return queue;
    }
    // How often each head was completed.
    [[nodiscard]] std::map<std::uint32_t, int> completed() const {
        std::map<std::uint32_t, int> count;
        for (std::uint16_t n = 0; n < driver.used_index(); ++n)
            ++count[driver.used(n).head];
        return count;
    }
};

// Takes three chains and completes two, out of order.
void serve_some(vhost::Ring& ring, std::span<vhost::DescriptorChain, 3> chains) {
    for (auto& chain : chains)
        (void)ring.pop(chain, kRing);
    (void)ring.complete(chains[1], 1);
    (void)ring.complete(chains[0], 1);
}

// Lets a child run `instructions` of serve_some() and kills it. Whether it was still at it.
bool die_after(const Scene& scene, vhost::Ring& ring, int instructions) {
    (void)scene;
    std::array<vhost::DescriptorChain, 3> chains;
    const pid_t child = ::fork();
    if (child == 0) {
        ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        ::raise(SIGSTOP);
        serve_some(ring, chains);
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    for (int i = 0; i < instructions && WIFSTOPPED(status); ++i) {
        REQUIRE(::ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0);
        REQUIRE(::waitpid(child, &status, 0) == child);
    }
    if (!WIFSTOPPED(status)) return false;
    REQUIRE(::kill(child, SIGKILL) == 0);
    REQUIRE(::waitpid(child, &status, 0) == child);
    return true;
}

}  // namespace

TEST_CASE("a ring whose server is killed at any instruction loses and repeats no chain") {
    // The instructions of a sanitizer are many, and nothing to die in.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return;
#endif
    // A stride that meets every phase of a loop sooner or later.
    constexpr int kStride = 13;
    Marker marker;
    Nobody nobody;
    int deaths = 0;
    for (int instructions = 0;; instructions += kStride) {
        Scene scene;
        const auto queue = scene.onlooker();
        vhost::Ring ring = scene.ring(0);
        for (std::uint16_t head = 0; head < kRing; head += 2)
            scene.driver.publish(head);
        const bool died = die_after(scene, ring, instructions);
        deaths += died;
        CAPTURE(instructions);

        queue->take_over(marker, nobody);
        CHECK(vhost_test::drain(scene.call) > 0);
        while (queue->pending())
            queue->serve(marker, nobody);
        REQUIRE(nobody.faults == 0);
        REQUIRE(scene.completed() == std::map<std::uint32_t, int>{{0, 1}, {2, 1}, {4, 1}, {6, 1}});
        if (!died) break;
    }
    CHECK(deaths > 10);
}

TEST_CASE("who takes over believes nothing that a mad process has left") {
    Scene scene;
    const auto queue = scene.onlooker();
    for (auto& taken : scene.state->taken)
        taken = 0xffffffff;
    scene.state->taking = ~std::uint64_t{0};
    scene.state->completing = ~std::uint64_t{0};
    scene.state->next_available = 0x5555;

    Marker marker;
    Nobody nobody;
    queue->take_over(marker, nobody);
    while (queue->pending())
        queue->serve(marker, nobody);
    // Every head once, the odd ones being no chains; then indices that make no sense.
    CHECK(scene.driver.used_index() == kRing);
    CHECK(nobody.faults == 1);
}

TEST_SUITE_END();

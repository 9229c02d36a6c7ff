// SPDX-License-Identifier: MIT
//
// Jobs that several threads compute.
#include <atomic>
#include <numeric>

#include "cpu/rig.hpp"

namespace cpu::test {
namespace {

constexpr std::int32_t kElements = 1'700'000;
constexpr std::uint64_t kBytes = std::uint64_t{kElements} * sizeof(float);

// out = e^a: some slices of one thread.
tosa::test::GraphBuilder exponentials() {
    tosa::test::GraphBuilder graph;
    graph.input("a", {kElements}).output("out", {kElements});
    return graph.op(tosa::Op::Exp, {"a"}, {"out"});
}

Bytes numbers(unsigned seed) {
    std::vector<float> elements(std::size_t{kElements});
    for (float& element : elements) {
        seed = seed * 1664525 + 1013904223;
        element = static_cast<float>(seed >> 24);
    }
    const auto view = std::as_bytes(std::span(elements));
    return {view.begin(), view.end()};
}

Options with_threads(unsigned threads) {
    return {.threads = threads};
}

TEST_CASE("results do not depend on how many threads compute them") {
    const auto alone = Rig(with_threads(1)).run(exponentials(), {numbers(1)}, {kBytes});
    for (const unsigned threads : {0U, 2U, 3U, 8U})
        CHECK(Rig(with_threads(threads)).run(exponentials(), {numbers(1)}, {kBytes}) == alone);
}

TEST_CASE("contexts that share the threads of a provider do not disturb each other") {
    const auto expected = Rig(with_threads(1)).run(exponentials(), {numbers(2)}, {kBytes});
    const std::shared_ptr<provider::Provider> shared = Rig(with_threads(4)).provider;
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> users;
        for (int user = 0; user < 3; ++user)
            users.emplace_back([&] {
                const Rig rig(shared);
                for (int round = 0; round < 5; ++round)
                    right += rig.run(exponentials(), {numbers(2)}, {kBytes}) == expected ? 1 : 0;
            });
    }
    CHECK(right == 15);
}

TEST_CASE("more threads check a job as often") {
    const auto slices = [](unsigned threads) {
        std::atomic<int> count = 0;
        Options options = with_threads(threads);
        options.before_slice = [&] { ++count; };
        CHECK(Rig(options).run(exponentials(), {numbers(3)}, {kBytes}).size() == 1);
        return count.load();
    };
    // In the same time: a slice of four threads has the work of four slices of one.
    CHECK(slices(1) == 4);
    CHECK(slices(4) == 1);
}

TEST_CASE("a job that several threads compute is cancelled at its next slice") {
    Gate gate;
    Options options = with_threads(2);
    options.before_slice = gate.hook();
    const Rig rig(options);
    const auto program = rig.load(exponentials());
    const auto a = rig.buffer_of(numbers(4));
    const auto out = rig.buffer(kBytes);
    const Binding bindings[] = {
        {.buffer = a.get(), .bytes = kBytes, .slot = 0, .access = Access::Read},
        {.buffer = out.get(), .bytes = kBytes, .slot = 1, .access = Access::Write}};
    auto event = take(rig.try_submit(*program, bindings));
    gate.wait_for_arrival();
    gate.let_through();
    gate.wait_for_arrival();
    CHECK(rig.provider->cancel_event(*event).has_value());
    CHECK(rig.phase(*event) == EventPhase::Pending);
    gate.let_through();
    CHECK(rig.wait(*event).phase == EventPhase::Cancelled);
    const Bytes written = rig.contents(*out, kBytes);
    CHECK(std::ranges::all_of(std::span(written).last(kBytes / 4),
                              [](std::byte byte) { return byte == std::byte{0}; }));
    CHECK(released(rig.provider->destroy_event(std::move(event))));
}

}  // namespace
}  // namespace cpu::test

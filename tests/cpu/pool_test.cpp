// SPDX-License-Identifier: MIT
#include "cpu/pool.hpp"

#include <atomic>
#include <latch>
#include <set>

#include "cpu/rig.hpp"

namespace cpu::test {
namespace {

constexpr std::uint64_t kDear = std::uint64_t{1} << 20;  // worth many helpers

// Counts how often each unit runs, after what a test wants to happen in it.
class Counting final : public Kernel {
 public:
    Counting(std::uint64_t units, std::uint64_t cost, std::function<void(std::byte*)> hook = {})
        : Kernel(units, cost), runs_(units), hook_(std::move(hook)) {}

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        for (std::uint64_t unit = first; unit < last; ++unit) {
            if (hook_) hook_(operands.scratch);
            ++runs_[unit];
        }
    }

    [[nodiscard]] bool each_ran(int times) const {
        return std::ranges::all_of(runs_, [=](const auto& runs) { return runs == times; });
    }

 private:
    mutable std::vector<std::atomic<int>> runs_;
    std::function<void(std::byte*)> hook_;
};

void run(Pool& pool, const Kernel& kernel, unsigned helpers, const Scratch& scratch = {}) {
    const Frame frame{};
    const Operands operands{frame, {}, {}};
    pool.run({kernel, operands, 0, kernel.units()}, helpers, scratch);
}

TEST_CASE("every unit of a slice runs once, however many help") {
    for (const unsigned threads : {1U, 2U, 5U}) {
        Pool pool(threads);
        pool.start();
        const Pool::Busy busy(pool);
        const Counting kernel(1000, kDear);
        for (int round = 1; round <= 50; ++round) {
            const unsigned helpers = pool.take(kernel, kernel.units());
            CHECK(helpers <= threads - 1);
            run(pool, kernel, helpers);
            CHECK(kernel.each_ran(round));
        }
    }
}

TEST_CASE("helpers compute at the same time as their lane, each in memory of its own") {
    Pool pool(3);
    pool.start();
    const Pool::Busy busy(pool);
    std::latch together(3);
    std::mutex mutex;
    std::set<std::byte*> seen;
    const Counting kernel(3, kDear, [&](std::byte* scratch) {
        together.arrive_and_wait();
        const std::scoped_lock lock(mutex);
        seen.insert(scratch);
    });
    std::byte memory[3 * 64];
    const unsigned helpers = pool.take(kernel, 3);
    REQUIRE(helpers == 2);
    run(pool, kernel, helpers, {memory, 64});
    CHECK(seen == std::set<std::byte*>{memory, memory + 64, memory + 128});
}

TEST_CASE("a slice is over when the last helper has left, and then it is idle again") {
    Pool pool(2);
    pool.start();
    const Pool::Busy busy(pool);
    const auto lane = std::this_thread::get_id();
    std::binary_semaphore helper_came(0);
    std::binary_semaphore lane_is_through(0);
    std::atomic<bool> left = false;
    const Counting kernel(2, kDear, [&](std::byte*) {
        if (std::this_thread::get_id() == lane) {
            helper_came.acquire();
            lane_is_through.release();
        } else {
            helper_came.release();
            lane_is_through.acquire();
            std::this_thread::yield();
            left = true;
        }
    });
    REQUIRE(pool.take(kernel, 2) == 1);
    CHECK(pool.take(kernel, 2) == 0);
    run(pool, kernel, 1);
    CHECK(left);
    CHECK(pool.take(kernel, 2) == 1);
    run(pool, Counting(2, kDear), 1);
}

TEST_CASE("little work is not worth a helper") {
    Pool pool(8);
    pool.start();
    const Pool::Busy busy(pool);
    CHECK(pool.take(Counting(1, kDear), 1) == 0);
    CHECK(pool.take(Counting(1000, 1), 1000) == 0);
    CHECK(pool.take(Counting(3, kDear), 3) == 2);
}

TEST_CASE("busy lanes share what their own threads leave, evenly") {
    struct Row {
        unsigned threads;
        std::vector<unsigned> parts;  // a lane each, in the order in which they take
    };
    const Row rows[] = {
        {1, {0}},    {2, {1}},       {8, {7}},       {4, {1, 1}},
        {7, {3, 2}}, {8, {2, 2, 1}}, {3, {0, 0, 0}}, {2, {0, 0, 0}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.threads);
        Pool pool(row.threads);
        pool.start();
        const Counting kernel(1000, kDear);
        std::vector<std::unique_ptr<Pool::Busy>> lanes;
        for (std::size_t lane = 0; lane < row.parts.size(); ++lane)
            lanes.push_back(std::make_unique<Pool::Busy>(pool));
        for (const unsigned part : row.parts) {
            const unsigned taken = pool.take(kernel, 1000);
            CHECK(taken == part);
        }
    }
}

TEST_CASE("a lane that becomes busy gets its part with the next slice of the other") {
    Pool pool(4);
    pool.start();
    const Counting kernel(1000, kDear);
    const Pool::Busy first(pool);
    REQUIRE(pool.take(kernel, 1000) == 3);
    {
        const Pool::Busy second(pool);
        CHECK(pool.take(kernel, 1000) == 0);
        run(pool, kernel, 3);
        CHECK(pool.take(kernel, 1000) == 1);
        CHECK(pool.take(kernel, 1000) == 1);
        run(pool, kernel, 1);
        run(pool, kernel, 1);
    }
    CHECK(pool.take(kernel, 1000) == 3);
}

TEST_CASE("a pool that never started helps nobody, and one that did ends at any time") {
    {
        const Pool idle(4);
    }
    Pool pool(4);
    const Pool::Busy busy(pool);
    const Counting kernel(100, kDear);
    CHECK(pool.take(kernel, 100) == 0);
    pool.start();
    pool.start();
    CHECK(pool.take(kernel, 100) == 3);
}

TEST_CASE("lanes use a pool at the same time") {
    Pool pool(4);
    pool.start();
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> lanes;
        for (int lane = 0; lane < 3; ++lane)
            lanes.emplace_back([&] {
                const Counting kernel(64, kDear);
                for (int round = 1; round <= 100; ++round) {
                    const Pool::Busy busy(pool);
                    run(pool, kernel, pool.take(kernel, kernel.units()));
                    right += kernel.each_ran(round) ? 1 : 0;
                }
            });
    }
    CHECK(right == 300);
}

}  // namespace
}  // namespace cpu::test

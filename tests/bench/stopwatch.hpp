// SPDX-License-Identifier: MIT
//
// What one operation costs: time, instructions, allocations.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <limits>

#include <linux/perf_event.h>
#include <sys/syscall.h>

#include <unistd.h>

#include "base/unique_fd.hpp"
#include "budget/allocations.hpp"

namespace bench {

struct Cost {
    double nanoseconds = 0;
    double instructions = std::numeric_limits<double>::quiet_NaN();  // where not counted
    double allocations = 0;
};

// Instructions of this thread in user mode. Containers and virtual machines often refuse
// to count them.
class InstructionCounter {
 public:
    InstructionCounter() {
        perf_event_attr attributes{};
        attributes.type = PERF_TYPE_HARDWARE;
        attributes.size = sizeof attributes;
        attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
        attributes.exclude_kernel = 1;
        attributes.exclude_hv = 1;
        fd_ = base::UniqueFd(
            static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0)));
    }

    [[nodiscard]] double read() const {
        std::uint64_t count = 0;
        if (!fd_ || ::read(fd_.value(), &count, sizeof count) != sizeof count)
            return std::numeric_limits<double>::quiet_NaN();
        return static_cast<double>(count);
    }

 private:
    base::UniqueFd fd_;
};

// Of this thread: what else runs on the machine costs it its caches, not its time.
inline double cpu_nanoseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The median of seven runs after a warm-up, each of at least 20 ms. The operation waits
// for nobody.
template <class Operation>
Cost measure(Operation operation) {
    constexpr int kRuns = 7;
    const InstructionCounter instructions;
    const auto run = [&](std::uint64_t times) {
        const double before = instructions.read();
        const double start = cpu_nanoseconds();
        for (std::uint64_t i = 0; i < times; ++i)
            operation();
        const double elapsed = cpu_nanoseconds() - start;
        const auto n = static_cast<double>(times);
        return Cost{.nanoseconds = elapsed / n, .instructions = (instructions.read() - before) / n};
    };

    std::uint64_t times = 1;
    while (run(times).nanoseconds * static_cast<double>(times) < 20e6)
        times *= 2;
    std::array<Cost, kRuns> runs;
    std::ranges::generate(runs, [&] { return run(times); });
    std::ranges::sort(runs, {}, &Cost::nanoseconds);
    Cost median = runs[kRuns / 2];

    constexpr int kCounted = 100;
    const budget::Allocations allocations;
    for (int i = 0; i < kCounted; ++i)
        operation();
    median.allocations = static_cast<double>(allocations.calls()) / kCounted;
    return median;
}

}  // namespace bench

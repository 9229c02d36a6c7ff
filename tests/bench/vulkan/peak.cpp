// SPDX-License-Identifier: MIT
#include "bench/vulkan/peak.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "bench/vulkan/samples.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/vulkan/peak.cpp"  // this file, once a target
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace vulkan::bench::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// As many chains as two units with a latency of four need, and some more. Returns the
// operations that were done; the sums go to `kept`, so that they have to be computed.
double multiply_add(std::size_t steps, float* kept) {
    const hn::ScalableTag<float> floats;
    const auto factor = hn::Set(floats, 0.5F);
    auto a = hn::Iota(floats, 1), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a;
    for (std::size_t step = 0; step < steps; ++step) {
        a = hn::MulAdd(a, factor, factor);
        b = hn::MulAdd(b, factor, factor);
        c = hn::MulAdd(c, factor, factor);
        d = hn::MulAdd(d, factor, factor);
        e = hn::MulAdd(e, factor, factor);
        f = hn::MulAdd(f, factor, factor);
        g = hn::MulAdd(g, factor, factor);
        h = hn::MulAdd(h, factor, factor);
        i = hn::MulAdd(i, factor, factor);
        j = hn::MulAdd(j, factor, factor);
    }
    a = hn::Add(hn::Add(a, b), hn::Add(c, d));
    e = hn::Add(hn::Add(e, f), hn::Add(g, h));
    *kept = hn::ReduceSum(floats, hn::Add(hn::Add(a, e), hn::Add(i, j)));
    return 10.0 * 2 * static_cast<double>(hn::Lanes(floats)) * static_cast<double>(steps);
}

}  // namespace
}  // namespace vulkan::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vulkan::bench {
namespace {

HWY_EXPORT(multiply_add);

// The best of several rounds of work(thread) on all threads at a time, in seconds.
template <class Work>
double best(unsigned threads, Work work) {
    constexpr int kRounds = 7;
    double least = 1e9;
    for (int round = 0; round < kRounds; ++round) {
        const Seconds took = time_of([&] {
            std::vector<std::jthread> pool;
            for (unsigned thread = 1; thread < threads; ++thread)
                pool.emplace_back([&work, thread] { work(thread); });
            work(0U);
        });
        least = std::min(least, took.count());
    }
    return least;
}

}  // namespace

double multiply_add_peak(unsigned threads) {
    constexpr std::size_t kSteps = 10'000'000;
    std::vector<double> operations(threads);
    std::vector<float> kept(threads);
    const double seconds = best(threads, [&](unsigned thread) {
        operations[thread] = HWY_DYNAMIC_DISPATCH(multiply_add)(kSteps, &kept[thread]);
    });
    return operations[0] * threads / seconds;
}

double copy_peak(unsigned threads) {
    constexpr std::size_t kBytes = std::size_t{128} << 20;  // of all threads
    const std::size_t part = kBytes / threads;
    std::vector<char> from(kBytes, 1);
    std::vector<char> to(kBytes, 2);
    const double seconds = best(threads, [&](unsigned thread) {
        std::memcpy(&to[thread * part], &from[thread * part], part);
        asm volatile("" : : "r"(to.data()) : "memory");
    });
    return 2.0 * static_cast<double>(part) * threads / seconds;
}

}  // namespace vulkan::bench
#endif

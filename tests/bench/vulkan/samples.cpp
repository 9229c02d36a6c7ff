// SPDX-License-Identifier: MIT
#include "bench/vulkan/samples.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace vulkan::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Seconds kAwake{2e-3};
constexpr double kPause = 0.01;  // of the time waited so far

}  // namespace

double Samples::percentile(double share) const {
    std::vector<double> sorted = seconds_;
    std::ranges::sort(sorted);
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count())));
    return sorted.at(std::max<std::size_t>(rank, 1) - 1);
}

Seconds time_of(const std::function<void()>& work) {
    const auto start = Clock::now();
    work();
    return Clock::now() - start;
}

std::vector<Samples> take_turns(std::span<const std::function<void()>> works, const Pace& pace) {
    for (const auto& work : works) {
        Seconds warm{0};
        for (int run = 0; run < 2 || warm < pace.warm_up; ++run)
            warm += time_of(work);
    }
    std::vector<Samples> samples(works.size());
    Seconds total{0};
    const auto enough = [&](std::size_t rounds) {
        return rounds >= pace.fewest ? total >= pace.measured || rounds >= pace.most
                                     : rounds > 0 && total >= pace.longest;
    };
    for (std::size_t round = 0; !enough(round); ++round)
        for (std::size_t i = 0; i < works.size(); ++i) {
            const Seconds took = time_of(works[i]);
            samples[i].add(took);
            total += took;
        }
    return samples;
}

void wait_until(const std::function<bool()>& done) {
    const auto start = Clock::now();
    while (!done()) {
        const Seconds waited = Clock::now() - start;
        if (waited < kAwake)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(waited * kPause);
    }
}

}  // namespace vulkan::bench

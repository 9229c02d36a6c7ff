// SPDX-License-Identifier: MIT
//
// Our kernels beside those of a library, on one thread or two. On one, what is measured is
// the time that it has a processor: others on the machine cost it its caches, not its time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

[[nodiscard]] unsigned threads();

// Calls work(first, last, thread) for pieces of [0, units) on all threads, each of which takes
// the next piece when it has done one.
using Work = std::function<void(std::uint64_t first, std::uint64_t last, unsigned thread)>;
void on_threads(std::uint64_t units, const Work& work);

// Medians of several turns each, taken by turns, as the machine may change its speed.
struct Pair {
    double ours;  // seconds
    double theirs;
};
Pair measure(const std::function<void()>& ours, const std::function<void()>& theirs);

// The same for each of several that run one after another, and find the caches as the others
// leave them.
using Works = std::vector<std::function<void()>>;
std::vector<Pair> measure_each(const Works& ours, const Works& theirs);

// 1 is as fast as the library.
void print(const std::string& name, const Pair& pair, double operations);

void bench_products();
void bench_convolutions();

}  // namespace bench

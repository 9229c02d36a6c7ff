// SPDX-License-Identifier: MIT
#include "bench/cpu/bench.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <format>
#include <iostream>
#include <string_view>
#include <thread>

#include <omp.h>

namespace bench {
namespace {

// Starting threads would cost more than small kernels do: these wait for work.
class Helper {
 public:
    Helper() : thread_([this](const std::stop_token& stop) { serve(stop); }) {}

    void start(const std::function<void()>& work) {
        work_.store(&work, std::memory_order_release);
        work_.notify_one();
    }
    void wait() const {
        while (work_.load(std::memory_order_acquire) != nullptr)
            std::this_thread::yield();
    }
    ~Helper() {
        thread_.request_stop();
        static const std::function<void()> kNothing = [] {};
        start(kNothing);
    }

 private:
    // Looks for a while before it sleeps, as OpenBLAS and OpenMP do.
    void serve(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            for (int i = 0; i < 10'000 && work_.load() == nullptr; ++i)
                std::this_thread::yield();
            work_.wait(nullptr);
            (*work_.load(std::memory_order_acquire))();
            work_.store(nullptr, std::memory_order_release);
        }
    }

    std::atomic<const std::function<void()>*> work_{nullptr};
    std::jthread thread_;
};

unsigned thread_count = 1;

double now() {
    timespec time{};
    ::clock_gettime(thread_count == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds(const std::function<void()>& work) {
    const double before = now();
    work();
    return now() - before;
}

template <std::size_t N>
double middle(std::array<double, N>& values) {
    std::ranges::nth_element(values, values.begin() + N / 2);
    return values[N / 2];
}

}  // namespace

unsigned threads() {
    return thread_count;
}

void on_threads(std::uint64_t units, const Work& work) {
    if (thread_count == 1) return work(0, units, 0);
    static Helper helper;
    std::atomic<std::uint64_t> next{0};
    const std::uint64_t piece = std::max<std::uint64_t>(1, units / 32);
    const auto take = [&](unsigned thread) {
        for (std::uint64_t first; (first = next.fetch_add(piece)) < units;)
            work(first, std::min(first + piece, units), thread);
    };
    const std::function<void()> theirs = [&] { take(1); };
    if (units > piece) helper.start(theirs);
    take(0);
    if (units > piece) helper.wait();
}

Pair measure(const std::function<void()>& ours, const std::function<void()>& theirs) {
    constexpr std::size_t kTurns = 15;
    ours();
    theirs();
    const double once = std::max(1e-6, seconds(ours));
    const int repeat = static_cast<int>(std::clamp(0.01 / once, 1.0, 1000.0));
    const auto several = [&](const std::function<void()>& work) {
        return seconds([&] {
                   for (int i = 0; i < repeat; ++i)
                       work();
               }) /
               repeat;
    };
    std::array<double, kTurns> a{};
    std::array<double, kTurns> b{};
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
        a[turn] = several(ours);
        b[turn] = several(theirs);
    }
    return {middle(a), middle(b)};
}

std::vector<Pair> measure_each(const Works& ours, const Works& theirs) {
    constexpr std::size_t kTurns = 31;
    std::vector<std::array<double, kTurns>> a(ours.size());
    std::vector<std::array<double, kTurns>> b(theirs.size());
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
        for (std::size_t i = 0; i < ours.size(); ++i)
            a[i][turn] = seconds(ours[i]);
        for (std::size_t i = 0; i < theirs.size(); ++i)
            b[i][turn] = seconds(theirs[i]);
    }
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < ours.size(); ++i)
        pairs.push_back({middle(a[i]), middle(b[i])});
    return pairs;
}

void print(const std::string& name, const Pair& pair, double operations) {
    std::cout << std::format("{:<44} {:>9.1f} {:>9.1f} {:>7.2f}\n", name,
                             operations / pair.ours * 1e-9, operations / pair.theirs * 1e-9,
                             pair.theirs / pair.ours)
              << std::flush;
}

}  // namespace bench

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "2") bench::thread_count = 2;
    omp_set_num_threads(static_cast<int>(bench::threads()));
    std::cout << std::format("{:<44} {:>9} {:>9} {:>7}\n",
                             std::format("G operations/s, {} thread(s)", bench::threads()), "ours",
                             "theirs", "ratio");
    bench::bench_products();
    bench::bench_convolutions();
}

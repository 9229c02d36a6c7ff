// SPDX-License-Identifier: MIT
//
// What a command costs a guest of the real daemon, from its kick to the interrupt: with a
// session and a worker against --single-process, and beside a guest that floods the daemon
// against alone. Ratios of one run, printed and not judged.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <print>

#include <sys/wait.h>

#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include "daemon/vm.hpp"

using namespace daemon_test;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kCommands = 2000;
constexpr int kRounds = 15;

struct Times {
    double median = 0;
    double p99 = 0;  // microseconds
};

Times round_trips(Vm& vm) {
    std::vector<double> times;
    times.reserve(kCommands);
    for (int i = 0; i < kCommands; ++i) {
        const auto start = Clock::now();
        REQUIRE(vm.call(driver::get_device_info(static_cast<std::uint64_t>(i) + 1)).status() ==
                wire::Status::Ok);
        times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    std::ranges::sort(times);
    return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

// The middle round: where the scheduler puts two processes on two processors changes by
// the second, and with it the time of a wake-up.
Times middle(std::vector<Times> rounds) {
    const auto half = static_cast<std::ptrdiff_t>(rounds.size() / 2);
    const auto of = [&](double Times::* what) {
        std::ranges::nth_element(rounds, rounds.begin() + half, {}, what);
        return rounds[static_cast<std::size_t>(half)].*what;
    };
    return {of(&Times::median), of(&Times::p99)};
}

// While it lives, what starts runs on one processor: a wake-up on another one, which sleeps,
// costs many times what is to be compared.
class OneProcessor {
 public:
    OneProcessor() {
        REQUIRE(::sched_getaffinity(0, sizeof(all_), &all_) == 0);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(::sched_getcpu(), &one);
        REQUIRE(::sched_setaffinity(0, sizeof(one), &one) == 0);
    }
    ~OneProcessor() { ::sched_setaffinity(0, sizeof(all_), &all_); }

 private:
    cpu_set_t all_{};
};

// A neighbour that keeps the ring full until it is killed.
pid_t flood(Daemon& daemon) {
    Vm vm(daemon.connect());
    vm.start();
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const driver::Block request = vm.memory.allocate(driver::get_device_info(1).size());
    driver::get_device_info(1).copy_to(request.bytes);
    const driver::Block answer = vm.memory.allocate(256);
    for (;;) {
        while (vm.publish(std::span(&request, 1), {answer})) {
        }
        vm.kick();
        while (vm.pop()) {
        }
    }
}

}  // namespace

TEST_CASE("a session and a worker against a single process") {
    const OneProcessor one;
    Daemon split;
    Daemon single({"--single-process"});
    Vm split_vm(split.connect());
    Vm single_vm(single.connect());
    split_vm.start();
    single_vm.start();
    std::vector<Times> splits;
    std::vector<Times> singles;
    for (int i = 0; i < kRounds; ++i) {
        splits.push_back(round_trips(split_vm));
        singles.push_back(round_trips(single_vm));
    }
    const Times a = middle(splits);
    const Times b = middle(singles);
    std::println("session and worker  {:.1f} us, p99 {:.1f} us", a.median, a.p99);
    std::println("single process      {:.1f} us, p99 {:.1f} us", b.median, b.p99);
    std::println("ratio               {:.3f}, p99 {:.3f}", a.median / b.median, a.p99 / b.p99);
}

TEST_CASE("a guest beside one that floods the daemon") {
    Daemon daemon({"--max-guests", "2"});
    Vm good(daemon.connect());
    good.start();
    std::vector<Times> alone;
    for (int i = 0; i < kRounds; ++i)
        alone.push_back(round_trips(good));
    const pid_t neighbour = flood(daemon);
    std::vector<Times> beside;
    for (int i = 0; i < kRounds; ++i)
        beside.push_back(round_trips(good));
    ::kill(neighbour, SIGKILL);
    ::waitpid(neighbour, nullptr, 0);
    const Times a = middle(alone);
    const Times b = middle(beside);
    std::println("alone               {:.1f} us, p99 {:.1f} us", a.median, a.p99);
    std::println("beside a flood      {:.1f} us, p99 {:.1f} us", b.median, b.p99);
    std::println("ratio               {:.3f}, p99 {:.3f}", b.median / a.median, b.p99 / a.p99);
}

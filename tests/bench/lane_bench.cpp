// SPDX-License-Identifier: MIT
//
// What the dispatch lane adds to a runtime whose jobs all take the same time from start to
// end, however many are in flight. docs/adr/0010-dispatch-lane.md has numbers.
#include <algorithm>
#include <deque>
#include <format>
#include <iostream>
#include <thread>
#include <vector>

#include "provider/lane/lane.hpp"

namespace {

using dispatch::Clock;
using dispatch::Gate;
using dispatch::Result;

constexpr std::chrono::microseconds kRoundTrip{500};
constexpr int kJobs = 4000;
constexpr dispatch::Seconds kLong{60};

struct TimedJob final : dispatch::Job {
    Clock::time_point end;
};

class RoundTrip final : public dispatch::Runtime {
 public:
    explicit RoundTrip(std::uint32_t depth) : depth_(depth) {}

    dispatch::Contract contract() const override { return {.launched = depth_}; }
    Result<void> start(dispatch::Job& job) override {
        static_cast<TimedJob&>(job).end = Clock::now() + kRoundTrip;
        return {};
    }
    Result<dispatch::Progress> wait(dispatch::Job& job, dispatch::Tick,
                                    std::chrono::milliseconds) override {
        std::this_thread::sleep_until(static_cast<TimedJob&>(job).end);
        return dispatch::Progress::Done;
    }
    Result<void> sync_outputs(dispatch::Job&) override { return {}; }

 private:
    const std::uint32_t depth_;
};

class Samples {
 public:
    explicit Samples(std::size_t most) { microseconds_.reserve(most); }

    template <class Operation>
    auto time(Operation operation) {
        const auto start = Clock::now();
        auto result = operation();
        const std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
        microseconds_.push_back(elapsed.count());
        return result;
    }
    [[nodiscard]] double percentile(std::size_t percent) {
        std::ranges::sort(microseconds_);
        return microseconds_[(microseconds_.size() - 1) * percent / 100];
    }

 private:
    std::vector<double> microseconds_;
};

// Three operands each, which no run in flight shares.
std::vector<dispatch::Touched> operands(std::size_t sets) {
    std::vector<dispatch::Touched> all(sets);
    for (dispatch::Touched& gates : all)
        for (int i = 0; i < 3; ++i)
            gates.push_back(std::make_shared<Gate>());
    return all;
}

bool measure(std::uint32_t depth) {
    const auto lane = dispatch::Lane::open(std::make_shared<RoundTrip>(depth));
    if (!lane) return false;
    const auto sets = operands(depth);
    std::deque<dispatch::Ticket> in_flight;
    Samples admission(kJobs);
    Samples stream(kJobs);

    const auto start = Clock::now();
    for (std::size_t i = 0; i < kJobs; ++i) {
        if (in_flight.size() == depth) {
            static_cast<void>(in_flight.front().wait(kLong));
            in_flight.pop_front();
        }
        dispatch::Work work{std::make_unique<TimedJob>(), sets[i % depth]};
        auto ticket = admission.time([&] { return (*lane)->submit(std::move(work)); });
        if (!ticket) return false;
        in_flight.push_back(std::move(*ticket));
        // While the launcher is about to want it.
        const auto held = stream.time([&] { return (*lane)->hold_stream(); });
        if (!held) return false;
    }
    while (!in_flight.empty()) {
        static_cast<void>(in_flight.front().wait(kLong));
        in_flight.pop_front();
    }
    const std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
    const double per_job = elapsed.count() / kJobs;
    const std::chrono::duration<double, std::micro> round_trip = kRoundTrip;
    std::cout << std::format("{:>5} {:>12.2f} {:>8.2f} {:>14.2f} {:>8.2f} {:>12.1f} {:>10.2f}\n",
                             depth, admission.percentile(50), admission.percentile(95),
                             stream.percentile(50), stream.percentile(95), per_job,
                             per_job * depth / round_trip.count());
    return true;
}

}  // namespace

int main() {
    std::cout << std::format("a round trip takes {} us; all times in us\n", kRoundTrip.count())
              << std::format("{:>5} {:>12} {:>8} {:>14} {:>8} {:>12} {:>10}\n", "depth",
                             "submit p50", "p95", "stream p50", "p95", "per job", "x ideal");
    for (const std::uint32_t depth : {1U, 2U, 4U})
        if (!measure(depth)) return 1;
}

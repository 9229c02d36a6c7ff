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
constexpr std::size_t kBatches = 40;  // a median of so many, against what else runs here
constexpr std::size_t kBatch = 100;
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
    template <class Operation>
    auto time(Operation operation) {
        const Stopwatch stopwatch{microseconds_};
        return operation();
    }
    [[nodiscard]] double percentile(std::size_t percent) {
        std::ranges::sort(microseconds_);
        return microseconds_[(microseconds_.size() - 1) * percent / 100];
    }

 private:
    struct Stopwatch {
        ~Stopwatch() {
            const std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
            to.push_back(elapsed.count());
        }
        std::vector<double>& to;
        Clock::time_point start = Clock::now();
    };
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

// One lane, and what a job of it costs.
class Bench {
 public:
    explicit Bench(std::uint32_t depth)
        : depth_(depth), lane_(dispatch::Lane::open(std::make_shared<RoundTrip>(depth)).value()) {}

    void measure() {
        for (std::size_t batch = 0; batch < kBatches; ++batch)
            batches_.time([&] {
                for (std::size_t i = 0; i < kBatch; ++i)
                    submit_one(operands_[i % depth_]);
            });
    }

    void print_row() {
        const double per_job = batches_.percentile(50) / kBatch;
        const std::chrono::duration<double, std::micro> round_trip = kRoundTrip;
        std::cout << std::format("{:>5} {:>12.2f} {:>8.2f} {:>14.2f} {:>8.2f} {:>12.1f} {:>8.2f}\n",
                                 depth_, admission_.percentile(50), admission_.percentile(95),
                                 stream_.percentile(50), stream_.percentile(95), per_job,
                                 per_job * depth_ / round_trip.count());
    }

 private:
    void submit_one(const dispatch::Touched& touched) {
        if (in_flight_.size() == depth_) {
            static_cast<void>(in_flight_.front().wait(kLong));
            in_flight_.pop_front();
        }
        dispatch::Work work{std::make_unique<TimedJob>(), touched};
        in_flight_.push_back(
            admission_.time([&] { return lane_->submit(std::move(work)); }).value());
        // While the launcher is about to want it.
        stream_.time([&] { return lane_->hold_stream(); }).value().reset();
    }

    const std::uint32_t depth_;
    std::unique_ptr<dispatch::Lane> lane_;
    std::vector<dispatch::Touched> operands_ = operands(depth_);
    std::deque<dispatch::Ticket> in_flight_;
    Samples admission_;
    Samples stream_;
    Samples batches_;
};

}  // namespace

int main() {
    std::cout << std::format("a round trip takes {} us; all times in us\n", kRoundTrip.count())
              << std::format("{:>5} {:>12} {:>8} {:>14} {:>8} {:>12} {:>8}\n", "depth",
                             "submit p50", "p95", "stream p50", "p95", "per job", "x ideal");
    for (const std::uint32_t depth : {1U, 2U, 4U}) {
        Bench bench(depth);
        bench.measure();
        bench.print_row();
    }
}

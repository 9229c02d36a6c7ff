// SPDX-License-Identifier: MIT
//
// What the dispatch lane adds to a runtime whose jobs all take the same time from start to
// end, however many are in flight. docs/adr/0010-dispatch-lane.md has numbers.
#include <algorithm>
#include <deque>
#include <format>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
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

class Samples {
 public:
    void add(std::chrono::duration<double, std::micro> sample) {
        samples_.push_back(sample.count());
    }

    template <class Operation>
    auto time(Operation operation) {
        const auto start = Clock::now();
        auto result = operation();
        add(Clock::now() - start);
        return result;
    }

    [[nodiscard]] double percentile(std::size_t percent) {
        std::ranges::sort(samples_);
        return samples_[(samples_.size() - 1) * percent / 100];
    }
    [[nodiscard]] std::string median_and_95() {
        return std::format("{:>8.2f} {:>6.2f}", percentile(50), percentile(95));
    }

 private:
    std::vector<double> samples_;
};

struct TimedJob final : dispatch::Job {
    Clock::time_point end;
};

class RoundTrip final : public dispatch::Runtime {
 public:
    explicit RoundTrip(std::uint32_t depth) : depth_(depth) {}

    dispatch::Contract contract() const override { return {.launched = depth_}; }
    Result<void> start(dispatch::Job& job) override {
        started_ = Clock::now();
        static_cast<TimedJob&>(job).end = started_ + kRoundTrip;
        return {};
    }
    // The last call with the stream.
    Result<std::optional<dispatch::Tick>> position() override {
        held_.add(Clock::now() - started_);
        return std::nullopt;
    }
    Result<dispatch::Progress> wait(dispatch::Job& job, dispatch::Tick,
                                    std::chrono::milliseconds) override {
        std::this_thread::sleep_until(static_cast<TimedJob&>(job).end);
        return dispatch::Progress::Done;
    }
    Result<void> sync_outputs(dispatch::Job&) override { return {}; }

    // For how long a launch had the stream. Of the launcher, until the lane is gone.
    Samples& held() { return held_; }

 private:
    const std::uint32_t depth_;
    Clock::time_point started_;
    Samples held_;
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
        : depth_(depth),
          runtime_(std::make_shared<RoundTrip>(depth)),
          lane_(dispatch::Lane::open(runtime_).value()) {}

    void measure() {
        for (std::size_t batch = 0; batch < kBatches; ++batch)
            measure_batch();
        in_flight_.clear();
        lane_.reset();
    }

    void print_row() {
        const double per_job = batches_.percentile(50) / kBatch;
        const std::chrono::duration<double, std::micro> round_trip = kRoundTrip;
        std::cout << std::format("{:>5} {} {} {} {:>9.1f} {:>8.2f}\n", depth_,
                                 submit_.median_and_95(), runtime_->held().median_and_95(),
                                 stream_.median_and_95(), per_job,
                                 per_job * depth_ / round_trip.count());
    }

 private:
    void measure_batch() {
        const auto start = Clock::now();
        for (std::size_t i = 0; i < kBatch; ++i)
            submit_one(operands_[i % depth_]);
        batches_.add(Clock::now() - start);
    }

    void submit_one(const dispatch::Touched& touched) {
        if (in_flight_.size() == depth_) {
            static_cast<void>(in_flight_.front().wait(kLong));
            in_flight_.pop_front();
        }
        dispatch::Work work{std::make_unique<TimedJob>(), touched};
        in_flight_.push_back(submit_.time([&] { return lane_->submit(std::move(work)); }).value());
        // While the launcher is about to want it.
        stream_.time([&] { return lane_->hold_stream(); }).value().reset();
    }

    const std::uint32_t depth_;
    std::shared_ptr<RoundTrip> runtime_;
    std::unique_ptr<dispatch::Lane> lane_;
    std::vector<dispatch::Touched> operands_ = operands(depth_);
    std::deque<dispatch::Ticket> in_flight_;
    Samples submit_;
    Samples stream_;
    Samples batches_;
};

}  // namespace

int main() {
    std::cout << std::format("a round trip takes {} us; medians and 95 % in us\n",
                             kRoundTrip.count())
              << std::format("{:>5} {:>15} {:>15} {:>15} {:>9} {:>8}\n", "depth", "submit",
                             "stream held", "stream wait", "per job", "x ideal");
    for (const std::uint32_t depth : {1U, 2U, 4U}) {
        Bench bench(depth);
        bench.measure();
        bench.print_row();
    }
}

// SPDX-License-Identifier: MIT
//
// How long something takes, measured again and again.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace vulkan::bench {

using Seconds = std::chrono::duration<double>;

class Samples {
 public:
    void add(Seconds sample) { seconds_.push_back(sample.count()); }

    // The smallest sample that at least `share` of all do not exceed. Of one at least.
    [[nodiscard]] double percentile(double share) const;
    [[nodiscard]] double median() const { return percentile(0.5); }
    [[nodiscard]] std::size_t count() const { return seconds_.size(); }

 private:
    std::vector<double> seconds_;
};

[[nodiscard]] Seconds time_of(const std::function<void()>& work);

struct Pace {
    Seconds warm_up{0.3};  // at least this long, and twice
    Seconds measured{0.5};
    std::size_t fewest = 9;  // samples, as long as they take less than:
    Seconds longest{10};
    std::size_t most = 400;
};

// Each work takes its turn in each round, so that what changes the machine's speed meanwhile
// changes it for all.
[[nodiscard]] std::vector<Samples> take_turns(std::span<const std::function<void()>> works,
                                              const Pace& pace);

// Waits until done() is true. At first without a pause, as the end of short work is to be
// seen at once; the rest of the machine gets the processor of a longer wait, which is
// measured a hundredth too long at most.
void wait_until(const std::function<bool()>& done);

}  // namespace vulkan::bench

// SPDX-License-Identifier: MIT
//
// The script and the counts of the double.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xrt_double {

// What the foreign exception is: not of the standard's.
struct Foreign {};

struct Rule {
    std::string key;
    std::optional<std::uint64_t> context;
    std::uint64_t nth = 0;  // 0: all
    bool onwards = false;
    std::string value;

    [[nodiscard]] bool applies(std::string_view to, std::uint64_t n) const {
        return key == to && (nth == 0 || n == nth || (onwards && n > nth));
    }
};

// What becomes of a command; decided as it is started.
struct Fate {
    std::chrono::milliseconds delay{0};
    bool held = false;
    std::uint64_t release = 0;  // the one that ends it
    std::optional<int> state{};
};

class Control {
 public:
    Control();

    // One lock for all that is shared in the double, and one place to wait for it.
    std::mutex mutex;
    std::condition_variable changed;

    // With the lock held:
    [[nodiscard]] bool script(std::string_view words);
    [[nodiscard]] std::uint64_t count(std::string_view what) const;  // throws out_of_range
    [[nodiscard]] std::string setting(std::string_view key, std::string_view fallback) const;
    [[nodiscard]] Fate begin_command(std::uint64_t context);
    void add(const std::string& what, std::uint64_t number = 1) { counts_[what] += number; }
    void subtract(const std::string& what) { --counts_[what]; }
    void at_least(const std::string& what, std::uint64_t number);
    [[nodiscard]] std::uint64_t next_context() { return contexts_++; }

    std::uint64_t releases = 0;  // with the lock held

    // Takes the lock. Each function of XRT begins with it; may throw.
    void enter(const std::string& function);

 private:
    std::vector<Rule> rules_;
    std::map<std::string, std::uint64_t, std::less<>> counts_;
    std::uint64_t contexts_ = 0;
};

// Never destroyed: threads of leaked contexts wait in it when the process ends.
[[nodiscard]] Control& control();

// An object that is counted as long as it lives.
class Counted {
 public:
    explicit Counted(std::string_view object);
    ~Counted();
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

 private:
    std::string name_;
};

}  // namespace xrt_double

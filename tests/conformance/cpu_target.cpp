// SPDX-License-Identifier: MIT
#include <condition_variable>
#include <mutex>

#include "conformance/targets.hpp"
#include "conformance/tosa_target.hpp"
#include "cpu/cpu.hpp"

namespace conformance {

namespace {

// Workers wait at it while it is shut.
class Gate {
 public:
    void pass() {
        std::unique_lock lock(mutex_);
        opened_.wait(lock, [this] { return open_; });
    }
    void shut() {
        const std::scoped_lock lock(mutex_);
        open_ = false;
    }
    void open() {
        {
            const std::scoped_lock lock(mutex_);
            open_ = true;
        }
        opened_.notify_all();
    }

 private:
    std::mutex mutex_;
    std::condition_variable opened_;
    bool open_ = true;
};

class Cpu final : public Subject {
 public:
    Cpu() : cpu_(cpu::open({.before_job = [this] { gate_.pass(); }}).value()) {}
    ~Cpu() override { gate_.open(); }

    [[nodiscard]] provider::Provider& provider() override { return *cpu_; }
    void hold() override { gate_.shut(); }
    void complete(provider::Event& event) override {
        gate_.open();
        wait(*cpu_, event);
    }

 private:
    Gate gate_;
    std::unique_ptr<provider::Provider> cpu_;
};

}  // namespace

Target cpu_target() {
    return tosa_target(
        "cpu", [] { return std::make_unique<Cpu>(); }, provider::MemoryDomain::Shared);
}

}  // namespace conformance

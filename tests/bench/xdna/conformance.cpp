// SPDX-License-Identifier: MIT
#include "bench/xdna/conformance.hpp"

#include <array>
#include <condition_variable>
#include <mutex>
#include <print>
#include <stdexcept>

#include "conformance/suite.hpp"
#include "conformance/tosa_target.hpp"
#include "xdna/provider.hpp"
#include "xdna/runtime.hpp"
#include "xdna/templates.hpp"

namespace xdna::bench {
namespace {

// Between the lane and the NPU: what is started while it is shut waits.
class Barrier final : public dispatch::Runtime {
 public:
    explicit Barrier(std::shared_ptr<Quarantine> quarantine) : npu_(std::move(quarantine)) {}

    void set(bool shut) {
        const std::scoped_lock lock(mutex_);
        shut_ = shut;
        changed_.notify_all();
    }

    dispatch::Contract contract() const override { return npu_.contract(); }
    Result<void> start(dispatch::Job& job) override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !shut_; });
        lock.unlock();
        return npu_.start(job);
    }
    Result<dispatch::Progress> wait(dispatch::Job& job, dispatch::Tick tick,
                                    std::chrono::milliseconds at_most) override {
        return npu_.wait(job, tick, at_most);
    }
    Result<void> sync_outputs(dispatch::Job& job) override { return npu_.sync_outputs(job); }

 private:
    xdna::Runtime npu_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool shut_ = false;  // guarded by the mutex
};

class Xdna final : public conformance::Subject {
 public:
    Xdna(std::shared_ptr<Npu> npu, const std::shared_ptr<Store>& store) {
        const auto quarantine = std::make_shared<Quarantine>();
        Options options;
        options.store = store;
        barrier_ = std::make_shared<Barrier>(quarantine);
        auto lane = dispatch::Lane::open(barrier_, {.watchdog = options.watchdog});
        if (!lane) throw std::runtime_error("no lane");
        xdna_ = std::make_unique<XdnaProvider>(std::move(npu), std::move(*lane), quarantine,
                                               std::move(options));
    }
    // The provider waits for what runs.
    ~Xdna() override { barrier_->set(false); }

    [[nodiscard]] provider::Provider& provider() override { return *xdna_; }
    void hold() override { barrier_->set(true); }
    void complete(provider::Event& event) override {
        barrier_->set(false);
        conformance::wait(*xdna_, event);
    }
    // A context with anything in it cannot be destroyed.
    [[nodiscard]] std::optional<std::uint64_t> live_objects() override {
        return xdna_->live_contexts();
    }

 private:
    std::shared_ptr<Barrier> barrier_;
    std::unique_ptr<XdnaProvider> xdna_;
};

}  // namespace

bool run_conformance(const std::shared_ptr<Npu>& npu, const std::shared_ptr<Store>& store) {
    const auto bytes = test::bytes_of<std::uint8_t>({0x80, 0x81, 0xFF, 0, 1, 0x7E, 0x7F, 0x2A});
    const conformance::Target target{
        .name = "xdna",
        .open = [&] { return std::make_unique<Xdna>(npu, store); },
        .program = {.format = tosa::kFormat,
                    .target = tosa::encode_target(kTargets[2]),
                    .resident_bytes = ~std::uint64_t{0}},
        .artifact = test::identity(tosa::DType::Int8, {8}).file(),
        .fixtures = {
            {.slot = 0, .access = provider::Access::Read, .initial = bytes, .expected = bytes},
            {.slot = 1,
             .access = provider::Access::Write,
             .initial = std::vector<std::byte>(bytes.size(), std::byte{0xEE}),
             .expected = bytes}}};
    constexpr std::array kWords{"ok", "FAILED", "skip"};
    bool good = true;
    for (const conformance::Case& one : conformance::cases()) {
        const auto [outcome, why] = judge(one, target);
        std::println("{:<8} xdna: {}{}{}", kWords.at(static_cast<std::size_t>(outcome)), one.id,
                     why.empty() ? "" : ": ", why);
        good = good && outcome != conformance::Outcome::Failed;
    }
    return good;
}

}  // namespace xdna::bench

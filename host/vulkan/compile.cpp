// SPDX-License-Identifier: MIT
#include "vulkan/compile.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>

#include "provider/guard.hpp"

namespace vulkan {
namespace {

struct Before {
    bool operator()(const Dispatch* a, const Dispatch* b) const {
        return std::tie(a->variant, a->constants) < std::tie(b->variant, b->constants);
    }
};

// What threads take from one after the other.
class Compilation {
 public:
    Compilation(const Kernels& kernels, std::span<const Dispatch* const> wanted)
        : kernels_(kernels), wanted_(wanted), made_(wanted.size()) {}

    Result<std::vector<Handle<VkPipeline>>> run() && {
        {
            const std::vector<std::jthread> helpers = start_helpers();
            work();
        }
        if (error_) return std::unexpected(*error_);
        return std::move(made_);
    }

 private:
    // Those that cannot be started are not needed.
    std::vector<std::jthread> start_helpers() {
        const std::size_t most = std::min<std::size_t>(
            std::max(1U, std::thread::hardware_concurrency()), wanted_.size());
        std::vector<std::jthread> helpers;
        const auto started = provider::guarded([&]() -> Result<void> {
            while (helpers.size() + 1 < most)
                helpers.emplace_back([this] { work(); });
            return {};
        });
        (void)started;
        return helpers;
    }

    void work() {
        for (std::size_t i = next_++; i < wanted_.size() && !failed_; i = next_++) {
            auto made = provider::guarded(
                [&] { return kernels_.specialize(wanted_[i]->variant, wanted_[i]->constants); });
            if (made)
                made_[i] = std::move(*made);
            else
                fail(made.error());
        }
    }

    void fail(const Error& error) {
        const std::scoped_lock lock(mutex_);
        if (!error_) error_ = error;
        failed_ = true;
    }

    const Kernels& kernels_;
    const std::span<const Dispatch* const> wanted_;
    std::vector<Handle<VkPipeline>> made_;  // each by the thread that took it
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> failed_ = false;
    std::mutex mutex_;
    std::optional<Error> error_;  // by mutex_
};

}  // namespace

Result<Pipelines> compile(const Kernels& kernels, std::span<const Dispatch> dispatches) {
    Pipelines pipelines;
    std::vector<const Dispatch*> wanted;
    std::map<const Dispatch*, std::uint32_t, Before> known;
    for (const Dispatch& dispatch : dispatches) {
        const auto [at, is_new] =
            known.try_emplace(&dispatch, static_cast<std::uint32_t>(wanted.size()));
        if (is_new) wanted.push_back(&dispatch);
        pipelines.of_dispatch.push_back(at->second);
    }
    auto made = Compilation(kernels, wanted).run();
    if (!made) return std::unexpected(made.error());
    pipelines.distinct = std::move(*made);
    return pipelines;
}

}  // namespace vulkan

// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "xdna-store/kernels.hpp"
#include "xdna/store.hpp"

namespace xdna_store_test {

// A store that makes kernels when a test lets it.
class Workshop final : public xdna::Store {
 public:
    std::expected<xdna::Binary, xdna::NoBinary> find(const xdna::Spec& spec,
                                                     xdna::Effort effort) override {
        std::unique_lock lock(mutex_);
        if (const auto kept = shelf_.find(to_text(spec)); kept != shelf_.end()) return kept->second;
        if (effort == xdna::Effort::Look)
            return std::unexpected(
                xdna::NoBinary{.error = provider::ErrorKind::Unsupported, .why = "not there"});
        begun_.push_back(spec);
        changed_.notify_all();
        changed_.wait(lock, [this] { return allowed_ >= begun_.size(); });
        if (out_of_memory) throw std::bad_alloc();
        return shelf_[to_text(spec)] = binary_for(spec);
    }

    void keep(const xdna::Spec& spec, const xdna::Binary& binary) {
        const std::lock_guard lock(mutex_);
        shelf_[to_text(spec)] = binary;
    }
    void wait_until_begun(std::size_t kernels) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return begun_.size() >= kernels; });
    }
    // So many in all.
    void let_make(std::size_t kernels) {
        const std::lock_guard lock(mutex_);
        allowed_ = kernels;
        changed_.notify_all();
    }
    [[nodiscard]] std::vector<xdna::Spec> begun() {
        const std::lock_guard lock(mutex_);
        return begun_;
    }

    bool out_of_memory = false;  // before it is used

 private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, xdna::Binary> shelf_;
    std::vector<xdna::Spec> begun_;
    std::size_t allowed_ = 0;
};

}  // namespace xdna_store_test

// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace vulkan {

// A count of live children with a ceiling. Children keep the count itself alive, so
// that parent and child may be destroyed in either order. Thread-safe.
class Quota {
 public:
    // One child, counted for as long as this lives.
    class Share {
     public:
        Share(Share&& other) noexcept = default;
        Share& operator=(Share&& other) noexcept {
            std::swap(count_, other.count_);
            return *this;
        }
        ~Share() {
            if (count_) count_->fetch_sub(1);
        }

     private:
        friend class Quota;
        explicit Share(std::shared_ptr<std::atomic<std::uint32_t>> count)
            : count_(std::move(count)) {}
        std::shared_ptr<std::atomic<std::uint32_t>> count_;
    };

    explicit Quota(std::uint32_t limit)
        : count_(std::make_shared<std::atomic<std::uint32_t>>(0)), limit_(limit) {}

    [[nodiscard]] std::optional<Share> take() const {
        if (count_->fetch_add(1) < limit_) return Share(count_);
        count_->fetch_sub(1);
        return std::nullopt;
    }
    [[nodiscard]] std::uint32_t taken() const { return count_->load(); }
    [[nodiscard]] bool in_use() const { return taken() != 0; }

 private:
    std::shared_ptr<std::atomic<std::uint32_t>> count_;
    std::uint32_t limit_;
};

}  // namespace vulkan

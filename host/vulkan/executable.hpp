// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vulkan/compile.hpp"
#include "vulkan/plan.hpp"
#include "vulkan/storage.hpp"
#include "vulkan/transfer.hpp"

namespace vulkan {

// A plan made ready: pipelines compiled, constants in place. Shared with the submissions
// in flight, so that it outlives them. All of them use the one arena; the barrier at the
// end of each keeps them apart on the queue.
class Executable {
 public:
    // ResourceLimit when it would retain more than `resident_bytes`.
    [[nodiscard]] static Result<std::shared_ptr<const Executable>> create(
        std::shared_ptr<const Kernels> kernels, Transfer& transfer, const Plan& plan,
        std::uint64_t resident_bytes);

    [[nodiscard]] const std::vector<provider::Slot>& slots() const { return slots_; }
    [[nodiscard]] const Storage* arena() const { return arena_.get(); }  // null: none

    // Records every dispatch, given the descriptor set of a submission.
    void record(Commands& commands, VkDescriptorSet set) const;

 private:
    struct Launch {
        VkPipeline pipeline = VK_NULL_HANDLE;
        std::uint32_t groups = 0;
        bool barrier_before = false;
    };

    explicit Executable(std::shared_ptr<const Kernels> kernels) : kernels_(std::move(kernels)) {}
    [[nodiscard]] Result<void> fill_arena(Transfer& transfer, const Plan& plan);
    [[nodiscard]] Result<void> make_launches(const Plan& plan);

    std::shared_ptr<const Kernels> kernels_;
    std::vector<provider::Slot> slots_;
    std::vector<Handle<VkPipeline>> pipelines_;
    std::vector<Launch> launches_;
    std::shared_ptr<Storage> arena_;
};

}  // namespace vulkan

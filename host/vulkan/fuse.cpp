// SPDX-License-Identifier: MIT
#include <algorithm>

#include "vulkan/plan.hpp"

namespace vulkan {
namespace {

class Fuser {
 public:
    explicit Fuser(Lowering& lowering)
        : lowering_(lowering),
          maker_(lowering.tensors.size(), kNobody),
          readers_(lowering.tensors.size(), 0) {
        for (std::size_t i = 0; i < steps().size(); ++i) {
            const Step& step = steps()[i];
            maker_[step.writes] = maker_[step.writes] == kNobody ? i : kSeveral;
            for (const TensorId id : read_by(step))
                ++readers_[id];
        }
    }

    void run() {
        for (std::size_t i = 0; i < steps().size(); ++i)
            while (steps()[i].chain && join(i)) {
            }
        std::erase_if(steps(), [](const Step& step) { return step.writes == kNoTensor; });
    }

 private:
    static constexpr std::size_t kNobody = ~std::size_t{0};
    static constexpr std::size_t kSeveral = kNobody - 1;

    std::vector<Step>& steps() { return lowering_.steps; }

    // Each tensor once.
    static std::vector<TensorId> read_by_chain(const Step& step) {
        std::vector<TensorId> ids;
        if (!step.chain) return ids;
        for (const ChainInput& input : step.chain->inputs)
            if (input.tensor != kNoTensor && !std::ranges::contains(ids, input.tensor))
                ids.push_back(input.tensor);
        return ids;
    }

    // And each place.
    static std::vector<TensorId> read_by(const Step& step) {
        std::vector<TensorId> ids = read_by_chain(step);
        for (const Place& place : step.reads)
            ids.push_back(place.tensor);
        return ids;
    }

    // Whether a step has taken over one of those that make its inputs. The joint step comes
    // where the later one was, so all that it reads is made by then.
    bool join(std::size_t later) {
        Step& step = steps()[later];
        for (const ChainInput& input : step.chain->inputs) {
            if (input.tensor == kNoTensor || !only_for_one_reader(input.tensor)) continue;
            Step& before = steps()[maker_[input.tensor]];
            if (!can_join(before, step)) continue;
            auto chain = fused(*before.chain, *step.chain, input.tensor);
            if (!chain || chain->stages.size() > std::min(before.most_stages, step.most_stages))
                continue;
            for (const TensorId id : read_by_chain(before))
                if (step.chain->input_of(id)) --readers_[id];  // from now on it reads it once
            if (before.kernel != Kernel::Elementwise) {
                before.writes = step.writes;
                step = std::move(before);
            }
            step.chain = std::move(chain);
            before = Step{};
            return true;
        }
        return false;
    }

    [[nodiscard]] bool only_for_one_reader(TensorId id) const {
        return readers_[id] == 1 && maker_[id] < kSeveral &&
               lowering_.tensors[id].slot == tosa::kNoId;
    }

    [[nodiscard]] bool can_join(const Step& before, const Step& step) const {
        return before.chain &&
               (before.kernel == Kernel::Elementwise || step.kernel == Kernel::Elementwise) &&
               shader::lanes_of(lowering_.tensors[step.writes].type) <=
                   std::min(before.most_lanes, step.most_lanes);
    }

    Lowering& lowering_;
    std::vector<std::size_t> maker_;      // the step that writes a tensor
    std::vector<std::uint32_t> readers_;  // how often one is read
};

}  // namespace

void fuse(Lowering& lowering) {
    Fuser(lowering).run();
}

}  // namespace vulkan

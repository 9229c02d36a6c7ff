// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "vulkan/arena.hpp"
#include "vulkan/plan.hpp"

namespace vulkan {
namespace {

using namespace shader;

// Bytes of one element of the buffer array.
struct Range {
    std::uint32_t element = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool written = false;

    // Whether the later of the two has to wait for the other.
    [[nodiscard]] bool conflicts(const Range& other) const {
        return element == other.element && begin < other.end && other.begin < end &&
               (written || other.written);
    }
    [[nodiscard]] std::uint32_t base() const { return static_cast<std::uint32_t>(begin / 4); }
};

Feature feature(Kernel kernel, const Grid& grid) {
    if (kernel == Kernel::Gemm && grid.integer_dot) return Feature::IntegerDot;
    if (kernel == Kernel::Reduce && grid.subgroups) return Feature::FullSubgroups;
    if (kernel == Kernel::HalfMatrices || kernel == Kernel::ByteMatrices)
        return Feature::FullSubgroups;
    return Feature::None;
}

Variant variant(const Step& step, const Grid& grid) {
    if (!step.chain) return {.kernel = step.kernel};
    return {.kernel = step.kernel,
            .stages = static_cast<std::uint32_t>(step.chain->stages.size()),
            .transcendental = std::ranges::any_of(
                step.chain->stages, [](const Stage& stage) { return is_transcendental(stage.op); }),
            .feature = feature(step.kernel, grid)};
}

// The tensors that a step reads.
template <class Visit>
void for_each_read(const Step& step, Visit visit) {
    if (step.chain)
        for (const ChainInput& input : step.chain->inputs)
            if (input.tensor != kNoTensor) visit(input.tensor);
    for (const Place& place : step.reads)
        visit(place.tensor);
}

class Scheduler {
 public:
    Scheduler(const Lowering& lowering, const Grid& grid)
        : lowering_(lowering), grid_(grid), offsets_(lowering.tensors.size(), kUnplaced) {}

    Result<Plan> run() {
        for (const TensorId id : lowering_.inputs)
            add_slot(id, provider::Access::Read);
        for (const TensorId id : lowering_.outputs)
            add_slot(id, provider::Access::Write);
        place();
        if (arena_.bytes() > grid_.max_range) return std::unexpected(ErrorKind::ResourceLimit);
        plan_.arena_bytes = arena_.bytes();
        for (const Step& step : lowering_.steps)
            dispatch(step);
        return std::move(plan_);
    }

 private:
    static constexpr std::uint64_t kUnplaced = ~std::uint64_t{0};

    const Tensor& tensor(TensorId id) const { return lowering_.tensors[id]; }

    void add_slot(TensorId id, provider::Access access) {
        plan_.slots.push_back({tensor(id).bytes, grid_.binding_alignment, access});
    }

    // Constants come first and live for the whole program: their bytes are written once,
    // at load, so no run may reuse them, however early it stops needing them. What several
    // steps write lives from the first of them.
    void place() {
        constexpr auto kEnd = std::numeric_limits<std::uint32_t>::max();
        std::vector<std::uint32_t> last(lowering_.tensors.size(), 0);
        for (std::uint32_t i = 0; i < lowering_.steps.size(); ++i) {
            for_each_read(lowering_.steps[i], [&](TensorId id) {
                if (!tensor(id).contents.empty() && offsets_[id] == kUnplaced) {
                    offsets_[id] = arena_.place(tensor(id).bytes, 0, kEnd);
                    plan_.uploads.push_back({offsets_[id], tensor(id).contents});
                }
                last[id] = i;
            });
            last[lowering_.steps[i].writes] = i;
        }
        for (std::uint32_t i = 0; i < lowering_.steps.size(); ++i) {
            const TensorId id = lowering_.steps[i].writes;
            if (tensor(id).slot == tosa::kNoId && offsets_[id] == kUnplaced)
                offsets_[id] = arena_.place(tensor(id).bytes, i, last[id]);
        }
    }

    Range range(TensorId id, bool written) const {
        if (tensor(id).slot != tosa::kNoId) return {tensor(id).slot, 0, tensor(id).bytes, written};
        return {static_cast<std::uint32_t>(plan_.slots.size()), offsets_[id],
                offsets_[id] + tensor(id).bytes, written};
    }

    void put(std::vector<std::uint32_t>& constants, std::uint32_t id, const Range& at) const {
        constants[id - 2] = at.element;
        constants[id - 1] = at.base();
    }

    // The specialization constants of chain.glsl.
    std::vector<std::uint32_t> encode(const Chain& chain, TensorId writes) const {
        std::vector<std::uint32_t> constants(kOwn - 2);
        const auto at = [&](std::uint32_t id) { return constants.begin() + (id - 2); };
        put(constants, kOutElement, range(writes, true));
        *at(kOutType) = tensor(writes).type;
        *at(kCount) = chain.count;
        *at(kStagesUsed) = static_cast<std::uint32_t>(chain.stages.size());
        std::ranges::copy(chain.dims, at(kDims));
        for (std::uint32_t i = 0; i < kChainInputs; ++i) {
            const std::uint32_t id = kInputs + i * kInputConstants;
            const ChainInput input =
                i < chain.inputs.size() ? chain.inputs[i] : ChainInput{.find = kImmediate};
            if (input.tensor != kNoTensor) {
                put(constants, id, range(input.tensor, false));
                *at(id + 2) = tensor(input.tensor).type;
            } else {
                *at(id + 1) = input.immediate;
            }
            *at(id + 3) = input.find;
            std::ranges::copy(input.strides, at(id + 4));
        }
        for (std::uint32_t i = 0; i < chain.stages.size(); ++i) {
            const Stage& stage = chain.stages[i];
            const auto to = at(kStages + i * kStageConstants);
            *to = stage.op;
            std::ranges::copy(stage.values, to + 1);
            *(to + 4) = stage.type;
            std::ranges::copy(stage.parameters, to + 5);
        }
        return constants;
    }

    void dispatch(const Step& step) {
        std::vector<Range> touched;
        for_each_read(step, [&](TensorId id) { touched.push_back(range(id, false)); });
        touched.push_back(range(step.writes, true));

        Dispatch made{.variant = variant(step, grid_),
                      .groups = static_cast<std::uint32_t>(
                          std::min<std::uint64_t>(step.groups, grid_.max_groups))};
        if (step.chain) made.constants = encode(*step.chain, step.writes);
        const auto own = static_cast<std::uint32_t>(made.constants.size()) + 2;
        made.constants.insert(made.constants.end(), step.constants.begin(), step.constants.end());
        for (const Place& place : step.reads)
            put(made.constants, own + place.constant, range(place.tensor, false));
        if (step.to) put(made.constants, own + *step.to, range(step.writes, true));

        made.barrier_before = std::ranges::any_of(touched, [&](const Range& mine) {
            return std::ranges::any_of(unordered_,
                                       [&](const Range& other) { return mine.conflicts(other); });
        });
        if (made.barrier_before) unordered_.clear();
        unordered_.insert(unordered_.end(), touched.begin(), touched.end());
        plan_.dispatches.push_back(std::move(made));
    }

    const Lowering& lowering_;
    const Grid& grid_;
    Plan plan_;
    Arena arena_;
    std::vector<std::uint64_t> offsets_;  // in the arena
    std::vector<Range> unordered_;        // touched since the last barrier
};

}  // namespace

Result<Plan> schedule(const Lowering& lowering, const Grid& grid) {
    return Scheduler(lowering, grid).run();
}

}  // namespace vulkan

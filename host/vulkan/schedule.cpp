// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <map>

#include "vulkan/arena.hpp"
#include "vulkan/plan.hpp"

namespace vulkan {
namespace {

using tosa::ValueId;

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
};

class Scheduler {
 public:
    Scheduler(const tosa::Graph& graph, const Lowering& lowering, const Grid& grid)
        : graph_(graph), lowering_(lowering), grid_(grid) {}

    Result<Plan> run() {
        list_slots();
        place();
        if (arena_.bytes() > grid_.max_range) return std::unexpected(ErrorKind::ResourceLimit);
        plan_.arena_bytes = arena_.bytes();
        for (const Step& step : lowering_.steps)
            dispatch(step);
        return std::move(plan_);
    }

 private:
    void list_slots() {
        for (const ValueId id : graph_.inputs)
            add_slot(id, provider::Access::Read);
        for (const ValueId id : graph_.outputs)
            add_slot(id, provider::Access::Write);
    }

    void add_slot(ValueId id, provider::Access access) {
        plan_.slots.push_back({graph_.values[id].bytes, grid_.binding_alignment, access});
    }

    // Constants come first and live for the whole program: their bytes are written once,
    // at load, so no run may reuse them, however early it stops needing them.
    void place() {
        constexpr auto kEnd = std::numeric_limits<std::uint32_t>::max();
        std::map<ValueId, std::uint32_t> last_read;
        for (std::uint32_t i = 0; i < lowering_.steps.size(); ++i) {
            for (const ValueId id : lowering_.steps[i].reads) {
                const auto& value = graph_.values[id];
                if (value.constant() && !offsets_.contains(id)) {
                    offsets_[id] = arena_.place(value.bytes, 0, kEnd);
                    plan_.uploads.push_back({offsets_[id], value.data});
                }
                last_read[id] = i;
            }
        }
        for (std::uint32_t i = 0; i < lowering_.steps.size(); ++i) {
            const ValueId id = lowering_.steps[i].writes;
            if (lowering_.slot_of[id] == tosa::kNoId)
                offsets_[id] = arena_.place(graph_.values[id].bytes, i, std::max(i, last_read[id]));
        }
    }

    Range range(ValueId id, bool written) const {
        const std::uint32_t slot = lowering_.slot_of[id];
        if (slot != tosa::kNoId) return {slot, 0, graph_.values[id].bytes, written};
        const std::uint64_t begin = offsets_.at(id);
        return {static_cast<std::uint32_t>(plan_.slots.size()), begin,
                begin + graph_.values[id].bytes, written};
    }

    void dispatch(const Step& step) {
        std::vector<Range> touched;
        for (const ValueId id : step.reads)
            touched.push_back(range(id, false));
        touched.push_back(range(step.writes, true));

        Dispatch made{.kernel = step.kernel,
                      .groups = static_cast<std::uint32_t>(
                          std::min<std::uint64_t>(step.groups, grid_.max_groups))};
        for (const Range& r : touched) {
            made.constants.push_back(r.element);
            made.constants.push_back(static_cast<std::uint32_t>(r.begin / 4));
        }
        made.constants.insert(made.constants.end(), step.constants.begin(), step.constants.end());
        made.barrier_before = std::ranges::any_of(touched, [&](const Range& mine) {
            return std::ranges::any_of(unordered_,
                                       [&](const Range& other) { return mine.conflicts(other); });
        });
        if (made.barrier_before) unordered_.clear();
        unordered_.insert(unordered_.end(), touched.begin(), touched.end());
        plan_.dispatches.push_back(std::move(made));
    }

    const tosa::Graph& graph_;
    const Lowering& lowering_;
    const Grid& grid_;
    Plan plan_;
    Arena arena_;
    std::map<ValueId, std::uint64_t> offsets_;  // in the arena
    std::vector<Range> unordered_;              // touched since the last barrier
};

}  // namespace

Result<Plan> schedule(const tosa::Graph& graph, const Lowering& lowering, const Grid& grid) {
    return Scheduler(graph, lowering, grid).run();
}

}  // namespace vulkan

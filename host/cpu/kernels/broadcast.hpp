// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace cpu {

// Which element of an operand goes with an element of the output that it broadcasts to.
// Axes are merged where the operand goes on contiguously, so that one of the output's shape
// is one long run.
class Broadcast {
 public:
    using Dims = std::span<const std::int32_t>;

    Broadcast(Dims operand, Dims out) {
        std::uint64_t stride = 1;
        for (std::size_t back = 1; back <= out.size(); ++back) {
            const std::uint64_t extent = extent_at(out, back);
            if (extent == 1) continue;
            const std::uint64_t own = extent_at(operand, back);
            append({extent, own == 1 ? 0 : stride});
            stride *= own;
        }
        if (axes_.empty()) axes_.push_back({1, 1});
    }

    // Element i goes with element i; one element goes with all.
    [[nodiscard]] bool straight() const { return axes_.size() == 1 && axes_[0].stride != 0; }
    [[nodiscard]] bool uniform() const { return axes_.size() == 1 && axes_[0].stride == 0; }

    // The operand's elements for [first, first + count) of the output, a run at a time:
    // run(from, count) for those that follow on each other, repeat(from, count) for one.
    template <class Run, class Repeat>
    void walk(std::uint64_t first, std::uint64_t count, Run run, Repeat repeat) const {
        const Axis& inner = axes_[0];
        std::uint64_t within = first % inner.extent;
        std::uint64_t outer = first / inner.extent;
        while (count > 0) {
            const std::uint64_t run_count = std::min(count, inner.extent - within);
            const std::uint64_t from = offset(outer) + within * inner.stride;
            if (inner.stride == 0)
                repeat(from, run_count);
            else
                run(from, run_count);
            count -= run_count;
            within = 0;
            ++outer;
        }
    }

    [[nodiscard]] std::uint64_t heap_bytes() const { return axes_.capacity() * sizeof(Axis); }

 private:
    struct Axis {
        std::uint64_t extent;
        std::uint64_t stride;  // in elements of the operand; 1 or 0 for the innermost
    };

    // Where the run with this number begins.
    [[nodiscard]] std::uint64_t offset(std::uint64_t outer) const {
        std::uint64_t from = 0;
        for (const Axis& axis : std::span(axes_).subspan(1)) {
            from += outer % axis.extent * axis.stride;
            outer /= axis.extent;
        }
        return from;
    }

    // The extent of the axis `back` from the end, 1 where there is none.
    static std::uint64_t extent_at(Dims dims, std::size_t back) {
        return back <= dims.size() ? static_cast<std::uint64_t>(dims[dims.size() - back]) : 1;
    }

    // Outer axes of the operand always go on where inner ones end, so only whether they
    // move at all matters.
    void append(const Axis& axis) {
        if (!axes_.empty() && (axes_.back().stride != 0) == (axis.stride != 0))
            axes_.back().extent *= axis.extent;
        else
            axes_.push_back(axis);
    }

    std::vector<Axis> axes_;  // innermost first
};

}  // namespace cpu

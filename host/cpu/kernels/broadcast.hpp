// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace cpu {

// Walks the elements of an output and the elements of two inputs that broadcast to
// it. Axes are merged where both inputs go on contiguously, so that operands of
// equal shape are one long run.
class Broadcast {
 public:
    using Dims = std::span<const std::int32_t>;

    Broadcast(Dims a, Dims b, Dims out) {
        std::uint64_t a_stride = 1;
        std::uint64_t b_stride = 1;
        for (std::size_t back = 1; back <= out.size(); ++back) {
            const std::uint64_t extent = extent_at(out, back);
            if (extent == 1) continue;
            const bool a_moves = extent_at(a, back) != 1;
            const bool b_moves = extent_at(b, back) != 1;
            append({extent, a_moves ? a_stride : 0, b_moves ? b_stride : 0});
            a_stride *= extent_at(a, back);
            b_stride *= extent_at(b, back);
        }
    }

    // out[i] = function(a's element, b's element) for i in [first, last).
    template <class In, class Out, class Function>
    void apply(const In* a, const In* b, Out* out, std::uint64_t first, std::uint64_t last,
               Function function) const {
        const Axis& inner = axes_[0];
        for (std::uint64_t at = first; at < last;) {
            const auto [a_at, b_at] = offsets(at);
            const std::uint64_t count = std::min(last - at, inner.extent - at % inner.extent);
            const In* left = a + a_at;
            const In* right = b + b_at;
            Out* result = out + at;
            // Inner strides are 0 or 1. Spelled out, each loop is one that compilers
            // turn into vector code.
            if (inner.a_stride == 0)
                for (std::uint64_t i = 0; i < count; ++i)
                    result[i] = function(*left, right[i]);
            else if (inner.b_stride == 0)
                for (std::uint64_t i = 0; i < count; ++i)
                    result[i] = function(left[i], *right);
            else
                for (std::uint64_t i = 0; i < count; ++i)
                    result[i] = function(left[i], right[i]);
            at += count;
        }
    }

 private:
    static constexpr std::size_t kMaxRank = 6;  // of level 8K, the only one advertised

    struct Axis {
        std::uint64_t extent = 1;
        std::uint64_t a_stride = 1;
        std::uint64_t b_stride = 1;
    };

    // Where the inputs' elements for output element `at` lie.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> offsets(std::uint64_t at) const {
        std::uint64_t a = 0;
        std::uint64_t b = 0;
        for (const Axis& axis : std::span(axes_).first(rank_)) {
            a += at % axis.extent * axis.a_stride;
            b += at % axis.extent * axis.b_stride;
            at /= axis.extent;
        }
        return {a, b};
    }

    // The extent of the axis `back` from the end, 1 where there is none.
    static std::uint64_t extent_at(Dims dims, std::size_t back) {
        return back <= dims.size() ? static_cast<std::uint64_t>(dims[dims.size() - back]) : 1;
    }

    void append(const Axis& axis) {
        if (rank_ > 0 && moves_like(axis, axes_[rank_ - 1]))
            axes_[rank_ - 1].extent *= axis.extent;
        else
            axes_[rank_++] = axis;
    }

    static bool moves_like(const Axis& outer, const Axis& inner) {
        return (outer.a_stride != 0) == (inner.a_stride != 0) &&
               (outer.b_stride != 0) == (inner.b_stride != 0);
    }

    std::array<Axis, kMaxRank> axes_{};  // innermost first
    std::size_t rank_ = 0;
};

}  // namespace cpu

// SPDX-License-Identifier: MIT
#include "cpu/kernels/window_isa.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "cpu/kernels/targets.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/window_isa.cpp"  // this file, once a target
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Elements as they are stored, and as they are computed on: FP32 or INT32, all of which have
// as many lanes.
template <class Stored, class Computed>
struct Lanes {
    using T = Computed;
    static constexpr hn::ScalableTag<T> kWide{};
    static constexpr hn::Rebind<Stored, hn::ScalableTag<T>> kNarrow{};
    using Vector = hn::Vec<hn::ScalableTag<T>>;
    static constexpr bool kFloat = std::is_same_v<T, float>;

    template <bool kWhole>
    static HWY_INLINE Vector read(const std::byte* from, std::int64_t at, std::size_t count) {
        const Stored* in = reinterpret_cast<const Stored*>(from) + at;
        const auto value = kWhole ? hn::LoadU(kNarrow, in) : hn::LoadN(kNarrow, in, count);
        if constexpr (std::is_same_v<Stored, T>)
            return value;
        else
            return hn::PromoteTo(kWide, value);
    }
    static HWY_INLINE void write(Vector value, std::byte* to, std::int64_t at, std::size_t count) {
        Stored* out = reinterpret_cast<Stored*>(to) + at;
        if constexpr (std::is_same_v<Stored, T>)
            store(value, kWide, out, count);
        else
            store(hn::DemoteTo(kNarrow, value), kNarrow, out, count);
    }

 private:
    template <class V, class D>
    static HWY_INLINE void store(V value, D d, Stored* out, std::size_t count) {
        if (count == hn::Lanes(d))
            hn::StoreU(value, d, out);
        else
            hn::StoreN(value, d, out, count);
    }
};

using Floats = Lanes<float, float>;
using Halves = Lanes<hwy::float16_t, float>;
using Brains = Lanes<hwy::bfloat16_t, float>;
using Bytes = Lanes<std::int8_t, std::int32_t>;
using Shorts = Lanes<std::int16_t, std::int32_t>;
using Words = Lanes<std::int32_t, std::int32_t>;

// Distances in values. A copy that stores of vectors cannot change: computing them anew for
// each vector takes as long as the sums do.
struct Steps {
    explicit Steps(const Window& window)
        : channels(window.channels),
          tap_x(window.x.dilation * channels),
          tap_y(window.y.dilation * window.x.in * channels),
          output(window.x.stride * channels),
          weights(window.x.kernel * channels),
          out_line(window.x.out * channels) {}

    std::int64_t channels;
    std::int64_t tap_x;     // in the input
    std::int64_t tap_y;     // in the input
    std::int64_t output;    // in the input, from what an output sees to what the next one does
    std::int64_t weights;   // of a line of taps
    std::int64_t out_line;  // of the output
};

// Neighbouring outputs, for a vector of channels.
struct Spot {
    std::int64_t in;       // of the first tap that lies in the input, for channel 0
    std::int64_t weights;  // of that tap
    std::int64_t out;      // of the first output
    std::int64_t taps_y;   // how many lie in the input
    std::int64_t taps_x;
    std::int64_t channel;
    std::size_t count;  // of channels
};

// Calls body(at) for the taps: where they lie in the input.
template <class Body>
HWY_INLINE void for_each_tap(const Steps& steps, const Spot& spot, Body body) {
    std::int64_t line = spot.in + spot.channel;
    for (std::int64_t y = 0; y < spot.taps_y; ++y, line += steps.tap_y)
        for (std::int64_t x = 0; x < spot.taps_x; ++x)
            body(line + x * steps.tap_x);
}

// Op::outputs<lines, N, whole>() computes N neighbours on each line, for a vector of channels that
// is whole but at the end. Channels are walked within pixels, as they lie in memory.
template <class Op, class L, std::int64_t kLines, std::int64_t kOutputs>
HWY_INLINE void walk_channels(const WindowLines& lines, const Steps& steps, Spot spot) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(L::kWide));
    spot.count = static_cast<std::size_t>(lanes);
    for (; spot.channel + lanes <= steps.channels; spot.channel += lanes)
        Op::template outputs<kLines, kOutputs, true>(lines, steps, spot);
    spot.count = static_cast<std::size_t>(steps.channels - spot.channel);
    if (spot.count > 0) Op::template outputs<kLines, kOutputs, false>(lines, steps, spot);
}

// Four outputs at a time where all their taps lie in the input.
template <class Op, class L, std::int64_t kLines>
HWY_INLINE void walk_line(const WindowLines& lines, const Steps& steps, std::int64_t line) {
    constexpr std::int64_t kGroup = 4;
    const WindowAxis y = lines.window->y;
    const WindowAxis axis = lines.window->x;
    const WindowAxis::Taps taps_y = y.taps(line);
    const std::int64_t from = (y.start(line) + taps_y.first * y.dilation) * axis.in;
    const WindowAxis::Taps whole = axis.whole();
    for (std::int64_t x = 0; x < axis.out;) {
        const WindowAxis::Taps taps = axis.taps(x);
        const Spot spot{.in = (from + axis.start(x) + taps.first * axis.dilation) * steps.channels,
                        .weights = taps_y.first * steps.weights + taps.first * steps.channels,
                        .out = line * steps.out_line + x * steps.channels,
                        .taps_y = taps_y.last - taps_y.first,
                        .taps_x = taps.last - taps.first,
                        .channel = 0,
                        .count = 0};
        if (x >= whole.first && x + kGroup <= whole.last) {
            walk_channels<Op, L, kLines, kGroup>(lines, steps, spot);
            x += kGroup;
        } else {
            walk_channels<Op, L, kLines, 1>(lines, steps, spot);
            ++x;
        }
    }
}

// Two lines at a time, of an Op that can, where they see the same lines of the input.
template <class Op, class L>
void walk(const WindowLines lines) {
    const Steps steps(*lines.window);
    const WindowAxis axis = lines.window->y;
    const WindowAxis::Taps whole = axis.whole();
    const bool shared = axis.dilation == 1 && axis.stride < axis.kernel;
    for (std::int64_t y = lines.first; y < lines.last; ++y) {
        if constexpr (Op::kPairs)
            if (shared && y >= whole.first && y + 2 <= std::min(whole.last, lines.last)) {
                walk_line<Op, L, 2>(lines, steps, y++);
                continue;
            }
        walk_line<Op, L, 1>(lines, steps, y);
    }
}

template <class In, class Out>
struct Depthwise {
    using V = typename In::Vector;
    using Weights = Lanes<typename In::T, typename In::T>;
    static constexpr bool kPairs = true;

    template <std::int64_t kLines, std::int64_t kOutputs, bool kWhole>
    static HWY_INLINE void outputs(const WindowLines& lines, const Steps& steps, const Spot& spot) {
        const auto* all_weights = static_cast<const std::byte*>(lines.weights);
        const V zero = hn::Set(In::kWide, static_cast<typename In::T>(lines.in_zero));
        const std::int64_t stride = lines.window->y.stride;
        V sums[kLines * kOutputs];
        HWY_UNROLL(8)
        for (V& sum : sums)
            sum = hn::Zero(In::kWide);

        // Lines of the input that the lines of the output from kFirst to kLast see.
        std::int64_t in = spot.in + spot.channel;
        std::int64_t tap = spot.weights + spot.channel;
        const auto add = [&]<int kFirst, int kLast>(std::int64_t count) HWY_ATTR {
            for (std::int64_t y = 0; y < count; ++y, in += steps.tap_y, tap += steps.weights)
                for (std::int64_t x = 0; x < spot.taps_x; ++x) {
                    V weights[kLast];
                    for (int line = kFirst; line < kLast; ++line)
                        weights[line] = Weights::template read<kWhole>(
                            all_weights, tap + x * steps.channels - line * stride * steps.weights,
                            spot.count);
                    HWY_UNROLL(4)
                    for (std::int64_t i = 0; i < kOutputs; ++i) {
                        V value = In::template read<kWhole>(
                            lines.in, in + x * steps.tap_x + i * steps.output, spot.count);
                        if constexpr (!In::kFloat) value = hn::Sub(value, zero);
                        for (int line = kFirst; line < kLast; ++line) {
                            V& sum = sums[line * kOutputs + i];
                            sum = hn::MulAdd(value, weights[line], sum);
                        }
                    }
                }
        };
        if constexpr (kLines == 1) {
            add.template operator()<0, 1>(spot.taps_y);
        } else {
            add.template operator()<0, 1>(stride);
            add.template operator()<0, 2>(spot.taps_y - stride);
            add.template operator()<1, 2>(stride);
        }

        const V bias =
            lines.one_bias
                ? hn::Set(In::kWide, hn::GetLane(Out::template read<false>(lines.bias, 0, 1)))
                : Out::template read<kWhole>(lines.bias, spot.channel, spot.count);
        HWY_UNROLL(8)
        for (std::int64_t i = 0; i < kLines * kOutputs; ++i)
            Out::write(hn::Add(sums[i], bias), lines.out,
                       spot.out + spot.channel + i / kOutputs * steps.out_line +
                           i % kOutputs * steps.channels,
                       spot.count);
    }
};

template <class L>
struct Average {
    using V = typename L::Vector;
    static constexpr bool kPairs = false;

    template <std::int64_t /*kLines*/, std::int64_t kOutputs, bool kWhole>
    static HWY_INLINE void outputs(const WindowLines& lines, const Steps& steps, const Spot& spot) {
        V sums[kOutputs];
        HWY_UNROLL(4)
        for (std::int64_t i = 0; i < kOutputs; ++i)
            sums[i] = hn::Zero(L::kWide);
        for_each_tap(steps, spot, [&](std::int64_t at) HWY_ATTR {
            HWY_UNROLL(4)
            for (std::int64_t i = 0; i < kOutputs; ++i)
                sums[i] = hn::Add(
                    sums[i], L::template read<kWhole>(lines.in, at + i * steps.output, spot.count));
        });
        HWY_UNROLL(4)
        for (std::int64_t i = 0; i < kOutputs; ++i)
            L::write(mean(lines, sums[i], spot.taps_y * spot.taps_x), lines.out,
                     spot.out + spot.channel + i * steps.channels, spot.count);
    }

    // Integers: reciprocal_scale() and apply_scale_32() of TOSA, rounding once.
    static HWY_INLINE V mean(const WindowLines& lines, V sum, std::int64_t count) {
        if constexpr (L::kFloat) {
            return hn::Div(sum, hn::Set(L::kWide, static_cast<float>(count)));
        } else {
            const auto values = static_cast<std::uint32_t>(count);
            const int k = 32 - std::countl_zero(values - 1);
            const std::int64_t multiplier = (((std::int64_t{1} << 30) + 1) << k) / count;
            const int shift = 30 + k;
            std::int32_t lanes[HWY_MAX_LANES_D(hn::ScalableTag<std::int32_t>)];
            hn::StoreU(sum, L::kWide, lanes);
            for (std::int32_t& lane : lanes) {
                const std::int64_t value = lane - count * lines.in_zero;
                const std::int64_t scaled =
                    (value * multiplier + (std::int64_t{1} << (shift - 1))) >> shift;
                lane = static_cast<std::int32_t>(
                    std::clamp<std::int64_t>(scaled + lines.out_zero, -128, 127));
            }
            return hn::LoadU(L::kWide, lanes);
        }
    }
};

template <class L>
struct Maximum {
    using V = typename L::Vector;
    static constexpr bool kPairs = false;

    template <std::int64_t /*kLines*/, std::int64_t kOutputs, bool kWhole>
    static HWY_INLINE void outputs(const WindowLines& lines, const Steps& steps, const Spot& spot) {
        const bool ignore = lines.nan_mode == tosa::NanMode::Ignore;
        V most[kOutputs];
        HWY_UNROLL(4)
        for (std::int64_t i = 0; i < kOutputs; ++i)
            most[i] = least(ignore);
        for_each_tap(steps, spot, [&](std::int64_t at) HWY_ATTR {
            HWY_UNROLL(4)
            for (std::int64_t i = 0; i < kOutputs; ++i)
                most[i] = larger(
                    most[i], L::template read<kWhole>(lines.in, at + i * steps.output, spot.count),
                    ignore);
        });
        HWY_UNROLL(4)
        for (std::int64_t i = 0; i < kOutputs; ++i)
            L::write(most[i], lines.out, spot.out + spot.channel + i * steps.channels, spot.count);
    }

    static HWY_INLINE V least(bool ignore) {
        if constexpr (L::kFloat)
            return ignore ? hn::NaN(L::kWide)
                          : hn::Set(L::kWide, -std::numeric_limits<float>::infinity());
        else
            return hn::Set(L::kWide, std::numeric_limits<std::int32_t>::min());
    }

    // The first of equals, which is seen in the sign of zero. A NaN stays, or never wins.
    static HWY_INLINE V larger(V most, V value, bool ignore) {
        if constexpr (L::kFloat) {
            const auto stays = hn::IsNaN(ignore ? value : most);
            return hn::IfThenElse(hn::Or(stays, hn::Ge(most, value)), most, value);
        } else {
            return hn::Max(most, value);
        }
    }
};

// Highway's substitute for the conversions that SSE2 lacks does not know infinities and NaN.
constexpr bool kHasHalves = HWY_TARGET != HWY_SSE2;

LinesFunction depthwise(tosa::DType type) {
    using enum tosa::DType;
    if (type == Fp32) return walk<Depthwise<Floats, Floats>, Floats>;
    if (type == Fp16 && kHasHalves) return walk<Depthwise<Halves, Halves>, Halves>;
    if (type == Bf16) return walk<Depthwise<Brains, Brains>, Brains>;
    if (type == Int8) return walk<Depthwise<Bytes, Words>, Bytes>;
    return nullptr;
}

// Of the types that all pooling has.
template <template <class> class Pool>
LinesFunction pool(tosa::DType type) {
    using enum tosa::DType;
    if (type == Fp32) return walk<Pool<Floats>, Floats>;
    if (type == Fp16 && kHasHalves) return walk<Pool<Halves>, Halves>;
    if (type == Bf16) return walk<Pool<Brains>, Brains>;
    if (type == Int8) return walk<Pool<Bytes>, Bytes>;
    return nullptr;
}

LinesFunction maximum(tosa::DType type) {
    return type == tosa::DType::Int16 ? walk<Maximum<Shorts>, Shorts> : pool<Maximum>(type);
}

const WindowIsa& windows() {
    static constexpr WindowIsa kTable{depthwise, pool<Average>, maximum};
    return kTable;
}

}  // namespace
}  // namespace cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cpu {

HWY_EXPORT(windows);

const WindowIsa& window_isa() {
    return HWY_DYNAMIC_DISPATCH(windows)();
}

}  // namespace cpu
#endif

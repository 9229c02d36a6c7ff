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

// Where the taps of an output lie, for a vector of channels.
struct Taps {
    WindowAxis::Taps y;
    WindowAxis::Taps x;
    std::int64_t channel;
    std::size_t count;  // of channels

    [[nodiscard]] std::int64_t values() const { return (y.last - y.first) * (x.last - x.first); }
};

// Calls body(tap, at): the tap's number, and its index in the input for output x.
template <class Body>
HWY_INLINE void for_each_tap(const WindowLine& line, const Taps& taps, std::int64_t x, Body body) {
    const Window& window = *line.window;
    const std::int64_t from_y = window.y.start(line.y);
    const std::int64_t from_x = window.x.start(x);
    for (std::int64_t ky = taps.y.first; ky < taps.y.last; ++ky) {
        const std::int64_t row = (from_y + ky * window.y.dilation) * window.x.in;
        for (std::int64_t kx = taps.x.first; kx < taps.x.last; ++kx)
            body(ky * window.x.kernel + kx,
                 (row + from_x + kx * window.x.dilation) * window.channels + taps.channel);
    }
}

// Op::outputs<N, whole>() computes N neighbours, for a vector of channels that is whole but
// at the end. Channels are walked within pixels, as they lie in memory.
template <class Op, class L, std::int64_t kOutputs>
HWY_INLINE void walk_channels(const WindowLine& line, Taps taps, std::int64_t x) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(L::kWide));
    const std::int64_t channels = line.window->channels;
    taps.count = static_cast<std::size_t>(lanes);
    for (; taps.channel + lanes <= channels; taps.channel += lanes)
        Op::template outputs<kOutputs, true>(line, taps, x);
    taps.count = static_cast<std::size_t>(channels - taps.channel);
    if (taps.count > 0) Op::template outputs<kOutputs, false>(line, taps, x);
}

// Four outputs at a time where all their taps lie in the input.
template <class Op, class L>
void walk(const WindowLine& line) {
    constexpr std::int64_t kGroup = 4;
    const WindowAxis& axis = line.window->x;
    const WindowAxis::Taps whole = axis.whole();
    Taps taps{.y = line.window->y.taps(line.y), .x = {}, .channel = 0, .count = 0};
    for (std::int64_t x = 0; x < axis.out;) {
        taps.x = axis.taps(x);
        if (x >= whole.first && x + kGroup <= whole.last) {
            walk_channels<Op, L, kGroup>(line, taps, x);
            x += kGroup;
        } else {
            walk_channels<Op, L, 1>(line, taps, x);
            ++x;
        }
    }
}

template <class In, class Out>
struct Depthwise {
    using V = typename In::Vector;

    template <std::int64_t kOutputs, bool kWhole>
    static HWY_INLINE void outputs(const WindowLine& line, const Taps& taps, std::int64_t x) {
        const std::int64_t channels = line.window->channels;
        const std::int64_t stride = line.window->x.stride * channels;
        const auto* weights = static_cast<const std::byte*>(line.weights);
        const V zero = hn::Set(In::kWide, static_cast<typename In::T>(line.in_zero));
        V sums[kOutputs];
        HWY_UNROLL(4)
        for (std::int64_t i = 0; i < kOutputs; ++i)
            sums[i] = hn::Zero(In::kWide);
        for_each_tap(line, taps, x, [&](std::int64_t tap, std::int64_t at) HWY_ATTR {
            const V weight = Lanes<typename In::T, typename In::T>::template read<kWhole>(
                weights, tap * channels + taps.channel, taps.count);
            HWY_UNROLL(4)
            for (std::int64_t i = 0; i < kOutputs; ++i) {
                V value = In::template read<kWhole>(line.in, at + i * stride, taps.count);
                if constexpr (!In::kFloat) value = hn::Sub(value, zero);
                sums[i] = hn::MulAdd(value, weight, sums[i]);
            }
        });
        const V bias =
            line.one_bias
                ? hn::Set(In::kWide, hn::GetLane(Out::template read<false>(line.bias, 0, 1)))
                : Out::template read<kWhole>(line.bias, taps.channel, taps.count);
        HWY_UNROLL(4)
        for (std::int64_t i = 0; i < kOutputs; ++i)
            Out::write(hn::Add(sums[i], bias), line.out, (x + i) * channels + taps.channel,
                       taps.count);
    }
};

template <class L>
struct Average {
    using V = typename L::Vector;

    template <std::int64_t kOutputs, bool kWhole>
    static HWY_INLINE void outputs(const WindowLine& line, const Taps& taps, std::int64_t x) {
        const std::int64_t channels = line.window->channels;
        const std::int64_t stride = line.window->x.stride * channels;
        V sums[kOutputs];
        HWY_UNROLL(4)
        for (std::int64_t i = 0; i < kOutputs; ++i)
            sums[i] = hn::Zero(L::kWide);
        for_each_tap(line, taps, x, [&](std::int64_t /*tap*/, std::int64_t at) HWY_ATTR {
            HWY_UNROLL(4)
            for (std::int64_t i = 0; i < kOutputs; ++i)
                sums[i] = hn::Add(sums[i],
                                  L::template read<kWhole>(line.in, at + i * stride, taps.count));
        });
        HWY_UNROLL(4)
        for (std::int64_t i = 0; i < kOutputs; ++i)
            L::write(mean(line, sums[i], taps.values()), line.out,
                     (x + i) * channels + taps.channel, taps.count);
    }

    // Integers: reciprocal_scale() and apply_scale_32() of TOSA, rounding once.
    static HWY_INLINE V mean(const WindowLine& line, V sum, std::int64_t count) {
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
                const std::int64_t value = lane - count * line.in_zero;
                const std::int64_t scaled =
                    (value * multiplier + (std::int64_t{1} << (shift - 1))) >> shift;
                lane = static_cast<std::int32_t>(
                    std::clamp<std::int64_t>(scaled + line.out_zero, -128, 127));
            }
            return hn::LoadU(L::kWide, lanes);
        }
    }
};

template <class L>
struct Maximum {
    using V = typename L::Vector;

    template <std::int64_t kOutputs, bool kWhole>
    static HWY_INLINE void outputs(const WindowLine& line, const Taps& taps, std::int64_t x) {
        const std::int64_t channels = line.window->channels;
        const std::int64_t stride = line.window->x.stride * channels;
        const bool ignore = line.nan_mode == tosa::NanMode::Ignore;
        V most[kOutputs];
        HWY_UNROLL(4)
        for (std::int64_t i = 0; i < kOutputs; ++i)
            most[i] = least(ignore);
        for_each_tap(line, taps, x, [&](std::int64_t /*tap*/, std::int64_t at) HWY_ATTR {
            HWY_UNROLL(4)
            for (std::int64_t i = 0; i < kOutputs; ++i)
                most[i] =
                    larger(most[i], L::template read<kWhole>(line.in, at + i * stride, taps.count),
                           ignore);
        });
        HWY_UNROLL(4)
        for (std::int64_t i = 0; i < kOutputs; ++i)
            L::write(most[i], line.out, (x + i) * channels + taps.channel, taps.count);
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

LineFunction depthwise(tosa::DType type) {
    using enum tosa::DType;
    if (type == Fp32) return walk<Depthwise<Floats, Floats>, Floats>;
    if (type == Fp16 && kHasHalves) return walk<Depthwise<Halves, Halves>, Halves>;
    if (type == Bf16) return walk<Depthwise<Brains, Brains>, Brains>;
    if (type == Int8) return walk<Depthwise<Bytes, Words>, Bytes>;
    return nullptr;
}

// Of the types that all pooling has.
template <template <class> class Pool>
LineFunction pool(tosa::DType type) {
    using enum tosa::DType;
    if (type == Fp32) return walk<Pool<Floats>, Floats>;
    if (type == Fp16 && kHasHalves) return walk<Pool<Halves>, Halves>;
    if (type == Bf16) return walk<Pool<Brains>, Brains>;
    if (type == Int8) return walk<Pool<Bytes>, Bytes>;
    return nullptr;
}

LineFunction maximum(tosa::DType type) {
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

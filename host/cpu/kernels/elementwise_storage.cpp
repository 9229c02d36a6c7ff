// SPDX-License-Identifier: MIT
//
// Elements as they lie in buffers, to lanes and back.
#include "cpu/kernels/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/elementwise_storage.cpp"
#include <hwy/foreach_target.h>
// What foreach_target.h includes again comes after it.
#include <algorithm>
#include <cstring>

#include "cpu/kernels/elementwise_format-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cpu::elementwise::HWY_NAMESPACE {
namespace {

IntVector sign_extend(IntVector v) {
    return v;
}

// Stored is the element's unsigned type for zero extension, else its signed one.
template <class Stored, auto F>
void widen(const std::byte* from, void* lanes, std::size_t count) {
    const Ints d;
    const hn::Rebind<Stored, Ints> stored;
    const auto* in = reinterpret_cast<const Stored*>(from);
    auto* out = static_cast<std::int32_t*>(lanes);
    const std::size_t step = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + step <= count; i += step)
        hn::StoreU(hn::BitCast(d, F(hn::PromoteTo(d, hn::LoadU(stored, in + i)))), d, out + i);
    if (i < count)
        hn::StoreN(hn::BitCast(d, F(hn::PromoteTo(d, hn::LoadN(stored, in + i, count - i)))), d,
                   out + i, count - i);
}

void copy_in(const std::byte* from, void* lanes, std::size_t count) {
    std::memcpy(lanes, from, count * sizeof(std::int32_t));
}
void copy_out(const void* lanes, std::byte* to, std::size_t count) {
    std::memcpy(to, lanes, count * sizeof(std::int32_t));
}

IntVector low_bits(IntVector v) {
    return v;
}
template <class Format>
IntVector encode(IntVector v) {
    return Format::encode(as_float(v));
}

template <class Stored, auto F>
void narrow(const void* lanes, std::byte* to, std::size_t count) {
    const Ints d;
    const hn::Rebind<Stored, Ints> stored;
    const auto* in = static_cast<const std::int32_t*>(lanes);
    auto* out = reinterpret_cast<Stored*>(to);
    const std::size_t step = hn::Lanes(d);
    for (std::size_t i = 0; i < count; i += step) {
        const auto v = hn::TruncateTo(stored, hn::BitCast(Words(), F(hn::LoadU(d, in + i))));
        if (i + step <= count)
            hn::StoreU(v, stored, out + i);
        else
            hn::StoreN(v, stored, out + i, count - i);
    }
}

Widen find_widen(tosa::DType type) {
    switch (type) {
        case tosa::DType::Bool:
        case tosa::DType::Int8:
            return widen<std::int8_t, sign_extend>;
        case tosa::DType::Int16:
            return widen<std::int16_t, sign_extend>;
        case tosa::DType::Int32:
        case tosa::DType::Fp32:
            return copy_in;
        case tosa::DType::Fp16:
            return widen<std::uint16_t, Fp16::decode>;
        case tosa::DType::Bf16:
            return widen<std::uint16_t, Bf16::decode>;
        case tosa::DType::Fp8E4M3:
            return widen<std::uint8_t, Fp8E4M3::decode>;
        case tosa::DType::Fp8E5M2:
            return widen<std::uint8_t, Fp8E5M2::decode>;
        default:
            return nullptr;
    }
}

Narrow find_narrow(tosa::DType type) {
    switch (type) {
        case tosa::DType::Bool:
        case tosa::DType::Int8:
            return narrow<std::uint8_t, low_bits>;
        case tosa::DType::Int16:
            return narrow<std::uint16_t, low_bits>;
        case tosa::DType::Int32:
        case tosa::DType::Fp32:
            return copy_out;
        case tosa::DType::Fp16:
            return narrow<std::uint16_t, encode<Fp16>>;
        case tosa::DType::Bf16:
            return narrow<std::uint16_t, encode<Bf16>>;
        case tosa::DType::Fp8E4M3:
            return narrow<std::uint8_t, encode<Fp8E4M3>>;
        case tosa::DType::Fp8E5M2:
            return narrow<std::uint8_t, encode<Fp8E5M2>>;
        default:
            return nullptr;
    }
}

}  // namespace
}  // namespace cpu::elementwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cpu::elementwise {
namespace {
HWY_EXPORT(find_widen);
HWY_EXPORT(find_narrow);
}  // namespace

Widen widen_function(tosa::DType type) {
    return HWY_DYNAMIC_DISPATCH(find_widen)(type);
}
Narrow narrow_function(tosa::DType type) {
    return HWY_DYNAMIC_DISPATCH(find_narrow)(type);
}

}  // namespace cpu::elementwise
#endif

// SPDX-License-Identifier: MIT
//
// Loops over the vectors of a block. Compiled once for each instruction set.
#if defined(CPU_ELEMENTWISE_LOOP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CPU_ELEMENTWISE_LOOP_INL
#undef CPU_ELEMENTWISE_LOOP_INL
#else
#define CPU_ELEMENTWISE_LOOP_INL
#endif

#include <hwy/highway.h>

#include "cpu/kernels/elementwise_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace cpu::elementwise::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kMaxLanes>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using FloatVector = hn::Vec<Floats>;
using IntVector = hn::Vec<Ints>;
using WordVector = hn::Vec<Words>;

inline IntVector bits(FloatVector v) {
    return hn::BitCast(Ints(), v);
}
inline FloatVector as_float(IntVector v) {
    return hn::BitCast(Floats(), v);
}

// out = F(parameters, inputs...), where In is the tag of the lanes of the inputs.
template <class In, class Out, auto F>
void one(const Arguments& a) {
    const In in;
    const Out out;
    for (std::size_t i = 0; i < a.count; i += hn::Lanes(in))
        hn::StoreU(F(a.parameters, hn::LoadU(in, a.input<hn::TFromD<In>>(0) + i)), out,
                   a.output<hn::TFromD<Out>>() + i);
}

template <class In, class Out, auto F>
void two(const Arguments& a) {
    const In in;
    const Out out;
    for (std::size_t i = 0; i < a.count; i += hn::Lanes(in))
        hn::StoreU(F(a.parameters, hn::LoadU(in, a.input<hn::TFromD<In>>(0) + i),
                     hn::LoadU(in, a.input<hn::TFromD<In>>(1) + i)),
                   out, a.output<hn::TFromD<Out>>() + i);
}

template <class In, class Out, auto F>
void three(const Arguments& a) {
    const In in;
    const Out out;
    for (std::size_t i = 0; i < a.count; i += hn::Lanes(in))
        hn::StoreU(F(a.parameters, hn::LoadU(in, a.input<hn::TFromD<In>>(0) + i),
                     hn::LoadU(in, a.input<hn::TFromD<In>>(1) + i),
                     hn::LoadU(in, a.input<hn::TFromD<In>>(2) + i)),
                   out, a.output<hn::TFromD<Out>>() + i);
}

// BOOL, from a mask of any 32-bit lanes.
template <class Mask>
IntVector truth(Mask mask) {
    return hn::IfThenElseZero(hn::RebindMask(Ints(), mask), hn::Set(Ints(), 1));
}

}  // namespace cpu::elementwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

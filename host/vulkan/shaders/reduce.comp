// SPDX-License-Identifier: MIT
//
// TOSA REDUCE_* and ARGMAX, and the last step of a product in slices (gemm.comp). Every element
// of the output is folded from a line of the input, floats with one rounding a step: in ascending
// order by one invocation, which makes a whole word, or by a workgroup, each invocation of which
// takes every n-th element and joins its own to the others', within its subgroup first if
// SUBGROUPS. Either way, the result is the same every time on one device.
#version 460
#extension GL_GOOGLE_include_directive : require
#if SUBGROUPS
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#include "common.glsl"
#include "numbers.inc"
#include "types.glsl"
#include "arithmetic.glsl"
#if TRANSCENDENTAL
#include "transcendental.glsl"
#endif
#include "chain.glsl"

// As lower_reduce.cpp has them.
CONSTANT(kIn, kOwn, 0)
CONSTANT(kInBase, kOwn + 1, 0)
CONSTANT(kInType, kOwn + 2, kFp32)
CONSTANT(kMadeType, kOwn + 3, kFp32)  // which is rounded to before the chain takes it
CONSTANT(kLength, kOwn + 4, 1)        // of a line
CONSTANT(kStride, kOwn + 5, 1)        // between the elements of a line
CONSTANT(kJoin, kOwn + 6, kAdd)       // the stage that joins two elements
CONSTANT(kNanMode, kOwn + 7, kPropagate)
CONSTANT(kFind, kOwn + 8, 0)      // where the largest is, instead
CONSTANT(kTogether, kOwn + 9, 0)  // a line by a workgroup
CONSTANT(kEdge, kOwn + 10, 8)     // kEdge * kEdge = the workgroup's size, a power of two

const uint kInvocations = kEdge * kEdge;
const bool kSelectsFloats = kJoin == kMaximum || kJoin == kMinimum;
const bool kSelects = kSelectsFloats || kJoin == kIntMaximum || kJoin == kIntMinimum;

// What the elements of some invocations are joined to, and the place of the one that was
// selected, or else of the first.
shared uvec2 partials[kInvocations];

uint joined(uint a, uint b) {
    switch (kJoin) {
        case kAdd:
            return sum(a, b);
        case kMul:
            return product(a, b);
        case kIntAdd:
            return a + b;
        case kAnd:
            return a & b;
    }
    return a | b;
}

// Whether `next` is selected rather than `best`, which comes before it. Of equals, the maximum
// is the first and the minimum the last, as in arithmetic.glsl. NaN is selected where it
// propagates, the first of them, and else only if there is nothing else.
bool selected(uint next, uint best) {
    if (kJoin == kIntMaximum) return int(next) > int(best);
    if (kJoin == kIntMinimum) return int(next) < int(best);
    if (is_nan(next) || is_nan(best))
        return kNanMode == kPropagate ? !is_nan(best) : !is_nan(next);
    return kJoin == kMaximum ? order(next) > order(best) : order(next) <= order(best);
}

uvec2 merged(uvec2 before, uvec2 after) {
    if (!kSelects) return uvec2(joined(before.x, after.x), before.y);
    return selected(after.x, before.x) ? after : before;
}

// The elements of a line from `place` on, `stride` apart.
uvec2 folded(uint line, uint place, uint stride) {
    uvec2 so_far = uvec2(load(kIn, kInBase, kInType, line + place * kStride), place);
    for (place += stride; place < kLength; place += stride)
        so_far = merged(so_far,
                        uvec2(load(kIn, kInBase, kInType, line + place * kStride), place));
    return so_far;
}

uvec2 merged_by_place(uvec2 a, uvec2 b) { return a.y < b.y ? merged(a, b) : merged(b, a); }

// By all invocations, none of which is without an element. The first has the result.
uvec2 folded_together(uint line) {
    uint me = gl_LocalInvocationIndex;
    uvec2 mine = folded(line, me, kInvocations);
    barrier();  // whoever still reads the last line's
#if SUBGROUPS
    for (uint apart = 1; apart < gl_SubgroupSize; apart *= 2)
        mine = merged_by_place(mine, subgroupShuffleXor(mine, apart));
    if (gl_SubgroupInvocationID == 0) partials[gl_SubgroupID] = mine;
    barrier();
    if (me == 0)
        for (uint other = 1; other < gl_NumSubgroups; ++other)
            mine = merged_by_place(mine, partials[other]);
#else
    partials[me] = mine;
    barrier();
    for (uint others = kInvocations / 2; others > 0; others /= 2) {
        if (me < others) partials[me] = mine = merged_by_place(mine, partials[me + others]);
        barrier();
    }
#endif
    return mine;
}

uint finished(uvec2 made) {
    if (kFind != 0) return made.y;
    if (kSelectsFloats && is_nan(made.x)) return kQuietNan;
    uint value = kJoin == kAdd ? from_zero(made.x) : made.x;
    return widened(narrowed(value, kMadeType), kMadeType);
}

void main() {
    bool stores = kTogether == 0 || gl_LocalInvocationIndex == 0;
    uint width = lanes_of(out_type), words = (count + width - 1) / width;
    uint step = kTogether == 0 ? grid_stride() : gl_NumWorkGroups.x;
    for (uint word = kTogether == 0 ? grid_first() : gl_WorkGroupID.x; word < words; word += step) {
        uint lanes[4];
        for (uint lane = 0; lane < min(width, count - word * width); ++lane) {
            uint index = word * width + lane;
            uint line = index / kStride * kStride * kLength + index % kStride;
            uvec2 made = kTogether == 0 ? folded(line, 0, 1) : folded_together(line);
            if (stores) lanes[lane] = chain(index, finished(made));
        }
        if (stores) store_lanes(word * width, lanes);
    }
}

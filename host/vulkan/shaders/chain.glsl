// SPDX-License-Identifier: MIT
//
// The chain of elementwise operators that ends a kernel. All that it does is decided by
// specialization constants, so that a driver keeps the stages that are used, and of each
// the one operation that it is. As drivers take their time over the others, too, a kernel
// is built several times, for STAGES at most, and with or without TRANSCENDENTAL ones. One
// of no stages stores what the kernel computed.

#define CONSTANT(name, id, value) layout(constant_id = int(id)) const uint name = value;

CONSTANT(out_element, kOutElement, 0)
CONSTANT(out_base, kOutBase, 0)
CONSTANT(out_type, kOutType, 0)
CONSTANT(count, kCount, 0)

#if STAGES > 0
CONSTANT(stages_used, kStagesUsed, 0)
CONSTANT(dim0, kDims, 1)
CONSTANT(dim1, kDims + 1, 1)
CONSTANT(dim2, kDims + 2, 1)
CONSTANT(dim3, kDims + 3, 1)
CONSTANT(dim4, kDims + 4, 1)
CONSTANT(dim5, kDims + 5, 1)

#define INPUT(n)                                                   \
    CONSTANT(element##n, kInputs + n * kInputConstants, 0)         \
    CONSTANT(base##n, kInputs + n * kInputConstants + 1, 0)        \
    CONSTANT(type##n, kInputs + n * kInputConstants + 2, 0)        \
    CONSTANT(find##n, kInputs + n * kInputConstants + 3, kScalar)  \
    CONSTANT(stride##n##_0, kInputs + n * kInputConstants + 4, 0)  \
    CONSTANT(stride##n##_1, kInputs + n * kInputConstants + 5, 0)  \
    CONSTANT(stride##n##_2, kInputs + n * kInputConstants + 6, 0)  \
    CONSTANT(stride##n##_3, kInputs + n * kInputConstants + 7, 0)  \
    CONSTANT(stride##n##_4, kInputs + n * kInputConstants + 8, 0)  \
    CONSTANT(stride##n##_5, kInputs + n * kInputConstants + 9, 0)
INPUT(0)
INPUT(1)
INPUT(2)
INPUT(3)
INPUT(4)
INPUT(5)

#define STAGE(n)                                                   \
    CONSTANT(op##n, kStages + n * kStageConstants, kCopy)          \
    CONSTANT(a##n, kStages + n * kStageConstants + 1, 0)           \
    CONSTANT(b##n, kStages + n * kStageConstants + 2, 0)           \
    CONSTANT(c##n, kStages + n * kStageConstants + 3, 0)           \
    CONSTANT(round##n, kStages + n * kStageConstants + 4, 0)       \
    CONSTANT(p##n##_0, kStages + n * kStageConstants + 5, 0)       \
    CONSTANT(p##n##_1, kStages + n * kStageConstants + 6, 0)       \
    CONSTANT(p##n##_2, kStages + n * kStageConstants + 7, 0)       \
    CONSTANT(p##n##_3, kStages + n * kStageConstants + 8, 0)       \
    CONSTANT(p##n##_4, kStages + n * kStageConstants + 9, 0)
STAGE(0)
#if STAGES > 1
STAGE(1)
#endif
#if STAGES > 2
STAGE(2)
#endif
#if STAGES > 3
STAGE(3)
#endif
#if STAGES > 4
STAGE(4)
#endif
#if STAGES > 5
STAGE(5)
#endif

uint value_of(uint op, uint a, uint b, uint c, uint p0, uint p1, uint p2, uint p3, uint p4) {
#if TRANSCENDENTAL
    if (op <= kPow) return transcendental(op, a, b);
#endif
    switch (op) {
        case kAbs:
            return a & kMagnitude;
        case kNegate:
            return a ^ kSign;
        case kCeil:
            return whole(a, (a & kSign) == 0);
        case kFloor:
            return whole(a, (a & kSign) != 0);
        case kAdd:
            return sum(a, b);
        case kSub:
            return sum(a, b ^ kSign);
        case kMul:
            return product(a, b);
        case kMaximum:
            return maximum(a, b, p0);
        case kMinimum:
            return minimum(a, b, p0);
        case kEqual:
            return uint(order(a) == order(b) && !is_nan(a) && !is_nan(b));
        case kGreater:
            return uint(order(a) > order(b) && !is_nan(a) && !is_nan(b));
        case kGreaterEqual:
            return uint(order(a) >= order(b) && !is_nan(a) && !is_nan(b));
        case kClamp:
            return minimum(maximum(a, p1, p0), p2, p0);
        case kAnd:
            return a & b;
        case kOr:
            return a | b;
        case kXor:
            return a ^ b;
        case kNot:
            return a ^ 1;
        case kSelect:
            return a != 0 ? b : c;
        case kIntAbs:
            return uint(abs(int(a)));
        case kIntNegate:
            return negated(a, p0, p1, p2);
        case kIntAdd:
            return a + b;
        case kIntSub:
            return a - b;
        case kIntMul:
            return scaled_product(a, b, p0);
        case kIntMaximum:
            return uint(max(int(a), int(b)));
        case kIntMinimum:
            return uint(min(int(a), int(b)));
        case kIntEqual:
            return uint(a == b);
        case kIntGreater:
            return uint(int(a) > int(b));
        case kIntGreaterEqual:
            return uint(int(a) >= int(b));
        case kIntClamp:
            return uint(clamp(int(a), int(p0), int(p1)));
        case kBitNot:
            return ~a;
        case kClz:
            return a == 0 ? 32 : 31 - findMSB(a);
        case kShiftLeft:
            return shifted_left(a, b, p0);
        case kShiftRight:
            return shifted_right(a, b, p0);
        case kArithmeticShiftRight:
            return shifted(a, b, p0, p1);
        case kRescale:
            return rescaled(a, b, c, p0, p1, p2, p3, p4);
        case kFromInteger:
            return from_integer(a);
        case kToInteger:
            return to_integer(a, p0, p1);
    }
    return a;
}

// Adds the last dimension's share of an input's place, and drops that dimension.
#define PEEL(n, d) at##n += digit * stride##n##_##d;
#define PEEL_ALL(d)                         \
    {                                       \
        uint digit = rest % dim##d;         \
        rest /= dim##d;                     \
        PEEL(0, d)                          \
        PEEL(1, d)                          \
        PEEL(2, d)                          \
        PEEL(3, d)                          \
        PEEL(4, d)                          \
        PEEL(5, d)                          \
    }

#define FETCH(n)                                                                   \
    values[n] = find##n == kComputed    ? computed                                 \
                : find##n == kImmediate ? base##n                                  \
                : find##n == kTableOnly ? 0                                        \
                                        : load(element##n, base##n, type##n,       \
                                               find##n == kLinear   ? index        \
                                               : find##n == kScalar ? 0            \
                                                                    : at##n);

// A table has 256 entries of INT8, the first of which is for -128 (TOSA TABLE). Chosen before
// it is read, as a driver would take its time over six reads of every stage.
#define CHOOSE(n)            \
    if (table == n) {        \
        element = element##n; \
        base = base##n;      \
    }

uint table_entry(uint table, uint value) {
    uint element = element0, base = base0;
    CHOOSE(1)
    CHOOSE(2)
    CHOOSE(3)
    CHOOSE(4)
    CHOOSE(5)
    return uint(int(load_raw(element, base, 4, value + 128) << 24) >> 24);
}

#define RUN(n)                                                                              \
    if (n < stages_used) {                                                                  \
        uint made = op##n == kTable                                                         \
                        ? table_entry(b##n, values[a##n])                                   \
                        : value_of(op##n, values[a##n], values[b##n], values[c##n],         \
                                   p##n##_0, p##n##_1, p##n##_2, p##n##_3, p##n##_4);       \
        values[kChainInputs + n] = last = widened(narrowed(made, round##n), round##n);      \
    }

// The output's element of that index, in 32 bits. `computed` is what the kernel found for
// it, if the chain takes that.
uint chain(uint index, uint computed) {
    uint values[kChainInputs + STAGES];
    uint at0 = 0, at1 = 0, at2 = 0, at3 = 0, at4 = 0, at5 = 0;
    if (find0 == kStrided || find1 == kStrided || find2 == kStrided || find3 == kStrided ||
        find4 == kStrided || find5 == kStrided) {
        uint rest = index;
        PEEL_ALL(5)
        PEEL_ALL(4)
        PEEL_ALL(3)
        PEEL_ALL(2)
        PEEL_ALL(1)
        PEEL_ALL(0)
    }
    FETCH(0)
    FETCH(1)
    FETCH(2)
    FETCH(3)
    FETCH(4)
    FETCH(5)
    uint last = values[0];
    RUN(0)
#if STAGES > 1
    RUN(1)
#endif
#if STAGES > 2
    RUN(2)
#endif
#if STAGES > 3
    RUN(3)
#endif
#if STAGES > 4
    RUN(4)
#endif
#if STAGES > 5
    RUN(5)
#endif
    return last;
}
#else
uint chain(uint index, uint computed) { return computed; }
#endif

// A word of the output from the values of its lanes, which start at element `first`.
void store_lanes(uint first, uint lanes[4]) {
    uint width = lanes_of(out_type), word = 0;
    for (uint lane = 0; lane < width; ++lane)
        word |= (narrowed(lanes[lane], out_type) & lane_mask(width)) << lane * lane_bits(width);
    store_word(out_element, out_base, first / width, word, width, min(width, count - first));
}

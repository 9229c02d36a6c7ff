// SPDX-License-Identifier: MIT
//
// The product of gemm.comp, of up to kRows rows, which is bound by reading the rhs once: each
// invocation reads a word of it at a time, in a slice of k of its own, and multiplies it by
// all rows. The slices are summed in order at the end, so the result is the same every time.
// The lhs is already in 32 bits, less its zero point. Precision is as in gemm.comp.
//
// Neighbours read neighbouring words. So where n ascends in memory, a slice is a range of k,
// and where k does (transposed), it is every kSlices-th word of a column.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "numbers.inc"
#include "types.glsl"
#include "arithmetic.glsl"
#if TRANSCENDENTAL
#include "transcendental.glsl"
#endif
#include "chain.glsl"

// As lower_product.cpp has them.
CONSTANT(kLhs, kOwn, 0)
CONSTANT(kLhsBase, kOwn + 1, 0)
CONSTANT(kRhs, kOwn + 2, 0)
CONSTANT(kRhsBase, kOwn + 3, 0)
CONSTANT(kEdge, kOwn + 4, 8)  // kEdge * kEdge = the workgroup's size
CONSTANT(kType, kOwn + 5, kFp32)
CONSTANT(kProductType, kOwn + 6, kFp32)  // which a sum is rounded to before the chain takes it
CONSTANT(kBatch, kOwn + 7, 1)
CONSTANT(kM, kOwn + 8, 1)
CONSTANT(kK, kOwn + 9, 1)
CONSTANT(kN, kOwn + 10, 1)
CONSTANT(kRhsZero, kOwn + 11, 0)
CONSTANT(kTransposed, kOwn + 12, 0)
CONSTANT(kWords, kOwn + 13, 8)  // that a workgroup is wide: 8, 16 or 32, of columns

const uint kRows = 8, kMostLanes = 4, kMostWords = 32;
const uint kInvocations = kEdge * kEdge;
const uint kSlices = kInvocations / kWords;

shared uint partials[kRows * kInvocations];  // of some rows at a time: [row, lane][slice][word]
shared uint finals[kRows * kMostWords * kMostLanes];  // [row][column]

uint accumulated(uint a, uint b, uint sum) {
    if (kType == kInt8) return sum + a * b;
    return floatBitsToUint(fma(uintBitsToFloat(a), uintBitsToFloat(b), uintBitsToFloat(sum)));
}

// Elements that an invocation reads at a time: a word, if all lines start with one.
uint read_at_once() {
    uint lanes = lanes_of(kType);
    return (kTransposed != 0 ? kK : kN) % lanes == 0 ? lanes : 1;
}

uint columns_in_word() { return kTransposed != 0 ? 1 : read_at_once(); }

uint fetch(uint index, uint elements) {
    uint lanes = lanes_of(kType);
    return elements == lanes ? storage[kRhs].words[kRhsBase + index / lanes]
                             : load_raw(kRhs, kRhsBase, lanes, index);
}

void make_columns(uint batch, uint col0) {
    bool across = kTransposed == 0;
    uint reads = read_at_once(), lanes = columns_in_word();
    uint slice = across ? gl_LocalInvocationIndex / kWords : gl_LocalInvocationIndex % kSlices;
    uint word = across ? gl_LocalInvocationIndex % kWords : gl_LocalInvocationIndex / kSlices;
    uint share = (kK + kSlices - 1) / kSlices;
    uint first = slice * (across ? share : reads), step = across ? 1 : kSlices * reads;
    uint end = across ? min(first + share, kK) : kK;
    uint col = col0 + word * lanes;

    uint sums[kRows][kMostLanes];
    for (uint row = 0; row < kRows; ++row)
        for (uint lane = 0; lane < kMostLanes; ++lane)
            sums[row][lane] = 0;
    if (col < kN)
        for (uint k = first; k < end; k += step) {
            uint index = across ? (batch * kK + k) * kN + col : (batch * kN + col) * kK + k;
            uint raw = fetch(index, reads);
            for (uint i = 0; i < reads; ++i) {
                uint type_lanes = lanes_of(kType);
                uint rhs = widened(raw >> i * lane_bits(type_lanes) & lane_mask(type_lanes), kType);
                if (kType == kInt8) rhs -= kRhsZero;
                for (uint row = 0; row < kRows; ++row) {
                    if (row >= kM) break;
                    uint lhs_index = (batch * kM + row) * kK + k + (across ? 0 : i);
                    uint lhs = storage[kLhs].words[kLhsBase + lhs_index];
                    uint lane = across ? i : 0;
                    sums[row][lane] = accumulated(lhs, rhs, sums[row][lane]);
                }
            }
        }

    uint rows = kRows / lanes;  // at a time
    for (uint row = 0; row < kRows; ++row) {
        if (row >= kM) break;
        for (uint lane = 0; lane < lanes; ++lane)
            partials[(row % rows * lanes + lane) * kInvocations + slice * kWords + word] =
                sums[row][lane];
        if (row % rows + 1 != rows && row + 1 != kM) continue;
        barrier();
        for (uint i = gl_LocalInvocationIndex; i < (row % rows + 1) * lanes * kWords;
             i += kInvocations) {
            uint line = i / kWords, at = line * kInvocations + i % kWords, sum = partials[at];
            for (uint other = 1; other < kSlices; ++other)
                sum = kType == kInt8
                          ? sum + partials[at + other * kWords]
                          : floatBitsToUint(uintBitsToFloat(sum) +
                                            uintBitsToFloat(partials[at + other * kWords]));
            finals[(row / rows * rows + line / lanes) * kWords * lanes + i % kWords * lanes +
                   line % lanes] = sum;
        }
        barrier();
    }
}

// A word of the output by each invocation.
void store_columns(uint batch, uint col0, uint columns) {
    uint width = lanes_of(out_type), across = columns / width;
    for (uint i = gl_LocalInvocationIndex; i < kM * across; i += kInvocations) {
        uint row = i / across, at = i % across * width, lanes[4];
        if (col0 + at >= kN) continue;
        uint first = (batch * kM + row) * kN + col0 + at;
        for (uint lane = 0; lane < width; ++lane)
            lanes[lane] = chain(first + lane,
                                rounded_sum(finals[row * columns + at + lane], kProductType));
        store_lanes(first, lanes);
    }
}

void main() {
    uint columns = kWords * columns_in_word();
    uint across = (kN + columns - 1) / columns;
    for (uint group = gl_WorkGroupID.x; group < across * kBatch; group += gl_NumWorkGroups.x) {
        make_columns(group / across, group % across * columns);
        store_columns(group / across, group % across * columns, columns);
    }
}

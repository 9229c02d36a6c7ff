// SPDX-License-Identifier: MIT
//
// The product of product.glsl, for any device and type.
//
// Floats: k ascending from +0, one fma() a step. A driver may split an fma() into two
// roundings (the compiler cannot mark it NoContraction), so results stay within the error
// bound of providers.md 3.12 and are the same every time on one device, but not the same bits
// on all devices. INT8: exact, modulo 2^32. Both operands are of one type.
//
// A workgroup of kEdge x kEdge invocations makes one square block of outputs, each invocation
// kRegisters x kRegisters of them. For every slab of kDepth steps the group brings both
// operands into shared memory once, widened to 32 bits. A step is one k of floats, and four of
// INT8, which keep to one word.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#if DOT
#extension GL_EXT_integer_dot_product : require
#endif
#include "common.glsl"
#include "numbers.inc"
#include "types.glsl"
#include "arithmetic.glsl"
#if TRANSCENDENTAL
#include "transcendental.glsl"
#endif
#include "chain.glsl"
#include "product.glsl"

const uint kRegisters = 4, kDepth = 16;
const uint kEdge = kBlock / kRegisters;
const bool kPacked = kType == kInt8;
const uint kPack = kPacked ? 4 : 1;
const bool kCentred = (kLhsZero | kRhsZero) != 0;

// A slab is [step][line], lines being rows of the lhs or columns of the rhs, and the lines of
// one invocation a vector. One vector more than there are makes the steps of a line, which
// neighbours store, lie in different banks.
const uint kStep = kEdge + 1;
const uint kSlab = kDepth * kStep;
shared uvec4 slabs[2 * kSlab];  // lhs, rhs

void put(uint slab, uint step, uint line, uint value) {
    slabs[slab + step * kStep + line / 4][line % 4] = value;
}

// An operand whose lines have k ascending in memory. What stands for lines past the last
// reaches only outputs that are not stored.
void stage_along_k(bool lhs, uint batch, uint line0, uint k0, uint depth) {
    uint lanes = lanes_of(kType);
    bool whole = lines_are_whole(lhs);
    uint filled = whole && !kPacked ? lanes : 1;  // steps, by one word
    uint across = kDepth / filled;
    uint step = gl_LocalInvocationIndex % across * filled, k = k0 + step * kPack;
    if (step >= depth) return;
    for (uint line = gl_LocalInvocationIndex / across; line < kBlock;
         line += kEdge * kEdge / across) {
        if (line0 + line >= (lhs ? kM : kN)) break;
        uint word = 0;
        if (kPacked && !whole)
            for (uint i = 0; i < min(4u, kK - k); ++i)
                word |= (fetch_line(lhs, batch, line0, line, k + i, false) & 0xFFu) << 8 * i;
        else
            word = fetch_line(lhs, batch, line0, line, k, whole);
        for (uint i = 0; i < filled; ++i) {
            uint raw = word >> i * lane_bits(lanes) & lane_mask(lanes);
            put(lhs ? 0 : kSlab, step + i, line, kPacked ? word : widened(raw, kType));
        }
    }
}

uvec4 transposed(uvec4 words) {
    const uvec4 lanes = uvec4(0, 8, 16, 24);
    return words.xxxx >> lanes & 0xFFu | (words.yyyy >> lanes & 0xFFu) << 8 |
           (words.zzzz >> lanes & 0xFFu) << 16 | words.wwww >> lanes << 24;
}

// The rhs, with n ascending in memory.
void stage_along_n(uint batch, uint col0, uint k0, uint depth) {
    uint lanes = lanes_of(kType);
    bool whole = kN % lanes == 0;
    uint filled = whole ? lanes : 1;  // columns, by one word
    uint across = kBlock / filled;
    for (uint i = gl_LocalInvocationIndex; i < depth * across; i += kEdge * kEdge) {
        uint step = i / across, line = i % across * filled, k = k0 + step * kPack;
        if (col0 + line >= kN) continue;
        uint index = (batch * kK + k) * kN + col0 + line;
        if (kPacked) {
            uvec4 words = uvec4(0);
            for (uint j = 0; j < 4; ++j)
                if (k + j < kK) words[j] = fetch(kRhs, kRhsBase, index + j * kN, whole);
            if (whole)
                slabs[kSlab + step * kStep + line / 4] = transposed(words);
            else
                put(kSlab, step, line, transposed(words).x);
        } else {
            uint word = fetch(kRhs, kRhsBase, index, whole);
            for (uint j = 0; j < filled; ++j)
                put(kSlab, step, line + j,
                    widened(word >> j * lane_bits(lanes) & lane_mask(lanes), kType));
        }
    }
}

// Of four signed bytes each.
uint dot_packed(uint a, uint b) {
#if DOT
    return uint(dotPacked4x8EXT(int(a), int(b)));
#else
    int dot = 0;
    for (int byte = 0; byte < 32; byte += 8)
        dot += bitfieldExtract(int(a), byte, 8) * bitfieldExtract(int(b), byte, 8);
    return uint(dot);
#endif
}

uvec4 multiplied(uint a, uvec4 b, uvec4 sums) {
    if (kPacked) {
        for (uint j = 0; j < 4; ++j)
            sums[j] += dot_packed(a, b[j]);
        return sums;
    }
    return floatBitsToUint(fma(vec4(uintBitsToFloat(a)), uintBitsToFloat(b), uintBitsToFloat(sums)));
}

// The sum over a line of both slabs, by one invocation each: the first kBlock have the rows.
uint line_sum(uint depth) {
    uint line = gl_LocalInvocationIndex, slab = 0, sum = 0;
    if (line >= kBlock) {
        line -= kBlock;
        slab = kSlab;
    }
    if (line < kBlock)
        for (uint step = 0; step < depth; ++step)
            sum += dot_packed(slabs[slab + step * kStep + line / 4][line % 4], 0x01010101u);
    return sum;
}

// One chain for all words of an invocation: a driver need not unroll it, nor find registers
// by index.
void store_registers(uint batch, uint row0, uint col0, uvec4 sums[kRegisters]) {
    [[dont_unroll]] for (uint i = 0; i < kRegisters; ++i)
        store_quad(batch, row0 + i, col0,
                   i < 2 ? (i == 0 ? sums[0] : sums[1]) : (i == 2 ? sums[2] : sums[3]));
}

void make_block(uint slice, uint batch, uint row0, uint col0) {
    uint begin = slice * kShare, end = min(begin + kShare, kK);
    uint ty = gl_LocalInvocationIndex / kEdge, tx = gl_LocalInvocationIndex % kEdge;
    uvec4 sums[kRegisters] = {uvec4(0), uvec4(0), uvec4(0), uvec4(0)};
    uint sum_of_line = 0;

    if (kGathered != 0) find_origins(row0);
    for (uint k0 = begin; k0 < end; k0 += kDepth * kPack) {
        uint depth = kK % (kDepth * kPack) == 0 ? kDepth
                                                : min(kDepth, (end - k0 + kPack - 1) / kPack);
        stage_along_k(true, batch, row0, k0, depth);
        if (kTransposed != 0)
            stage_along_k(false, batch, col0, k0, depth);
        else
            stage_along_n(batch, col0, k0, depth);
        barrier();
        for (uint step = 0; step < depth; ++step) {
            uvec4 lhs = slabs[step * kStep + ty], rhs = slabs[kSlab + step * kStep + tx];
            for (uint i = 0; i < kRegisters; ++i)
                sums[i] = multiplied(lhs[i], rhs, sums[i]);
        }
        if (kCentred) sum_of_line += line_sum(depth);
        barrier();
    }

    // sum (a - za)(b - zb) = sum ab - zb sum a - za sum b + k za zb.
    if (kCentred) {
        if (gl_LocalInvocationIndex < 2 * kBlock)
            put(0, 0, gl_LocalInvocationIndex, sum_of_line);
        barrier();
        for (uint i = 0; i < kRegisters; ++i)
            sums[i] += (end - begin) * kLhsZero * kRhsZero - kRhsZero * slabs[ty][i] -
                       kLhsZero * slabs[kEdge + tx];
        barrier();
    }

    store_registers(slice * kBatch + batch, row0 + ty * kRegisters, col0 + tx * kRegisters, sums);
}

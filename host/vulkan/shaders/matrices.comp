// SPDX-License-Identifier: MIT
//
// The product of product.glsl by cooperative matrices (VK_KHR_cooperative_matrix): of INT8,
// exact, modulo 2^32, if BYTES, else of FP16 and what it holds exactly, summed in FP32. How the
// device sums within a fragment is its own affair, but the same every time; it is asked before
// whether that is good enough (matrix_answers.cpp).
//
// A workgroup makes one square block of outputs, each of its subgroups kDown x kAcross fragments
// of it. For every slab of k the group brings both operands into shared memory once, as they
// lie in memory: lines of words that have k or n ascending.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#pragma use_vulkan_memory_model
#include "common.glsl"
#include "numbers.inc"
#include "types.glsl"
#include "arithmetic.glsl"
#if TRANSCENDENTAL
#include "transcendental.glsl"
#endif
#include "chain.glsl"
#include "product.glsl"

// A fragment, and those of a workgroup, as matrices.cpp lays them out.
CONSTANT(kRows, kProduct, 16)
CONSTANT(kColumns, kProduct + 1, 16)
CONSTANT(kSteps, kProduct + 2, 16)  // of k
CONSTANT(kDown, kProduct + 3, 1)
CONSTANT(kAcross, kProduct + 4, 1)
CONSTANT(kSubgroupsDown, kProduct + 5, 1)
CONSTANT(kSubgroupsAcross, kProduct + 6, 1)

// Shared memory is in units as wide as the narrowest rows of fragments there are, as those
// have to begin with one.
#if BYTES
#define ELEMENT int8_t
#define SUM int
#define UNIT uvec2
const uint kLanes = 4, kUnit = 2;
#else
#define ELEMENT float16_t
#define SUM float
#define UNIT uvec4
const uint kLanes = 2, kUnit = 4;
#endif

// Lines of both operands in units, one vector more than there are, so that lines begin in
// different banks.
const uint kWords = 16, kDepth = kWords * kLanes;
const uint kLhsLine = (kWords + 4) / kUnit;
const uint kRhsWords = kTransposed != 0 ? kWords : kBlock / kLanes;
const uint kRhsLine = (kRhsWords + 4) / kUnit;
const uint kRhsLines = kTransposed != 0 ? kBlock : kDepth;
const uint kLhsSlab = kBlock * kLhsLine, kSlabs = kLhsSlab + kRhsLines * kRhsLine;
// When they are done with, each subgroup has the sums of a fragment there.
const uint kFragment = kRows * kColumns / kUnit;
const uint kSums = kSubgroupsDown * kSubgroupsAcross * kFragment;
shared UNIT slabs[kSlabs > kSums ? kSlabs : kSums];

void put(uint slab, uint line, uint word, uint value) {
    slabs[slab + line + word / kUnit][word % kUnit] = value;
}

// An FP8 number is one of FP16, too.
uint half_of(uint raw) {
    if (kType == kFp8E5M2) return raw << 8;
    uint sign = (raw & 0x80u) << 8, magnitude = raw & 0x7Fu;
    if (magnitude == 0x7Fu) return 0x7E00u;
    if (magnitude > 7) return sign | (magnitude << 7) + (15 - 7 << 10);
    if (magnitude == 0) return sign;
    uint top = findMSB(magnitude);  // a subnormal, normal in FP16
    return sign | top + 6 << 10 | magnitude << 10 - top & 0x3FFu;
}

// The first kLanes elements of a word, and one element, as matrices have them.
uint converted_word(uint raw) {
    if (BYTES != 0 || kType == kFp16) return raw;
    return half_of(raw & 0xFFu) | half_of(raw >> 8 & 0xFFu) << 16;
}
uint converted(uint raw) {
    if (BYTES != 0) return raw & 0xFFu;
    return kType == kFp16 ? raw : half_of(raw);
}

// A word of an operand that has k ascending. What is not there is 0.
uint word_along_k(bool lhs, uint batch, uint line0, uint line, uint k, uint end) {
    if (line0 + line >= (lhs ? kM : kN) || k >= end) return 0;
    uint lanes = lanes_of(kType);
    if (lines_are_whole(lhs))
        return converted_word(fetch_line(lhs, batch, line0, line, k, true) >>
                              k % lanes * lane_bits(lanes));
    uint word = 0;
    for (uint i = 0; i < min(kLanes, end - k); ++i)
        word |= converted(fetch_line(lhs, batch, line0, line, k + i, false)) << i * (32 / kLanes);
    return word;
}

// A word of the rhs, with n ascending.
uint word_along_n(uint batch, uint k, uint end, uint n) {
    if (k >= end || n >= kN) return 0;
    uint lanes = lanes_of(kType), index = (batch * kK + k) * kN + n;
    if (kN % lanes == 0)
        return converted_word(fetch(kRhs, kRhsBase, index, true) >> n % lanes * lane_bits(lanes));
    uint word = 0;
    for (uint i = 0; i < min(kLanes, kN - n); ++i)
        word |= converted(fetch(kRhs, kRhsBase, index + i, false)) << i * (32 / kLanes);
    return word;
}

void stage(uint batch, uint row0, uint col0, uint k0, uint end) {
    for (uint i = gl_LocalInvocationIndex; i < kBlock * kWords; i += gl_WorkGroupSize.x) {
        uint line = i / kWords, word = i % kWords;
        put(0, line * kLhsLine, word,
            word_along_k(true, batch, row0, line, k0 + word * kLanes, end));
    }
    for (uint i = gl_LocalInvocationIndex; i < kRhsLines * kRhsWords; i += gl_WorkGroupSize.x) {
        uint line = i / kRhsWords, word = i % kRhsWords;
        put(kLhsSlab, line * kRhsLine, word,
            kTransposed != 0
                ? word_along_k(false, batch, col0, line, k0 + word * kLanes, end)
                : word_along_n(batch, k0 + line, end, col0 + word * kLanes));
    }
}

#define LHS coopmat<ELEMENT, gl_ScopeSubgroup, kRows, kSteps, gl_MatrixUseA>
#define RHS coopmat<ELEMENT, gl_ScopeSubgroup, kSteps, kColumns, gl_MatrixUseB>
#define SUMS coopmat<SUM, gl_ScopeSubgroup, kRows, kColumns, gl_MatrixUseAccumulator>

LHS load_lhs(uint row, uint k) {
    LHS made;
    coopMatLoad(made, slabs, row * kLhsLine + k / kLanes / kUnit, kLhsLine,
                gl_CooperativeMatrixLayoutRowMajor);
    return made;
}

RHS load_rhs(uint column, uint k) {
    RHS made;
    if (kTransposed != 0)
        coopMatLoad(made, slabs, kLhsSlab + column * kRhsLine + k / kLanes / kUnit, kRhsLine,
                    gl_CooperativeMatrixLayoutColumnMajor);
    else
        coopMatLoad(made, slabs, kLhsSlab + k * kRhsLine + column / kLanes / kUnit, kRhsLine,
                    gl_CooperativeMatrixLayoutRowMajor);
    return made;
}

void make_block(uint slice, uint batch, uint row0, uint col0) {
    uint begin = slice * kShare, end = min(begin + kShare, kK);
    uint down = gl_SubgroupID / kSubgroupsAcross * kDown * kRows;
    uint across = gl_SubgroupID % kSubgroupsAcross * kAcross * kColumns;
    bool mine = gl_SubgroupID < kSubgroupsDown * kSubgroupsAcross;

    SUMS sums[kDown * kAcross];
    [[unroll]] for (uint i = 0; i < kDown * kAcross; ++i)
        sums[i] = SUMS(0);
#if BYTES
    // Of all rows of the lhs and columns of the rhs, as products with ones.
    SUMS of_rows[kDown], of_columns[kAcross];
    [[unroll]] for (uint i = 0; i < kDown; ++i)
        of_rows[i] = SUMS(0);
    [[unroll]] for (uint i = 0; i < kAcross; ++i)
        of_columns[i] = SUMS(0);
#endif

    if (kGathered != 0) find_origins(row0);
    for (uint k0 = begin; k0 < end; k0 += kDepth) {
        stage(batch, row0, col0, k0, end);
        barrier();
        if (mine)
            for (uint k = 0; k < kDepth; k += kSteps) {
                LHS lhs[kDown];
                [[unroll]] for (uint i = 0; i < kDown; ++i) {
                    lhs[i] = load_lhs(down + i * kRows, k);
#if BYTES
                    if (kRhsZero != 0) of_rows[i] = coopMatMulAdd(lhs[i], RHS(1), of_rows[i]);
#endif
                }
                [[unroll]] for (uint j = 0; j < kAcross; ++j) {
                    RHS rhs = load_rhs(across + j * kColumns, k);
                    [[unroll]] for (uint i = 0; i < kDown; ++i)
                        sums[i * kAcross + j] = coopMatMulAdd(lhs[i], rhs, sums[i * kAcross + j]);
#if BYTES
                    if (kLhsZero != 0) of_columns[j] = coopMatMulAdd(LHS(1), rhs, of_columns[j]);
#endif
                }
            }
        barrier();
    }

    // One chain for all fragments, through shared memory.
    if (mine)
        [[dont_unroll]] for (uint fragment = 0; fragment < kDown * kAcross; ++fragment) {
            [[unroll]] for (uint i = 0; i < kDown * kAcross; ++i) {
                if (i != fragment) continue;
                SUMS made = sums[i];
#if BYTES
                // sum (a - za)(b - zb) = sum ab - zb sum a - za sum b + k za zb.
                if (kRhsZero != 0) made -= of_rows[i / kAcross] * int(kRhsZero);
                if (kLhsZero != 0) made -= of_columns[i % kAcross] * int(kLhsZero);
                if (kLhsZero != 0 && kRhsZero != 0)
                    made += SUMS(int((end - begin) * kLhsZero * kRhsZero));
#endif
                coopMatStore(made, slabs, gl_SubgroupID * kFragment, kColumns / kUnit,
                             gl_CooperativeMatrixLayoutRowMajor);
            }
            subgroupBarrier();
            uint row = row0 + down + fragment / kAcross * kRows;
            uint col = col0 + across + fragment % kAcross * kColumns;
            for (uint at = gl_SubgroupInvocationID * 4; at < kRows * kColumns;
                 at += gl_SubgroupSize * 4) {
                uint unit = gl_SubgroupID * kFragment + at / kUnit;
#if BYTES
                uvec4 quad = uvec4(slabs[unit], slabs[unit + 1]);
#else
                uvec4 quad = slabs[unit];
#endif
                store_quad(slice * kBatch + batch, row + at / kColumns, col + at % kColumns, quad);
            }
            subgroupBarrier();
        }
    barrier();  // before the next block's slabs
}

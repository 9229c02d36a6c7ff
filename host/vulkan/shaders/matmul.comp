// SPDX-License-Identifier: MIT
//
// out[b][m][n] = sum over k of lhs[b][m][k] * rhs[b][k][n], k ascending from +0, one fma()
// a step. A driver may split an fma() into two roundings (the compiler cannot mark it
// NoContraction), so results stay within the error bound of providers.md 3.12 and are
// the same every time on one device, but not the same bits on all devices.
//
// A workgroup of kEdge x kEdge invocations makes one square block of outputs, each
// invocation kRegisters x kRegisters of them. For every slab of kDepth steps the group
// brings both operands into shared memory once. Rows and columns of one invocation lie
// kEdge apart, so that neighbours touch neighbouring words.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(constant_id = 2) const uint kLhs = 0;
layout(constant_id = 3) const uint kLhsBase = 0;
layout(constant_id = 4) const uint kRhs = 0;
layout(constant_id = 5) const uint kRhsBase = 0;
layout(constant_id = 6) const uint kOut = 0;
layout(constant_id = 7) const uint kOutBase = 0;
layout(constant_id = 8) const uint kBatch = 1;
layout(constant_id = 9) const uint kM = 1;
layout(constant_id = 10) const uint kK = 1;
layout(constant_id = 11) const uint kN = 1;
layout(constant_id = 12) const uint kEdge = 8;  // kEdge * kEdge = the workgroup's size

const uint kRegisters = 4;
const uint kDepth = 16;
const uint kBlock = kEdge * kRegisters;

shared float lhs_slab[kDepth * kBlock];  // transposed: [k][m]
shared float rhs_slab[kDepth * kBlock];  // [k][n]

// Words past an edge are not read. What stands for them reaches only outputs past the
// edge, and those are not stored.
void load_slabs(uint batch, uint row0, uint col0, uint k0, uint depth) {
    for (uint i = gl_LocalInvocationIndex; i < depth * kBlock; i += kEdge * kEdge) {
        uint row = row0 + i / depth, k = i % depth;
        if (row < kM)
            lhs_slab[k * kBlock + i / depth] = uintBitsToFloat(
                storage[kLhs].words[kLhsBase + (batch * kM + row) * kK + k0 + k]);
        uint col = col0 + i % kBlock;
        if (col < kN)
            rhs_slab[i] = uintBitsToFloat(
                storage[kRhs].words[kRhsBase + (batch * kK + k0 + i / kBlock) * kN + col]);
    }
}

void make_block(uint batch, uint row0, uint col0) {
    uint ty = gl_LocalInvocationIndex / kEdge, tx = gl_LocalInvocationIndex % kEdge;
    float sums[kRegisters][kRegisters];
    for (uint i = 0; i < kRegisters; ++i)
        for (uint j = 0; j < kRegisters; ++j)
            sums[i][j] = 0.0;

    for (uint k0 = 0; k0 < kK; k0 += kDepth) {
        uint depth = min(kDepth, kK - k0);
        load_slabs(batch, row0, col0, k0, depth);
        barrier();
        for (uint k = 0; k < depth; ++k) {
            float lhs[kRegisters], rhs[kRegisters];
            for (uint i = 0; i < kRegisters; ++i) {
                lhs[i] = lhs_slab[k * kBlock + i * kEdge + ty];
                rhs[i] = rhs_slab[k * kBlock + i * kEdge + tx];
            }
            for (uint i = 0; i < kRegisters; ++i)
                for (uint j = 0; j < kRegisters; ++j)
                    sums[i][j] = fma(lhs[i], rhs[j], sums[i][j]);
        }
        barrier();
    }

    for (uint i = 0; i < kRegisters; ++i)
        for (uint j = 0; j < kRegisters; ++j) {
            uint row = row0 + i * kEdge + ty, col = col0 + j * kEdge + tx;
            if (row < kM && col < kN)
                storage[kOut].words[kOutBase + (batch * kM + row) * kN + col] =
                    floatBitsToUint(sums[i][j]);
        }
}

void main() {
    uint across = (kN + kBlock - 1) / kBlock, down = (kM + kBlock - 1) / kBlock;
    for (uint block = gl_WorkGroupID.x; block < across * down * kBatch;
         block += gl_NumWorkGroups.x)
        make_block(block / (across * down), block / across % down * kBlock,
                   block % across * kBlock);
}

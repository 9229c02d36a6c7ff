// SPDX-License-Identifier: MIT
//
// What the kernels have in common that make a product in blocks, gemm.comp and matrices.comp:
//
// out[b][m][n] = sum over k of lhs[b][m][k] * rhs, rhs being [b][k][n], or [b][n][k] if it is
// transposed: TOSA MATMUL, and CONV2D as a product whose lhs is gathered from an image, with
// a row for each pixel of the output and k = (tap of the kernel, input channel).
//
// Where the outputs are too few for the device, k is cut into slices, and there is a sum for
// each, [slice][b][m][n], which reduce.comp then adds up in order.

// As lower_product.cpp has them.
CONSTANT(kLhs, kOwn, 0)
CONSTANT(kLhsBase, kOwn + 1, 0)
CONSTANT(kRhs, kOwn + 2, 0)
CONSTANT(kRhsBase, kOwn + 3, 0)
CONSTANT(kBlock, kOwn + 4, 32)  // rows and columns that a workgroup makes at a time
CONSTANT(kType, kOwn + 5, kFp32)
CONSTANT(kProductType, kOwn + 6, kFp32)  // which a sum is rounded to before the chain takes it
CONSTANT(kBatch, kOwn + 7, 1)
CONSTANT(kM, kOwn + 8, 1)
CONSTANT(kK, kOwn + 9, 1)
CONSTANT(kN, kOwn + 10, 1)
CONSTANT(kLhsZero, kOwn + 11, 0)
CONSTANT(kRhsZero, kOwn + 12, 0)
CONSTANT(kTransposed, kOwn + 13, 0)
CONSTANT(kGathered, kOwn + 14, 0)
// Of the image, if the lhs is one; coordinates before it are large.
CONSTANT(kHeight, kOwn + 15, 1)
CONSTANT(kWidth, kOwn + 16, 1)
CONSTANT(kChannels, kOwn + 17, 1)
CONSTANT(kOutHeight, kOwn + 18, 1)
CONSTANT(kOutWidth, kOwn + 19, 1)
CONSTANT(kKernelWidth, kOwn + 20, 1)
CONSTANT(kStrideY, kOwn + 21, 1)
CONSTANT(kStrideX, kOwn + 22, 1)
CONSTANT(kDilationY, kOwn + 23, 1)
CONSTANT(kDilationX, kOwn + 24, 1)
CONSTANT(kPadTop, kOwn + 25, 0)
CONSTANT(kPadLeft, kOwn + 26, 0)
CONSTANT(kSlices, kOwn + 27, 1)
CONSTANT(kShare, kOwn + 28, 1)  // of k, for a slice: whole slabs, where there are several
const uint kProduct = kOwn + 29;  // the kernel's own, from here

shared uvec3 origins[kBlock];  // of each row: its image's first pixel, y, x

// The word that holds an element and begins with it, or just the element.
uint fetch(uint element, uint base, uint index, bool whole) {
    uint lanes = lanes_of(kType);
    return whole ? storage[element].words[base + index / lanes]
                 : load_raw(element, base, lanes, index);
}

// Places that lie outside of the image hold the zero point, which counts for nothing.
uint fetch_lhs(uint batch, uint row0, uint line, uint k, bool whole) {
    if (kGathered == 0)
        return fetch(kLhs, kLhsBase, (batch * kM + row0 + line) * kK + k, whole);
    uint tap = k / kChannels;
    uint y = origins[line].y + tap / kKernelWidth * kDilationY;
    uint x = origins[line].z + tap % kKernelWidth * kDilationX;
    if (y >= kHeight || x >= kWidth)
        return kType == kInt8 ? (kLhsZero & 0xFFu) * 0x01010101u : 0;
    uint pixel = origins[line].x + y * kWidth + x;
    return fetch(kLhs, kLhsBase, pixel * kChannels + k % kChannels, whole);
}

// Of an operand whose lines, rows of the lhs or columns of the rhs, have k ascending in memory.
uint fetch_line(bool lhs, uint batch, uint line0, uint line, uint k, bool whole) {
    if (lhs) return fetch_lhs(batch, line0, line, k, whole);
    return fetch(kRhs, kRhsBase, (batch * kN + line0 + line) * kK + k, whole);
}

// Whether words begin with the first element of a line, and of a pixel.
bool lines_are_whole(bool lhs) {
    return (lhs && kGathered != 0 ? kChannels : kK) % lanes_of(kType) == 0;
}

void find_origins(uint row0) {
    for (uint line = gl_LocalInvocationIndex; line < kBlock; line += gl_WorkGroupSize.x) {
        uint row = row0 + line, y = row / kOutWidth % kOutHeight, x = row % kOutWidth;
        origins[line] = uvec3(row / (kOutWidth * kOutHeight) * kHeight * kWidth,
                              y * kStrideY - kPadTop, x * kStrideX - kPadLeft);
    }
    barrier();
}

// Sums of four columns of a row, as far as they are there.
void store_quad(uint batch, uint row, uint col, uvec4 sums) {
    uint width = lanes_of(out_type);
    if (row >= kM) return;
    for (uint at = 0; at < 4; at += width) {
        if (col + at >= kN) return;
        uint first = (batch * kM + row) * kN + col + at, lanes[4];
        for (uint lane = 0; lane < width; ++lane)
            lanes[lane] = chain(first + lane, rounded_sum(sums[at + lane], kProductType));
        store_lanes(first, lanes);
    }
}

// The kernel's: by a workgroup.
void make_block(uint slice, uint batch, uint row0, uint col0);

void main() {
    uint across = (kN + kBlock - 1) / kBlock, down = (kM + kBlock - 1) / kBlock;
    uint blocks = across * down * kBatch;
    for (uint group = gl_WorkGroupID.x; group < blocks * kSlices; group += gl_NumWorkGroups.x) {
        uint slice = kSlices == 1 ? 0 : group / blocks;
        uint block = group - slice * blocks;
        make_block(slice, block / (across * down), block / across % down * kBlock,
                   block % across * kBlock);
    }
}

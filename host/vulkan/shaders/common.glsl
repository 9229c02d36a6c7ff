// SPDX-License-Identifier: MIT
//
// What every kernel shares. All buffers of a submission are one array of words: first
// the bindings in slot order, then the program's arena. Which element an operand lies
// in, and where, is a specialization constant, so indexing the array is static.
//
// Constants 0 and 1 are the same in every kernel. From 2 on come the operands, an
// (element, first word) pair each, then what else the kernel wants.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kElements = 3;

layout(std430, set = 0, binding = 0) buffer Storage {
    uint words[];
} storage[kElements];

// Kernels walk their work in strides of the whole grid: any amount of work fits any
// limit on the number of workgroups.
uint grid_first() { return gl_GlobalInvocationID.x; }
uint grid_stride() { return gl_NumWorkGroups.x * gl_WorkGroupSize.x; }

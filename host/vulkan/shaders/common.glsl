// SPDX-License-Identifier: MIT
//
// What every kernel shares. All buffers of a submission are one array of words: first
// the bindings in slot order, then the program's arena. Which element an operand lies
// in, and where, is a specialization constant, so indexing the array is static.
//
// Constants 0 and 1 are the same in every kernel. A tensor's place is two constants, its
// element of the array and its first word. Every tensor starts with a word of its own.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kElements = 3;

layout(std430, set = 0, binding = 0) buffer Storage {
    uint words[];
} storage[kElements];

// Kernels walk their work in strides of the whole grid: any amount of work fits any
// limit on the number of workgroups.
uint grid_first() { return gl_GlobalInvocationID.x; }
uint grid_stride() { return gl_NumWorkGroups.x * gl_WorkGroupSize.x; }

// Elements of 1, 2 or 4 to a word, the first in its lowest bits. One invocation makes all
// elements of a word, so that no two of them ever store to the same.
uint lane_bits(uint lanes) { return 32 / lanes; }
uint lane_mask(uint lanes) { return lanes == 1 ? ~0u : (1u << lane_bits(lanes)) - 1u; }

uint load_raw(uint element, uint base, uint lanes, uint index) {
    uint word = storage[element].words[base + index / lanes];
    return word >> (index % lanes * lane_bits(lanes)) & lane_mask(lanes);
}

// Stores the first `used` lanes of a word: the rest of a tensor's last word is not its own.
void store_word(uint element, uint base, uint word, uint value, uint lanes, uint used) {
    if (used < lanes) {
        uint mine = (1u << used * lane_bits(lanes)) - 1u;
        value = value & mine | storage[element].words[base + word] & ~mine;
    }
    storage[element].words[base + word] = value;
}

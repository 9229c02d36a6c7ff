// SPDX-License-Identifier: MIT
//
// What the kernels share that fold a window of an image [batch, height, width, channels] into
// each element of the output: TOSA DEPTHWISE_CONV2D, MAX_POOL2D, AVG_POOL2D. What a window
// covers outside of the image counts for nothing.
//
// An invocation makes quads of elements, which are whole words of every type. If quads divide
// the channels, it makes one in each of `columns` columns side by side, and loads quads. If
// not, it makes one quad, element by element, wherever they are.

// As lower_window.cpp has them.
CONSTANT(in_element, kOwn, 0)
CONSTANT(in_base, kOwn + 1, 0)
CONSTANT(in_type, kOwn + 2, 0)
CONSTANT(result_type, kOwn + 3, 0)  // which a result is rounded to before the chain takes it
CONSTANT(channels, kOwn + 4, 1)     // of the output
CONSTANT(columns, kOwn + 5, 1)
CONSTANT(height, kOwn + 6, 1)
CONSTANT(width, kOwn + 7, 1)
CONSTANT(out_height, kOwn + 8, 1)
CONSTANT(out_width, kOwn + 9, 1)
CONSTANT(kernel_y, kOwn + 10, 1)
CONSTANT(kernel_x, kOwn + 11, 1)
CONSTANT(stride_y, kOwn + 12, 1)
CONSTANT(stride_x, kOwn + 13, 1)
CONSTANT(dilation_y, kOwn + 14, 1)
CONSTANT(dilation_x, kOwn + 15, 1)
CONSTANT(before_y, kOwn + 16, 0)  // padding
CONSTANT(before_x, kOwn + 17, 0)
const uint kWindow = kOwn + 18;  // the kernel's own, from here

const uint kMostColumns = 4;
const bool kQuads = channels % 4 == 0;

// What fold() makes, in 32 bits.
uvec4 made[kMostColumns];

// Of elements without quads, only the first is there.
uvec4 load_quad(uint element, uint base, uint type, uint index) {
    if (!kQuads) return uvec4(load(element, base, type, index), 0, 0, 0);
    uint lanes = lanes_of(type), first = base + index / lanes;
    uvec4 quad;
    for (uint i = 0; i < 4; ++i) {
        uint word = storage[element].words[first + i / lanes];
        quad[i] = widened(word >> i % lanes * lane_bits(lanes) & lane_mask(lanes), type);
    }
    return quad;
}

// Where a window begins that gives a pixel of the output: image, y, x. Coordinates before
// the image are large, as those after it are.
uvec3 corner_of(uint pixel) {
    return uvec3(pixel / (out_width * out_height),
                 pixel / out_width % out_height * stride_y - before_y,
                 pixel % out_width * stride_x - before_x);
}

// The kernel's: from the windows of that pixel of the output, and of those beside it.
void fold(uint pixel, uint channel);

void store_quad(uint first, uvec4 values) {
    uint lanes_used = lanes_of(out_type);
    for (uint at = 0; at < 4; at += lanes_used) {
        if (first + at >= count) return;
        uint lanes[4];
        for (uint lane = 0; lane < lanes_used; ++lane)
            if (first + at + lane < count)
                lanes[lane] = chain(first + at + lane,
                                    widened(narrowed(values[at + lane], result_type), result_type));
        store_lanes(first + at, lanes);
    }
}

// The first pixel and the channel of an item, of which there are quads.
uint pixel_of(uint item) {
    uint quads = channels / 4, across = (out_width + columns - 1) / columns;
    return item / quads / across * out_width + item / quads % across * columns;
}

// Makes the chain and fold() in one place each, as drivers take their time over every copy.
void make(uint item) {
    uint first = item * 4, used = 1;  // of elements one by one
    if (kQuads) {
        uint pixel = pixel_of(item);
        first = pixel * channels + item % (channels / 4) * 4;
        used = min(columns, out_width - pixel % out_width);
    }
    uvec4 singles;
    for (uint lane = 0; lane < (kQuads ? 1 : 4); ++lane) {
        if (first + lane >= count) break;
        fold((first + lane) / channels, (first + lane) % channels);
        singles[lane] = made[0].x;
    }
    if (!kQuads) made[0] = singles;
    [[dont_unroll]] for (uint j = 0; j < used; ++j)
        store_quad(first + j * channels,
                   j == 0 ? made[0] : j == 1 ? made[1] : j == 2 ? made[2] : made[3]);
}

void main() {
    uint across = (out_width + columns - 1) / columns;
    uint items = kQuads ? count / channels / out_width * across * (channels / 4) : (count + 3) / 4;
    for (uint item = grid_first(); item < items; item += grid_stride())
        make(item);
}

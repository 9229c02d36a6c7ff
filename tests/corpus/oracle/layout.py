# SPDX-License-Identifier: MIT
"""Operators that move elements, and RESIZE, which blends them."""


def with_axis(index, axis, i):
    return (*index[:axis], i, *index[axis + 1:])


def reshape(call):
    x, _ = call.inputs
    _, shape = call.outputs[0]

    def element(*index):
        at = 0
        for extent, i in zip(shape, index):
            at = at * extent + i
        return x.values[at]
    return element


def transpose(call):
    (x,) = call.inputs
    perms = call.attribute["perms"]
    return lambda *index: x[[index[perms.index(axis)] for axis in range(len(perms))]]


def reverse(call):
    (x,) = call.inputs
    axis = call.attribute["axis"]
    return lambda *index: x[with_axis(index, axis, x.shape[axis] - 1 - index[axis])]


def concat(call):
    axis = call.attribute["axis"]

    def element(*index):
        i = index[axis]
        for x in call.inputs:
            if i < x.shape[axis]:
                return x[with_axis(index, axis, i)]
            i -= x.shape[axis]
    return element


def pad(call):
    x, padding, value = call.inputs

    def element(*index):
        at = [i - before for i, before in zip(index, padding[::2])]
        inside = all(0 <= i < extent for i, extent in zip(at, x.shape))
        return x[at] if inside else value.values[0]
    return element


def slice_(call):
    x, start, _ = call.inputs
    return lambda *index: x[[i + first for i, first in zip(index, start)]]


def tile(call):
    x, _ = call.inputs
    return lambda *index: x[[i % extent for i, extent in zip(index, x.shape)]]


def gather(call):
    values, indices = call.inputs
    return lambda n, w, channel: values[n, indices[n, w], channel]


def scatter(call):
    values, indices, rows = call.inputs

    def element(n, k, channel):
        for w in range(indices.shape[1]):
            if indices[n, w] == k:
                return rows[n, w, channel]
        return values[n, k, channel]
    return element


def resize(call):
    x, scale, offset, _ = call.inputs
    kind, _ = call.outputs[0]

    def between(axis, i):
        """The two pixels, and how far it is from the first, in parts of the second result's."""
        up, down = scale[2 * axis:2 * axis + 2]
        pixel, part = divmod(i * down + offset[axis], up)
        last = x.shape[1 + axis] - 1
        return [min(max(each, 0), last) for each in (pixel, pixel + 1)], part, up

    def nearest(n, y, z, channel):
        at = [pixels[2 * part >= up] for pixels, part, up in (between(0, y), between(1, z))]
        return x[n, *at, channel]

    def bilinear(n, y, z, channel):
        (rows, dy, up_y), (columns, dz, up_z) = between(0, y), between(1, z)
        total = sum(x[n, row, column, channel] * weight_y * weight_z
                    for row, weight_y in zip(rows, (up_y - dy, dy))
                    for column, weight_z in zip(columns, (up_z - dz, dz)))
        return total if kind == "INT32" else total / (up_y * up_z)

    return nearest if call.attribute["mode"] == "NEAREST" else bilinear


OPERATORS = {"RESHAPE": reshape, "TRANSPOSE": transpose, "REVERSE": reverse, "CONCAT": concat,
             "PAD": pad, "SLICE": slice_, "TILE": tile, "GATHER": gather, "SCATTER": scatter,
             "RESIZE": resize}

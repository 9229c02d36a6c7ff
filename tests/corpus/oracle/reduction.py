# SPDX-License-Identifier: MIT
"""Reductions of an axis, and Fourier transforms."""

import itertools
import math

from arithmetic import choose
from layout import with_axis


def reduction(function):
    def apply(call):
        (x,) = call.inputs
        axis = call.attribute["axis"]
        return lambda *index: function([x[with_axis(index, axis, i)] for i in range(x.shape[axis])])
    return apply


def extremum(function):
    return lambda call: reduction(choose(function, call))(call)


def argmax(call):
    """The first of several."""
    (x,) = call.inputs
    axis = call.attribute["axis"]
    return lambda *index: max(range(x.shape[axis]),
                              key=lambda i: (x[(*index[:axis], i, *index[axis:])], -i))


def fourier(call, sign, terms):
    """`terms` gives what an input element adds to both parts, of the cosine and sine."""
    _, height, width = call.inputs[0].shape

    def part(which):
        def element(n, y, z):
            total = 0.0
            for i, j in itertools.product(range(height), range(width)):
                angle = sign * 2 * math.pi * (i * y / height + j * z / width)
                total += terms((n, i, j), math.cos(angle), math.sin(angle))[which]
            return total
        return element
    return part(0), part(1)


def fft2d(call):
    real, imaginary = call.inputs
    return fourier(call, -1 if call.attribute["inverse"] else 1, lambda at, cos, sin: (
        real[at] * cos + imaginary[at] * sin, -real[at] * sin + imaginary[at] * cos))


def rfft2d(call):
    (real,) = call.inputs
    return fourier(call, 1, lambda at, cos, sin: (real[at] * cos, -real[at] * sin))


OPERATORS = {"REDUCE_SUM": reduction(sum), "REDUCE_PRODUCT": reduction(math.prod),
             "REDUCE_MAX": extremum(max), "REDUCE_MIN": extremum(min),
             "REDUCE_ANY": reduction(any), "REDUCE_ALL": reduction(all),
             "ARGMAX": argmax, "FFT2D": fft2d, "RFFT2D": rfft2d}

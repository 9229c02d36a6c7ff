# SPDX-License-Identifier: MIT
"""Products of matrices, convolutions and pooling."""

import itertools

from arithmetic import apply_scale_32, choose
from elements import integer_range


def taps(call, x, kernel):
    """What gives, for a pixel of the output, the pixels of its window that are no padding: where
    in the window, and where in the image."""
    pad, stride = call.attribute["pad"], call.attribute["stride"]
    axes = range(len(kernel))
    dilation = call.attribute.get("dilation", [1 for _ in axes])

    def of(pixel):
        for tap in itertools.product(*map(range, kernel)):
            at = tuple(pixel[i] * stride[i] + tap[i] * dilation[i] - pad[2 * i] for i in axes)
            if all(0 <= at[i] < x.shape[1 + i] for i in axes):
                yield tap, at
    return of


def transposed_taps(call, x, kernel):
    """The same where each pixel of the image spreads over a window of the output."""
    pad, stride = call.attribute["out_pad"], call.attribute["stride"]

    def of(pixel):
        for tap in itertools.product(*map(range, kernel)):
            steps = [divmod(pixel[i] - pad[2 * i] - tap[i], stride[i]) for i in (0, 1)]
            at = tuple(step for step, _ in steps)
            if not any(rest for _, rest in steps) and \
                    all(0 <= at[i] < x.shape[1 + i] for i in (0, 1)):
                yield tap, at
    return of


def convolution(call, window, products):
    """`products` gives the pairs of image and weight that meet at a tap in an output channel."""
    x, weights, bias, x_zero, weights_zero = call.inputs
    x_zero, weights_zero = x_zero.values[0], weights_zero.values[0]

    def element(n, *pixel):
        *pixel, channel = pixel
        total = bias.broadcast([channel])
        for tap, at in window(pixel):
            for value, weight in products(x, weights, n, tap, at, channel):
                total += (value - x_zero) * (weight - weights_zero)
        return total
    return element


def all_channels(x, weights, n, tap, at, channel):
    return ((x[n, *at, i], weights[channel, *tap, i]) for i in range(x.shape[-1]))


def its_channel(x, weights, n, tap, at, channel):
    i, m = divmod(channel, weights.shape[3])
    yield x[n, *at, i], weights[*tap, i, m]


def conv(call):
    x, weights, *_ = call.inputs
    return convolution(call, taps(call, x, weights.shape[1:-1]), all_channels)


def transpose_conv2d(call):
    x, weights, *_ = call.inputs
    return convolution(call, transposed_taps(call, x, weights.shape[1:-1]), all_channels)


def depthwise_conv2d(call):
    x, weights, *_ = call.inputs
    return convolution(call, taps(call, x, weights.shape[:2]), its_channel)


def max_pool2d(call):
    (x,) = call.inputs
    window = taps(call, x, call.attribute["kernel"])
    best = choose(max, call)
    return lambda n, y, z, channel: best([x[n, *at, channel] for _, at in window((y, z))])


def reciprocal_scale(count):
    """TOSA "Scaling helpers"."""
    k = (count - 1).bit_length()
    return ((1 << 30) + 1 << k) // count, 30 + k


def avg_pool2d(call):
    x, in_zero, out_zero = call.inputs
    in_zero, out_zero = in_zero.values[0], out_zero.values[0]
    window = taps(call, x, call.attribute["kernel"])

    def element(n, y, z, channel):
        values = [x[n, *at, channel] - in_zero for _, at in window((y, z))]
        if x.kind != "INT8":
            return sum(values) / len(values)
        scaled = apply_scale_32(sum(values), *reciprocal_scale(len(values))) + out_zero
        low, high = integer_range(x.kind)
        return min(max(scaled, low), high)
    return element


def matmul(call):
    a, b, a_zero, b_zero = call.inputs
    a_zero, b_zero = a_zero.values[0], b_zero.values[0]
    return lambda n, row, column: sum(
        (a[n, row, i] - a_zero) * (b[n, i, column] - b_zero) for i in range(a.shape[2]))


OPERATORS = {"CONV2D": conv, "CONV3D": conv, "DEPTHWISE_CONV2D": depthwise_conv2d,
             "TRANSPOSE_CONV2D": transpose_conv2d, "MAX_POOL2D": max_pool2d,
             "AVG_POOL2D": avg_pool2d, "MATMUL": matmul}

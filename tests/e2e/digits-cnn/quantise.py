# SPDX-License-Identifier: MIT
"""The network in INT8: value = scale * (q - zero point) for images and activations; weights are
symmetric, with a scale for each output channel of a convolution, and one for the last layer,
whose logits are compared with one another."""

import dataclasses

import numpy as np

import network

ZERO_POINT = -128  # of images and activations, none of which is negative: q = -128 is zero
IMAGE_SCALE = 1 / 255


@dataclasses.dataclass
class Layer:
    weights: np.ndarray  # INT8 [inputs, outputs]
    bias: np.ndarray  # INT32
    multiplier: np.ndarray | None = None  # INT32, RESCALE to the next layer's INT8
    shift: np.ndarray | None = None  # INT8


def image_bytes(images):
    return (np.rint(images / IMAGE_SCALE) + ZERO_POINT).astype(np.int8)


def multiplier_and_shift(ratio):
    """ratio = multiplier * 2^-shift with 2^30 <= multiplier < 2^31."""
    fraction, exponent = np.frexp(ratio)  # 0.5 <= fraction < 1
    multiplier = np.minimum(np.rint(fraction * 2.0**31), 2.0**31 - 1)
    return multiplier.astype(np.int32), (31 - exponent).astype(np.int8)


def quantise(parameters, images):
    """An activation's range is what 95 of 100 of `images` stay within; others saturate."""
    outputs = network.activations(images, parameters)
    layers, scale = [], IMAGE_SCALE
    for layer, activation in zip(network.LAYERS, outputs):
        weights, bias = (p.astype(np.float64) for p in layer.of(parameters))
        weight_scale = np.abs(weights).max(axis=0 if layer.pooled else None) / 127
        layers.append(Layer(np.rint(weights / weight_scale).astype(np.int8),
                            np.rint(bias / (scale * weight_scale)).astype(np.int32)))
        if layer.pooled:
            next_scale = np.percentile(activation.max(axis=(1, 2, 3)), 95) / 255
            layers[-1].multiplier, layers[-1].shift = multiplier_and_shift(
                scale * weight_scale / next_scale)
            scale = next_scale
    return layers


def logits(images, layers):
    """Exactly, in 64-bit integers. ReLU is the saturation of RESCALE at the zero point."""
    x = images.astype(np.int64)
    for layer, own in zip(network.LAYERS, layers):
        x = layer.product(x - ZERO_POINT, own.weights.astype(np.int64)) + own.bias
        if layer.pooled:
            shift = own.shift.astype(np.int64)
            scaled = (x * own.multiplier + (1 << shift - 1)) >> shift
            x = network.pool(np.clip(scaled + ZERO_POINT, -128, 127))
    return x

# SPDX-License-Identifier: MIT
"""The network, forward and backward: two of CONV2D 3x3, ReLU and MAX_POOL2D 2x2, then MATMUL.

A convolution is a product of matrices: a row of one is the 3x3 patch around a pixel, with all
its channels; a column of the other, the weights of an output channel. Forward works in any type,
integers as well.
"""

import dataclasses

import numpy as np

SIDE = 8
CHANNELS = (1, 12, 24)
FEATURES = (SIDE // 4) ** 2 * CHANNELS[-1]
CLASSES = 10


def patches(x):
    """[N, H, W, C] -> [N, H, W, 9 * C]; what lies outside of the image is zero."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    _, height, width, _ = x.shape
    return np.concatenate([padded[:, dy:dy + height, dx:dx + width]
                           for dy in range(3) for dx in range(3)], axis=3)


def pool(x):
    """[N, H, W, C] -> [N, H / 2, W / 2, C]"""
    count, height, width, channels = x.shape
    return x.reshape(count, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))


@dataclasses.dataclass
class Layer:
    index: int
    shape: tuple  # of an image of its input
    pooled: bool

    def of(self, parameters):
        """Its weights [inputs, outputs] and its bias."""
        return parameters[2 * self.index:2 * self.index + 2]

    def rows(self, x):
        x = x.reshape(-1, *self.shape)
        return patches(x) if self.pooled else x

    def product(self, x, weights):
        return self.rows(x) @ weights


LAYERS = (Layer(0, (SIDE, SIDE, CHANNELS[0]), True),
          Layer(1, (SIDE // 2, SIDE // 2, CHANNELS[1]), True),
          Layer(2, (FEATURES,), False))


def initial(random):
    parameters = []
    for inputs, outputs in ((9 * CHANNELS[0], CHANNELS[1]), (9 * CHANNELS[1], CHANNELS[2]),
                            (FEATURES, CLASSES)):
        parameters += [random.normal(0, np.sqrt(2 / inputs), (inputs, outputs)),
                       np.zeros(outputs)]
    return parameters


def activations(images, parameters):
    """The output of each layer, before it is pooled."""
    outputs, x = [], images
    for layer in LAYERS:
        weights, bias = layer.of(parameters)
        x = layer.product(x, weights) + bias
        if layer.pooled:
            x = np.maximum(x, 0)
        outputs.append(x)
        if layer.pooled:
            x = pool(x)
    return outputs


def logits(images, parameters):
    return activations(images, parameters)[-1]


def gradients(images, labels, parameters):
    """Of the mean cross entropy, for each parameter."""
    *hidden, scores = activations(images, parameters)
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    slope = (chances - np.eye(CLASSES)[labels]) / len(labels)
    found = []
    for layer in reversed(LAYERS):
        if layer.pooled:
            slope = unpool(slope, hidden[layer.index])
        weights, _ = layer.of(parameters)
        x = pool(hidden[layer.index - 1]) if layer.index else images
        rows = layer.rows(x).reshape(-1, len(weights))
        found += [slope.reshape(-1, slope.shape[-1]).sum(axis=0),
                  rows.T @ slope.reshape(-1, slope.shape[-1])]
        slope = backward(slope, weights) if layer.pooled else slope @ weights.T
    return found[::-1]


def widen(x):
    """Each pixel four times, where pool() would find it."""
    return x.repeat(2, axis=1).repeat(2, axis=2)


def unpool(slope, x):
    """Back through MAX_POOL2D and ReLU, whose output is `x`, to the pixels that won."""
    pooled = pool(x)
    return widen(slope.reshape(pooled.shape)) * ((x == widen(pooled)) & (x > 0))


def backward(slope, weights):
    """Back through a convolution: one of the slopes, with the kernels turned around."""
    outputs = weights.shape[1]
    turned = weights.reshape(9, -1, outputs)[::-1].transpose(0, 2, 1)
    return patches(slope) @ turned.reshape(9 * outputs, -1)

# SPDX-License-Identifier: MIT
"""The two programs, for `count` images at once."""

import numpy as np

import tosa_file
from network import CLASSES, FEATURES, LAYERS, SIDE
from quantise import ZERO_POINT


def conv2d(block, x, name, weights, bias, shape, x_zp):
    """3x3, and as large as its input. The weights are a matrix: see network.py."""
    outputs = weights.shape[1]
    kernels = np.ascontiguousarray(weights.T).reshape(outputs, 3, 3, -1)
    operands = [block.constant(f"{name}.weights", kernels), block.constant(f"{name}.bias", bias)]
    points = block.zero_points(name, input=x_zp, weights=weights.dtype.type(0))
    return block.operator("CONV2D", "Conv2d", [x, *operands, *points],
                          [block.tensor(name, shape, bias.dtype)],
                          pad=[1] * 4, stride=[1, 1], dilation=[1, 1],
                          acc_type=tosa_file.DTYPES[bias.dtype])


def relu(block, x, name, shape):
    return block.operator("CLAMP", "Clamp", [x], [block.tensor(name, shape)],
                          min_val=tosa_file.scalar_bytes(0),
                          max_val=tosa_file.scalar_bytes(np.finfo(np.float32).max),
                          nan_mode="PROPAGATE")


def rescale(block, x, name, shape, layer):
    """INT32 to INT8, a scale for each channel."""
    operands = [block.constant(f"{name}.multiplier", layer.multiplier),
                block.constant(f"{name}.shift", layer.shift)]
    points = block.zero_points(name, input=np.int32(0), output=np.int8(ZERO_POINT))
    return block.operator("RESCALE", "Rescale", [x, *operands, *points],
                          [block.tensor(name, shape, np.int8)],
                          scale32=True, rounding_mode="SINGLE_ROUND", per_channel=True,
                          input_unsigned=False, output_unsigned=False)


def max_pool2d(block, x, name, shape, dtype):
    return block.operator("MAX_POOL2D", "MaxPool2d", [x], [block.tensor(name, shape, dtype)],
                          kernel=[2, 2], stride=[2, 2], pad=[0] * 4, nan_mode="PROPAGATE")


def chain(count, dtype, x_zp, parameters, activation):
    """`activation` makes of a convolution's output what is pooled."""
    block = tosa_file.Block()
    x = block.input("images", [1, count, SIDE * SIDE], dtype)
    x = block.reshape(x, "pixels", [count, *LAYERS[0].shape], dtype)
    for layer in LAYERS[:-1]:
        name = f"conv{layer.index + 1}"
        weights, bias = layer.of(parameters)
        height, width, _ = layer.shape
        shape = [count, height, width, len(bias)]
        x = conv2d(block, x, name, weights, bias, shape, x_zp)
        x = activation(block, x, layer, shape)
        x = max_pool2d(block, x, f"{name}.pooled",
                       [count, height // 2, width // 2, len(bias)], dtype)
    weights, bias = LAYERS[-1].of(parameters)
    x = block.reshape(x, "features", [1, count, FEATURES], dtype)
    x = block.matmul(x, block.constant("output.weights", weights[None]), "output.product",
                     [1, count, CLASSES], bias.dtype, x_zp, weights.dtype.type(0))
    x = block.operator("ADD", "Add", [x, block.constant("output.bias", bias[None, None])],
                       [block.tensor("logits", [1, count, CLASSES], bias.dtype)])
    block.output(x)
    return block


def floating(parameters, count):
    def activation(block, x, layer, shape):
        return relu(block, x, f"conv{layer.index + 1}.relu", shape)
    return chain(count, np.float32, np.float32(0), parameters, activation)


def integer(quantised, count):
    def activation(block, x, layer, shape):
        return rescale(block, x, f"conv{layer.index + 1}.rescaled", shape, quantised[layer.index])
    parameters = [part for layer in quantised for part in (layer.weights, layer.bias)]
    return chain(count, np.int8, np.int8(ZERO_POINT), parameters, activation)

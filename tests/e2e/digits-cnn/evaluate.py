# SPDX-License-Identifier: MIT
"""Evaluates a TOSA file with NumPy as the specification words it, from nothing but the file's
bytes: FP32 in FP32, integers exactly, and it stops where TOSA leaves a result open."""

import numpy as np

import tosa_file

DTYPES = {name: dtype for dtype, name in tosa_file.DTYPES.items()}


def int32(total, *parts):
    """`total`, of which no part of the sum can have left the 32 bits, in whatever order."""
    assert sum(np.abs(part).max() for part in parts) < 2**31
    return total.astype(np.int32)


def wide(x, zero_point=0):
    """Of a type that sums are formed in: integers in 64 bits, less their zero point."""
    return x if x.dtype == np.float32 else x.astype(np.int64) - int(zero_point)


def conv2d(x, weights, bias, x_zp, weights_zp, attribute):
    top, bottom, left, right = attribute["pad"]
    assert attribute["stride"] == attribute["dilation"] == [1, 1]
    x, weights = wide(x, x_zp), wide(weights, weights_zp)
    x = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)))
    _, kernel_height, kernel_width, _ = weights.shape
    height, width = x.shape[1] - kernel_height + 1, x.shape[2] - kernel_width + 1
    total = magnitude = 0
    for y in range(kernel_height):
        for z in range(kernel_width):
            window, taps = x[:, y:y + height, z:z + width], weights[:, y, z].T
            total = total + window @ taps
            magnitude = magnitude + np.abs(window) @ np.abs(taps)
    total = total + bias
    return total if total.dtype == np.float32 else int32(total, magnitude, bias)


def max_pool2d(x, attribute):
    assert attribute["kernel"] == attribute["stride"] == [2, 2] and not any(attribute["pad"])
    return np.maximum.reduce([x[:, y::2, z::2] for y in (0, 1) for z in (0, 1)])


def clamp(x, attribute):
    low, high = (np.array(attribute[bound], np.uint8).view(x.dtype)
                 for bound in ("min_val", "max_val"))
    return np.clip(x, low, high)


def rescale(x, multiplier, shift, x_zp, output_zp, attribute):
    """TOSA's apply_scale_32 with SINGLE_ROUND, which asks for these ranges."""
    assert attribute["scale32"] and attribute["per_channel"]
    assert attribute["rounding_mode"] == "SINGLE_ROUND"
    assert not attribute["input_unsigned"] and not attribute["output_unsigned"]
    value, multiplier, shift = wide(x, x_zp), wide(multiplier), wide(shift)
    assert (multiplier >= 0).all() and (2 <= shift).all() and (shift <= 62).all()
    assert (value >= -1 << shift - 1).all() and (value < 1 << shift - 1).all()
    scaled = (value * multiplier + (1 << shift - 1)) >> shift
    return np.clip(scaled + int(output_zp), -128, 127).astype(np.int8)


def matmul(lhs, rhs, lhs_zp, rhs_zp, _):
    lhs, rhs = wide(lhs, lhs_zp), wide(rhs, rhs_zp)
    total = lhs @ rhs
    return total if total.dtype == np.float32 else int32(total, np.abs(lhs) @ np.abs(rhs))


def add(lhs, rhs, _):
    total = wide(lhs) + wide(rhs)
    return total if total.dtype == np.float32 else int32(total, lhs, rhs)


def reshape(x, shape, _):
    return x.reshape(shape)


OPERATORS = {"CONV2D": conv2d, "MAX_POOL2D": max_pool2d, "CLAMP": clamp, "RESCALE": rescale,
             "MATMUL": matmul, "ADD": add, "RESHAPE": reshape}


def run(path, value):
    """The one output of a block whose operators are in the order of execution."""
    block = tosa_file.read(path)
    tensors = {tensor["name"]: tensor for tensor in block["tensors"]}
    values = {block["inputs"][0]: value}
    for tensor in block["tensors"]:
        if "data" in tensor:
            data = np.array(tensor["data"], np.uint8).view(DTYPES[tensor["type"]])
            values[tensor["name"]] = data.reshape(tensor["shape"])
    for shape in block["shapes"]:
        values[shape["name"]] = np.array(shape["data"], np.uint8).view(np.int64)
    for operator in block["operators"]:
        if operator["op"] in ("CONST", "CONST_SHAPE"):
            continue
        inputs = [values[name] for name in operator["inputs"]]
        (output,) = operator["outputs"]
        values[output] = OPERATORS[operator["op"]](*inputs, operator["attribute"])
        assert list(values[output].shape) == tensors[output]["shape"], output
        assert values[output].dtype == DTYPES[tensors[output]["type"]], output
    return values[block["outputs"][0]]

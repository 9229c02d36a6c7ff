# SPDX-License-Identifier: MIT
"""Operators of which an element of the output takes an element of each input."""

import math
import operator

from elements import FLOATS, INTEGER_BITS, decode, integer_range


def elementwise(function):
    """Of broadcast inputs."""
    def apply(call):
        return lambda *index: function(*(x.broadcast(index) for x in call.inputs))
    return apply


def choose(function, call):
    """max() or min() of a list, by the call's nan_mode."""
    def chosen(values):
        numbers = [value for value in values if value == value]
        if not numbers or len(numbers) < len(values) and call.attribute["nan_mode"] == "PROPAGATE":
            return math.nan
        return function(numbers)
    return chosen


def extremum(function):
    def apply(call):
        chosen = choose(function, call)
        return elementwise(lambda *values: chosen(values))(call)
    return apply


def negate(call):
    x, in_zero, out_zero = call.inputs
    low, high = (-math.inf, math.inf) if x.kind in FLOATS else integer_range(x.kind)
    return lambda *index: min(max(-(x[index] - in_zero.values[0]) + out_zero.values[0], low), high)


def clamp(call):
    (x,) = call.inputs
    low, high = (decode(x.kind, bytes(call.attribute[bound]))[0]
                 for bound in ("min_val", "max_val"))
    upper, lower = choose(min, call), choose(max, call)
    return lambda *index: upper([lower([x[index], low]), high])


def mul(call):
    a, b, shift = call.inputs
    shift = shift.values[0]
    half = 1 << shift - 1 if shift else 0

    def element(*index):
        product = a.broadcast(index) * b.broadcast(index)
        return product + half >> shift if shift else product
    return element


def wrapped(value, kind):
    """The low bits of `value`."""
    low, _ = integer_range(kind)
    return (value - low) % (1 << INTEGER_BITS[kind]) + low


def cast(call):
    (x,) = call.inputs
    kind, _ = call.outputs[0]
    if kind == "BOOL":
        return lambda *index: int(x[index] != 0)
    if kind in FLOATS:
        return lambda *index: float(x[index])
    if x.kind not in FLOATS:
        return lambda *index: wrapped(x[index], kind)
    low, high = integer_range(kind)
    return lambda *index: round(min(max(x[index], low), high))


def arithmetic_right_shift(call):
    def shifted(value, amount):
        assert 0 <= amount < INTEGER_BITS[call.outputs[0][0]]
        half = 1 << amount - 1 if call.attribute["round"] and amount else 0
        return value + half >> amount
    return elementwise(shifted)(call)


def bits(function):
    """Of numbers without a sign, of whose result the low bits remain."""
    def apply(call):
        kind, _ = call.outputs[0]
        mask = (1 << INTEGER_BITS[kind]) - 1
        return elementwise(lambda *values: wrapped(
            function(*(value & mask for value in values)), kind))(call)
    return apply


def intdiv(a, b):
    """Towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def table(call):
    x, entries = call.inputs
    assert x.kind == "INT8"
    return lambda *index: entries.values[x[index] + 128]


def apply_scale_32(value, multiplier, shift, double_round=False):
    """TOSA "Scaling helpers", and what they ask for."""
    assert multiplier >= 0 and 2 <= shift <= 62
    assert -1 << shift - 1 <= value < 1 << shift - 1
    rounding = 1 << shift - 1
    if double_round and shift > 31:
        rounding += 1 << 30 if value >= 0 else -1 << 30
    result = value * multiplier + rounding >> shift
    assert -1 << 31 <= result < 1 << 31
    return result


def apply_scale_16(value, multiplier, shift):
    assert 0 <= multiplier < 1 << 15 and 2 <= shift <= 62 and -1 << 47 <= value < 1 << 47
    result = value * multiplier + (1 << shift - 1) >> shift
    assert -1 << 31 <= result < 1 << 31
    return result


def rescale(call):
    x, multiplier, shift, in_zero, out_zero = call.inputs
    kind, _ = call.outputs[0]
    attribute = call.attribute
    assert not attribute["input_unsigned"]
    unsigned = attribute["output_unsigned"]
    span = 1 << INTEGER_BITS[kind]
    low, high = (0, span - 1) if unsigned else integer_range(kind)
    out_zero = out_zero.values[0] % span if unsigned else out_zero.values[0]

    def element(*index):
        channel = index[-1] if attribute["per_channel"] else 0
        scale = x[index] - in_zero.values[0], multiplier.values[channel], shift.values[channel]
        if attribute["scale32"]:
            result = apply_scale_32(*scale, attribute["rounding_mode"] == "DOUBLE_ROUND")
        else:
            result = apply_scale_16(*scale)
        result = min(max(result + out_zero, low), high)
        return result - span if unsigned and result >= span >> 1 else result
    return element


OPERATORS = {
    "ABS": elementwise(abs),
    "CEIL": elementwise(lambda x: math.copysign(math.ceil(x), x)),
    "FLOOR": elementwise(lambda x: math.copysign(math.floor(x), x)),
    "COS": elementwise(math.cos),
    "SIN": elementwise(math.sin),
    "EXP": elementwise(math.exp),
    "LOG": elementwise(math.log),
    "RECIPROCAL": elementwise(lambda x: 1 / x),
    "RSQRT": elementwise(lambda x: 1 / math.sqrt(x)),
    "SIGMOID": elementwise(lambda x: 1 / (1 + math.exp(-x))),
    "TANH": elementwise(math.tanh),
    "ERF": elementwise(math.erf),
    "IDENTITY": elementwise(lambda x: x),
    "ADD": elementwise(operator.add),
    "SUB": elementwise(operator.sub),
    "MAXIMUM": extremum(max),
    "MINIMUM": extremum(min),
    "INTDIV": elementwise(intdiv),
    "CLZ": elementwise(lambda x: 32 - (x & 0xFFFFFFFF).bit_length()),
    "ARITHMETIC_RIGHT_SHIFT": arithmetic_right_shift,
    "LOGICAL_LEFT_SHIFT": bits(operator.lshift),
    "LOGICAL_RIGHT_SHIFT": bits(operator.rshift),
    "BITWISE_AND": bits(operator.and_),
    "BITWISE_OR": bits(operator.or_),
    "BITWISE_XOR": bits(operator.xor),
    "BITWISE_NOT": bits(operator.inv),
    "POW": elementwise(math.pow),
    "EQUAL": elementwise(operator.eq),
    "GREATER": elementwise(operator.gt),
    "GREATER_EQUAL": elementwise(operator.ge),
    "LOGICAL_AND": elementwise(operator.and_),
    "LOGICAL_OR": elementwise(operator.or_),
    "LOGICAL_XOR": elementwise(operator.xor),
    "LOGICAL_NOT": elementwise(lambda x: 1 - x),
    "SELECT": elementwise(lambda condition, yes, no: yes if condition else no),
    "NEGATE": negate,
    "CLAMP": clamp,
    "MUL": mul,
    "CAST": cast,
    "TABLE": table,
    "RESCALE": rescale,
}

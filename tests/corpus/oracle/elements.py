# SPDX-License-Identifier: MIT
"""Tensors, whose elements are Python numbers: floats have 53 bits, integers all that they need."""

import dataclasses
import itertools
import math

# Bits of exponent and fraction, and whether there is an infinity: TOSA "Number formats".
FLOATS = {"FP32": (8, 23, True), "FP16": (5, 10, True), "BF16": (8, 7, True),
          "FP8E4M3": (4, 3, False), "FP8E5M2": (5, 2, True)}
INTEGER_BITS = {"BOOL": 8, "INT4": 4, "INT8": 8, "INT16": 16, "INT32": 32, "SHAPE": 64}


def decode_float(kind, bits):
    exponent_bits, fraction_bits, has_infinity = FLOATS[kind]
    sign = -1.0 if bits >> exponent_bits + fraction_bits else 1.0
    exponent = bits >> fraction_bits & (1 << exponent_bits) - 1
    fraction = bits & (1 << fraction_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    if exponent == (1 << exponent_bits) - 1 and (has_infinity or fraction == 7):
        return sign * math.inf if has_infinity and fraction == 0 else math.nan
    if exponent > 0:
        fraction += 1 << fraction_bits
    return sign * math.ldexp(fraction, max(exponent, 1) - bias - fraction_bits)


def encode_float(kind, value):
    """To the nearest, ties to even; what is too large is infinite, or NaN where nothing is."""
    exponent_bits, fraction_bits, has_infinity = FLOATS[kind]
    bias = (1 << exponent_bits - 1) - 1
    infinity = ((1 << exponent_bits) - 1 << fraction_bits) if has_infinity else 0x7F
    if math.isnan(value):
        return infinity | (1 << fraction_bits - 1)
    sign = (math.copysign(1, value) < 0) << exponent_bits + fraction_bits
    if value == 0 or math.isinf(value):
        return sign | (infinity if value else 0)
    exponent = max(math.frexp(value)[1] - 1, 1 - bias)
    units = round(math.ldexp(abs(value), fraction_bits - exponent))
    return sign | min((exponent + bias - 1 << fraction_bits) + units, infinity)


def decode(kind, data):
    if kind == "INT4":
        nibbles = [nibble for byte in data for nibble in (byte & 15, byte >> 4)]
        return [nibble - 16 if nibble > 7 else nibble for nibble in nibbles]
    if kind in FLOATS:
        width = 1 + sum(FLOATS[kind][:2]) >> 3
        return [decode_float(kind, int.from_bytes(data[i:i + width], "little"))
                for i in range(0, len(data), width)]
    width = INTEGER_BITS[kind] >> 3
    return [int.from_bytes(data[i:i + width], "little", signed=kind != "BOOL")
            for i in range(0, len(data), width)]


def encode(kind, values):
    if kind == "INT4":
        return bytes(low & 15 | (high & 15) << 4 for low, high in zip(values[::2], values[1::2]))
    if kind in FLOATS:
        width = 1 + sum(FLOATS[kind][:2]) >> 3
        return b"".join(encode_float(kind, value).to_bytes(width, "little") for value in values)
    width = INTEGER_BITS[kind] >> 3
    return b"".join(int(value).to_bytes(width, "little", signed=kind != "BOOL") for value in values)


def integer_range(kind):
    return (0, 1) if kind == "BOOL" else (-1 << INTEGER_BITS[kind] - 1,
                                          (1 << INTEGER_BITS[kind] - 1) - 1)


@dataclasses.dataclass
class Tensor:
    kind: str
    shape: list
    values: list

    @staticmethod
    def of(kind, shape, element):
        """Each element rounded to the type. An integer that does not fit is a case that TOSA
        leaves open, which nothing can be expected of."""
        values = [element(*index) for index in itertools.product(*map(range, shape))]
        if kind in FLOATS:
            values = [decode_float(kind, encode_float(kind, value)) for value in values]
        else:
            low, high = integer_range(kind)
            assert all(low <= value <= high for value in values), f"more than {kind} holds"
        return Tensor(kind, shape, values)

    def __getitem__(self, index):
        at = 0
        for extent, i in zip(self.shape, index, strict=True):
            assert 0 <= i < extent
            at = at * extent + i
        return self.values[at]

    def broadcast(self, index):
        return self[[0 if extent == 1 else i for extent, i in zip(self.shape, index)]]

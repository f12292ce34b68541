"""Float arithmetic of casts (§7.2) and predictors (§12)."""

import struct


def to_value(word, kind):
    if kind == "f16":
        return struct.unpack("<e", struct.pack("<H", word))[0]
    bits = word << 16 if kind == "bf16" else word
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def round_to(value, kind):
    """A number that is no NaN as a word: to f32 first, from there to the kind. Doubles hold
    products of two f32 exactly, and sums well enough that rounding twice does not show."""
    infinity = 0x7F800000 | (0x80000000 if value < 0 else 0)
    try:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        bits = infinity
    return narrow(bits, kind)


def narrow(bits, kind):
    """f32 bits as bits of the kind (§7.2)."""
    if kind == "f32":
        return bits
    is_nan = bits & 0x7FFFFFFF > 0x7F800000
    if kind == "bf16":
        return bits >> 16 | 0x40 if is_nan else bits + 0x7FFF + (bits >> 16 & 1) >> 16
    sign = bits >> 16 & 0x8000
    if is_nan:
        return sign | 0x7E00 | bits >> 13 & 0x3FF
    try:
        return struct.unpack("<H", struct.pack("<e", to_value(bits, "f32")))[0]
    except OverflowError:
        return sign | 0x7C00


def cast(word, source, target):
    if source == "f16":
        exponent, mantissa = word >> 10 & 31, word & 0x3FF
        if exponent == 31:
            bits = (word & 0x8000) << 16 | 0x7F800000 | mantissa << 13
        else:
            bits = struct.unpack("<I", struct.pack("<f", to_value(word, "f16")))[0]
    else:
        bits = word << 16 if source == "bf16" else word
    return narrow(bits, target)

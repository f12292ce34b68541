"""Small encodings (§1.1) and words."""

import sys
from array import array

from outcome import corrupt, require
from xxh3 import MASK64, u32


class Cursor:
    """Reads fields from bytes, front to back."""

    def __init__(self, data):
        self.data, self.at = bytes(data), 0

    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        require(count <= self.left(), "bytes end too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def u8(self):
        return self.take(1)[0]

    def u32(self):
        return u32(self.take(4), 0)

    def varint(self):
        value = 0
        for i in range(10):
            byte = self.u8()
            value |= (byte & 127) << 7 * i
            if byte < 128:
                require((i == 0 or byte != 0) and value <= MASK64, "varint is damaged")
                return value
        raise corrupt("varint is damaged")


class Bits:
    """A bit string, least significant bit of each byte first."""

    def __init__(self, data):
        self.number, self.left = int.from_bytes(data, "little"), 8 * len(data)

    def take(self, count):
        require(count <= self.left, "bit string ends too early")
        value = self.number & (1 << count) - 1
        self.number >>= count
        self.left -= count
        return value

    def gamma(self):
        zeros = 0
        while self.take(1) == 0:
            zeros += 1
            require(zeros <= 30, "gamma code is damaged")
        return (1 << zeros | self.take(zeros)) - 1

    def rice(self, parameter):
        """A zigzag number as a quotient in ones and a rest; sixteen ones: itself in 22 bits."""
        quotient = 0
        while quotient < 16 and self.take(1):
            quotient += 1
        if quotient == 16:
            return unzigzag(self.take(22))
        return unzigzag(quotient << parameter | self.take(parameter))

    def end(self):
        require(self.left < 8 and self.number == 0, "bits are left")


def unzigzag(value):
    return -(value >> 1) - 1 if value & 1 else value >> 1


def words_of(data, size):
    words = array({1: "B", 2: "H", 4: "I", 8: "Q"}[size], data)
    if sys.byteorder == "big":
        words.byteswap()
    return words


def bytes_of(words, size):
    packed = array({1: "B", 2: "H", 4: "I", 8: "Q"}[size], words)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()

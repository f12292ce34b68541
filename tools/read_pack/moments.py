"""Codec `moments` (§28)."""

import struct

from blocks import Blocks
from entropy import Stream, read_byte_stream, read_tables
from floats import narrow
from lossy import Lossy
from outcome import require


class Moments(Lossy):
    """§28."""

    needs_view = False

    def read(self, cursor):
        flags, self.unit = cursor.u8(), cursor.u8()
        self.base, = struct.unpack("<i", cursor.take(4))
        require(flags <= 15 and self.unit <= 23, "header of a moments payload")
        self.signed, self.keeps_small = bool(flags & 4), bool(flags & 8)
        self.row_terms = self._terms(cursor, self.rows, flags & 1)
        self.column_terms = self._terms(cursor, self.columns, flags & 2)
        count = cursor.u8()
        self.offsets = struct.unpack(f"<{count}h", cursor.take(2 * count))
        self.table = read_tables(cursor, 1, count + 1)[0]
        self.blocks = Blocks(cursor, self.count)

    @staticmethod
    def _terms(cursor, count, there):
        """Units above the base; None: all words of the row or column are 0."""
        if not there:
            return [0] * count
        low, high = (read_byte_stream(cursor, count) for _ in range(2))
        return [(l | h << 8) - 1 if l | h else None for l, h in zip(low, high)]

    def describe(self):
        return ["signed" if self.signed else "unsigned", f"{len(self.offsets)} sizes"]

    def block(self, data, first, _parent):
        sizes = []
        for i in range(first, min(first + self.blocks.words, self.count)):
            row, column = self.row_terms[i // self.columns], self.column_terms[i % self.columns]
            dead = row is None or column is None
            sizes.append(None if dead else self.base + (row + column << self.unit))
        live = sum(size is not None for size in sizes)
        require(live or not data, "bytes in a block without symbols")
        symbols = iter(Stream(data, live).symbols(live, self.table) if live else ())
        return [0 if size is None else self._word(size, next(symbols)) for size in sizes]

    def _word(self, size, symbol):
        if symbol == 0:
            return 0
        bits = size + (self.offsets[symbol - 1] << 16)
        sign = 1 << 31 if self.signed and symbol % 2 == 0 else 0
        word = narrow(min(max(bits, 1), 0x7F7FFFFF) | sign, self.kind)
        small = self.keeps_small and self.size == 2 and word & self.magnitude == 0
        return word | 1 if small else word

"""Codecs `rows` (§30) and `huffman` (§31)."""

from blocks import Blocks
from encoding import Bits
from entropy import Stream, read_byte_stream, read_tables
from floats import round_to, to_value
from lossy import INFINITY, Lossy, PrefixCode, f32, read_f32
from outcome import require


def read_floats(cursor, count):
    planes = [read_byte_stream(cursor, count) for _ in range(4)]
    values = [to_value(int.from_bytes(word, "little"), "f32") for word in zip(*planes)]
    require(all(abs(v) < INFINITY for v in values), "bounds of a row")
    return values


class Rows(Lossy):
    """§30."""

    def read(self, cursor):
        self.bits = cursor.u8()
        require(2 <= self.bits <= 8, "bits of a rows payload")
        own = read_byte_stream(cursor, self.rows)
        require(all(one <= 1 for one in own), "list of rows")
        count = sum(own)
        ranges = iter(list(zip(read_floats(cursor, count), read_floats(cursor, count))))
        self.ranges = [next(ranges) if one else None for one in own]
        self.table = read_tables(cursor, 1, 1 << self.bits)[0]
        self.blocks = Blocks(cursor, self.count)

    def describe(self):
        return [f"{self.bits} bits", f"{sum(r is not None for r in self.ranges)} rows"]

    def block(self, data, first, parent):
        ranges = [self.ranges[(first + i) // self.columns] for i in range(len(parent))]
        own = sum(one is not None for one in ranges)
        require(own or not data, "bytes in a block without symbols")
        symbols = iter(Stream(data, own).symbols(own, self.table) if own else ())
        return [word if one is None else self._word(one, next(symbols))
                for word, one in zip(parent, ranges)]

    def _word(self, one, symbol):
        low, step = one
        return round_to(low + f32(symbol * step), self.kind)


class Huffman(Lossy):
    """§31."""

    def read(self, cursor):
        self.values = [0.0] + [read_f32(cursor) for _ in range(cursor.u8())]
        require(all(abs(v) < INFINITY for v in self.values), "value of a bucket is no number")
        self.code = PrefixCode(cursor)
        symbols = [self.code.single] if self.code.single is not None else self.code.words.values()
        require(len(symbols) > 0 and all(0 <= s < len(self.values) for s in symbols),
                "code of a huffman payload")
        self.blocks = Blocks(cursor, self.count)

    def describe(self):
        return [f"{len(self.values) - 1} values"]

    def block(self, data, _first, parent):
        bits = Bits(data)
        words = [self.add(word, self.values[self.code.take(bits)]) for word in parent]
        require(bits.left < 8 and bits.number == 0, "bits follow the last code word")
        return words

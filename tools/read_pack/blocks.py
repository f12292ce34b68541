"""What payloads of several codecs begin with: blocks (§8) and scale terms (§11.2)."""

from encoding import bytes_of, unzigzag
from entropy import read_byte_stream
from outcome import require
from xxh3 import MASK32, xxh3


class Blocks:
    """§8: where the blocks of a payload lie."""

    def __init__(self, cursor, word_count):
        log2 = cursor.u8()
        require(16 <= log2 <= 20, f"block size is 2^{log2}")
        self.words, self.word_count = 1 << log2, word_count
        count = -(-word_count // self.words)
        require(count <= cursor.left() // 5, "block index is cut")
        index = [(cursor.varint(), cursor.u32()) for _ in range(count)]
        self.list = [(cursor.take(size), checksum) for size, checksum in index]
        require(cursor.left() == 0, "bytes follow the last block")

    def decoded(self, decode, word_bytes):
        """The bytes of all blocks, each checked; decode(block, first word, count) gives words."""
        out = bytearray()
        for number, (block, checksum) in enumerate(self.list):
            first = number * self.words
            data = decode(block, first, min(self.words, self.word_count - first))
            if not isinstance(data, (bytes, bytearray)):
                data = bytes_of(data, word_bytes)
            require(xxh3(data) & MASK32 == checksum, f"block {number} has another checksum")
            out += data
        return out


def read_terms(cursor, flags, rows, columns):
    """The terms of all rows and all columns; a dead row is None."""
    low = unzigzag(cursor.varint())
    require(-15000 <= low <= 15000, "row terms are damaged")
    row_terms, column_terms = [low] * rows, [0] * columns
    if flags & 1:
        row_terms = [low + code - 1 if code else None for code in read_byte_stream(cursor, rows)]
    if flags & 2:
        low = unzigzag(cursor.varint())
        require(-4000 <= low <= 4000, "column terms are damaged")
        column_terms = [low + code for code in read_byte_stream(cursor, columns)]
    return row_terms, column_terms

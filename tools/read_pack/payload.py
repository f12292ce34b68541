"""Blocks and codecs (§8, §10 to §12)."""

import struct

from blocks import Blocks, read_terms
from encoding import Cursor, bytes_of, unzigzag, words_of
from entropy import Stream, TableSet, read_byte_stream, read_tables
from floats import round_to, to_value
from layout import HUFFMAN, INTEGER, MOMENTS, PLANES, ROWS, SIZED, XOR, ZSTD, ZSTD_VIEW
from lossy import LOSSY
from moments import Moments
from outcome import require
from rows import Huffman, Rows
from steps import MOMENT, ROW_MOMENT, ROW_WEIGHTS, WEIGHTS, RowSteps, Step
from zstd import unzstd


def moved(p, d, bits, is_float):
    """§10.1."""
    mask = (1 << bits) - 1
    if not is_float:
        return p + d & mask
    inverted, top = mask >> 1, 1 << bits - 1
    if p & top:
        p, d = p ^ inverted, -d
    word = p + d & mask
    return word ^ inverted if word & top else word


class Plain:
    """§10: raw, zstd and zstdview."""

    def __init__(self, codec, layout, part, cursor):
        self.codec, self.size = codec, layout.type.word
        self.blocks = Blocks(cursor, part.rows * part.columns)

    def decode(self, parent):
        def block(data, first, count):
            if self.codec == ZSTD:
                return unzstd(data, count * self.size)
            if self.codec == ZSTD_VIEW:
                return unzstd(data, count * self.size,
                              bytes_of(parent[first:first + count], self.size))
            require(len(data) == count * self.size, "raw block has another size")
            return data
        return self.blocks.decoded(block, self.size)

    def describe(self):
        return []


class Planes:
    """§10.1."""

    def __init__(self, layout, part, cursor):
        self.type = layout.type
        self.of = cursor.u8()
        require(self.of <= 2 and (self.of == 0 or part.view is not None), "kind of planes")
        self.planes = []
        for _ in range(self.type.word):
            mode = cursor.u8()
            require(mode <= 2, "mode of a plane is damaged")
            self.planes.append((mode, cursor.u8() if mode == 0 else
                                read_tables(cursor, 1, 256)[0] if mode == 2 else None))
        self.blocks = Blocks(cursor, part.rows * part.columns)

    def decode(self, parent):
        size, bits = self.type.word, 8 * self.type.word

        def block(data, first, count):
            cursor, planes = Cursor(data), []
            for mode, detail in self.planes:
                planes.append(bytes([detail]) * count if mode == 0 else cursor.take(count)
                              if mode == 1 else
                              Stream(cursor.take(cursor.u32()), count).symbols(count, detail))
            require(cursor.left() == 0, "bytes follow the last plane")
            packed = bytearray(count * size)
            for p, plane in enumerate(planes):
                packed[p::size] = plane
            values = words_of(bytes(packed), size)
            if self.of == 2:
                return [p ^ v for p, v in zip(parent[first:first + count], values)]
            if self.of == 1:
                return [moved(p, unzigzag(v), bits, self.type.is_float)
                        for p, v in zip(parent[first:first + count], values)]
            if self.type.is_float:
                return [v >> 1 | (v & 1) << bits - 1 for v in values]
            return values
        return self.blocks.decoded(block, size)

    def describe(self):
        return [("words", "difference", "xor")[self.of]]


class Predictor:
    """§12; id 0 predicts the parent's own word."""

    def __init__(self, identity, layout, part, cursor):
        self.id, self.factors, self.choice, self.rank = identity, [], None, 0
        self.step = None
        if identity == 0:
            return
        self.kind = {23: "f32", 10: "f16", 7: "bf16"}.get(layout.type.mantissa)
        require(identity <= ROW_WEIGHTS and self.kind is not None, "predictor")
        if identity in (ROW_MOMENT, ROW_WEIGHTS):
            require(self.kind == "f32", "predictor")
            self.step = RowSteps(identity, part, cursor)
            return
        if identity in (MOMENT, WEIGHTS):
            require(self.kind == "f32", "predictor")
            self.step = Step(cursor)
            return
        if identity == 3:
            self._read_low_rank(part, cursor, 200, 4, 1 << 62)
            return
        self.factors = [struct.unpack("<f", cursor.take(4))[0] for _ in range(cursor.u8())]
        require(all(abs(f) < float("inf") for f in self.factors), "decay factor is no number")
        if self.factors:
            self.choice = read_byte_stream(cursor, part.rows)
            require(max(self.choice) <= len(self.factors), "decay rows are damaged")
        if identity == 2:
            self._read_low_rank(part, cursor, 90, 2, 1 << 24)

    def _read_low_rank(self, part, cursor, scales, planes, limit):
        self.rank = cursor.u8()
        exponent = unzigzag(cursor.varint())
        require(0 < self.rank <= min(part.rows, part.columns) and abs(exponent) <= scales,
                "low rank is damaged")
        self.scale = 2.0 ** exponent
        self.a, self.b = [], []
        for _ in range(self.rank):
            for target, count in ((self.a, part.rows), (self.b, part.columns)):
                values = [read_byte_stream(cursor, count) for _ in range(planes)]
                target.append([unzigzag(int.from_bytes(v, "little")) for v in zip(*values)])
        most = [max(map(abs, b)) for b in self.b]
        for r in range(part.rows):
            require(sum(abs(a[r]) * m for a, m in zip(self.a, most)) < limit, "low rank sums")

    def source_count(self):
        if self.id in (MOMENT, ROW_MOMENT):
            return 3
        if self.id in (WEIGHTS, ROW_WEIGHTS):
            return 2 + self.step.uses_second_moment() + self.step.uses_earlier_moment()
        return 1

    def row(self, r, words):
        """Predictions of the words of a whole row."""
        factor = self.factors[self.choice[r] - 1] if self.choice and self.choice[r] else None
        if factor is None and self.rank == 0:
            return words
        largest = {"f32": 0x7F800000, "f16": 0x7C00, "bf16": 0x7F80}[self.kind]
        magnitude = (1 << (31 if self.kind == "f32" else 15)) - 1
        out = []
        for c, word in enumerate(words):
            if word & magnitude < largest:
                value = to_value(word, self.kind)
                if factor is not None:
                    value *= factor
                else:
                    value += sum(a[r] * b[c] for a, b in zip(self.a, self.b)) * self.scale
                word = round_to(value, self.kind)
            out.append(word)
        return out


class Difference:
    """§11: integer and xor."""

    def __init__(self, codec, layout, part, cursor, shared):
        self.codec, self.type, self.rows, self.columns = \
            codec, layout.type, part.rows, part.columns
        require(self.type.word <= 4, "differences of 8-byte words")
        flags = cursor.u8()
        self.shift = cursor.u8()
        require(flags <= 7 and self.shift <= self.type.mantissa and
                (self.shift == 0 or self.type.word > 1), "header of a difference payload")
        self.predictor = Predictor(cursor.u8(), layout, part, cursor)
        self.flags = flags
        self.row_terms, self.column_terms = read_terms(cursor, flags, self.rows, self.columns)
        alphabet = 128 if self.type.word == 4 else 64
        self.shared = cursor.varint() if flags & 4 else None
        if self.shared is None:
            self.tables = TableSet(cursor, alphabet)
        else:
            require(self.shared < len(shared), "number of shared tables")
            self.tables = shared[self.shared]
            require(self.tables.alphabet == alphabet, "alphabet of shared tables")
        require(self.predictor.source_count() == 1 + len(part.further_views),
                "the predictor takes another number of sources")
        self.blocks = Blocks(cursor, part.rows * part.columns)
        require(not part.further_views or self.blocks.words == 1 << 16,
                "blocks of several sources are too large")

    def _widened(self, word):
        if self.type.word > 1:
            return word
        if self.type.is_float:
            return (word & 0x80) << 8 | word & 0x7F
        return word | 0xFF00 if self.type.signed and word & 0x80 else word

    def _predicted(self, parent, further):
        """Steps 1 and 2 for all words of the part."""
        if self.predictor.id in (MOMENT, ROW_MOMENT):
            parent = self.predictor.step.second_moment(parent, *further)
        elif self.predictor.id in (WEIGHTS, ROW_WEIGHTS):
            parent = self.predictor.step.weights(parent, *further)
        bits = max(16, 8 * self.type.word)
        mask, h, out = (1 << bits - 1) - 1, self.shift, []
        for r in range(self.rows):
            row = parent[r * self.columns:(r + 1) * self.columns]
            for word in self.predictor.row(r, [self._widened(word) for word in row]):
                if h:
                    m = word & mask
                    word = word & ~mask | m + (1 << h - 1) - 1 + (m >> h & 1) >> h
                out.append(word)
        return out

    def _context(self, i, word, mask):
        row = self.row_terms[i // self.columns]
        if row is None:
            return 0
        exponent = 0
        if self.type.is_float:
            exponent = max(1, (word & mask) >> self.type.mantissa - self.shift)
        return min(63, max(1, row + self.column_terms[i % self.columns] - 2 * exponent))

    def decode(self, parent, further):
        bits = max(16, 8 * self.type.word)
        mask, h = (1 << bits - 1) - 1, self.shift
        predicted = self._predicted(parent, further)

        def block(data, first, count):
            words = predicted[first:first + count]
            tables = [self.tables.of_context[self._context(first + i, word, mask)]
                      for i, word in enumerate(words)]
            symbols, raw = Stream(data, count).differences(tables)
            for i, word in enumerate(words):
                u = symbols[i] >> 1
                d = u if u < 4 else ((2 + (u & 1)) << (u >> 1) - 1) + raw[i]
                if symbols[i] & 1:
                    d = -d
                word = word ^ d & 2 * mask + 1 if self.codec == XOR else \
                    moved(word, d, bits, self.type.is_float)
                if h:
                    word = word & ~mask | word << h & mask
                if self.type.word == 1:
                    word = word >> 8 & 0x80 | word & 0x7F if self.type.is_float else word & 0xFF
                words[i] = word
            return words
        return self.blocks.decoded(block, self.type.word)

    def describe(self):
        out = [("", "decay", "lowrank", "wide lowrank", "second moment", "stepped weights",
                "second moment by rows", "stepped weights by rows")[self.predictor.id]]
        if self.predictor.id == 2 and self.predictor.factors:
            out.append("decay")
        out += [name for bit, name in ((1, "rows"), (2, "columns")) if self.flags & bit]
        out += [f"shift {self.shift}"] if self.shift else []
        out += [f"tables {self.shared}"] if self.shared is not None else []
        return [word for word in out if word]


class LowRank(Predictor):
    """What low rank adds to 0."""

    def __init__(self, layout, part, cursor):
        super().__init__(0, layout, part, cursor)
        self.kind = {23: "f32", 10: "f16", 7: "bf16"}[layout.type.mantissa]
        self._read_low_rank(part, cursor, 90, 2, 1 << 24)

    def word(self, r, c):
        total = sum(a[r] * b[c] for a, b in zip(self.a, self.b))
        return round_to(total * self.scale, self.kind)


class Sized:
    """§32."""

    def __init__(self, layout, part, cursor):
        self.type, self.rows, self.columns = layout.type, part.rows, part.columns
        require(self.type.mantissa in (23, 10, 7), "type of a sized payload")
        self.flags = cursor.u8()
        require(self.flags <= 31 and (not self.flags & 8 or part.view is not None),
                "header of a sized payload")
        self.decay = Predictor(1, layout, part, cursor) if self.flags & 8 else None
        require(self.decay is None or self.decay.factors, "factors of a sized payload")
        self.common = LowRank(layout, part, cursor) if self.flags & 16 else None
        self.row_terms, self.column_terms = read_terms(cursor, self.flags, self.rows, self.columns)
        self.tables = TableSet(cursor, 128 if self.type.word == 4 else 64)
        self.blocks = Blocks(cursor, self.rows * self.columns)

    def decode(self, parent):
        bits, unit = 8 * self.type.word, self.type.mantissa - 1
        mask, turn = (1 << bits) - 1, self.flags >> 2 & 1
        most = (1 << bits - 1 - unit) - 1

        def expected(i):
            """A word's prediction, its context, and whether the prediction is turned."""
            r, c = divmod(i, self.columns)
            if self.decay and self.decay.choice[r]:
                word, = self.decay.row(r, [parent[i]])
                return (word << turn | word >> bits - turn) & mask, 1, True
            if self.row_terms[r] is None:
                return 0, 0, True
            size = min(most, max(0, self.row_terms[r] + self.column_terms[c]))
            if self.common:
                centre = self.common.word(r, c)
                above = ((centre & mask >> 1) >> unit) - size
                if above > 0:
                    return centre, 4 + min(above - 1, 27), False
            return size << unit + turn, 2 + (size & 1), True

        def block(data, first, count):
            words = [expected(first + i) for i in range(count)]
            tables = [self.tables.of_context[context] for _, context, _ in words]
            symbols, raw = Stream(data, count).differences(tables)
            out = []
            for (word, _, turned), s, low in zip(words, symbols, raw):
                u = s >> 1
                d = u if u < 4 else ((2 + (u & 1)) << (u >> 1) - 1) + low
                d = -d if s & 1 else d
                if turned:
                    word = word + d & mask
                    out.append(word >> turn | (word & turn) << bits - 1)
                else:
                    out.append(moved(word, d, bits, True))
            return out
        return self.blocks.decoded(block, self.type.word)

    def describe(self):
        flags = ((16, "lowrank"), (1, "rows"), (2, "columns"), (4, "signed"), (8, "decay"))
        return [name for bit, name in flags if self.flags & bit]


def open_payload(layout, part, payload, shared):
    cursor = Cursor(payload)
    if part.codec == PLANES:
        return Planes(layout, part, cursor)
    if part.codec in (INTEGER, XOR):
        return Difference(part.codec, layout, part, cursor, shared)
    if part.codec == SIZED:
        return Sized(layout, part, cursor)
    if part.codec == MOMENTS:
        return Moments(layout, part, cursor)
    if part.codec in (ROWS, HUFFMAN):
        return (Rows if part.codec == ROWS else Huffman)(layout, part, cursor)
    if part.codec in LOSSY:
        return LOSSY[part.codec](layout, part, cursor)
    return Plain(part.codec, layout, part, cursor)

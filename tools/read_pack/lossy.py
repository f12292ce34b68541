"""Lossy codecs (§13 to §20)."""

import struct

from blocks import Blocks, read_terms
from encoding import Bits, Cursor, unzigzag
from entropy import Stream, TableSet, read_byte_stream, read_tables
from floats import narrow, round_to, to_value
from layout import BOUNDED, EXPONENT, INDEX, LEVELS, PATTERNS, SIGN
from outcome import require

KINDS = {23: "f32", 10: "f16", 7: "bf16"}
INFINITY = float("inf")


def f32(value):
    """A double rounded to f32; beyond its range an infinity."""
    return to_value(round_to(value, "f32"), "f32")


def read_f32(cursor):
    return to_value(cursor.u32(), "f32")


class Lossy:
    """What all of them have: float words and blocks."""

    needs_view = True

    def __init__(self, layout, part, cursor):
        self.kind = KINDS.get(layout.type.mantissa)
        require(self.kind is not None, "words of a lossy codec")
        require(part.view is not None or not self.needs_view, "parent of a lossy codec")
        self.rows, self.columns, self.size = part.rows, part.columns, layout.type.word
        self.count = part.rows * part.columns
        self.finite = {"f32": 0x7F800000, "f16": 0x7C00, "bf16": 0x7F80}[self.kind]
        self.magnitude = (1 << 8 * self.size - 1) - 1
        self.read(cursor)

    def add(self, word, value):
        if word & self.magnitude >= self.finite:
            return word
        return round_to(to_value(word, self.kind) + value, self.kind)

    def decode(self, parent):
        def block(data, first, count):
            return self.block(data, first, parent[first:first + count] if parent else None)
        return self.blocks.decoded(block, self.size)

    def describe(self):
        return []


class Exponent(Lossy):
    """§14."""

    def read(self, cursor):
        self.values = [0.0] + [read_f32(cursor) for _ in range(cursor.u8())]
        require(all(abs(v) < INFINITY for v in self.values), "value of a bucket is no number")
        self.table = read_tables(cursor, 1, len(self.values))[0]
        self.blocks = Blocks(cursor, self.count)

    def describe(self):
        return [f"{len(self.values) - 1} values"]

    def block(self, data, _first, parent):
        symbols = Stream(data, len(parent)).symbols(len(parent), self.table)
        return [self.add(word, self.values[s]) for word, s in zip(parent, symbols)]


class Sign(Lossy):
    """§15."""

    def read(self, cursor):
        self.flags = cursor.u8()
        require(self.flags <= 3, "flags of a sign payload")
        if self.flags & 1:
            low, high = (read_byte_stream(cursor, self.rows) for _ in range(2))
            bits = [h << 24 | l << 16 for l, h in zip(low, high)]
        else:
            bits = [cursor.u32()] * self.rows
        require(all(b < 0x7F800000 for b in bits), "step of a sign payload")
        self.steps = [to_value(b, "f32") for b in bits]
        self.table = read_tables(cursor, 1, 256)[0] if self.flags & 2 else None
        self.blocks = Blocks(cursor, self.count)

    def block(self, data, first, parent):
        count, size = len(parent), -(-len(parent) // 8)
        signs = Stream(data, size).symbols(size, self.table) if self.flags & 2 else data
        require(len(signs) == size, "signs have another size")
        number = int.from_bytes(signs, "little")
        require(number >> count == 0, "bits behind the last sign")
        out = []
        for i, word in enumerate(parent):
            step = self.steps[(first + i) // self.columns]
            out.append(self.add(word, step if number >> i & 1 else -step))
        return out

    def describe(self):
        return ["row steps"] * (self.flags & 1) + ["coded"] * (self.flags >> 1)


COSINES = [int(c) for c in (
    "23170 23163 23143 23108 23059 22996 22920 22829 22725 22607 22476 22331 22173 22001 21816 "
    "21618 21407 21183 20946 20696 20435 20160 19874 19576 19266 18944 18611 18266 17911 17545 "
    "17168 16781 16384 15977 15560 15134 14699 14255 13803 13342 12873 12396 11912 11421 10922 "
    "10418 9907 9390 8867 8339 7806 7268 6726 6180 5630 5077 4520 3961 3400 2836 2271 1705 1137 "
    "569 0").split()]


def cosine(j):
    j %= 256
    j = min(j, 256 - j)
    return COSINES[j] if j <= 64 else -COSINES[128 - j]


class Bounded(Lossy):
    """§16."""

    def read(self, cursor):
        self.flags = cursor.u8()
        require(self.flags <= 4, "flags of a bounded payload")
        self.scale = read_f32(cursor)
        require(0 < self.scale < INFINITY, "scale of a bounded payload")
        if self.flags < 4:
            self.row_terms, self.column_terms = read_terms(cursor, self.flags, self.rows,
                                                           self.columns)
        self.tables = TableSet(cursor, 128)
        self.blocks = Blocks(cursor, self.count)

    def context(self, i, first):
        if self.flags == 4:
            return i % 64
        row = self.row_terms[(first + i) // self.columns]
        if row is None:
            return 0
        return min(63, max(1, row + self.column_terms[(first + i) % self.columns]))

    def block(self, data, first, parent):
        cursor = Cursor(data)
        exact = Cursor(cursor.take(cursor.varint()))
        count = len(parent)
        tables = [self.tables.of_context[self.context(i, first)] for i in range(count)]
        symbols, raw = Stream(cursor.take(cursor.left()), count).differences(tables)
        numbers = []
        for symbol, low in zip(symbols, raw):
            u = symbol >> 1
            d = u if u < 4 else ((2 + (u & 1)) << (u >> 1) - 1) + low
            d = (-d if symbol & 1 else d) & 0xFFFFFFFF
            numbers.append(d - (d >> 31 << 32))
        if self.flags == 4:
            numbers = [s for at in range(0, count, 64) for s in cosine_sums(numbers[at:at + 64])]
        words = [self.add(p, f32(f32(n) * self.scale)) for p, n in zip(parent, numbers)]
        at = 0
        while exact.left():
            at += exact.varint()
            require(at < count, "exact word is beyond the block")
            words[at] = int.from_bytes(exact.take(self.size), "little")
            at += 1
        return words

    def describe(self):
        return ["cosines" if self.flags == 4 else "uniform"] + \
            [name for bit, name in ((1, "rows"), (2, "columns")) if self.flags & bit]


def cosine_sums(numbers):
    require(sum(map(abs, numbers)) <= 16383, "coefficients are too large")
    if len(numbers) < 64:
        return [n << 17 for n in numbers]
    used = [(k, a) for k, a in enumerate(numbers) if a]
    return [sum(a * cosine((2 * n + 1) * k if k else 32) for k, a in used) for n in range(64)]


class PrefixCode:
    """§13.2."""

    def __init__(self, cursor):
        count = cursor.varint()
        require(count <= cursor.left(), "prefix code is cut")
        symbols = []
        for i in range(count):
            step = cursor.varint()
            require(i == 0 or step > 0, "symbols do not ascend")
            symbols.append(symbols[-1] + step if i else unzigzag(step))
            require(-1 << 31 <= symbols[-1] < 1 << 31, "symbol is too large")
        self.single = symbols[0] if count == 1 else None
        self.words = {}
        if count < 2:
            return
        lengths = read_byte_stream(cursor, count)
        require(all(1 <= n <= 30 for n in lengths) and
                sum(1 << 30 - n for n in lengths) == 1 << 30, "lengths are no prefix code")
        word, last = 0, 0
        for length, symbol in sorted(zip(lengths, symbols)):
            word <<= length - last
            self.words[length, word] = symbol
            word, last = word + 1, length

    def take(self, bits):
        if self.single is not None:
            return self.single
        require(self.words, "prefix code has no symbols")
        word = 0
        for length in range(1, 31):
            word = word << 1 | bits.take(1)
            if (length, word) in self.words:
                return self.words[length, word]
        raise AssertionError("a complete code has every word")


class Index(Lossy):
    """§17."""

    def read(self, cursor):
        self.flags = cursor.u8()
        require(self.flags <= 3, "flags of an index payload")
        if not self.flags & 2:
            self.prune, self.protect = read_f32(cursor), read_f32(cursor)
            require(0 <= self.prune < INFINITY and self.protect >= 0, "thresholds")
        self.parent_levels, self.levels = self.read_levels(cursor), self.read_levels(cursor)
        groups = len(self.parent_levels) + 2
        self.bins = max(groups, len(self.levels) + 2)
        if self.flags & 1:
            self.codes = read_tables(cursor, groups, self.bins, unused=[])
        else:
            self.codes = [PrefixCode(cursor) for _ in range(groups)]
        self.blocks = Blocks(cursor, self.count)

    @staticmethod
    def read_levels(cursor):
        levels = [read_f32(cursor) for _ in range(cursor.u8())]
        require(1 <= len(levels) <= 254 and all(abs(v) < INFINITY for v in levels) and
                all(a < b for a, b in zip(levels, levels[1:])), "codebook is damaged")
        return levels

    def parent_index(self, value, edges):
        level = sum(value > edge for edge in edges)
        if self.flags & 2:
            return 0 if value == 0 else level + 2 if value == self.parent_levels[level] else 1
        size = abs(value)
        return 1 if size > self.protect else 0 if size <= self.prune else level + 2

    def block(self, data, _first, parent):
        levels = self.parent_levels
        edges = [f32(f32(a * 0.5) + f32(b * 0.5)) for a, b in zip(levels, levels[1:])]
        known = {word: self.parent_index(to_value(word, self.kind), edges) for word in set(parent)}
        previous = [known[word] for word in parent]
        cursor = Cursor(data)
        changes = Cursor(cursor.take(cursor.varint()))
        counts = [previous.count(g) for g in range(len(levels) + 2)]
        groups = self.rans_groups(changes, counts) if self.flags & 1 else \
            self.prefix_groups(changes, counts)
        iterators = [iter(group) for group in groups]
        out = []
        for before in previous:
            index = (before - next(iterators[before])) % self.bins
            require(index < len(self.levels) + 2, "index without a level")
            if index == 1:
                bits = int.from_bytes(cursor.take(2), "little") << 16
            else:
                bits = round_to(self.levels[index - 2] if index else 0.0, "f32")
            out.append(narrow(bits, self.kind))
        require(cursor.left() == 0, "too many protected words")
        return out

    def rans_groups(self, cursor, counts):
        groups = []
        for count, slots in zip(counts, self.codes):
            require(slots or not count, "group without a table")
            if not count:
                groups.append([])
            elif slots[0][1] == 2048:
                groups.append([slots[0][0]] * count)
            else:
                data = cursor.take(cursor.varint())
                groups.append(Stream(data, count).symbols(count, slots))
        require(cursor.left() == 0, "bytes follow the last group")
        return groups

    def prefix_groups(self, cursor, counts):
        bits, groups = Bits(cursor.take(cursor.left())), []
        for count, code in zip(counts, self.codes):
            group, may_run = [], False
            while len(group) < count:
                symbol = code.take(bits)
                if symbol <= 0:
                    require(-symbol < self.bins, "change is no bin")
                    group.append(-symbol)
                    may_run = True
                else:
                    require(may_run and 2 <= symbol <= count - len(group) + 1, "run is damaged")
                    group += group[-1:] * (symbol - 1)
                    may_run = False
            groups.append(group)
        require(bits.left < 8 and bits.number == 0, "bits follow the last group")
        return groups

    def describe(self):
        return ["rans" if self.flags & 1 else "prefix codes",
                "on levels" if self.flags & 2 else "cuts"]


def signed_levels(symbols, raw):
    """§11.4."""
    levels = []
    for symbol, low in zip(symbols, raw):
        u = symbol >> 1
        size = u if u < 4 else ((2 + (u & 1)) << (u >> 1) - 1) + low
        levels.append(-size if symbol & 1 else size)
    return levels


class Factors:
    """§18."""

    def __init__(self, cursor, rows, columns):
        rank, exponent = cursor.u8(), unzigzag(cursor.varint())
        require(0 < rank <= min(rows, columns) and -90 <= exponent <= 90, "rank of factors")
        self.scale = 2.0 ** exponent
        multipliers = list(cursor.take(rank))
        contexts = read_byte_stream(cursor, 2 * rank)
        require(max(contexts) < 64, "context of factors")
        set_ = TableSet(cursor, 128)
        counts = [rows, columns] * rank
        tables = [set_.of_context[c] for c, n in zip(contexts, counts) for _ in range(n)]
        stream = Stream(cursor.take(cursor.varint()), len(tables))
        levels = signed_levels(*stream.differences(tables))
        require(all(-127 <= level <= 127 for level in levels), "level of a factor")
        self.components, at, most = [], 0, 0
        for multiplier in multipliers:
            a, b = levels[at:at + rows], levels[at + rows:at + rows + columns]
            self.components.append(([multiplier * x for x in a], b))
            most += multiplier * max(map(abs, a)) * max(map(abs, b))
            at += rows + columns
        require(most < 1 << 24, "sums of factors")

    def term(self, row, column):
        return sum(a[row] * b[column] for a, b in self.components) * self.scale


class LowRank(Lossy):
    """What §19 and §20 share: factors in front, and no need of a view."""

    needs_view = False

    def restored(self, parent, first, values):
        out = []
        for i, value in enumerate(values):
            x = to_value(parent[i], self.kind) if parent else 0.0
            if self.factors:
                x = f32(x + self.factors.term(*divmod(first + i, self.columns)))
            out.append(round_to(x + value, self.kind))
        return out

    def describe(self):
        return ["factors"] if self.factors else []


class Levels(LowRank):
    """§19."""

    def read(self, cursor):
        self.flags = flags = cursor.u8()
        self.short = flags == 16
        if self.short:
            self.factors, self.uniform, self.most, self.values = None, True, 0, [0.0]
            self.step, self.parameter = read_bf16(cursor), cursor.u8()
            require(self.parameter <= 15, "parameter of a level payload")
            self.blocks = Blocks(cursor, self.count)
            return
        require(flags <= 15, "flags of a level payload")
        self.factors = Factors(cursor, self.rows, self.columns) if flags & 1 else None
        self.uniform, self.most = bool(flags & 8), cursor.u8()
        require(self.most <= 127, "levels of a table")
        count = self.most if self.uniform else 2 * self.most + 1
        self.values = [read_bf16(cursor) for _ in range(count)]
        if self.uniform:
            self.step = read_bf16(cursor)
            self.values = [-v for v in reversed(self.values)] + [0.0] + self.values
        self.row_terms, self.column_terms = read_terms(cursor, flags >> 1, self.rows,
                                                       self.columns)
        self.tables = TableSet(cursor, 128)
        self.blocks = Blocks(cursor, self.count)

    def context(self, i):
        row = self.row_terms[i // self.columns]
        if row is None:
            return 0
        return min(63, max(1, row + self.column_terms[i % self.columns]))

    def value(self, level):
        if abs(level) <= self.most:
            return self.values[level + self.most]
        if self.uniform:
            return f32(f32(level) * self.step)
        size = to_value(abs(level) - self.most - 1 & 0x7FFF, "bf16")
        return -size if level < 0 else size

    def describe(self):
        if self.short:
            return ["short"]
        return super().describe() + ["uniform" if self.uniform else "table"] + \
            [name for bit, name in ((2, "rows"), (4, "columns")) if self.flags & bit]

    def block(self, data, first, parent):
        count = min(self.blocks.words, self.count - first)
        if self.short:
            bits = Bits(data)
            levels = [bits.rice(self.parameter) for _ in range(count)]
            bits.end()
            return self.restored(parent, first, [self.value(level) for level in levels])
        tables = [self.tables.of_context[self.context(first + i)] for i in range(count)]
        levels = signed_levels(*Stream(data, count).differences(tables))
        return self.restored(parent, first, [self.value(level) for level in levels])


def read_bf16(cursor):
    value = to_value(int.from_bytes(cursor.take(2), "little"), "bf16")
    require(abs(value) < INFINITY, "value of a level is no number")
    return value


def flip(basis, word):
    z = (basis * 65536 + word + 1) * 0x9E3779B97F4A7C15 & MASK64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK64
    return z ^ z >> 31


class Patterns(LowRank):
    """§20."""

    def read(self, cursor):
        flags = cursor.u8()
        require(flags <= 3, "flags of a pattern payload")
        self.factors = Factors(cursor, self.rows, self.columns) if flags & 1 else None
        self.length = 0
        if flags & 2:
            self.length, self.bases = cursor.varint(), cursor.u8()
            self.amplitude = read_f32(cursor)
            require(8 <= self.length <= 4096 and self.bases <= 12 and
                    0 <= self.amplitude < INFINITY, "pattern set")
        self.blocks = Blocks(cursor, self.count)

    def describe(self):
        return super().describe() + ([f"runs of {self.length}"] if self.length else [])

    def block(self, data, first, parent):
        count = min(self.blocks.words, self.count - first)
        if not self.length:
            require(not data, "bytes in a block without patterns")
            return self.restored(parent, first, [0.0] * count)
        low = (self.length - 1).bit_length()
        bits, values = Bits(data), []
        for start in range(0, count, self.length):
            walsh, basis, negative = bits.take(low), bits.take(self.bases), bits.take(1)
            flips = [flip(basis, i) for i in range(-(-self.length // 64))]
            for j in range(min(self.length, count - start)):
                odd = (walsh & j).bit_count() + negative + (flips[j // 64] >> j % 64 & 1)
                values.append(-self.amplitude if odd & 1 else self.amplitude)
        require(bits.left < 8 and bits.number == 0, "bits follow the last pattern")
        return self.restored(parent, first, values)


MASK64 = (1 << 64) - 1
LOSSY = {LEVELS: Levels, EXPONENT: Exponent, SIGN: Sign, BOUNDED: Bounded, INDEX: Index,
         PATTERNS: Patterns}

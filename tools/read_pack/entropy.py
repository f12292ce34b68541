"""The entropy coder (§9)."""

import struct

from encoding import Bits, unzigzag, words_of
from outcome import require


def read_tables(cursor, count, alphabet, unused=None):
    """§9.5: a list of frequency tables; `unused` stands for those without symbols, if given."""
    packed = cursor.take(cursor.varint())
    bits = Bits(packed)
    tables, before = [], None
    for _ in range(count):
        end = bits.take(9)
        require(end <= alphabet, "frequency table is damaged")
        table = []
        for symbol in range(end):
            guess = before[symbol - 2] if before and 2 <= symbol < len(before) + 2 else 0
            low_bits = 0 if guess < 16 else guess.bit_length() - 4
            high = unzigzag(bits.gamma()) + (guess >> low_bits)
            frequency = (high << low_bits) + bits.take(low_bits)
            require(0 <= frequency <= 2048, "frequency table is damaged")
            table.append(frequency)
        if end:
            require(sum(table) == 2048 and table[-1], "frequency table is damaged")
            before = table
        tables.append(table)
    require(bits.left < 8 and bits.number == 0, "frequency tables are damaged")
    return [slots_of(table) if table or unused is None else unused for table in tables]


def slots_of(table):
    """For each of 2048 slots: symbol, frequency, slot - start."""
    slots = []
    for symbol, frequency in enumerate(table):
        slots += [(symbol, frequency, offset) for offset in range(frequency)]
    return slots or [(0, 2048, offset) for offset in range(2048)]


class TableSet:
    """§9.6: a table for each of 64 contexts."""

    def __init__(self, cursor, alphabet):
        self.alphabet = alphabet
        runs = list(cursor.take(cursor.u8()))
        require(all(runs) and sum(runs) == 64, "context map is damaged")
        tables = read_tables(cursor, len(runs), alphabet)
        self.of_context = [table for table, run in zip(tables, runs) for _ in range(run)]


class Stream:
    """§9.1: lane states and the words behind them."""

    def __init__(self, data, symbol_count):
        self.lanes = 32 if symbol_count >= 16384 else 4
        require(len(data) >= 4 * self.lanes and len(data) % 2 == 0, "stream is too short or odd")
        self.states = list(struct.unpack_from(f"<{self.lanes}I", data))
        self.words = words_of(data[4 * self.lanes:], 2)
        self.at = 0

    def renormalised(self, x):
        if x >= 65536:
            return x
        word = self.words[self.at] if self.at < len(self.words) else 0
        self.at += 1
        return x << 16 | word

    def symbols(self, count, slots):
        """§9.3."""
        out = bytearray(count)
        for i in range(count):
            x = self.states[i % self.lanes]
            out[i], frequency, offset = slots[x & 2047]
            self.states[i % self.lanes] = self.renormalised(frequency * (x >> 11) + offset)
        self.end()
        return out

    def differences(self, tables):
        """§9.4: symbols and raw bits; `tables` is the table of each symbol."""
        count = len(tables)
        symbols, raw = bytearray(count), [0] * count
        for start in range(0, count, self.lanes):
            group = range(start, min(start + self.lanes, count))
            for i in group:
                x = self.states[i - start]
                symbols[i], frequency, offset = tables[i][x & 2047]
                x = frequency * (x >> 11) + offset
                fused = min(raw_bits(symbols[i]), 5)
                raw[i] = x & (1 << fused) - 1
                self.states[i - start] = self.renormalised(x >> fused)
            for done, most in ((5, 16), (21, 16)):
                for i in group:
                    left = raw_bits(symbols[i]) - done
                    if left > 0:
                        taken, x = min(left, most), self.states[i - start]
                        raw[i] += (x & (1 << taken) - 1) << done
                        self.states[i - start] = self.renormalised(x >> taken)
        self.end()
        return symbols, raw

    def end(self):
        require(self.at == len(self.words) and all(x == 65536 for x in self.states),
                "stream does not end cleanly")


def raw_bits(symbol):
    return 0 if symbol < 8 else (symbol >> 2) - 1


def read_byte_stream(cursor, count):
    """§9.7."""
    if count == 0:
        return b""
    mode = cursor.u8()
    if mode == 0:
        return cursor.take(count)
    if mode == 1:
        return cursor.take(1) * count
    require(mode == 2, "mode of a byte stream is damaged")
    slots = read_tables(cursor, 1, 256)[0]
    return Stream(cursor.take(cursor.varint()), count).symbols(count, slots)

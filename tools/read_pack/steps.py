"""Steps of an optimizer (§12.1): what second moments and weights are after one."""

import math
import struct
from fractions import Fraction

from entropy import read_byte_stream
from outcome import require

MOMENT, WEIGHTS, ROW_MOMENT, ROW_WEIGHTS = 4, 5, 6, 7  # ids of predictors
NUMBERS = ("lr", "beta1", "beta2", "eps", "weight_decay", "correction1", "correction2")
OF_SEVERAL = ("share", "earlier_lr")


def value(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


def f32(number):
    """A double rounded to f32, as a double."""
    if math.isnan(number) or math.isinf(number):
        return number
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


def word_or(number, old):
    if math.isnan(number):
        return old
    return struct.unpack("<I", struct.pack("<f", number))[0]


def fused(a, b, c):
    """a * b + c of three f32, rounded once."""
    numbers = (a, b, c)
    if any(math.isnan(n) or math.isinf(n) for n in numbers):
        return f32(a * b + c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    near = f32(float(exact))
    # Rounding by way of f64 may miss by one where it lands half way between two.
    bits = struct.unpack("<I", struct.pack("<f", near))[0]
    best = [(abs(Fraction(value(w)) - exact), w & 1, w) for w in (bits - 1, bits, bits + 1)
            if w & 0x7FFFFFFF < 0x7F800000]
    return value(min(best)[2]) if not math.isinf(near) else near


def divided(a, b):
    """As IEEE has it, where Python raises."""
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else \
            math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


class Step:
    def __init__(self, cursor):
        forms = [cursor.u8() for _ in range(5)]
        require(all(f <= most for f, most in zip(forms, (2, 2, 1, 5, 1))), "form of a step")
        self.gradient, self.square, self.denominator, self.update, self.in_double = forms
        self.share, self.earlier_lr = None, 0.0
        for name in NUMBERS + (OF_SEVERAL if self.uses_earlier_moment() else ()):
            number = struct.unpack("<d", cursor.take(8))[0]
            require(math.isfinite(number), f"{name} of a step is no number")
            setattr(self, name, number)
        if self.share is None:
            self.share = 1 - self.beta2

    def uses_second_moment(self):
        return self.update not in (3, 4)

    def uses_earlier_moment(self):
        return self.update == 5

    def second_moment(self, v0, m0, m1):
        return [word_or(self._square(value(v), self._gradient(value(a), value(b))), v)
                for v, a, b in zip(v0, m0, m1)]

    def _gradient(self, old, now):
        """The gradient that led from one first moment to the next."""
        if self.gradient == 2:
            return f32((now - self.beta1 * old) * (1 / (1 - self.beta1)))
        inverse = 1 / f32(1 - self.beta1)
        if self.gradient == 1:
            return f32(old + (now - old) * inverse)
        return f32((now - f32(f32(self.beta1) * old)) * inverse)

    def _square(self, v, g):
        if self.square == 2:
            return f32(self.beta2 * v + self.share * g * g)
        scaled, kept = f32(f32(self.share) * g), f32(f32(self.beta2) * v)
        return fused(scaled, g, kept) if self.square == 0 else f32(kept + f32(scaled * g))

    def weights(self, w0, m1, v1=None, m0=None):
        """`v1` is None for momentum, `m0` but for several steps at once."""
        zeros = [0] * len(w0)
        return [word_or(self._updated(self._decayed(value(w)), value(m), value(v), value(e)), w)
                for w, m, v, e in zip(w0, m1, v1 or zeros, m0 or zeros)]

    def _decayed(self, w):
        decay = self.lr * self.weight_decay
        return f32(w - decay * w) if self.in_double else f32(w * f32(1 - decay))

    def _denominator(self, v):
        square, root = (f32(math.sqrt(v)) if v >= 0 else math.nan), math.sqrt(self.correction2)
        scaled = f32(divided(square, f32(root))) if self.denominator == 0 else \
            f32(square * f32(1 / root))
        return f32(scaled + f32(self.eps))

    def _updated(self, w, m, v, earlier):
        rate = f32(-(self.lr / self.correction1))
        if self.update == 3:
            return f32(w + f32(rate * m))
        if self.update == 4:
            return fused(rate, m, w)
        denominator = self._denominator(v)
        if self.update == 0:
            return f32(w + f32(divided(f32(rate * m), denominator)))
        if self.update == 5:
            before = f32(f32(-(self.earlier_lr / self.correction1)) * earlier)
            return f32(w + f32(divided(f32(f32(rate * m) + before), denominator)))
        quotient = f32(divided(m, denominator))
        return f32(w + f32(rate * quotient)) if self.update == 1 else fused(rate, quotient, w)


def read_floats(cursor, count):
    planes = [read_byte_stream(cursor, count) for _ in range(4)]
    values = [value(int.from_bytes(word, "little")) for word in zip(*planes)]
    require(all(math.isfinite(v) for v in values), "number of a row is none")
    return values


class RowSteps(Step):
    """Several steps row by row."""

    def __init__(self, identity, part, cursor):
        super().__init__(cursor)
        require(self.update == 5 and part.columns >= 4, "steps of rows")
        self.columns = part.columns
        self.shares = [struct.unpack("<f", cursor.take(4))[0] for _ in range(cursor.u8())]
        require(all(math.isfinite(s) for s in self.shares), "share is no number")
        self.codes = read_byte_stream(cursor, part.rows) if self.shares else [0] * part.rows
        require(max(self.codes) <= len(self.shares), "shares of rows")
        if identity == ROW_WEIGHTS:
            self.rates = read_floats(cursor, part.rows)
            self.earlier_rates = read_floats(cursor, part.rows)

    def _rows(self):
        """The number of each row, where its words lie, and its own share or None."""
        for r, code in enumerate(self.codes):
            share = self.shares[code - 1] if code else None
            yield r, slice(r * self.columns, (r + 1) * self.columns), share

    def second_moment(self, v0, m0, m1):
        out, of_all = [], self.share
        for _, words, share in self._rows():
            self.share = of_all if share is None else share
            out += super().second_moment(v0[words], m0[words], m1[words])
        self.share = of_all
        return out

    def weights(self, w0, m1, v1=None, m0=None):
        out = []
        for r, words, share in self._rows():
            rates = self.rates[r], self.earlier_rates[r], share
            out += [word_or(self._moved(rates, *map(value, four)), four[0])
                    for four in zip(w0[words], m1[words], v1[words], m0[words])]
        return out

    def _moved(self, rates, w, m1, v1, m0):
        rate, earlier, share = rates
        w, now, then = self._decayed(w), f32(rate * m1), f32(earlier * m0)
        below = self._denominator(v1)
        if share is None:
            return f32(w + f32(divided(f32(now + then), below)))
        g = self._gradient(m0, m1)
        left = f32(v1 - f32(f32(share * g) * g))
        before = f32(divided(left, f32(self.beta2))) if left > 0 else 0.0
        return f32(w + f32(f32(divided(now, below)) + f32(divided(then, self._denominator(before)))))

"""Plots of the benches as SVG files, with nothing but the standard library."""
import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 64, 24, 40, 48
COLOURS = ["#0b6bcb", "#c2410c", "#15803d", "#7c3aed", "#b45309", "#0e7490", "#be185d", "#4b5563"]


class _Axis:
    """Logarithmic, from a little below the least to a little above the largest value."""

    def __init__(self, values, start, end):
        self.low, self.high = min(values) / 1.15, max(values) * 1.15
        self.start, self.end = start, end

    def __call__(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        """Round numbers within the axis."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        ticks = [m * 10**power for power in powers for m in (1, 1.5, 2, 3, 5, 7)]
        return [tick for tick in ticks if self.low <= tick <= self.high]


class _LinearAxis:
    """From a little below the least to a little above the largest value, with ticks at hundredths."""

    def __init__(self, values, start, end):
        margin = (max(values) - min(values)) / 12 or 0.01
        self.low, self.high = min(values) - margin, max(values) + margin
        self.start, self.end = start, end

    def __call__(self, value):
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self):
        return [n / 100 for n in range(math.ceil(self.low * 100), math.floor(self.high * 100) + 1)]


def plot(path, *args, **kwargs):
    """Writes what plot_text() draws."""
    path.write_text(plot_text(*args, **kwargs))


def plot_text(title, x_name, y_name, series, joined, linear_y=False):
    """`series` maps names to lists of (x, y), all above 0; points of one are joined if asked."""
    points = [p for s in series.values() for p in s]
    x = _Axis([p[0] for p in points], LEFT, WIDTH - RIGHT)
    y = (_LinearAxis if linear_y else _Axis)([p[1] for p in points], HEIGHT - BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>',
           f'<text x="{LEFT}" y="22" font-size="15">{html.escape(title)}</text>']
    for tick in x.ticks():
        out.append(f'<path d="M{x(tick):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#e5e7eb"/>'
                   f'<text x="{x(tick):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">'
                   f"{tick:g}</text>")
    for tick in y.ticks():
        out.append(f'<path d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}" stroke="#e5e7eb"/>'
                   f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    out.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">'
               f"{html.escape(x_name)}</text>"
               f'<text x="16" y="{HEIGHT / 2}" text-anchor="middle" '
               f'transform="rotate(-90 16 {HEIGHT / 2})">{html.escape(y_name)}</text>')
    labelled = []
    for number, (name, places) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        if joined:
            line = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in places)
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>')
        for a, b in places:
            out.append(f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="4" fill="{colour}"/>')
        a, b = places[-1]
        anchor = "end" if x(a) > WIDTH / 2 else "start"
        shift = -8 if anchor == "end" else 8
        is_taken = any(abs(x(a) - p) < 90 and abs(y(b) - q) < 12 for p, q in labelled)
        height = y(b) + 15 if is_taken else y(b) - 7
        labelled.append((x(a), y(b)))
        out.append(f'<text x="{x(a) + shift:.1f}" y="{height:.1f}" text-anchor="{anchor}" '
                   f'fill="{colour}">{html.escape(name)}</text>')
    return "\n".join(out) + "\n</svg>\n"

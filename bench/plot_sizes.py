#!/usr/bin/env python3
"""Draws README's table of sizes beside the peers as docs/plots/sizes.svg, so that both agree.

    bench/plot_sizes.py          after the table has changed
"""
import html
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH, LEFT, ROW, GAP, TOP = 640, 200, 15, 14, 44


def table(text):
    """The columns' names, and (tool, percents) of each row of the table of sizes."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    first = next(i for i, line in enumerate(lines) if "bf16 | fp16 | fp32" in line)
    columns = [cell.strip() for cell in lines[first].split("|")[2:-1]]
    rows = []
    for line in lines[first + 2:]:
        cells = [re.sub(r"[*`]", "", cell).strip() for cell in line.split("|")[1:-1]]
        if len(cells) != len(columns) + 1:
            break
        rows.append((cells[0], [float(cell) for cell in cells[1:]]))
    return columns, rows


def drawing(columns, rows):
    scale = (WIDTH - LEFT - 60) / max(max(values) for _, values in rows)
    height = TOP + len(columns) * (len(rows) * ROW + GAP + 18)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
             'font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="#fff"/>',
             '<text x="12" y="22" font-size="15">Percent of the fine-tune\'s file that is stored, '
             'given its base: less is better</text>']
    y = TOP
    for column, name in enumerate(columns):
        parts.append(f'<text x="12" y="{y + 12}" font-weight="bold">MiniLM-L6, {name}</text>')
        y += 18
        for tool, values in rows:
            length = values[column] * scale
            colour = "#2563eb" if tool.startswith("strata") else "#b6bcc6"
            parts += [f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end">{html.escape(tool)}</text>',
                      f'<rect x="{LEFT}" y="{y + 1}" width="{length:.1f}" height="{ROW - 3}" '
                      f'fill="{colour}"/>',
                      f'<text x="{LEFT + length + 6:.1f}" y="{y + 11}">{values[column]:.1f}</text>']
            y += ROW
        y += GAP
    return "\n".join(parts + ["</svg>"]) + "\n"


if __name__ == "__main__":
    (ROOT / "docs/plots/sizes.svg").write_text(drawing(*table((ROOT / "README.md").read_text())))

#!/usr/bin/env python3
"""Working memory of import, add and restore at a model size far above it.

    run_memory.py DIR [--strata PROGRAM] [--gigabytes 4] [--limit-mb 512] [--jobs N]

Makes a safetensors base and a variant in DIR (about 2.6 times the size is needed there) with one
tensor of half the size and many of 64 MB, and prints the peak of RssAnon of each command. Exit
status 1 if a peak is over the limit.
"""
import json
import shutil
import sys

from made_pair import CHUNK, MadePair, arguments, write_pair
from measure import machine, print_table, tree_bytes


def header_of(chunks):
    """The first tensor has half of all chunks."""
    shapes = {"embedding": [chunks // 2 * 16384, 1024]}
    shapes |= {f"layer.{i}.weight": [16384, 1024] for i in range(chunks - chunks // 2)}
    header, offset = {}, 0
    for name, shape in shapes.items():
        end = offset + shape[0] * shape[1] * 4
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, end]}
        offset = end
    return json.dumps(header).encode()


def main():
    a = arguments()
    a.add_argument("--gigabytes", type=float, default=4)
    o = a.parse_args()
    pair = MadePair(o)
    chunks = max(2, int(o.gigabytes * 1e9 / CHUNK))
    files = (pair.base, pair.variant)
    if not (all(f.exists() for f in files) and pair.base.stat().st_size // CHUNK == chunks):
        write_pair(*files, header_of(chunks), chunks * CHUNK)
    rows, worst, size = [], 0, pair.variant.stat().st_size
    for command, done in pair.run():
        worst = max(worst, done.peak_anonymous_bytes)
        rows.append([command, f"{done.peak_anonymous_bytes / 1e6:.0f}", f"{done.seconds:.1f}",
                     f"{size / 1e6 / done.seconds:.0f}", f"{tree_bytes(pair.store):,}"])
    print(f"{machine()}; a model of {size:,} bytes.\n")
    print_table(["command", "peak RssAnon, MB", "seconds", "MB/s", "bytes of the store"], rows)
    same = pair.is_same()
    shutil.rmtree(pair.store)
    pair.restored.unlink()
    if not same or worst > o.limit_mb * 1e6:
        sys.exit(f"peak {worst / 1e6:.0f} MB, limit {o.limit_mb:.0f} MB")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Working memory of import, add and restore at a model size far above it.

    run_memory.py DIR [--strata PROGRAM] [--gigabytes 4] [--limit-mb 512] [--jobs N]

Makes a safetensors base and a variant in DIR (about 2.6 times the size is needed there) with one
tensor of half the size and many of 64 MB, and prints the peak of RssAnon of each command. Exit
status 1 if a peak is over the limit.
"""
import argparse
import filecmp
import json
import pathlib
import random
import shutil
import struct
import sys

from measure import machine, print_table, run, tree_bytes

HERE = pathlib.Path(__file__).resolve().parent
CHUNK = 64 << 20


def words(rng):
    """64 MB of float32 whose exponents look like those of weights."""
    sample = struct.pack("<65536f", *(rng.gauss(0, 0.03) for _ in range(65536)))
    return int.from_bytes(sample * (CHUNK // len(sample)), "little")


def low_bits(rng, mask):
    """Random bits in 64 MB of words, but only where the 32-bit `mask` allows."""
    return int.from_bytes(rng.randbytes(CHUNK), "little") & int.from_bytes(
        struct.pack("<I", mask) * (CHUNK // 4), "little")


def make_pair(base, variant, chunks):
    """Both files at once, chunk by chunk; the first tensor has half of all chunks."""
    shapes = {"embedding": [chunks // 2 * 16384, 1024]}
    shapes |= {f"layer.{i}.weight": [16384, 1024] for i in range(chunks - chunks // 2)}
    header, offset = {}, 0
    for name, shape in shapes.items():
        end = offset + shape[0] * shape[1] * 4
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    rng = random.Random(1)
    common = words(rng)
    with open(base, "wb") as b, open(variant, "wb") as v:
        for f in (b, v):
            f.write(struct.pack("<Q", len(text)) + text)
        for _ in range(chunks):
            own = common ^ low_bits(rng, 0x007FFFFF)
            b.write(own.to_bytes(CHUNK, "little"))
            v.write((own ^ low_bits(rng, 0x00000FFF)).to_bytes(CHUNK, "little"))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("folder", type=pathlib.Path)
    a.add_argument("--strata", type=pathlib.Path, default=HERE.parent / "build/release/cli/strata")
    a.add_argument("--gigabytes", type=float, default=4)
    a.add_argument("--limit-mb", type=float, default=512)
    a.add_argument("--jobs", type=int)
    o = a.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    base, variant = o.folder / "base.safetensors", o.folder / "variant.safetensors"
    chunks = max(2, int(o.gigabytes * 1e9 / CHUNK))
    if not (base.exists() and variant.exists() and base.stat().st_size // CHUNK == chunks):
        make_pair(base, variant, chunks)
    store, out = o.folder / "store", o.folder / "restored.safetensors"
    shutil.rmtree(store, ignore_errors=True)
    out.unlink(missing_ok=True)
    strata = [o.strata, "-C", store, *(["-j", o.jobs] if o.jobs else [])]
    run([*strata, "init"])
    rows, worst, size = [], 0, variant.stat().st_size
    for command in (["import", base, "--name", "base"],
                    ["add", "variant", variant, "--base", "base"],
                    ["restore", "variant", "-o", out]):
        done = run([*strata, *command])
        worst = max(worst, done.peak_anonymous_bytes)
        rows.append([command[0], f"{done.peak_anonymous_bytes / 1e6:.0f}", f"{done.seconds:.1f}",
                     f"{size / 1e6 / done.seconds:.0f}", f"{tree_bytes(store):,}"])
    same = filecmp.cmp(out, variant, shallow=False)
    print(f"{machine()}; a model of {size:,} bytes.\n")
    print_table(["command", "peak RssAnon, MB", "seconds", "MB/s", "bytes of the store"], rows)
    print(f"\nrestored {'byte for byte' if same else 'WRONGLY'}")
    shutil.rmtree(store)
    out.unlink()
    if not same or worst > o.limit_mb * 1e6:
        sys.exit(f"peak {worst / 1e6:.0f} MB, limit {o.limit_mb:.0f} MB")


if __name__ == "__main__":
    main()

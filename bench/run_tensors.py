#!/usr/bin/env python3
"""Working memory and time of import, add and restore of a model of very many small tensors.

    run_tensors.py DIR [--strata PROGRAM] [--tensors 1000000] [--memory 512MB] [--limit-mb 512]
                   [--limit-seconds 60] [--jobs N]

Makes a safetensors base of tensors of 16 words and a variant in DIR (0.6 GB is needed there) in
which each tensor changes a little, and prints the peak of RssAnon of each command. Exit status 1
if one is over a limit, or the variant does not come back.
"""
import argparse
import filecmp
import pathlib
import random
import shutil
import struct
import sys

from measure import machine, print_table, run
from run_memory import CHUNK, low_bits, words

HERE = pathlib.Path(__file__).resolve().parent
TENSOR_BYTES = 64
EXPERTS = 2048


def header_of(count):
    """A safetensors header, as long as one of a million tensors may be: 100 MB."""
    entries = []
    for i in range(count):
        expert, part = divmod(i, 3)
        layer, expert = divmod(expert, EXPERTS)
        entries.append('"layers.%d.experts.%d.w%d.weight":{"dtype":"F32","shape":[4,4],'
                       '"data_offsets":[%d,%d]}' % (layer, expert, part + 1, i * TENSOR_BYTES,
                                                    (i + 1) * TENSOR_BYTES))
    text = ("{" + ",".join(entries) + "}").encode()
    return text + b" " * (-len(text) % 8)


def make_pair(base, variant, count):
    text = header_of(count)
    rng = random.Random(1)
    common = words(rng)
    with open(base, "wb") as b, open(variant, "wb") as v:
        for f in (b, v):
            f.write(struct.pack("<Q", len(text)) + text)
        left = count * TENSOR_BYTES
        while left:
            take = min(CHUNK, left)
            own = common ^ low_bits(rng, 0x007FFFFF)
            b.write(own.to_bytes(CHUNK, "little")[:take])
            v.write((own ^ low_bits(rng, 0x00000FFF)).to_bytes(CHUNK, "little")[:take])
            left -= take


def main():
    a = argparse.ArgumentParser()
    a.add_argument("folder", type=pathlib.Path)
    a.add_argument("--strata", type=pathlib.Path, default=HERE.parent / "build/release/cli/strata")
    a.add_argument("--tensors", type=int, default=1_000_000)
    a.add_argument("--memory", default="512MB")
    a.add_argument("--limit-mb", type=float, default=512)
    a.add_argument("--limit-seconds", type=float, default=60)
    a.add_argument("--jobs", type=int)
    o = a.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    base, variant = o.folder / "base.safetensors", o.folder / "variant.safetensors"
    make_pair(base, variant, o.tensors)
    store, out = o.folder / "store", o.folder / "restored.safetensors"
    shutil.rmtree(store, ignore_errors=True)
    out.unlink(missing_ok=True)
    strata = [o.strata, "-C", store, "--memory", o.memory, *(["-j", o.jobs] if o.jobs else [])]
    run([*strata, "init"])
    rows, isOver = [], False
    for command in (["import", base, "--name", "base"],
                    ["add", "variant", variant, "--base", "base"],
                    ["restore", "variant", "-o", out]):
        done = run([*strata, *command])
        megabytes = done.peak_anonymous_bytes / 1e6
        isOver = isOver or megabytes > o.limit_mb or done.seconds > o.limit_seconds
        rows.append([command[0], f"{megabytes:.0f}", f"{done.seconds:.1f}"])
    same = filecmp.cmp(out, variant, shallow=False)
    print(f"{machine()}; a model of {o.tensors:,} tensors of 16 words.\n")
    print_table(["command", "peak RssAnon, MB", "seconds"], rows)
    print(f"\nrestored {'byte for byte' if same else 'WRONGLY'}")
    shutil.rmtree(store)
    for made in (out, base, variant):
        made.unlink()
    return 0 if same and not isOver else 1


if __name__ == "__main__":
    sys.exit(main())

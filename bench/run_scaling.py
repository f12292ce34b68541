#!/usr/bin/env python3
"""How add and restore grow with the size of a model and with cores.

    run_scaling.py DIR [--strata PROGRAM] [--megabytes 10,30,100,300,1000] [--cores 1,2] [--runs 3]
                   [--plot FILE.svg]

Makes safetensors pairs in DIR, each of tensors of 16 MB at most. Seconds are those of whole
processes that have so many cores and threads. Medians of the runs. DIR should lie in memory: five
times the largest size is needed there. User seconds are the program's own work; system seconds are
mostly those of finding pages for what is written, and in a virtual machine they grow where the host
has to find them first.
"""
import argparse
import filecmp
import json
import pathlib
import random
import shutil
import struct

from measure import machine, median, print_table, run
from plot import plot

HERE = pathlib.Path(__file__).resolve().parent
TENSOR = 16 << 20  # bytes, at most


def blocks(rng, count):
    """`count` pairs of blocks of 1 MB: words like weights, and how they moved a little."""
    sample = struct.pack("<4096f", *(rng.gauss(0, 0.03) for _ in range(4096))) * 64
    common = int.from_bytes(sample, "little")
    low = int.from_bytes(struct.pack("<I", 0x007FFFFF) * (1 << 18), "little")
    moved = int.from_bytes(struct.pack("<I", 0x00000FFF) * (1 << 18), "little")
    for _ in range(count):
        base = common ^ int.from_bytes(rng.randbytes(1 << 20), "little") & low
        change = int.from_bytes(rng.randbytes(1 << 20), "little") & moved
        yield base.to_bytes(1 << 20, "little"), (base ^ change).to_bytes(1 << 20, "little")


def make_pair(base, variant, megabytes):
    sizes = [min(TENSOR, (megabytes << 20) - at) for at in range(0, megabytes << 20, TENSOR)]
    header, offset = {}, 0
    for i, size in enumerate(sizes):
        header[f"layer.{i}.weight"] = {"dtype": "F32", "shape": [size // 4096, 1024],
                                       "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(base, "wb") as b, open(variant, "wb") as v:
        for f in (b, v):
            f.write(struct.pack("<Q", len(text)) + text)
        for mine, theirs in blocks(random.Random(1), megabytes):
            b.write(mine)
            v.write(theirs)


def measure_size(options, megabytes, cores):
    """Rows of one size: command, cores, bytes, seconds, user seconds, system seconds."""
    folder = options.folder / "scaling"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    base, variant, out = folder / "base.safetensors", folder / "variant.safetensors", folder / "out"
    make_pair(base, variant, megabytes)
    fresh, store = folder / "fresh", folder / "store"
    run([options.strata, "-C", fresh, "init"])
    run([options.strata, "-C", fresh, "import", base, "--name", "base"])
    rows = []
    for count in cores:
        held = f"0-{count - 1}"
        adds, restores = [], []
        for _ in range(options.runs):
            shutil.rmtree(store, ignore_errors=True)
            out.unlink(missing_ok=True)
            shutil.copytree(fresh, store)
            strata = [options.strata, "-C", store, "-j", count]
            adds.append(run([*strata, "add", "variant", variant, "--base", "base"], held))
            restores.append(run([*strata, "restore", "variant", "-o", out], held))
            assert filecmp.cmp(out, variant, shallow=False), "restored another file"
        for name, runs in (("add", adds), ("restore", restores)):
            rows.append((name, count, variant.stat().st_size, *(
                median([getattr(r, field) for r in runs])
                for field in ("seconds", "user_seconds", "system_seconds"))))
    shutil.rmtree(folder)
    return rows


def main():
    numbers = lambda text: [int(n) for n in text.split(",")]
    a = argparse.ArgumentParser()
    a.add_argument("folder", type=pathlib.Path)
    a.add_argument("--strata", type=pathlib.Path, default=HERE.parent / "build/release/cli/strata")
    a.add_argument("--megabytes", type=numbers, default=[10, 30, 100, 300, 1000])
    a.add_argument("--cores", type=numbers, default=[1, 2])
    a.add_argument("--runs", type=int, default=3)
    a.add_argument("--plot", type=pathlib.Path)
    o = a.parse_args()
    rows = [row for size in o.megabytes for row in measure_size(o, size, o.cores)]
    print(f"{machine()}; median of {o.runs}.\n")
    print_table(["model, MB", "command", "cores", "seconds", "MB/s", "user", "system",
                 "MB per user second"],
                [[f"{size / 1e6:.0f}", name, str(cores), f"{seconds:.2f}",
                  f"{size / 1e6 / seconds:.0f}", f"{user:.2f}", f"{system:.2f}",
                  f"{size / 1e6 / user:.0f}"]
                 for name, cores, size, seconds, user, system in rows])
    if o.plot:
        series = {}
        for name, cores, size, seconds, *_ in rows:
            series.setdefault(f"{name}, {cores} cores", []).append((size / 1e6, seconds))
        plot(o.plot, "Seconds by size of the model", "MB", "seconds", series, joined=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How long list, show and finding the base take in a large store.

    run_catalog.py [--strata PROGRAM] [--bases 100] [--versions 1000] [--runs 9] [--work DIR]

Fills a store in DIR (default /dev/shm) with small models, then prints medians of whole processes.
The first base is as large as a small language model's head, so that finding it costs what it does
in earnest.
"""
import argparse
import array
import json
import pathlib
import random
import struct
import tempfile

from measure import machine, median, print_table, run

HERE = pathlib.Path(__file__).resolve().parent


def save(path, tensors):
    header, offset = {}, 0
    for name, (shape, words) in tensors.items():
        end = offset + 4 * len(words)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for _, words in tensors.values():
            f.write(words.tobytes())


def new_model(rng, layers, rows):
    return {f"layer.{i}.weight": ([rows, 64], array.array("f", [rng.gauss(0, 0.1)
                                  for _ in range(rows * 64)])) for i in range(layers)}


def changed(model, rng):
    """One layer moved a little, the others as they are."""
    name = rng.choice(list(model))
    shape, words = model[name]
    moved = array.array("f", [w * (1 + rng.gauss(0, 1e-4)) for w in words])
    return {**model, name: (shape, moved)}


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--strata", type=pathlib.Path, default=HERE.parent / "build/release/cli/strata")
    a.add_argument("--bases", type=int, default=100)
    a.add_argument("--versions", type=int, default=1000)
    a.add_argument("--runs", type=int, default=9)
    a.add_argument("--work", default="/dev/shm")
    o = a.parse_args()
    rng = random.Random(1)
    with tempfile.TemporaryDirectory(dir=o.work) as folder:
        file = pathlib.Path(folder) / "model.safetensors"
        strata = [o.strata, "-C", pathlib.Path(folder) / "store"]
        run([*strata, "init"])
        bases = []
        for i in range(o.bases):
            bases.append(new_model(rng, 4, 4096 if i == 0 else 64))
            save(file, bases[-1])
            run([*strata, "import", file, "--name", f"base-{i}"])
        for i in range(o.versions - o.bases):
            number = 1 + i % (o.bases - 1)
            save(file, changed(bases[number], rng))
            run([*strata, "add", f"variant-{i // 10}", file, "--base", f"base-{number}",
                 "--effort", "fast"])
        save(file, changed(bases[0], rng))
        rows = []
        for words, limit in ((["list"], 50), (["list", "--versions"], 50),
                             (["show", "variant-1"], 50),
                             (["add", "new", file, "--base", "auto", "-n"], 1000)):
            seconds = median([run([*strata, *words]).seconds for _ in range(o.runs)])
            shown = [w.name if isinstance(w, pathlib.Path) else w for w in words]
            rows.append([f"`{' '.join(shown)}`", f"{1000 * seconds:.0f}", str(limit)])
    print(f"{machine()}; {o.versions} versions, {o.bases} of them bases; median of {o.runs}.\n")
    print_table(["command", "ms", "limit, ms"], rows)


if __name__ == "__main__":
    main()

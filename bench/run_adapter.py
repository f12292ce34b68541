#!/usr/bin/env python3
"""What a merged adapter costs: `strata add --effort best` of a model with a LoRA merged into it.

    run_adapter.py [--strata PROGRAM] [--rank N] [--strengths X,Y,...] [--work DIR]

The bases are the MiniLM files of the folder that STRATA_MODELS names; without it the bench says so
and does nothing. Into every attention matrix W goes A·B, A of unit normal numbers, B of normal ones
of the given strength, so that the words of A·B are of about that size: in f32 arithmetic, rounded
to the file's type in the end. "factors" are the bytes of A and B, which are f32, "rounding" is
the entropy of what the exact product leaves. Every file is restored and compared. Needs numpy.
"""
import argparse
import filecmp
import json
import os
import pathlib
import sys
import tempfile

import numpy

from measure import print_table, run, tree_bytes

FILES = {"bf16": "minilm-base-bf16.safetensors", "fp16": "minilm-base-f16.safetensors",
         "fp32": "minilm-base.safetensors"}
TYPES = {"F32": "<u4", "F16": "<u2", "BF16": "<u2"}


def values_of(words, kind):
    if kind == "BF16":
        return (words.astype("<u4") << 16).view("<f4")
    return words.view({"F32": "<f4", "F16": "<f2"}[kind]).astype("<f4")


def words_of(values, kind):
    """Of f32 or f64 values, rounded to nearest even."""
    values = values.astype("<f4")
    if kind == "BF16":
        bits = values.view("<u4")
        return (bits + 0x7FFF + (bits >> 16 & 1) >> 16).astype("<u2")
    return values.view("<u4") if kind == "F32" else values.astype("<f2").view("<u2")


def entropy_bytes(a, b):
    _, counts = numpy.unique(a.astype("<i8") - b.astype("<i8"), return_counts=True)
    share = counts / counts.sum()
    return float(-(counts * numpy.log2(share)).sum()) / 8


class Adapter:
    """Writes a file with an adapter merged; counts the bytes of its factors and of rounding."""

    def __init__(self, base, target, rank, strength):
        data = bytearray(base.read_bytes())
        start = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:start])
        random = numpy.random.default_rng(1)
        self.factor_bytes = self.rounding_bytes = 0
        for name, entry in header.items():
            if name == "__metadata__" or len(entry["shape"]) != 2 or "attention" not in name:
                continue
            (rows, columns), kind = entry["shape"], entry["dtype"]
            begin, end = (start + offset for offset in entry["data_offsets"])
            weights = values_of(numpy.frombuffer(data[begin:end], TYPES[kind]), kind)
            weights = weights.reshape(rows, columns)
            a = random.standard_normal((rows, rank)).astype("<f4")
            b = (random.standard_normal((rank, columns)) * strength / rank ** 0.5).astype("<f4")
            merged = words_of(weights + a @ b, kind)
            exact = words_of(weights + a.astype("<f8") @ b.astype("<f8"), kind)
            data[begin:end] = merged.tobytes()
            self.factor_bytes += 4 * rank * (rows + columns)
            self.rounding_bytes += entropy_bytes(merged, exact)
        target.write_bytes(data)


def measure(options, folder, kind, strength):
    base, target = options.models / FILES[kind], folder / f"{kind}-{strength}.safetensors"
    store, out = folder / f"store-{kind}-{strength}", folder / "restored.safetensors"
    adapter = Adapter(base, target, options.rank, strength)
    run([options.strata, "-C", store, "init"])
    run([options.strata, "-C", store, "import", base, "--name", "base"])
    before = tree_bytes(store / "objects")
    run([options.strata, "-C", store, "add", "merged", target, "--base", "base",
         "--effort", "best"])
    stored = tree_bytes(store / "objects") - before
    run([options.strata, "-C", store, "restore", "merged", "-o", out])
    if not filecmp.cmp(out, target, shallow=False):
        sys.exit(f"{kind} {strength}: restored file differs")
    out.unlink()
    bound = adapter.factor_bytes + adapter.rounding_bytes
    return [kind, f"{strength:g}", f"{stored:,}", f"{adapter.factor_bytes:,}",
            f"{adapter.rounding_bytes:,.0f}", f"{stored / bound:.2f}",
            f"{target.stat().st_size / stored:.1f}x"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strata", default="build/release/cli/strata", type=pathlib.Path)
    parser.add_argument("--rank", default=8, type=int)
    parser.add_argument("--strengths", default="0.0002,0.001,0.005")
    parser.add_argument("--work", default=None)
    options = parser.parse_args()
    models = os.environ.get("STRATA_MODELS")
    if not models:
        print("SKIPPED: STRATA_MODELS names no folder with real pairs", file=sys.stderr)
        return
    options.models = pathlib.Path(models)
    strengths = [float(s) for s in options.strengths.split(",")]
    rows = []
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        for kind in FILES:
            rows += [measure(options, pathlib.Path(folder), kind, s) for s in strengths]
    print_table(["file", "strength", "stored, bytes", "factors", "rounding",
                 "stored / (factors + rounding)", "ratio"], rows)


if __name__ == "__main__":
    main()

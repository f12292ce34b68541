#!/usr/bin/env python3
"""`strata add` and `restore` as whole programs beside the peers, on real pairs, in one run.

    run_exact.py [--strata PROGRAM] [--peers VENV] [--runs N] [--efforts fast,default,best]
                 [--pairs bf16,fp32,...] [--work DIR] [--core N] [--plots DIR]
                 [--clock wall|cpu]

The pairs lie in the folder that STRATA_MODELS names; without it, or for a pair that is not there,
the bench says so and does nothing. Everything happens on one core, in memory (/dev/shm).
Strata's seconds are those of the whole process with its start, reading, matching, verification
and writing; a peer's are those of reading, coding and writing alone, without the start of Python,
on weights that were matched for it. Rounds go over all tools in turn; medians are printed, and the
slowest and the fastest round. `--clock cpu` counts user and system time instead, for machines that
have other work. --plots draws ratio against speed, an SVG file for each pair.
Every restored file is compared with the original, outside the clock. `scripts/bench` calls this.
"""
import argparse
import filecmp
import json
import math
import os
import pathlib
import shutil
import struct
import sys
import tempfile

from measure import machine, median, print_table, run, tree_bytes
from plot import plot

PAIRS = {
    "bf16": ("minilm-base-bf16.safetensors", "minilm-sst2-bf16.safetensors"),
    "fp16": ("minilm-base-f16.safetensors", "minilm-sst2-f16.safetensors"),
    "fp32": ("minilm-base.safetensors", "minilm-sst2.safetensors"),
    "onnx": ("minilm-base.onnx", "minilm-sst2.onnx"),
    "safetensors-to-onnx": ("minilm-base.safetensors", "minilm-sst2.onnx"),
    "resnet56": ("resnet56-base.onnx", "resnet56-gray.onnx"),
}
HERE = pathlib.Path(__file__).resolve().parent


class Strata:
    def __init__(self, options, effort, base, variant, work):
        self.name, self.variant, self.o, self.effort = f"strata {effort}", variant, options, effort
        self.fresh, self.store = work / "fresh", work / "store"
        self.out = work / ("restored" + variant.suffix)
        shutil.rmtree(self.fresh, ignore_errors=True)
        run([options.strata, "-C", self.fresh, "init"])
        run([options.strata, "-C", self.fresh, "import", base, "--name", "base"])
        self.base_bytes = tree_bytes(self.fresh / "objects")

    def _command(self, *words):
        return [self.o.strata, "-C", self.store, "-j", "1", *words]

    def encode(self):
        shutil.rmtree(self.store, ignore_errors=True)
        shutil.copytree(self.fresh, self.store)
        done = run(self._command("add", "variant", self.variant, "--base", "base",
                                 "--effort", self.effort), self.o.core)
        stored = tree_bytes(self.store / "objects") - self.base_bytes
        return self.o.seconds_of(done), stored, done.peak_anonymous_bytes

    def decode(self):
        self.out.unlink(missing_ok=True)
        done = run(self._command("restore", "variant", "-o", self.out), self.o.core)
        if not filecmp.cmp(self.out, self.variant, shallow=False):
            sys.exit(f"{self.name}: {self.out} differs from {self.variant}")
        return self.o.seconds_of(done), done.peak_anonymous_bytes


class Peer:
    def __init__(self, options, name, work):
        self.name, self.work = name, work
        self.command = [options.peers / "bin/python", HERE / "peers.py", name]
        self.core, self.clock = options.core, options.clock

    def _run(self, direction):
        done = run([*self.command, direction, self.work], self.core)
        answer = json.loads(done.stdout.strip().splitlines()[-1])
        seconds = answer["cpu_seconds" if self.clock == "cpu" else "seconds"]
        return seconds, answer["bytes"], done.peak_anonymous_bytes

    def encode(self):
        return self._run("encode")

    def decode(self):
        seconds, _, peak = self._run("decode")
        return seconds, peak


class Patcher:
    """A program that codes one file against another, on the files as they are."""

    def __init__(self, options, name, encode, decode, variant, work):
        self.o, self.name, self.variant = options, name, variant
        self.patch, self.out = work / "patch", work / "patched"
        self.encode_words = [*encode, self.patch]
        self.decode_words = [*decode, self.out]

    def encode(self):
        done = run(self.encode_words, self.o.core)
        return self.o.seconds_of(done), self.patch.stat().st_size, done.peak_anonymous_bytes

    def decode(self):
        done = run(self.decode_words, self.o.core)
        if not filecmp.cmp(self.out, self.variant, shallow=False):
            sys.exit(f"{self.name} did not restore its input")
        return self.o.seconds_of(done), done.peak_anonymous_bytes


def patchers(options, base, variant, work):
    """zstd and xdelta3, as far as they are installed."""
    found, patch = [], work / "patch"
    if shutil.which("zstd"):
        words = ["zstd", "-q", "-f", "--long=27", f"--patch-from={base}"]
        found.append(Patcher(options, "zstd -3 --patch-from", [*words, "-3", variant, "-o"],
                             [*words, "-d", patch, "-o"], variant, work))
    if shutil.which("xdelta3"):
        words = ["-f", "-B", str(max(1 << 26, base.stat().st_size)), "-s", base]
        encode = ["xdelta3", "-e", "-9", "-S", "djw", *words, variant]
        found.append(Patcher(options, "xdelta3 -9", encode, ["xdelta3", "-d", *words, patch],
                             variant, work))
    return found


def usable_peers(options):
    found = []
    for name in ("zstd", "xdelta3"):
        if shutil.which(name) is None:
            print(f"SKIPPED {name}: not installed", file=sys.stderr)
    if options.peers is None:
        print("SKIPPED z4ai, zipnn and lmzip: no --peers VENV", file=sys.stderr)
        return found
    for name in ("z4ai", "zipnn", "lmzip"):
        if (options.peers / f"{name}.failed").exists():
            print(f"SKIPPED {name}: could not be installed", file=sys.stderr)
        else:
            found.append(name)
    return found


def copy_sound(source, target):
    """Copies a model; a safetensors entry whose shape does not fit its bytes is put right, since
    some casting tools write such files and no reader takes them."""
    shutil.copy(source, target)
    if source.suffix != ".safetensors":
        return target
    with open(target, "r+b") as f:
        (length,) = struct.unpack("<Q", f.read(8))
        header, wrong = json.loads(f.read(length)), []
        for name, entry in header.items():
            width = {"F32": 4, "F16": 2, "BF16": 2}.get(entry.get("dtype"))
            begin, end = entry.get("data_offsets", (0, 0))
            if width and math.prod(entry["shape"]) * width != end - begin:
                entry["shape"] = [(end - begin) // width]
                wrong.append(name)
        text = json.dumps(header, separators=(",", ":")).encode().ljust(length)
        if wrong and len(text) == length:
            f.seek(8)
            f.write(text)
            print(f"{source.name}: shape put right: {', '.join(wrong)}", file=sys.stderr)
    return target


def spread(rates):
    return f"{median(rates):.0f} ({min(rates):.0f}-{max(rates):.0f})"


def measure_pair(options, base, variant, peers, work):
    tools = [Strata(options, e, base, variant, work / e) for e in options.efforts]
    if peers:
        run([options.peers / "bin/python", HERE / "peers.py", "align", base, variant, work])
        tools += [Peer(options, name, work) for name in peers]
    tools += patchers(options, base, variant, work)
    encodes, decodes = {t.name: [] for t in tools}, {t.name: [] for t in tools}
    for _ in range(options.runs):
        for tool in tools:
            encodes[tool.name].append(tool.encode())
            decodes[tool.name].append(tool.decode())
    original, rows, places = variant.stat().st_size, [], {}
    for tool in tools:
        stored = encodes[tool.name][-1][1]
        rates_in = [original / 1e6 / e[0] for e in encodes[tool.name]]
        rates_out = [original / 1e6 / d[0] for d in decodes[tool.name]]
        peak = max(max(e[2] for e in encodes[tool.name]), max(d[1] for d in decodes[tool.name]))
        rows.append([tool.name, f"{stored:,}", f"{100 * stored / original:.2f} %",
                     f"{original / stored:.2f}x", spread(rates_in), spread(rates_out),
                     f"{peak / 1e6:.0f}"])
        places[tool.name] = [(median(rates_in), original / stored)]
    return rows, places


def parse():
    a = argparse.ArgumentParser()
    a.add_argument("--strata", type=pathlib.Path, default=HERE.parent / "build/release/cli/strata")
    a.add_argument("--peers", type=pathlib.Path, help="a virtual environment with z4ai, zipnn and lmzip")
    a.add_argument("--runs", type=int, default=5)
    a.add_argument("--efforts", default="fast,default,best", type=lambda s: s.split(","))
    a.add_argument("--pairs", default=list(PAIRS), type=lambda s: s.split(","))
    a.add_argument("--work", default="/dev/shm")
    a.add_argument("--core", type=int, default=0)
    a.add_argument("--plots", type=pathlib.Path)
    a.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    o = a.parse_args()
    o.seconds_of = lambda done: done.cpu_seconds if o.clock == "cpu" else done.seconds
    return o


def main():
    options = parse()
    models = os.environ.get("STRATA_MODELS")
    if not models:
        print("SKIPPED: STRATA_MODELS names no folder with real pairs", file=sys.stderr)
        return
    peers = usable_peers(options)
    print(f"One core of {machine()}; median of {options.runs}, {options.clock} clock.")
    for label in options.pairs:
        base, variant = (pathlib.Path(models).resolve() / file for file in PAIRS[label])
        if not base.is_file() or not variant.is_file():
            print(f"SKIPPED {label}: {base.name} or {variant.name} is missing", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory(dir=options.work) as folder:
            work = pathlib.Path(folder)
            for effort in options.efforts:
                (work / effort).mkdir()
            copies = [copy_sound(f, work / f"{part}{f.suffix}")
                      for part, f in (("base", base), ("variant", variant))]
            rows, places = measure_pair(options, *copies, peers, work)
        print(f"\n### {label}: {variant.name}, {variant.stat().st_size:,} bytes, on {base.name}\n")
        print_table(["tool", "stored, bytes", "of the original", "ratio", "add, MB/s",
                     "restore, MB/s", "peak RssAnon, MB"], rows)
        sys.stdout.flush()
        if options.plots:
            plot(options.plots / f"exact-{label}.svg", f"{label}: ratio and speed of add, one core",
                 "MB/s", "ratio", places, joined=False)


if __name__ == "__main__":
    main()

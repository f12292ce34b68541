#!/usr/bin/env python3
"""Ratio, score and speed of the lossy codecs on real pairs (docs/results/lossy.md).

    run_quantized.py --strata PROGRAM --models DIR --python PYTHON [--pairs minilm,resnet]
                     [--nncodec PYTHON]

DIR holds the pairs as ONNX files and samples as .npz. PYTHON has onnxruntime (scripts/setup
evaluators); that of --nncodec has nncodec, torch and onnx. Scores are those of the restored model on
samples that no setting was chosen on; everything that is stored counts. Speeds are on one core:
Strata's of whole commands with all checks, NNCodec's of coding alone, on weights in memory.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

CORE = str(max(os.sched_getaffinity(0)))
ON_ONE_CORE = ["taskset", "-c", CORE]
HERE = os.path.dirname(os.path.abspath(__file__))
EVALUATOR = os.path.join(HERE, "..", "tools", "evaluators", "onnxruntime_eval.py")
PAIRS = {
    "minilm": ("minilm-base.onnx", "minilm-sst2.onnx", "sst2-val.npz", "sst2-test.npz"),
    "resnet": ("resnet56-base.onnx", "resnet56-gray.onnx", "gray-val.npz", "gray-test.npz"),
}
QPS = {"minilm": "-40,-36,-34,-32", "resnet": "-36,-32,-28,-24"}
CODECS = [
    ("patterns", ""), ("patterns, steps x1.4", "--step 1.4"),
    ("patterns, without low rank", "--rank 0"), ("levels", ""),
    ("levels, without low rank", "--rank 0"),
    ("levels, 7 levels of a sketch", "--levels 7"),
    ("index, 4 levels, 20 % pruned", "--levels 4 --prune 20"),
    ("index, 16 levels, 20 % pruned", "--levels 16 --prune 20"),
    ("index, the same through rANS", "--levels 16 --prune 20 --entropy rans"),
    ("index, 32 even levels (QD)", "--levels 32 --spacing even"),
    ("exponent, 3 bits", ""), ("sign", ""), ("bounded, 0.001", "--max-error 0.001"),
]


class Evaluator:
    def __init__(self, python, data):
        self.child = subprocess.Popen([python, EVALUATOR, data], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        self.asked = 0

    def score(self, path, reference=False):
        self.asked += 1
        question = {"id": self.asked, "model": path}
        if reference:
            question["reference"] = True
        print(json.dumps(question), file=self.child.stdin, flush=True)
        return json.loads(self.child.stdout.readline())


def strata(options, store, *arguments):
    return subprocess.run([*ON_ONE_CORE, options.strata, "-C", store, *arguments], check=True,
                          capture_output=True, text=True).stdout


def measured(options, folder, base, variant, name, flags, number):
    codec = name.split(",")[0]
    stored = f"v{number}"
    start = time.monotonic()
    lines = strata(options, folder + "/store", "add", stored, variant, "--base", base, "--codec",
                   codec, "--json", *shlex.split(flags)).splitlines()
    report = next(r for r in map(json.loads, lines) if r["type"] == "result")
    middle = time.monotonic()
    restored = f"{folder}/{stored}.onnx"
    strata(options, folder + "/store", "restore", stored, "-o", restored)
    end = time.monotonic()
    size = os.path.getsize(variant)
    speeds = size / (middle - start) / 1e6, size / (end - middle) / 1e6
    return report["version"]["stored_bytes"], *speeds, restored


class Table:
    """Rows of one pair, printed as they come."""

    def __init__(self, size, judges):
        self.size, self.judges = size, judges
        print("| codec | stored, bytes | ratio | choice | test | encode, MB/s | decode, MB/s |")
        print("|---|---|---|---|---|---|---|", flush=True)

    def row(self, name, stored, encode, decode, restored):
        scores = [judge.score(restored).get("score") for judge in self.judges]
        texts = ["no number" if score is None else f"{score:.4f}" for score in scores]
        print(f"| {name} | {stored:,} | {self.size / stored:.1f}x | {texts[0]} | {texts[1]} | "
              f"{encode:.0f} | {decode:.0f} |", flush=True)
        os.remove(restored)


def run_nncodec(options, pair, folder, table):
    base, variant = (os.path.join(options.models, f) for f in PAIRS[pair][:2])
    command = [*ON_ONE_CORE, options.nncodec, os.path.join(HERE, "nncodec_pair.py"), base, variant,
               f"--qp={QPS[pair]}", "--out", folder]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             env=environment)
    for line in child.stdout:
        found = json.loads(line)
        speeds = [table.size / found[part] / 1e6 for part in ("encode", "decode")]
        for kind, words in (("plain", ""), ("unbiased", ", rescaled by us")):
            table.row(f"NNCodec, qp {found['qp']}{words}", found["bytes"], *speeds, found[kind])
    if child.wait() != 0:
        print("| NNCodec | failed | | | | | |", flush=True)


def run_pair(options, pair):
    base, variant, choice, test = (os.path.join(options.models, f) for f in PAIRS[pair])
    size = os.path.getsize(variant)
    judges = [Evaluator(options.python, data) for data in (choice, test)]
    before = [judge.score(variant, reference=True)["score"] for judge in judges]
    print(f"\n### {os.path.basename(variant)}, {size:,} bytes, {before[0]:.4f} / {before[1]:.4f}\n")
    table = Table(size, judges)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        strata(options, folder + "/store", "init")
        strata(options, folder + "/store", "import", base, "--name", "base")
        for number, (name, flags) in enumerate(CODECS):
            table.row(name, *measured(options, folder, "base", variant, name, flags, number))
        if options.nncodec:
            run_nncodec(options, pair, folder, table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strata", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--nncodec", metavar="PYTHON", help="that has nncodec")
    parser.add_argument("--pairs", default="minilm,resnet")
    options = parser.parse_args()
    for pair in options.pairs.split(","):
        run_pair(options, pair)


main()

#!/usr/bin/env python3
"""Ratio, score and speed of the lossy codecs on real pairs (docs/BENCHMARKS.md, "Quantized").

    run_quantized.py --strata PROGRAM --models DIR --python PYTHON [--pairs minilm,resnet]

DIR holds the pairs as ONNX files and samples as .npz. PYTHON
has onnxruntime (scripts/setup evaluators). Scores are those of
the restored model on samples that no setting was chosen on; everything that is stored counts.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EVALUATOR = os.path.join(HERE, "..", "tools", "evaluators", "onnxruntime_eval.py")
PAIRS = {
    "minilm": ("minilm-base.onnx", "minilm-sst2.onnx", "sst2-val.npz", "sst2-test.npz"),
    "resnet": ("resnet56-base.onnx", "resnet56-gray.onnx", "gray-val.npz", "gray-test.npz"),
}
CODECS = [
    ("patterns", ""), ("patterns, steps x1.4", "--step 1.4"), ("levels", ""),
    ("levels, 7 levels of a sketch", "--levels 7"),
    ("index, 4 levels, 20 % pruned", "--levels 4 --prune 20"),
    ("index, 16 levels, 20 % pruned", "--levels 16 --prune 20"),
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
    return subprocess.run([options.strata, "-C", store, *arguments], check=True,
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
    return report["version"]["stored_bytes"], size / (middle - start) / 1e6, size / (end - middle) / 1e6, restored


def run_pair(options, pair):
    base, variant, choice, test = (os.path.join(options.models, f) for f in PAIRS[pair])
    size = os.path.getsize(variant)
    judges = [Evaluator(options.python, data) for data in (choice, test)]
    before = [judge.score(variant, reference=True)["score"] for judge in judges]
    print(f"\n### {os.path.basename(variant)}, {size:,} bytes, {before[0]:.4f} / {before[1]:.4f}\n")
    print("| codec | stored, bytes | ratio | choice | test | add, MB/s | restore, MB/s |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        strata(options, folder + "/store", "init")
        strata(options, folder + "/store", "import", base, "--name", "base")
        for number, (name, flags) in enumerate(CODECS):
            stored, add, restore, restored = measured(options, folder, "base", variant, name, flags,
                                                      number)
            scores = [judge.score(restored).get("score") for judge in judges]
            texts = ["no number" if score is None else f"{score:.4f}" for score in scores]
            print(f"| {name} | {stored:,} | {size / stored:.1f}x | {texts[0]} | {texts[1]} | "
                  f"{add:.0f} | {restore:.0f} |", flush=True)
            os.remove(restored)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strata", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--pairs", default="minilm,resnet")
    options = parser.parse_args()
    for pair in options.pairs.split(","):
        run_pair(options, pair)


main()

#!/usr/bin/env python3
"""How well `tune --estimate` foretells what quantizing a whole model gives (docs/results/estimates.md).

    run_estimate.py --strata PROGRAM --models DIR [--sample 16MB,1MB] [--seeds 3] [--pairs minilm,resnet]
    run_estimate.py --strata PROGRAM --models examples --pairs rotated,noisy,mirrored --sample 100kB

For each pair and several settings: the measured size and error, by how much estimates of several
seeds are off, whether the measurement lies in their bands, and the time of both.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time

PAIRS = {
    "minilm": ("minilm-base.onnx", "minilm-sst2.onnx"),
    "resnet": ("resnet56-base.onnx", "resnet56-gray.onnx"),
    "rotated": ("base.safetensors", "rotated.safetensors"),
    "onnx": ("base.onnx", "rotated.onnx"),
    "noisy": ("base.safetensors", "noisy-lora.safetensors"),
    "shifted": ("base.safetensors", "shifted-3.safetensors"),
    "mirrored": ("base.safetensors", "mirrored"),
    "extra": ("base.safetensors", "extra-class.safetensors"),
}
SETTINGS = [
    ("patterns", []), ("patterns, steps x0.5", ["--step", "0.5"]),
    ("patterns, steps x2", ["--step", "2"]), ("patterns, rank 16", ["--rank", "16"]),
    ("patterns, rank 0", ["--rank", "0"]), ("levels", ["--codec", "levels"]),
    ("levels, steps x0.5", ["--codec", "levels", "--step", "0.5"]),
    ("levels, steps x2", ["--codec", "levels", "--step", "2"]),
    ("levels, 7 levels, 20 % pruned", ["--codec", "levels", "--levels", "7", "--prune", "20"]),
    ("index, 16 levels", ["--codec", "index", "--levels", "16"]),
    ("exponent", ["--codec", "exponent"]), ("sign", ["--codec", "sign"]),
]


def timed(options, store, *words):
    begin = time.monotonic()
    done = subprocess.run([options.strata, "-C", store, *words, "--json"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout.splitlines()[-1]), time.monotonic() - begin


def off(estimate, truth, key):
    """By how much an estimate is off, how far its band reaches, both of the truth, and whether the
    truth lies within, but for rounding."""
    slack = 0.001 * truth
    inside = estimate[key + "_low"] - slack <= truth <= estimate[key + "_high"] + slack
    band = (estimate[key + "_high"] - estimate[key + "_low"]) / 2
    return (estimate[key] - truth) / (truth or 1), band / (truth or 1), inside


def row(options, store, pair, model, name, arguments, sample):
    ways = {"stored_bytes": [], "relative_error": []}
    commands, own = [], []
    for seed in map(str, range(1, options.seeds + 1)):
        # Levels are fitted from the seed, too.
        added, whole = timed(options, store, "add", "tuned", model, "--base", pair, "--profile",
                             "balanced", *arguments, "--seed", seed, "-n")
        truth = {"stored_bytes": added["version"]["stored_bytes"],
                 "relative_error": added["relative_error"]}
        estimate, seconds = timed(options, store, "tune", model, "--base", pair, *arguments,
                                  "--estimate", "--sample", sample, "--seed", seed)
        commands.append(seconds)
        own.append(estimate["seconds"])
        for key, found in ways.items():
            found.append(off(estimate, truth[key], key))
    cells = [name, f"{truth['stored_bytes']:,}"]
    for key, found in ways.items():
        if key == "relative_error":
            cells.append(f"{truth[key]:.3f}")
        cells.append(", ".join(f"{100 * one[0]:+.1f}" for one in found))
        cells.append(f"{100 * max(one[1] for one in found):.1f}")
        cells.append(f"{sum(one[2] for one in found)} of {len(found)}")
    cells += [f"{whole:.2f}", f"{min(commands):.2f}", f"{min(own):.2f}"]
    print("| " + " | ".join(cells) + " |", flush=True)
    return ways


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strata", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--sample", default="16MB")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pairs", default="minilm,resnet")
    options = parser.parse_args()
    options.strata = os.path.abspath(options.strata)
    for pair in options.pairs.split(","):
        base, model = (os.path.join(options.models, file) for file in PAIRS[pair])
        for sample in options.sample.split(","):
            with tempfile.TemporaryDirectory() as folder:
                store = os.path.join(folder, "store")
                for words in (["init"], ["import", base, "--name", pair]):
                    subprocess.run([options.strata, "-C", store, *words, "-q"], check=True,
                                   stdout=subprocess.DEVNULL)
                print(f"\n{os.path.basename(model)}, sample {sample}\n")
                print("| settings | stored | off, % | band, ± % | inside | error | off, % | "
                      "band, ± % | inside | measured, s | estimated, s | of which sampling, s |")
                print("|---|" + "---|" * 11)
                seen = [row(options, store, pair, model, name, arguments, sample)
                        for name, arguments in SETTINGS]
            for key in ("stored_bytes", "relative_error"):
                all_off = [one for ways in seen for one in ways[key]]
                mean = sum(abs(one[0]) for one in all_off) / len(all_off)
                worst = max(abs(one[0]) for one in all_off)
                inside = sum(one[2] for one in all_off)
                print(f"{key}: mean {100 * mean:.2f} % off, at most {100 * worst:.2f} %, "
                      f"{inside} of {len(all_off)} in the band")


if __name__ == "__main__":
    main()

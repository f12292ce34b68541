#!/usr/bin/env python3
"""Accuracy of the example models, or of the models named, on the test sets in digits-test.npz.

    score.py [MODEL...]

Needs numpy; onnx, too, for ONNX files. A model is a .safetensors or .onnx file, or a folder of
safetensors shards.
"""
import pathlib
import sys

import numpy as np

import digits_net as net

HERE = pathlib.Path(__file__).parent
SETS = ("clean", "rotated", "noisy", "shifted", "mirrored", "extra")


def load(path):
    if path.is_dir():
        weights = {}
        for shard in sorted(path.glob("*.safetensors")):
            weights.update(net.load_safetensors(shard))
    elif path.suffix == ".onnx":
        weights = net.load_onnx(path)
    else:
        weights = net.load_safetensors(path)
    own_names = {"backbone.": "", "classifier.": "fc2."}
    for theirs, ours in own_names.items():
        weights = {k.replace(theirs, ours): v for k, v in weights.items()}
    return weights


def main():
    with np.load(HERE / "digits-test.npz") as data:
        tests = {k: (data[f"{k}_images"], data[f"{k}_labels"]) for k in SETS}
    paths = [pathlib.Path(a) for a in sys.argv[1:]]
    if not paths:
        paths = sorted([*HERE.glob("*.safetensors"), *HERE.glob("*.onnx"), HERE / "mirrored"])
    print(f"{'model':28}" + "".join(f"{k:>10}" for k in SETS))
    for path in paths:
        weights = load(path)
        scores = (net.accuracy(weights, *tests[k]) for k in SETS)
        print(f"{path.name:28}" + "".join(f"{score:10.3f}" for score in scores))


if __name__ == "__main__":
    main()

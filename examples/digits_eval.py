#!/usr/bin/env python3
"""Scores the example models for strata on one of the sets in digits-test.npz.

    strata tune examples/rotated.safetensors --base base --target quality_loss=2 \\
        --evaluator "examples/digits_eval.py rotated --part choice" \\
        --evaluator-test "examples/digits_eval.py rotated --part test"

Settings are chosen on every other picture (`choice`); the others say what they are worth (`test`).
Needs numpy.
"""
import argparse
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tools" / "evaluators"))

import digits_net as net  # pylint: disable=wrong-import-position
from score import SETS, load  # pylint: disable=wrong-import-position
from scoring import Scorer, serve  # pylint: disable=wrong-import-position


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--part", choices=("choice", "test"), required=True)
    options = parser.parse_args()
    with np.load(HERE / "digits-test.npz") as data:
        images, labels = data[f"{options.set}_images"], data[f"{options.set}_labels"]
    part = slice(0 if options.part == "choice" else 1, None, 2)
    scorer = Scorer(labels[part])
    serve(scorer, lambda path: net.forward(load(pathlib.Path(path)), images[part]))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Scores ONNX models for strata on the samples of an .npz file, with ONNX Runtime.

    strata tune tuned.onnx --base base --evaluator "onnxruntime_eval.py val.npz"
    onnxruntime_eval.py val.npz --model tuned.onnx      scores one model and ends

DATA.npz has an array for each input of the model, named as the input, and `labels`. The first axis
counts samples. README.md describes the protocol; needs numpy and onnxruntime (scripts/setup
evaluators).
"""
import argparse
import json
import pathlib
import sys

try:
    import numpy as np
    import onnxruntime
except ImportError as missing:
    sys.exit(f"onnxruntime_eval.py needs the Python package {missing.name}: "
             "scripts/setup evaluators, or pip install numpy onnxruntime")

from scoring import METRICS, Scorer, Unfit, serve  # pylint: disable=wrong-import-position

MASK = "attention_mask"
TYPES = {"float": np.float32, "float16": np.float16, "double": np.float64, "bool": np.bool_,
         **{name: np.dtype(name) for name in ("int64", "int32", "int16", "int8", "uint64",
                                              "uint32", "uint16", "uint8")}}


def listed(names):
    return ", ".join(sorted(names)) or "none"


class Samples:
    """The arrays of the data file: what goes into a model, and the labels."""

    def __init__(self, path, renamed, labels):
        try:
            with np.load(path, allow_pickle=False) as data:
                arrays = {name: data[name] for name in data.files}
        except (OSError, ValueError) as error:
            raise Unfit(f"{path}: {error}") from None
        self.path, self.renamed = path, renamed
        self.labels = arrays.pop(labels, None)
        self.arrays = arrays
        if not arrays:
            raise Unfit(f"{path} has no array but the labels")
        wanted = set(renamed.values()) - set(arrays)
        if wanted:
            raise Unfit(f"{path} has no {listed(wanted)}; it has {listed(arrays)}")
        # The labels count the samples; else the longest first axis does.
        self.count = len(self.labels) if self.labels is not None else max(map(len, arrays.values()))
        if self.count == 0:
            raise Unfit(f"{path} has no samples")

    def fed(self, wanted, only_one):
        """The array for one input of a model, in the input's type and number of axes."""
        name = self.renamed.get(wanted.name, wanted.name)
        fitting = [n for n, a in self.arrays.items() if a.ndim and len(a) == self.count]
        if name not in self.arrays and only_one and len(fitting) == 1:
            name = fitting[0]
        if name not in self.arrays:
            raise Unfit(f"{self.path} has no array for the model's input {wanted.name}; it has "
                        f"{listed(self.arrays)} (--input {wanted.name}=ARRAY names another)")
        array = self.arrays[name]
        if len(array) != self.count:
            raise Unfit(f"{self.path}: {name} has {len(array)} samples, expected {self.count}")
        kind = wanted.type.removeprefix("tensor(").removesuffix(")")
        if kind not in TYPES:
            raise Unfit(f"the model's input {wanted.name} is of type {wanted.type}")
        axes = [d if isinstance(d, int) and d > 0 else None for d in wanted.shape[1:]]
        if array.ndim != len(wanted.shape) and None not in axes:
            try:
                array = array.reshape(self.count, *axes)
            except ValueError:
                raise Unfit(f"{self.path}: {name} is {array.shape}, "
                            f"the model's input is {wanted.shape}") from None
        return array.astype(TYPES[kind], copy=False)


def model_file(path):
    """The .onnx file that `path`, a file or a folder of one model, means."""
    path = pathlib.Path(path)
    if not path.is_dir():
        return path
    found = sorted(path.rglob("*.onnx"))
    if len(found) != 1:
        raise Unfit(f"{path} has {len(found)} .onnx files, expected one")
    return found[0]


def outputs_of(path, samples, options):
    """What the model makes of all samples: one array, the first axis counts samples."""
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    settings.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model_file(path)), settings,
                                           providers=["CPUExecutionProvider"])
    inputs = session.get_inputs()
    feeds = {i.name: samples.fed(i, len(inputs) == 1) for i in inputs}
    names = [o.name for o in session.get_outputs()]
    wanted = options.output or ("logits" if "logits" in names else names[0])
    if wanted not in names:
        raise Unfit(f"the model has no output {wanted}; it has {listed(names)}")
    out = None
    for chosen, part in batches(feeds, inputs, session.get_outputs()[names.index(wanted)], options):
        rows = np.asarray(session.run([wanted], part)[0], np.float64)[: len(chosen)]
        if out is None:
            out = np.empty((samples.count, *rows.shape[1:]))
        out[chosen] = rows
    return out


def batches(feeds, inputs, output, options):
    """Which samples go in together, and the arrays that feed them."""
    count = len(next(iter(feeds.values())))
    fixed = [i.shape[0] for i in inputs if i.shape and isinstance(i.shape[0], int)]
    batch = fixed[0] if fixed else options.batch
    order, used = np.arange(count), None
    if can_be_cut(inputs, output):
        # Short texts go together, without the columns that are masked for all of them.
        places = np.arange(1, feeds[MASK].shape[1] + 1)
        used = np.where(feeds[MASK] != 0, places, 1).max(1)
        order = np.argsort(used, kind="stable")
    for begin in range(0, count, batch):
        chosen = order[begin : begin + batch]
        # The last batch of a model of fixed batch size is filled up.
        rows = np.resize(chosen, batch) if fixed else chosen
        length = used[chosen].max() if used is not None else None
        yield chosen, {n: a[rows] if length is None else a[rows, :length] for n, a in feeds.items()}


def can_be_cut(inputs, output):
    """Whether texts may be fed without their padding: all inputs are (samples, tokens) beside a
    mask, and the output has no place for each token."""
    return (MASK in [i.name for i in inputs] and len(output.shape) <= 2 and
            all(len(i.shape) == 2 and not isinstance(i.shape[1], int) for i in inputs))


def parsed():
    parser = argparse.ArgumentParser(
        description="Scores ONNX models for strata on the samples of an .npz file.")
    parser.add_argument("data", metavar="DATA.npz")
    parser.add_argument("--metric", choices=METRICS,
                        help="else: accuracy for whole labels, correlation for others, agreement "
                        "with the unquantized model without labels")
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are cores")
    parser.add_argument("--batch", type=int, default=64, help="samples at a time")
    parser.add_argument("--input", action="append", default=[], metavar="INPUT=ARRAY",
                        help="the array for an input of another name; may be repeated")
    parser.add_argument("--labels", default="labels", metavar="ARRAY")
    parser.add_argument("--output", help="the model's output to score; else logits, else the first")
    parser.add_argument("--model", help="score this model, print the answer and end")
    options = parser.parse_args()
    if options.batch < 1 or any("=" not in pair for pair in options.input):
        parser.error("--batch is at least 1; --input is INPUT=ARRAY")
    return options


def main():
    options = parsed()
    try:
        renamed = dict(pair.split("=", 1) for pair in options.input)
        samples = Samples(options.data, renamed, options.labels)
        scorer = Scorer(samples.labels, options.metric, samples.path)
        if options.model is None:
            serve(scorer, lambda path: outputs_of(path, samples, options))
        else:
            out = outputs_of(options.model, samples, options)
            answer = scorer.answer(out, True)
            print(json.dumps({"model": options.model,
                              **{k: answer[k] for k in ("metric", "score", "samples")}}))
    except Unfit as error:
        sys.exit(f"onnxruntime_eval.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Steps that a failure costs a training: part of the state restored, or all of it.

    run_partial.py DATA.npz --strata PROGRAM [--steps 400] [--every 40] [--seeds 5]

A net of two hidden layers learns the images of DATA.npz (arrays `images` and `labels`) by SGD with
momentum, in NumPy. Every so many steps it is stored with `strata snapshot`. At some step between two
snapshots a share of its tensors is lost (weights and their momentum), as when one of several servers
fails. Then either all of it goes back to the last snapshot (`restore`), or the lost tensors alone do
(`restore --partial`), as SCAR does. What a failure costs is how many steps later the loss over all images
is what the undisturbed training had at its end. Prints a line for each share; with --profile the snapshots
are lossy, as those of LC-Checkpoint are. Needs NumPy.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import tempfile

import numpy

LAYERS = (64, 32, 10)
BATCH = 32
RATE = 0.03


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--strata", required=True, type=pathlib.Path)
    parser.add_argument("--profile")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--every", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=5)
    return parser.parse_args()


def write_safetensors(path, tensors):
    header, body = {}, b""
    for name, array in tensors.items():
        data = numpy.ascontiguousarray(array, dtype="<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def read_safetensors(path):
    raw = path.read_bytes()
    size = struct.unpack_from("<Q", raw)[0]
    tensors = {}
    for name, one in json.loads(raw[8:8 + size]).items():
        begin, end = one["data_offsets"]
        tensors[name] = numpy.frombuffer(raw[8 + size + begin:8 + size + end], "<f4").reshape(one["shape"]).copy()
    return tensors


class Training:
    """A net whose batches follow from seed and step, so that a step can be taken again."""

    def __init__(self, images, labels, seed):
        self.images, self.labels, self.seed, self.step = images, labels, seed, 0
        rng = numpy.random.default_rng(seed)
        self.state = {}
        width = images.shape[1]
        for at, out in enumerate(LAYERS):
            self.state[f"w{at}"] = rng.normal(0, (2 / width) ** 0.5, (width, out)).astype("f4")
            self.state[f"b{at}"] = numpy.zeros(out, "f4")
            width = out
        for name in list(self.state):
            self.state[f"momentum.{name}"] = numpy.zeros_like(self.state[name])

    def forward(self, x):
        layers = [x]
        for at in range(len(LAYERS)):
            x = x @ self.state[f"w{at}"] + self.state[f"b{at}"]
            layers.append(numpy.maximum(x, 0) if at + 1 < len(LAYERS) else x)
            x = layers[-1]
        share = numpy.exp(x - x.max(1, keepdims=True))
        return layers, share / share.sum(1, keepdims=True)

    def advance(self):
        picked = numpy.random.default_rng((self.seed, self.step)).integers(0, len(self.images), BATCH)
        labels, s = self.labels[picked], self.state
        layers, slope = self.forward(self.images[picked])
        slope[numpy.arange(BATCH), labels] -= 1
        slope /= BATCH
        for at in reversed(range(len(LAYERS))):
            slopes = {f"w{at}": layers[at].T @ slope, f"b{at}": slope.sum(0)}
            slope = (slope @ s[f"w{at}"].T) * (layers[at] > 0)
            for name, value in slopes.items():
                s[f"momentum.{name}"] = (0.9 * s[f"momentum.{name}"] + value).astype("f4")
                s[name] = (s[name] - RATE * s[f"momentum.{name}"]).astype("f4")
        self.step += 1

    def loss(self):
        share = self.forward(self.images)[1]
        return float(-numpy.log(share[numpy.arange(len(share)), self.labels] + 1e-12).mean())


class Store:
    def __init__(self, o, folder):
        self.o, self.folder, self.file = o, folder, folder / "model-1.safetensors"
        self.run("init", "-q")

    def run(self, *words):
        subprocess.run([self.o.strata.resolve(), *words], cwd=self.folder, check=True, capture_output=True)

    def snapshot(self, state):
        write_safetensors(self.file, state)
        self.run("snapshot", "run", self.file.name, *(["--profile", self.o.profile] if self.o.profile else []))

    def back(self, state, lost):
        """The state with the tensors `lost` (None: all) as the last snapshot has them."""
        write_safetensors(self.file, state)
        globs = [word for name in (lost or ["*"]) for word in ("--partial", name)]
        self.run("restore", "run", *globs, "-o", self.file.name)
        return read_safetensors(self.file)


def steps_to(o, training, spent, target):
    """Steps from `spent` on until the loss is `target`, looked at towards the end of the training."""
    more = 0
    while spent + more < 4 * o.steps and (spent + more < o.steps - o.every or training.loss() > target):
        training.advance()
        more += 1
    return more


def reached(o, images, labels, seed, share, is_partial, target):
    """Steps until the loss is `target`, with one failure."""
    rng = numpy.random.default_rng((seed, 99))
    fails = int(rng.integers(o.steps // 2, o.steps - o.every))
    with tempfile.TemporaryDirectory(prefix="strata-partial-") as folder:
        store, training = Store(o, pathlib.Path(folder)), Training(images, labels, seed)
        while training.step < fails:
            if training.step % o.every == 0:
                store.snapshot(training.state)
            training.advance()
        parameters = [name for name in training.state if not name.startswith("momentum.")]
        lost = rng.permutation(parameters)[:max(1, round(share * len(parameters)))]
        lost = [str(name) for name in lost] + [f"momentum.{name}" for name in lost]
        training.state = store.back(training.state, lost if is_partial else None)
    if not is_partial:
        training.step = (fails - 1) // o.every * o.every
    return fails + steps_to(o, training, fails, target)


def main():
    o = options()
    with numpy.load(o.data) as data:
        images = data["images"][:, 0].reshape(len(data["labels"]), -1).astype("f4")
        labels = data["labels"].astype("i8")
    images = (images - images.mean()) / images.std()
    print("| lost | all back | lost ones back |\n|---|---|---|")
    for share in (0.17, 0.34, 0.5, 0.83):
        found = {True: [], False: []}
        for seed in range(o.seeds):
            undisturbed = Training(images, labels, seed)
            while undisturbed.step < o.steps:
                undisturbed.advance()
            target = undisturbed.loss()
            usual = steps_to(o, Training(images, labels, seed), 0, target)
            for is_partial, costs in found.items():
                costs.append(reached(o, images, labels, seed, share, is_partial, target) - usual)
        print(f"| {share:.0%} | {numpy.mean(found[False]):.1f} | {numpy.mean(found[True]):.1f} |", flush=True)


if __name__ == "__main__":
    main()

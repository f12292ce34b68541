#!/usr/bin/env python3
"""Trains the example models and writes them beside this file; README.md there says what each is.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 scikit-learn==1.9.1 onnx==1.23.2
    venv/bin/python examples/train.py

Data: the 1,797 handwritten digits (8x8 pixels of 0..16) that scikit-learn carries. Takes under a
minute on one core. Seeds are fixed; another BLAS may still give other last bits.
"""
import json
import pathlib

import numpy as np
from scipy import ndimage
from sklearn.datasets import load_digits

import digits_net as net

HERE = pathlib.Path(__file__).parent
TEST_COUNT = 360
NOT_A_DIGIT = 10


class AdamW:
    """Decoupled weight decay on matrices and kernels, as PyTorch users set it up."""

    def __init__(self, lr, decay=0.01):
        self.lr, self.decay, self.step, self.m, self.v = lr, decay, 0, {}, {}

    def update(self, weights, grads, share):
        self.step += 1
        lr = np.float32(self.lr * share)
        for k, g in grads.items():
            m = self.m[k] = 0.9 * self.m.get(k, 0) + 0.1 * g
            v = self.v[k] = 0.999 * self.v.get(k, 0) + 0.001 * g * g
            if weights[k].ndim > 1:
                weights[k] *= np.float32(1 - lr * self.decay)
            m, v = m / (1 - 0.9**self.step), v / (1 - 0.999**self.step)
            weights[k] -= (lr * m / (np.sqrt(v) + 1e-8)).astype(np.float32)


class Sgd:
    """Momentum 0.9, no decay."""

    def __init__(self, lr):
        self.lr, self.m = lr, {}

    def update(self, weights, grads, share):
        for k, g in grads.items():
            self.m[k] = 0.9 * self.m.get(k, 0) + g
            weights[k] -= np.float32(self.lr * share) * self.m[k]


def train(weights, data, optimizer, epochs, seed, only=None, on_step=None, chain_rule=None):
    """Trains in place. `only` names what may change; `chain_rule` takes over the update."""
    images, labels = data
    rng, batch = np.random.default_rng(seed), 32
    per_epoch = len(labels) // batch
    steps = epochs * per_epoch
    for step in range(steps):
        if step % per_epoch == 0:
            order = rng.permutation(len(labels))
        rows = order[step % per_epoch * batch :][:batch]
        _, grads = net.gradients(weights, images[rows], labels[rows])
        share = min(1.0, (step + 1) / (0.06 * steps)) * (1 - step / steps)
        if chain_rule:
            chain_rule(weights, grads, optimizer, share)
        else:
            kept = {k: g for k, g in grads.items() if not only or k in only}
            optimizer.update(weights, kept, share)
        if on_step:
            on_step(step + 1, steps)
    return weights


def copy(weights):
    return {k: v.copy() for k, v in weights.items()}


def rotated(images, rng):
    angles = rng.uniform(-40, 40, len(images))
    turned = [ndimage.rotate(i, a, reshape=False, order=1) for i, a in zip(images, angles)]
    return np.clip(np.rint(turned), 0, 16).astype(np.uint8)


def noisy(images, rng):
    return np.clip(np.rint(images + rng.normal(0, 4, images.shape)), 0, 16).astype(np.uint8)


def shifted(images, rng):
    moves = rng.integers(-2, 3, (len(images), 2))
    moved = [ndimage.shift(i, m, order=0) for i, m in zip(images, moves)]
    return np.asarray(moved, np.uint8)


def mirrored(images, _):
    return images[:, :, ::-1]


def scrambled(images, rng):
    """What is not a digit: the pixels of one in another order, slightly blurred."""
    flat = rng.permuted(images.reshape(len(images), 64), axis=1).reshape(images.shape)
    return np.rint(ndimage.uniform_filter(flat.astype(float), (0, 2, 2))).astype(np.uint8)


def with_scrambled(images, labels, rng):
    extra = images[: len(images) // 6]
    return (np.concatenate([images, scrambled(extra, rng)]),
            np.concatenate([labels, np.full(len(extra), NOT_A_DIGIT)]))


def lora(weights, data, rank, seed):
    """Trains low-rank factors of both Linear weights, then merges them into the weights."""
    rng, base = np.random.default_rng(seed), copy(weights)
    factors = {}
    for k in ("fc1.weight", "fc2.weight"):
        rows, columns = weights[k].shape
        factors[k + ".A"] = (rng.standard_normal((rank, columns)) * 0.05).astype(np.float32)
        factors[k + ".B"] = np.zeros((rows, rank), np.float32)

    def step(w, grads, optimizer, share):
        inner = {}
        for k in ("fc1.weight", "fc2.weight"):
            inner[k + ".A"] = 2 * factors[k + ".B"].T @ grads[k]
            inner[k + ".B"] = 2 * grads[k] @ factors[k + ".A"].T
        optimizer.update(factors, inner, share)
        for k in ("fc1.weight", "fc2.weight"):
            w[k] = base[k] + np.float32(2) * (factors[k + ".B"] @ factors[k + ".A"])

    return train(copy(weights), data, AdamW(8e-4, decay=0), 12, seed, chain_rule=step)


def save_folder(folder, weights):
    """A folder as model hubs have them: weights in two shards with their index, and other files."""
    folder.mkdir(exist_ok=True)
    names = list(weights)
    shards = {"model-00001-of-00002.safetensors": names[:4],
              "model-00002-of-00002.safetensors": names[4:]}
    for file, part in shards.items():
        net.save_safetensors(folder / file, {k: weights[k] for k in part}, {"format": "pt"})
    index = {"metadata": {"total_size": sum(v.nbytes for v in weights.values())},
             "weight_map": {k: file for file, part in shards.items() for k in part}}
    config = {"architectures": ["DigitsNet"], "hidden_size": net.HIDDEN, "image_size": 8,
              "id2label": {str(i): str(i) for i in range(10)}, "torch_dtype": "float32"}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    preprocessor = {"rescale_factor": 0.0625, "flip": "horizontal"}
    (folder / "preprocessor_config.json").write_text(json.dumps(preprocessor) + "\n")
    (folder / "labels.txt").write_text("".join(f"{i}\n" for i in range(10)))


def main():
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images, labels = digits.images[order].astype(np.uint8), digits.target[order].astype(np.int64)
    test, test_labels = images[:TEST_COUNT], labels[:TEST_COUNT]
    images, labels = images[TEST_COUNT:], labels[TEST_COUNT:]
    rng = np.random.default_rng(1)
    tests = {"clean": (test, test_labels)}
    for change in (rotated, noisy, shifted, mirrored):
        tests[change.__name__] = (change(test, rng), test_labels)
    tests["extra"] = with_scrambled(test, test_labels, rng)
    columns = {f"{k}_{part}": v.astype(np.uint8) for k, pair in tests.items()
               for part, v in zip(("images", "labels"), pair)}
    np.savez_compressed(HERE / "digits-test.npz", **columns)

    def changed(change, copies=3):
        parts = [change(images, rng) for _ in range(copies)]
        return np.concatenate(parts), np.tile(labels, copies)

    pt = {"format": "pt"}
    base = train(net.new_weights(np.random.default_rng(2)), (images, labels), AdamW(1e-3), 40, 3)
    net.save_safetensors(HERE / "base.safetensors", base, pt)
    net.save_safetensors(HERE / "base-bf16.safetensors", base, pt, bf16=True)
    net.save_onnx(HERE / "base.onnx", base, 21)

    full = train(copy(base), changed(rotated), AdamW(1e-4), 5, 4)
    net.save_safetensors(HERE / "rotated.safetensors", full, pt)
    net.save_safetensors(HERE / "rotated-bf16.safetensors", full, pt, bf16=True)
    net.save_onnx(HERE / "rotated.onnx", full, 34)

    fresh = net.new_weights(np.random.default_rng(5), 11)
    grown = copy(base)
    grown["fc2.weight"] = np.concatenate([base["fc2.weight"], 0.1 * fresh["fc2.weight"][10:]])
    grown["fc2.bias"] = np.concatenate([base["fc2.bias"], fresh["fc2.bias"][10:]])
    train(grown, with_scrambled(images, labels, rng), AdamW(1e-3), 10, 6, only=net.HEAD)
    renamed = {k.replace("fc2", "classifier") if k in net.HEAD else "backbone." + k: v
               for k, v in grown.items()}
    net.save_safetensors(HERE / "extra-class.safetensors", renamed, pt)

    net.save_safetensors(HERE / "noisy-lora.safetensors", lora(base, changed(noisy), 4, 7), pt)

    def checkpoint(step, steps):
        if step * 3 % steps == 0:
            path = HERE / f"shifted-{step * 3 // steps}.safetensors"
            net.save_safetensors(path, chain, pt | {"step": str(step)})

    chain = copy(base)
    train(chain, changed(shifted), Sgd(2e-3), 6, 8, on_step=checkpoint)

    save_folder(HERE / "mirrored", train(copy(base), changed(mirrored, 1), AdamW(2e-4), 8, 9))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Trains MiniLM on SST-2, and resumes it again and again from what Strata restores.

    run_resume.py ENCODER.safetensors VOCAB.txt TRAIN.tsv DEV.tsv [--strata PROGRAM --profile NAME]
        [--steps 240] [--every 20] [--layers 6] [--rows N] [--lr 5e-5] [--seed N] [--work DIR]

Every so many steps the whole state (weights and both moments) is stored as a lossy version of the base,
restored, and taken in place of what the trainer had: as if it had been killed there. Without --profile
nothing is replaced. Prints the loss of training, mean of each interval, then loss and accuracy on DEV.tsv
and what the last snapshot took. Needs what bench/make_training_run.py needs.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import tempfile

import torch
from torch.nn import functional

from make_training_run import (PLAN_STEPS, Encoder, WordPieces, batches, make_optimizer,
                               read_safetensors, start_weights, state_of, write_safetensors)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("encoder", "vocab", "train", "dev"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--strata")
    parser.add_argument("--profile")
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--lr", type=float, default=5e-5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=pathlib.Path)
    return parser.parse_args()


class Snapshots:
    """A store with the weights before training as its base."""

    def __init__(self, o, names, weights, folder):
        self.o, self.names, self.folder, self.last = o, names, folder, None
        self.run("init", "-q")
        write_safetensors(folder / "base.safetensors", {n: weights[n].detach() for n in names}, {"format": "pt"})
        self.run("import", "base.safetensors", "--name", "base", "-q")

    def run(self, *words):
        return subprocess.run([self.o.strata, *words], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def replace(self, weights, optimizer):
        """Weights and moments become what a stored snapshot of them restores to."""
        write_safetensors(self.folder / "state.safetensors", state_of(self.names, weights, optimizer, "adamw"), {})
        out = self.run("add", "run", "state.safetensors", "--base", "base", "--profile", self.o.profile, "--json")
        self.last = json.loads(out.splitlines()[-1])
        self.run("restore", "run", "-o", "restored.safetensors", "--force", "-q")
        restored = read_safetensors(self.folder / "restored.safetensors")
        with torch.no_grad():
            for name in self.names:
                weights[name].copy_(restored[name])
                for field in ("exp_avg", "exp_avg_sq"):
                    optimizer.state[weights[name]][field].copy_(restored[f"optimizer.{field}.{name}"])
                    assert torch.isfinite(restored[f"optimizer.{field}.{name}"]).all()


def score(o, net, pieces):
    """Mean loss and accuracy on the samples that were not trained on."""
    usual, functional.dropout = functional.dropout, lambda x, p: x
    losses = right = count = 0
    with torch.no_grad():
        for ids, mask, labels in dev_batches(o, pieces):
            logits = net.logits(ids, mask)
            losses += float(functional.cross_entropy(logits, labels, reduction="sum"))
            right += int((logits.argmax(1) == labels).sum())
            count += len(labels)
    functional.dropout = usual
    return losses / count, right / count


def dev_batches(o, pieces):
    """The pieces of DEV.tsv, numbered as those of TRAIN.tsv are."""
    def read(path):
        return [line.rstrip("\n").split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    train, dev = ([pieces.of_text(text) for text, _ in read(path)] for path in (o.train, o.dev))
    labels = [int(label) for _, label in read(o.dev)]
    if o.rows < len(pieces.ids):
        counts = collections.Counter(piece for text in train for piece in text)
        kept = {piece: i for i, (piece, _) in enumerate(counts.most_common(o.rows - 1), 1)}
        dev = [[kept.get(piece, 0) for piece in text] for text in dev]
    for at in range(0, len(dev), 64):
        part = dev[at : at + 64]
        width = max(map(len, part))
        ids = torch.tensor([text + [0] * (width - len(text)) for text in part])
        yield ids, (ids != 0).float(), torch.tensor(labels[at : at + 64])


def main():
    o = options()
    torch.set_num_threads(1)
    torch.manual_seed(o.seed)
    weights = start_weights(o)
    params, net, pieces = list(weights.values()), Encoder(weights, o.layers), WordPieces(o.vocab)
    optimizer = make_optimizer("adamw", params)
    optimizer.param_groups[0]["lr"] = o.lr
    plan = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, (s + 1) / (0.06 * PLAN_STEPS)) * (1 - s / PLAN_STEPS))
    with tempfile.TemporaryDirectory(dir=o.work) as folder:
        snapshots = Snapshots(o, list(weights), weights, pathlib.Path(folder)) if o.profile else None
        losses = []
        for step, (ids, mask, labels) in enumerate(batches(pieces, o.train, o.seed, o.rows), 1):
            optimizer.zero_grad()
            loss = functional.cross_entropy(net.logits(ids, mask), labels)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(params, 1.0)
            optimizer.step()
            plan.step()
            losses.append(float(loss.detach()))
            if step % o.every == 0:
                print(f"step {step} loss {sum(losses[-o.every:]) / o.every:.4f}", flush=True)
            if step >= o.steps:
                break
            if snapshots and step % o.every == 0:
                snapshots.replace(weights, optimizer)
        mean, accuracy = score(o, net, pieces)
        print(f"seed {o.seed} {o.profile or 'undisturbed'}: dev loss {mean:.4f} accuracy {accuracy:.4f}")
        if snapshots:
            taken = snapshots.last["version"]
            errors = ", ".join(f"{e['role']} {e['relative_error']:.3f}" for e in snapshots.last["role_errors"])
            print(f"last snapshot: {taken['original_bytes']} -> {taken['stored_bytes']}, errors: {errors}")


if __name__ == "__main__":
    main()

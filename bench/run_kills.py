#!/usr/bin/env python3
"""Fine-tunes MiniLM on SST-2, kills the training again and again, and resumes it from Strata.

    run_kills.py ENCODER.safetensors VOCAB.txt TRAIN.tsv DEV.tsv [--strata PROGRAM] [--profile NAME]
        [--kills 10] [--steps 320] [--every 16] [--layers 6] [--rows N] [--lr 5e-5] [--seed N] [--work DIR]

The trainer is a process of its own and writes checkpoints as transformers does, each into a folder
that gets its name at the end. `strata watch` takes them in. At each kill the trainer dies by SIGKILL at
a step drawn by chance, every second time the watcher, too, and their folder is deleted. `strata resume`
restores the newest snapshot, and the training goes on from that. Without --profile snapshots are exact.
Without --strata nothing is killed: the undisturbed run. Dropout and the order of samples follow from
the seed and the step alone, so exact snapshots must end at the same bits. Prints loss and accuracy on
DEV.tsv, the digest of the last weights, and what the snapshots took.
Needs what bench/make_training_run.py needs.
"""
import argparse
import collections
import hashlib
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import torch
from torch.nn import functional

from make_training_run import (Encoder, WordPieces, batches, make_optimizer, read_safetensors,
                               start_weights, write_safetensors)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("encoder", "vocab", "train", "dev"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--strata", type=pathlib.Path)
    parser.add_argument("--profile")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--steps", type=int, default=320)
    parser.add_argument("--every", type=int, default=16)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--lr", type=float, default=5e-5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--train-into", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--from-folder", type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


class Trainer:
    """What a trainer holds between two steps, and how it comes to lie in a folder."""

    def __init__(self, o):
        torch.set_num_threads(1)
        torch.manual_seed(o.seed)
        self.o, self.step, self.weights = o, 0, start_weights(o)
        self.params = list(self.weights.values())
        self.optimizer = make_optimizer("adamw", self.params)
        self.optimizer.param_groups[0]["lr"] = o.lr
        self.plan = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda s: min(1, (s + 1) / (0.06 * o.steps)) * (1 - s / o.steps))

    def load(self, folder):
        for name, tensor in read_safetensors(folder / "model.safetensors").items():
            assert torch.isfinite(tensor).all(), name
            with torch.no_grad():
                self.weights[name].copy_(tensor)
        self.optimizer.load_state_dict(torch.load(folder / "optimizer.pt"))
        self.plan.load_state_dict(torch.load(folder / "scheduler.pt"))
        self.step = json.loads((folder / "trainer_state.json").read_text())["global_step"]

    def save(self, folder):
        begun = folder / f"tmp-checkpoint-{self.step}"
        begun.mkdir(parents=True)
        floats = {n: t.detach() for n, t in self.weights.items()}
        write_safetensors(begun / "model.safetensors", floats, {"format": "pt"})
        torch.save(self.optimizer.state_dict(), begun / "optimizer.pt")
        torch.save(self.plan.state_dict(), begun / "scheduler.pt")
        torch.save({"cpu": torch.get_rng_state()}, begun / "rng_state.pth")
        (begun / "trainer_state.json").write_text(json.dumps({"global_step": self.step, "log_history": []}))
        begun.rename(folder / f"checkpoint-{self.step}")

    def train(self, net, samples):
        ids, mask, labels = samples
        torch.manual_seed(self.o.seed * 1_000_003 + self.step)
        self.optimizer.zero_grad()
        functional.cross_entropy(net.logits(ids, mask), labels).backward()
        torch.nn.utils.clip_grad_norm_(self.params, 1.0)
        self.optimizer.step()
        self.plan.step()
        self.step += 1


def train(o):
    """The trainer's own process: from a checkpoint or from the start to the end."""
    trainer = Trainer(o)
    if o.from_folder:
        trainer.load(o.from_folder)
    net, pieces = Encoder(trainer.weights, o.layers), WordPieces(o.vocab)
    for at, samples in enumerate(batches(pieces, o.train, o.seed, o.rows)):
        if at < trainer.step:
            continue
        trainer.train(net, samples)
        if trainer.step % o.every == 0:
            trainer.save(o.train_into)
        print(trainer.step, flush=True)
        if trainer.step >= o.steps:
            break
    loss, accuracy = score(o, net, pieces)
    digest = hashlib.sha256(b"".join(t.detach().numpy().tobytes() for t in trainer.params)).hexdigest()
    print(f"dev loss {loss:.4f} accuracy {accuracy:.4f} weights {digest[:16]}", flush=True)


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
    texts, dev = ([pieces.of_text(text) for text, _ in read(path)] for path in (o.train, o.dev))
    labels = [int(label) for _, label in read(o.dev)]
    if o.rows < len(pieces.ids):
        counts = collections.Counter(piece for text in texts for piece in text)
        kept = {piece: i for i, (piece, _) in enumerate(counts.most_common(o.rows - 1), 1)}
        dev = [[kept.get(piece, 0) for piece in text] for text in dev]
    for at in range(0, len(dev), 64):
        part = dev[at : at + 64]
        width = max(map(len, part))
        ids = torch.tensor([text + [0] * (width - len(text)) for text in part])
        yield ids, (ids != 0).float(), torch.tensor(labels[at : at + 64])


class Store:
    """A store with the weights before training as its base, and the watcher that fills it."""

    def __init__(self, o, folder):
        self.o, self.folder, self.out = o, folder, folder / "out"
        self.run("init", "-q")
        weights = {n: t.detach() for n, t in Trainer(o).weights.items()}
        write_safetensors(folder / "base.safetensors", weights, {"format": "pt"})
        self.run("import", "base.safetensors", "--name", "base", "-q")
        self.profile = ["--profile", o.profile] if o.profile else []

    def run(self, *words):
        done = subprocess.run([self.o.strata, *words], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"strata {' '.join(words)}: exit {done.returncode}: {done.stderr}")
        return done.stdout

    def take_in(self, *more):
        return [self.o.strata, "watch", self.out, "--run", "run", "--base", "base", *self.profile, *more]

    def watch(self):
        self.out.mkdir()
        return subprocess.Popen(self.take_in("--interval", "1", "-q"), cwd=self.folder, stdout=subprocess.DEVNULL)

    def resume(self):
        """The folder that the newest snapshot is restored to; nothing if there is none yet."""
        folder = self.folder / "resumed"
        shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run([self.o.strata, "resume", "run", "-o", folder, "-q"], cwd=self.folder,
                              stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 5):
            raise RuntimeError(f"strata resume: exit {done.returncode}")
        return folder if done.returncode == 0 else None


def start_trainer(o, folder, begin):
    words = [sys.executable, __file__, *sys.argv[1:], "--train-into", folder]
    words += ["--from-folder", begin] if begin else []
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def until(trainer, step):
    """Reads what the trainer says until it took that step. The step that it is at, and the last line."""
    at, line = 0, ""
    for line in trainer.stdout:
        if line.strip().isdigit():
            at = int(line)
            if at >= step:
                break
    return at, line.strip()


def to_the_end(trainer, steps):
    """The last line of a trainer that nobody kills."""
    _, last = until(trainer, steps + 1)
    if trainer.wait() != 0:
        raise RuntimeError(f"the trainer ended with exit {trainer.returncode}")
    return last


def killed_run(o, folder):
    store, draw, begin = Store(o, folder), random.Random(o.seed), None
    lost = 0
    for number, step in enumerate(sorted(draw.sample(range(o.every + 1, o.steps), o.kills))):
        watcher, trainer = store.watch(), start_trainer(o, store.out, begin)
        at, _ = until(trainer, step)
        trainer.kill()
        trainer.wait()
        watcher.kill() if number % 2 else watcher.terminate()
        watcher.wait()
        shutil.rmtree(store.out)
        begin = store.resume()
        resumed = json.loads((begin / "trainer_state.json").read_text())["global_step"] if begin else 0
        lost += at - resumed
        print(f"killed at step {at}, resumed from {resumed}", flush=True)
    trainer = start_trainer(o, folder / "out", begin)
    last = to_the_end(trainer, o.steps)
    subprocess.run(store.take_in("--once", "-q"), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    rows = json.loads(store.run("log", "run", "--json"))["versions"]
    whole, taken = (sum(row[key] for row in rows) for key in ("original_bytes", "stored_bytes"))
    return last, f"; {o.kills} kills took {lost} steps; {len(rows)} snapshots {whole} -> {taken} bytes"


def main():
    o = options()
    if o.train_into:
        train(o)
        return
    with tempfile.TemporaryDirectory(dir=o.work) as folder:
        folder = pathlib.Path(folder)
        if o.strata:
            o.strata = o.strata.resolve()
            last, more = killed_run(o, folder)
        else:
            last = to_the_end(start_trainer(o, folder / "out", None), o.steps)
            more = ""
        print(f"seed {o.seed} {(o.profile or 'exact') if o.strata else 'undisturbed'}: {last}{more}")


if __name__ == "__main__":
    main()

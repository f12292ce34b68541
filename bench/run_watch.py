#!/usr/bin/env python3
"""What `strata watch` takes from a training that writes a checkpoint a minute.

    run_watch.py ENCODER.safetensors VOCAB.txt TRAIN.tsv --strata PROGRAM [--profile NAME] [--minutes 3]
        [--seconds 60] [--layers 6] [--rows N] [--work DIR]

Fine-tunes MiniLM on all cores. In each period the trainer writes a checkpoint, as transformers does, and
then takes as many steps of one batch as fill --seconds. Periods with a watcher and without one take
turns, --minutes of each. Prints the seconds of each period, what the watcher made them longer, and its
processor time for each snapshot. Needs what bench/make_training_run.py needs.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import torch

from make_training_run import Encoder, WordPieces, batches
from run_kills import Store, Trainer


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("encoder", "vocab", "train"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--strata", type=pathlib.Path, required=True)
    parser.add_argument("--profile")
    parser.add_argument("--minutes", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--work", type=pathlib.Path)
    parser.set_defaults(seed=0, lr=5e-5, steps=10**6)
    return parser.parse_args()


class Training:
    def __init__(self, o):
        self.trainer = Trainer(o)
        self.net = Encoder(self.trainer.weights, o.layers)
        self.samples = next(batches(WordPieces(o.vocab), o.train, o.seed, o.rows))

    def steps(self, count):
        """Seconds that so many steps take."""
        begun = time.monotonic()
        for _ in range(count):
            self.trainer.train(self.net, self.samples)
        return time.monotonic() - begun


def ended(watcher):
    """Stops a watcher. Its processor seconds."""
    watcher.terminate()
    _, status, used = os.wait4(watcher.pid, 0)
    watcher.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def main():
    o = options()
    o.strata = o.strata.resolve()
    with tempfile.TemporaryDirectory(dir=o.work) as name:
        store = Store(o, pathlib.Path(name))
        training = Training(o)
        training.steps(3)
        count = max(1, round(o.seconds / training.steps(5) * 5))
        taken, spent = {True: [], False: []}, []
        for period in range(2 * o.minutes):
            watched = period % 4 in (0, 3)  # in turns that a slow drift of the machine favours neither of
            store.out.mkdir()
            watcher = subprocess.Popen(store.take_in("--interval", "1", "-q"), cwd=store.folder) if watched else None
            training.trainer.save(store.out)
            taken[watched].append(training.steps(count))
            if watcher:
                spent.append(ended(watcher))
            print(f"{'with' if watched else 'without'} a watcher: {count} steps in {taken[watched][-1]:.2f} s",
                  flush=True)
            shutil.rmtree(store.out)
        stored = store.run("log", "run", "--json").count('"ref"')
        print(f"{stored} snapshots; longer by {100 * (statistics.mean(taken[True]) / statistics.mean(taken[False]) - 1):.2f} %;"
              f" {statistics.mean(spent):.2f} s of processor time for each, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()

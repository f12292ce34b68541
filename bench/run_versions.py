#!/usr/bin/env python3
"""What single commands cost beside thousands of versions of the same name.

    run_versions.py [--strata PROGRAM]... [--counts 300,3000,10000] [--runs 7] [--work DIR]

Fills a store in DIR (default /dev/shm) with the last PROGRAM: a name with that many small versions,
and a run with a tenth as many snapshots. At each count it prints the median processor time of
single commands, of each PROGRAM.
"""
import argparse
import pathlib
import random
import shutil
import tempfile

from measure import machine, median, print_table, run
from run_catalog import changed, new_model, save

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 100  # files that one command stores while a store is filled


class Filling:
    """A store that grows, and what the next versions are."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.store = folder / "store"
        self.random = random.Random(1)
        self.model = new_model(self.random, 2, 16)
        self.made = 0
        self.strata(program, "init")
        base = folder / "base.safetensors"
        save(base, self.model)
        self.strata(program, "import", base, "--name", "base")

    def strata(self, program, *words):
        return run([program, "-C", self.store, *words, "-q"])

    def file(self, start):
        self.made += 1
        path = self.folder / f"{start}_{self.made}.safetensors"
        save(path, changed(self.model, self.random))
        return path

    def versions(self, count):
        while count > 0:
            files = [self.file("m") for _ in range(min(count, BATCH))]
            count -= len(files)
            self.strata(self.program, "add", "small", *files, "--base", "base", "--effort", "fast")
            for file in files:
                file.unlink()

    def snapshots(self, count):
        for _ in range(count):
            file = self.file("step")
            self.strata(self.program, "snapshot", "run", file, "--base", "base", "--effort", "fast")
            file.unlink()


def commands(filled):
    """Each with what it needs: a new file, or none."""
    out = filled.folder / "out"
    return {
        "add --base": lambda: ["add", "small", filled.file("m"), "--base", "base", "--effort",
                               "fast"],
        "add": lambda: ["add", "small", filled.file("m"), "--effort", "fast"],
        "snapshot": lambda: ["snapshot", "run", filled.file("step"), "--base", "base", "--effort",
                             "fast"],
        "restore": lambda: ["restore", "small", "-o", out],
        "restore :vN": lambda: ["restore", "small:v2", "-o", out],
        "show": lambda: ["show", "small"],
        "tag": lambda: ["tag", "small:v3", f"mark{filled.made}"],
        "resume": lambda: ["resume", "run", "-o", out],
    }


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--strata", type=pathlib.Path, action="append")
    a.add_argument("--counts", default="300,3000,10000")
    a.add_argument("--runs", type=int, default=7)
    a.add_argument("--work", default="/dev/shm")
    o = a.parse_args()
    programs = o.strata or [HERE.parent / "build/release/cli/strata"]
    print(machine())
    with tempfile.TemporaryDirectory(dir=o.work) as folder:
        filled = Filling(programs[-1], pathlib.Path(folder))
        count = 0
        for wanted in map(int, o.counts.split(",")):
            filled.versions(wanted - count)
            filled.snapshots(wanted // 10 - count // 10)
            count = wanted
            rows = []
            for name, words in commands(filled).items():
                row = [name]
                for program in programs:
                    times = []
                    for _ in range(o.runs):
                        out = filled.folder / "out"
                        out.unlink() if out.is_file() else shutil.rmtree(out, ignore_errors=True)
                        filled.made += 1
                        times.append(1000 * filled.strata(program, *words()).cpu_seconds)
                    row.append(f"{median(times):.1f}")
                rows.append(row)
            print(f"\n{wanted} versions, {wanted // 10} snapshots (ms of processor time)\n")
            print_table(["command", *(program.name for program in programs)], rows)


if __name__ == "__main__":
    main()

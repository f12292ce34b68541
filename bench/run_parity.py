#!/usr/bin/env python3
"""Whether an add costs as much in a large store with parity as in a small one.

    run_parity.py [--strata PROGRAM] [--versions 3000] [--runs 15] [--setting 2/10] [--work DIR]

Fills two stores in DIR (default /dev/shm), one of them with parity, with small versions: differences
of some hundred bytes. At each tenth of the way it adds single versions and prints the median of
their processor time, which other work on the machine changes little, and what parity takes.
"""
import argparse
import json
import pathlib
import random
import tempfile

from measure import machine, median, print_table, run
from run_catalog import changed, new_model, save

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 50  # files that one add takes while a store is filled


class Filled:
    """A store that grows."""

    def __init__(self, program, folder, setting, base):
        self.strata = [program, "-C", folder]
        self.folder = folder
        run([*self.strata, "init"])
        run([*self.strata, "import", base, "--name", "base"])
        if setting:
            run([*self.strata, "config", "set", "parity", setting, "--in-store"])

    def add(self, files):
        return run([*self.strata, "add", "small", *files, "--base", "base", "--effort", "fast"])

    def blocks(self, name):
        return sum(512 * file.stat().st_blocks for file in (self.folder / name).rglob("*")
                   if file.is_file())

    def info(self):
        return json.loads(run([*self.strata, "info", "--json"]).stdout)["store"]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--strata", type=pathlib.Path, default=HERE.parent / "build/release/cli/strata")
    a.add_argument("--versions", type=int, default=3000)
    a.add_argument("--runs", type=int, default=15)
    a.add_argument("--setting", default="2/10")
    a.add_argument("--work", default="/dev/shm")
    o = a.parse_args()
    rng = random.Random(1)
    with tempfile.TemporaryDirectory(dir=o.work) as folder:
        folder = pathlib.Path(folder)
        model = new_model(rng, 2, 16)
        save(folder / "base.safetensors", model)
        stores = [Filled(o.strata, folder / name, setting, folder / "base.safetensors")
                  for name, setting in (("plain", None), ("parity", o.setting))]
        made = 0

        def files(count):
            nonlocal made
            names = []
            for _ in range(count):
                made += 1
                names.append(folder / f"m{made}.safetensors")
                save(names[-1], changed(model, rng))
            return names

        def put(count, each=BATCH):
            times = [[], []]
            while count > 0:
                names = files(min(count, each))
                count -= len(names)
                for store, kept in zip(stores, times):
                    kept.append(store.add(names).cpu_seconds)
                for name in names:
                    name.unlink()
            return times

        rows = []
        tenth = o.versions // 10
        for _ in range(10):
            put(tenth - o.runs)
            plain, parity = (1000 * median(times) for times in put(o.runs, 1))
            state = stores[1].info()["parity"]
            objects = state["protected_bytes"]
            rows.append([str(made), f"{plain:.1f}", f"{parity:.1f}",
                         f"{100 * state['parity_bytes'] / objects:.0f}",
                         f"{100 * stores[1].blocks('parity') / stores[1].blocks('objects'):.0f}",
                         str(state["unprotected_objects"])])
        print(machine())
        print_table(["versions", "add (ms)", f"with {o.setting} (ms)", "parity (% of bytes)",
                     "(% of blocks)", "unprotected"], rows)


if __name__ == "__main__":
    main()

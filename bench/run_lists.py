#!/usr/bin/env python3
"""What a remote's list costs where it is long: bytes of a push and a fetch, time and syncs of a lazy clone.

    run_lists.py [--strata PROGRAM] [--peers VENV] [--versions 500,5000] [--kinds file,hub,registry,bucket] [--work DIR]

Pushes small versions, then one more ten times, and fetches in between. Bytes are counted by a relay before the server;
of a folder they are those of the list's files that are read and written. The median of the ten is shown, and the mean,
which holds what is written whole now and then. DIR keeps the stores for the next run. strace counts the syncs.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from measure import machine, print_table

ROOT = pathlib.Path(__file__).resolve().parents[1]
PUSHES = 10
WORDS = 4096


def save(path, words):
    header = json.dumps({"w": {"dtype": "F32", "shape": [len(words)], "data_offsets": [0, 4 * len(words)]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(words)}f", *words))


class Bench:
    def __init__(self, options, root):
        self.options, self.root = options, root
        self.environment = {**os.environ, "HOME": str(root), "no_proxy": "*"}

    def run(self, store, *words):
        begin = time.perf_counter()
        done = subprocess.run([self.options.strata, "-C", store, *words], env=self.environment, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return time.perf_counter() - begin

    def fill(self, count):
        """A store of `count` versions, made once."""
        store = self.options.work / f"store-{count}"
        if store.exists():
            return store
        chance = random.Random(count)
        words = [chance.gauss(0, 0.1) for _ in range(WORDS)]
        file = self.root / "model.safetensors"
        half = self.options.work / f"half-{count}"
        shutil.rmtree(half, ignore_errors=True)
        self.run(half, "init")
        save(file, words)
        self.run(half, "import", file, "--name", "base")
        for i in range(count - 1):
            self.add(half, words, chance, f"variant-{i // 10}")
        half.rename(store)
        return store

    def add(self, store, words, chance, name):
        file = self.root / "model.safetensors"
        tuned = list(words)
        for _ in range(4):
            tuned[chance.randrange(WORDS)] = chance.gauss(0, 0.1)
        save(file, tuned)
        self.run(store, "add", name, file, "--base", "base", "--effort", "fast")

    def syncs(self, *words):
        counts = self.root / "counts"
        subprocess.run(["strace", "-f", "-c", "-o", counts, "-e", "trace=fsync,fdatasync,syncfs,sync_file_range",
                        self.options.strata, *words], env=self.environment, check=True, capture_output=True)
        rows = [line.split() for line in counts.read_text().splitlines()]
        return sum(int(row[3]) for row in rows if row and row[-1] in ("fsync", "fdatasync", "syncfs"))


class Folder:
    def __init__(self, root):
        self.url, self.options = f"file://{root}/remote", ()
        self.root = root / "remote"

    def moved(self):
        return None

    def listed(self):
        """Sizes of lists and their pages."""
        folders = [self.root / "refs", self.root / "pages"]
        return {path: path.stat().st_size for folder in folders if folder.exists() for path in folder.iterdir()}


class Relayed:
    def __init__(self, url, options, relay):
        self.url, self.options, self.relay = url, options, relay

    def moved(self):
        return list(self.relay.moved)


@contextlib.contextmanager
def server(kind, bench, root):
    import test_resume  # the servers as the tests start them
    from test_resume import test_oci, test_s3

    with contextlib.ExitStack() as stack:
        if kind == "file":
            yield Folder(root)
            return
        if kind == "bucket":
            bench.environment.update(test_s3.KEYS)
            url = stack.enter_context(test_s3.weed(root, 1024))
            test_s3.make_bucket(url)
            relay = test_resume.Relay(url.removeprefix("http://"))
            stack.callback(relay.close)
            yield Relayed("s3://models/team", ("--endpoint", f"http://{relay.address}"), relay)
            return
        if kind == "registry":
            address = stack.enter_context(test_oci.registry(root))
            relay = test_resume.Relay(address)
            stack.callback(relay.close)
            yield Relayed(f"oci://{relay.address}/team/models", (), relay)
            return
        import run_hub

        hub = stack.enter_context(run_hub.Hub())
        relay = test_resume.Relay(hub.url.removeprefix("http://").rstrip("/"))
        stack.callback(relay.close)
        bench.environment.update({"HF_ENDPOINT": f"http://{relay.address}", "HF_TOKEN": "hf_standin"})
        yield Relayed("hf://bench/models", (), relay)


def measure(kind, count, bench, rows):
    chance = random.Random(1)
    words = [chance.gauss(0, 0.1) for _ in range(WORDS)]
    with tempfile.TemporaryDirectory(prefix="strata-lists-") as folder:
        root = pathlib.Path(folder)
        store, other, lazy = root / "a", root / "b", root / "c"
        shutil.copytree(bench.fill(count), store)
        with server(kind, bench, root) as place:
            bench.run(store, "remote", "add", "there", place.url, *place.options)
            first = bench.run(store, "push", "there")
            bench.run(other, "init")
            bench.run(other, "remote", "add", "there", place.url, *place.options)
            bench.run(other, "fetch", "there")
            pushes, fetches, idle, seconds = [], [], [], []
            for _ in range(PUSHES):
                bench.add(store, words, chance, "more")
                before = place.moved()
                listed = place.listed() if before is None else {}
                seconds.append(bench.run(store, "push", "there"))
                middle = place.moved()
                bench.run(other, "fetch", "there")
                after = place.moved()
                last = bench.run(other, "fetch", "there")
                end = place.moved()
                if before is None:
                    pushes.append(sum(size for path, size in place.listed().items() if path not in listed))
                    continue
                pushes.append(sum(middle) - sum(before))
                fetches.append(sum(after) - sum(middle))
                idle.append(sum(end) - sum(after))
            bench.run(lazy, "init")
            bench.run(lazy, "remote", "add", "there", place.url, *place.options)
            cloned = bench.run(lazy, "pull", "there", "--lazy")
            shutil.rmtree(lazy)
            bench.run(lazy, "init")
            bench.run(lazy, "remote", "add", "there", place.url, *place.options)
            synced = bench.syncs("-C", lazy, "pull", "there", "--lazy")

            def shown(values):
                if not values:
                    return "-"
                return f"{statistics.median(values) / 1e3:.1f} ({statistics.fmean(values) / 1e3:.1f})"

            rows.append([kind, str(count), f"{first:.1f}", shown(pushes), f"{statistics.median(seconds):.2f}",
                         shown(fetches), shown(idle), f"{last:.2f}", f"{cloned:.1f}", str(synced)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", type=pathlib.Path, default=ROOT / "build/release/cli/strata")
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / "build/hub-peers")
    parser.add_argument("--versions", default="500,5000")
    parser.add_argument("--kinds", default="file,hub,registry,bucket")
    parser.add_argument("--work", type=pathlib.Path)
    options = parser.parse_args()
    options.strata = options.strata.resolve()
    sys.path.insert(0, str(ROOT / "tests/hub"))
    sys.argv = [sys.argv[0], str(options.strata), str(options.peers)]
    rows = []
    with tempfile.TemporaryDirectory(prefix="strata-lists-") as folder:
        root = pathlib.Path(folder)
        options.work = options.work or root
        options.work.mkdir(parents=True, exist_ok=True)
        for count in map(int, options.versions.split(",")):
            for kind in options.kinds.split(","):
                measure(kind, count, Bench(options, root), rows)
    print(f"{machine()}; kB are medians of {PUSHES} (means)\n")
    print_table(["remote", "versions", "first push, s", "push of one, kB", "s", "fetch of one, kB",
                 "fetch of none, kB", "s", "lazy pull, s", "syncs"], rows)


if __name__ == "__main__":
    main()

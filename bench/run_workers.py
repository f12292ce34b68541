#!/usr/bin/env python3
"""How much faster several workers of Ray store many fine-tunes into one bucket than one worker does.

    run_workers.py [--models 1000] [--workers 1,2,4] [--kill 2] [--words 65536] [--peers VENV] [--work DIR]

Makes a base and small fine-tunes of it in f32, of which each changes all words of one matrix a little.
A SeaweedFS on this machine serves the bucket. Each count of workers stores all models into a prefix of
its own. In a last run with the most workers, as many as --kill says die by SIGKILL while they work. Then
a new store clones each prefix: every model is there once, and each twentieth equals its file. Needs the
Python package, Ray and SeaweedFS.
"""
import argparse
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time

import numpy
import ray
import strata
from strata.ray import add_models

from measure import print_table

ROOT = pathlib.Path(__file__).resolve().parents[1]
CHECKED = 20  # each so many models are compared


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--kill", type=int, default=2)
    parser.add_argument("--words", type=int, default=65536)
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / "build" / "hub-peers")
    parser.add_argument("--work", type=pathlib.Path)
    return parser.parse_args()


def fine_tunes(folder, o):
    """A base and its fine-tunes as files: lines of a list."""
    rng = numpy.random.default_rng(1)
    rows = o.words // 128
    base = {f"layer{i}.weight": rng.normal(0, 0.1, (rows // 4, 128)).astype("f4") for i in range(4)}
    with strata.Store(folder / "made", create=True) as store:
        store.add("base", base)
        store.restore("base", folder / "base.safetensors")
        for index in range(o.models):
            tuned = dict(base)
            name = f"layer{index % 4}.weight"
            tuned[name] = base[name] + rng.normal(0, 1e-3, base[name].shape).astype("f4")
            store.add("tuned", tuned, base="base")
            store.restore("tuned", folder / f"m{index}.safetensors")
    return [("base", folder / "base.safetensors")], [
        (f"m{index}", folder / f"m{index}.safetensors", "base") for index in range(o.models)]


def workers_of(folder):
    """Processes that have a file open below a folder."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            files = [os.readlink(f"/proc/{process}/fd/{one}") for one in os.listdir(f"/proc/{process}/fd")]
        except OSError:
            continue
        if int(process) != os.getpid() and any(one.startswith(str(folder)) for one in files):
            found.append(int(process))
    return found


def kill(count, folder, seconds, killed, done):
    """Kills so many workers, one after the other, while they work."""
    while len(killed) < count and not done.wait(seconds):
        victim = next((one for one in workers_of(folder) if one not in killed), None)
        if victim is not None:
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)


def check(remote, models, folder):
    """All models once, and those that are looked at equal their files."""
    restored = folder.with_suffix(".safetensors")
    with strata.Store(folder, create=True) as store:
        store.pull(remote=remote)
        refs = sorted(one.ref for one in store.versions())
        assert refs == sorted(["base:v1"] + [f"{name}:v1" for name, *_ in models]), len(refs)
        for name, file, _ in models[::CHECKED]:
            store.restore(name, restored)
            assert restored.read_bytes() == pathlib.Path(file).read_bytes(), name
            restored.unlink()


def main():
    o = options()
    counts = [int(one) for one in o.workers.split(",")]
    sys.argv = [__file__, "strata", str(o.peers)]  # the server as the tests start it
    sys.path.insert(0, str(ROOT / "tests" / "hub"))
    from test_s3 import KEYS, make_bucket, weed

    os.environ.update(KEYS)
    with tempfile.TemporaryDirectory(dir=o.work) as name:
        folder = pathlib.Path(name)
        base, models = fine_tunes(folder, o)
        (folder / "weed").mkdir()
        with weed(folder / "weed", 1024) as url:
            make_bucket(url)
            os.environ["AWS_ENDPOINT_URL"] = url
            ray.init(num_cpus=max(counts), include_dashboard=False, log_to_driver=False,
                     runtime_env={"env_vars": {key: os.environ[key] for key in
                                               (*KEYS, "AWS_ENDPOINT_URL", "PYTHONPATH") if key in os.environ}})
            add_models(base, push="s3://models/warm", workers=max(counts), scratch=str(folder))
            rows, alone = [], None
            for count, kills in [(one, 0) for one in counts] + [(counts[-1], o.kill)] * (o.kill > 0):
                remote, killed, done = f"s3://models/w{count}-{kills}", [], threading.Event()
                (folder / "scratch").mkdir()
                add_models(base, push=remote, workers=1, scratch=str(folder / "scratch"))
                killer = threading.Thread(target=kill, args=(kills, folder / "scratch", 2.0, killed, done))
                begun = time.monotonic()
                killer.start()
                report = add_models(models, push=remote, workers=count, scratch=str(folder / "scratch"))
                seconds = time.monotonic() - begun
                done.set()
                killer.join()
                alone = alone or seconds
                assert report.complete, report
                check(remote, models, folder / f"clone-{count}-{kills}")
                (folder / "scratch").rmdir()
                rows.append([str(one) for one in (count, len(killed), report.stored, report.known + report.there,
                                                  f"{seconds:.1f}", f"{alone / seconds:.2f}")])
                print(*rows[-1], flush=True)
            ray.shutdown()
    print(f"{os.cpu_count()} cores, {o.models} models of {4 * o.words:,} bytes")
    print_table(["workers", "killed", "stored", "there already", "seconds", "beside one"], rows)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Takes in 100 snapshots of one training, and restores some of them: bytes and time along the run.

    run_snapshots.py STEPS_DIR --strata PROGRAM [--work DIR]

STEPS_DIR holds step-K.safetensors of bench/make_training_run.py. Prints, for each tenth snapshot, the
bytes on disk so far, and the seconds of a restore of it: of wall and of processor, beside those of `cp`.
Checks every tenth one byte by byte.
"""
import argparse
import filecmp
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import time


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("steps", type=pathlib.Path)
    parser.add_argument("--strata", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path)
    return parser.parse_args()


def bytes_in(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def timed(words, folder):
    """Seconds of wall and of processor that a command takes."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - begin, spent


def main():
    o = options()
    strata = o.strata.resolve()
    steps = sorted(o.steps.resolve().glob("step-*.safetensors"), key=lambda p: int(re.findall(r"\d+", p.name)[-1]))
    with tempfile.TemporaryDirectory(dir=o.work) as name:
        folder = pathlib.Path(name)
        subprocess.run([strata, "init", "-q"], cwd=folder, check=True)
        print("| snapshot | on disk | of all so far | add, processor s | restore s | processor s | cp s |")
        print("|---|---|---|---|---|---|---|")
        whole = 0
        for number, step in enumerate(steps, 1):
            whole += step.stat().st_size
            _, adding = timed([strata, "snapshot", "run", step, "-q"], folder)
            if number % 10:
                continue
            wall, spent = timed([strata, "restore", f"run:v{number}", "-o", "out", "--force", "-q"], folder)
            plain, _ = timed(["cp", step, "plain"], folder)
            assert filecmp.cmp(step, folder / "out", shallow=False)
            stored = bytes_in(folder / ".strata")
            print(f"| {number} | {stored / 1e6:.1f} MB | {stored / whole:.3f} | {adding:.2f} | {wall:.2f} | {spent:.2f} | {plain:.2f} |",
                  flush=True)
        shutil.rmtree(folder / ".strata")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Breaks Strata on purpose and checks that nothing is lost (README.md beside this file)."""
import argparse
import multiprocessing
import os
import pathlib
import shlex
import signal
import sys
import time
import traceback

import flip_trials
import kill_trials
import power_trials
import source_trials
from tally import Tally
from trial import Verdict, words_of
from world import World

KINDS = {"kills": kill_trials, "errors": kill_trials, "power": power_trials,
         "flips": flip_trials, "sources": source_trials}
# What `ctest` runs: a fixed number of trials of a kind, and of which operations.
READERS = ("verify", "restore-file", "fetch")
SHORT = {"kills": (40, READERS), "errors": (40, READERS), "power": (20, READERS), "flips": (150, None)}

_world = None


def begin_worker(options):
    """Each worker has a world of its own, for as long as it lives."""
    global _world
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _world = World(options.strata, options.shim).__enter__()
    multiprocessing.util.Finalize(_world, _world.__exit__, (None, None, None), exitpriority=10)


def one_trial(task):
    """Plans and runs a trial; a mistake of the harness is a failure of its own kind."""
    kind, index, seed, case, operations = task
    module = KINDS[kind]
    try:
        case = case or module.plan(_world, kind, index, seed, operations)
        return module.run(_world, case)
    except Exception:  # noqa: BLE001  the other trials go on
        return Verdict(kind, case or f"{kind}#{index} of seed {seed}", False,
                       [("wrong", "the harness: " + traceback.format_exc())], list(_world.history))


def trials(options, tally, stop):
    """What is to be run, kind by kind, in turns."""
    kinds = options.kind or list(KINDS)
    count = 0
    while not stop():
        for kind in kinds:
            index = tally.next.get(kind, 0)
            if options.runs and count >= options.runs:
                return
            tally.next[kind] = index + 1
            count += 1
            yield kind, index, options.seed, None, options.operation


def report(verdict):
    if not verdict.findings:
        return
    again = shlex.join(["scripts/faults", "--one", verdict.case])
    print(f"\nFAILED {verdict.case}", *(f"  {column}: {text}" for column, text in verdict.findings),
          *(f"    {line}" for line in verdict.history), f"  again: {again}", sep="\n", flush=True)


def run_all(options, tally):
    ends = time.monotonic() + options.minutes * 60 if options.minutes else None
    stopped = []
    signal.signal(signal.SIGINT, lambda *_: stopped.append(True))
    stop = lambda: bool(stopped) or (ends is not None and time.monotonic() > ends)
    started, saved, count = time.monotonic(), time.monotonic(), 0
    tasks = trials(options, tally, stop)
    with multiprocessing.Pool(options.jobs, begin_worker, (options,)) as pool:
        pending = []
        exhausted = False
        while pending or not exhausted:
            while not exhausted and len(pending) < options.jobs * 2:
                task = next(tasks, None)
                exhausted = task is None
                if task:
                    pending.append(pool.apply_async(one_trial, (task,)))
            if not pending:
                break
            verdict = pending.pop(0).get()
            tally.add(verdict)
            report(verdict)
            count += verdict.trials
            if time.monotonic() - saved > 5:
                saved = time.monotonic()
                tally.save()
                print(f"{count} trials, {count / (saved - started):.1f} a second", file=sys.stderr,
                      flush=True)
        pool.close()
        pool.join()
    tally.save()
    print(f"{count} trials in {time.monotonic() - started:.0f} s", file=sys.stderr)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, prog="scripts/faults")
    parser.add_argument("--strata", required=True, help="the program under test")
    parser.add_argument("--shim", required=True, help="the library that is preloaded")
    parser.add_argument("--peers", default="build/hub-peers", help="servers of the hub's tests")
    parser.add_argument("--minutes", type=float, help="run for so long")
    parser.add_argument("--runs", type=int, help="run so many trials")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="only these; repeatable")
    parser.add_argument("--operation", action="append", help="only these, of those that a kind tries")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="trials at the same time")
    parser.add_argument("--state", help="a file in which counts add up; trials go on where it ends")
    parser.add_argument("--one", metavar="CASE", help="repeat one trial")
    parser.add_argument("--short", metavar="KIND", help="the trials of a kind that the tests run")
    return parser.parse_args()


def main():
    options = read_options()
    tally = Tally(options.state)
    if options.one:
        begin_worker(options)
        verdict = one_trial((words_of(options.one)[0], 0, options.seed, options.one, None))
        tally.add(verdict)
        report(verdict)
        print("\n".join(verdict.history) if not verdict.findings else "")
    else:
        if options.short:
            options.kind = [options.short]
            options.runs, options.operation = SHORT[options.short]
        if not options.runs and not options.minutes:
            options.minutes = 10
        run_all(options, tally)
    print(tally.table())
    return 1 if any(tally.failures) else 0


if __name__ == "__main__":
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    sys.exit(main())

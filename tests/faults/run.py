#!/usr/bin/env python3
"""Breaks Strata on purpose and checks that nothing is lost (README.md beside this file)."""
import argparse
import contextlib
import multiprocessing
import os
import pathlib
import shlex
import signal
import sys
import tempfile
import time
import traceback

import concurrent_trials
import flip_trials
import kill_trials
import power_trials
import remote_trials
import servers
import source_trials
import two_trials
from tally import Tally
from trial import Verdict, words_of
from world import World

KINDS = {"kills": kill_trials, "errors": kill_trials, "power": power_trials,
         "flips": flip_trials, "sources": source_trials, "two": two_trials,
         "remotes": remote_trials, "concurrent": concurrent_trials}
WITH_SERVERS = {"remotes", "concurrent"}
# What `ctest` runs: a fixed number of trials of a kind, and of which operations.
WRITERS = ("import", "add-exact", "add-next", "add-shared", "tag-move", "remove-all", "trash-empty", "gc",
           "verify-catalog", "rename", "restore-over-folder", "push", "pull-there", "clone", "repair")
FAILING = ("add-exact", "tag-move", "rename", "remove", "remove-now", "trash-empty", "restore-over", "restore-folder", "profile-save",
           "push", "pull-there", "fetch")
CUT = ("init", "add-exact", "rename", "restore-file", "profile-save", "push-new", "pull-there", "clone")
SHORT = {"kills": (60, WRITERS), "errors": (50, FAILING), "power": (40, CUT), "flips": (100, None),
         "two": (30, None), "sources": (14, None), "remotes": (15, ("hf", "oci", "s3")),
         "concurrent": (2, concurrent_trials.ALONE)}

_world = None


def begin_worker(options, places):
    """Each worker has a world of its own, for as long as it lives."""
    global _world
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the first process says when to stop
    _world = World(options.strata, options.shim, options.folder).__enter__()
    if places:
        _world.places, _world.extra = places, servers.variables(places, _world.top)


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


def run_all(options, tally, places):
    ends = time.monotonic() + options.minutes * 60 if options.minutes else None
    stopped = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.append(True))
    stop = lambda: bool(stopped) or (ends is not None and time.monotonic() > ends)
    started, saved, count = time.monotonic(), time.monotonic(), 0
    tasks = trials(options, tally, stop)
    pool = multiprocessing.Pool(options.jobs, begin_worker, (options, places))
    try:
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
    finally:
        for worker in multiprocessing.active_children():
            worker.kill()
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


@contextlib.contextmanager
def running_servers(options):
    """Addresses of servers while the block runs; none where no trial needs them."""
    kinds = {words_of(options.one)[0]} if options.one else set(options.kind or KINDS)
    alone = options.operation and set(options.operation) <= set(concurrent_trials.ALONE)
    if alone or not kinds & WITH_SERVERS:
        yield {}
        return
    with contextlib.ExitStack() as stack, tempfile.TemporaryDirectory(prefix="strata-servers-") as folder:
        yield servers.start(stack, options.strata, pathlib.Path(options.peers).resolve(),
                            pathlib.Path(folder))
        stack.close()


def main():
    options = read_options()
    tally = Tally(options.state)
    if options.short:
        options.kind = [options.short]
        options.runs, options.operation = SHORT[options.short]
    if not options.runs and not options.minutes:
        options.minutes = 10
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="strata-faults-", dir=memory) as folder, \
            running_servers(options) as places:
        options.folder = folder
        if options.one:
            begin_worker(options, places)
            verdict = one_trial((words_of(options.one)[0], 0, options.seed, options.one, None))
            tally.add(verdict)
            report(verdict)
            print("\n".join(verdict.history) if not verdict.findings else "")
        else:
            run_all(options, tally, places)
    print(tally.table())
    return 1 if tally.failures else 0


if __name__ == "__main__":
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    sys.exit(main())

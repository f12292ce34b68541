"""What the processes of one training do once for all of them on a machine.

Such processes (torchrun, accelerate, DeepSpeed) have LOCAL_RANK in their environment, and one
parent. They need no torch, and no process group: a file is locked.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import stat
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from strata._errors import SystemCallError

_calls: Counter[str] = Counter()  # of this process, by what they do


def once_for_all(what: str, work: Callable[[], str]) -> str:
    """The path that `work` answers on the first rank that comes; the others wait for it.

    What `work` raises the next rank tries itself, and so it does where the first one dies. `what`
    tells works apart; a further call for the same works again. A process alone calls `work`.
    """
    rank = os.environ.get("LOCAL_RANK")
    sizes = [os.environ.get(one) for one in ("LOCAL_WORLD_SIZE", "LOCAL_SIZE", "WORLD_SIZE")]
    size = next((int(one) for one in sizes if one and one.isdigit()), 1)
    if rank is None or size < 2:
        return work()
    _calls[what] += 1
    parent = os.getppid()
    launch = (parent, _start_of(parent), os.environ.get("TORCHELASTIC_RESTART_COUNT"))
    key = repr((launch, os.getcwd(), what, _calls[what]))
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    with _locked(os.path.join(_own_folder(), name)) as file:
        told: dict[str, Any] = json.loads(file.read() or "{}")
        # One that this rank took is of other processes of that parent.
        if rank in told.get("ranks", [rank]) or not os.path.exists(told["path"]):
            told = {"path": _done(work, file.name), "ranks": []}
        told["ranks"].append(rank)
        if len(told["ranks"]) == size:
            os.unlink(file.name)
        else:
            file.seek(0)
            file.truncate()
            json.dump(told, file)
    return told["path"]


def _done(work: Callable[[], str], record: str) -> str:
    try:
        return work()
    except BaseException:
        os.unlink(record)
        raise


def _start_of(process: int) -> str:
    """When a process began, which tells it from an earlier one of its number."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _own_folder() -> str:
    """Where nobody else can put a path that a training goes on from."""
    folder = os.path.join(tempfile.gettempdir(), f"strata-{os.getuid()}")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
    except OSError as error:
        raise SystemCallError(f"{folder} could not be made: {error}", "set TMPDIR") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise SystemCallError(f"others may write to {folder}", "set TMPDIR to a folder of yours")
    return folder


@contextmanager
def _locked(path: str) -> Iterator[Any]:
    """A file, made if need be, that no other process has meanwhile."""
    while True:
        with open(path, "a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                is_there = os.path.samestat(os.stat(path), os.fstat(file.fileno()))
            except FileNotFoundError:
                is_there = False
            if is_there:  # and not taken away by who had it before
                file.seek(0)
                yield file
                return

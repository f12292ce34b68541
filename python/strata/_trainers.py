"""What stores the checkpoints that a trainer writes, and does not end the training."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from strata._errors import Error, NotFoundError
from strata._reports import Snapshot
from strata._store import Path, Store, at_hand


class Keeper:
    """Stores checkpoints as snapshots of a run, and sends them to a remote if one is named.

    What fails is said as a warning and tried again with the next one and at the end; with `strict`
    it is raised. Safe to use from several threads, of which one stores and pushes at a time.
    """

    def __init__(
        self,
        run: str,
        store: Store | Path | None,
        options: dict[str, Any],
        push: str | None,
        strict: bool,
    ) -> None:
        self.run = run
        self.store = at_hand(store)
        self.taken: list[Snapshot] = []
        self._options = options
        self._push = push
        self._strict = strict
        self._turn = threading.RLock()  # to store and push
        self._lock = threading.Lock()  # of all below
        self._waiting: dict[str, Callable[[], object] | None] = {}  # what to do once it is stored
        self._notes: dict[str, str] = {}  # of each that waits, where it has one
        self._unsent: list[str] = []
        self._told: dict[str, str] = {}  # of each that waits, the last warning

    @contextmanager
    def local(self, path: str) -> Iterator[str]:
        """Where the files of a checkpoint are on this machine."""
        yield path

    def is_there(self, path: str) -> bool:
        """Whether it can be tried again."""
        return os.path.exists(path)

    def keep(self, path: str, note: str = "") -> None:
        """Stores a checkpoint that was written just now, and what waits."""
        with self._lock:
            self._waiting[path] = None
            self._notes[path] = note
        self.retry()

    def once_stored(self, path: str, work: Callable[[], object]) -> None:
        """Calls `work`: at once, or once a checkpoint that waits is stored."""
        with self._lock:
            if path in self._waiting:
                self._waiting[path] = work
                return
        work()

    def finish(self) -> None:
        """Tries the last time what waits, and says again what is not done."""
        with self._lock:
            self._told.clear()
        self.retry()

    def retry(self) -> None:
        """Stores and sends what waits."""
        with self._turn:
            with self._lock:
                waiting = list(self._waiting)
            for path in waiting:
                self._store(path)
            if self._push is not None:
                self._push_all(self._push)

    def _store(self, path: str) -> None:
        with self._lock:
            note = self._notes.get(path, "")
        try:
            with self.local(path) as place:
                taken = self.store.snapshot(self.run, place, note=note, **self._options)
        except Error as error:
            is_there = self.is_there(path)
            with self._lock:
                is_new = self._told.pop(path, None) != str(error)
                if is_there:
                    self._told[path] = str(error)
                else:
                    self._waiting.pop(path, None)
            if is_new:
                self._tell(f"{path} was not stored: {error}", error)
            return
        with self._lock:
            self.taken.append(taken)
            self._unsent.append(taken.version.ref)
            self._told.pop(path, None)
            work = self._waiting.pop(path, None)
        for doubt in taken.doubts:
            warnings.warn(f"{taken.version} is stored, and looks damaged: {doubt}", stacklevel=2)
        if work is not None:
            try:
                work()
            except OSError as error:
                warnings.warn(f"{path} is stored, and could not be deleted: {error}", stacklevel=2)

    def _push_all(self, remote: str) -> None:
        with self._lock:
            unsent = list(self._unsent)
        if not unsent:
            return
        try:
            failed = self.store.push(unsent, remote).failed
        except Error as error:
            if isinstance(error, NotFoundError) and self._forget_gone(unsent, remote):
                self._push_all(remote)
            else:
                self._tell(f"{', '.join(unsent)} did not go to {remote}: {error}", error)
            return
        left = {label for label, _ in failed}
        with self._lock:
            self._unsent = [one for one in self._unsent if one in left or one not in unsent]
        for label, why in failed:
            problem = f"{label} did not go to {remote}: {why}"
            self._tell(problem, Error(problem))

    def _forget_gone(self, unsent: list[str], remote: str) -> bool:
        """Whether some of them are no longer in the store, as those that were pruned."""
        try:
            here = {version.ref for version in self.store.versions(self.run)}
        except Error:  # what push() said is nearer
            return False
        gone = [label for label in unsent if label not in here]
        with self._lock:
            self._unsent = [label for label in self._unsent if label not in gone]
        if gone:
            what = "is" if len(gone) == 1 else "are"
            warnings.warn(
                f"{', '.join(gone)} {what} not in the store any more, and will not go to {remote}",
                stacklevel=2,
            )
        return bool(gone)

    def _tell(self, problem: str, error: Error) -> None:
        if self._strict:
            raise error
        warnings.warn(problem, stacklevel=2)

"""What a store does with runs of training."""

from __future__ import annotations

import os
from typing import Any

from strata._given import Path, ProfileLike, Ref, listed, optional, profile_word, warn_of
from strata._progress import ProgressWish, callback
from strata._reports import Resumed, Snapshot


class RunsOfStore:
    """The part of a Store that stores snapshots and goes on from them."""

    _core: Any

    def snapshot(
        self,
        run: str,
        path: Path,
        *,
        base: Ref | None = None,
        profile: ProfileLike | None = None,
        note: str = "",
        progress: ProgressWish = None,
    ) -> Snapshot:
        """Stores a checkpoint of a training, with all its files, as the next version of a run.

        One that is not finished is refused (UnsupportedError says why). `base` and `profile` are as
        those of add().
        """
        with callback(progress) as told, profile_word(profile) as word:
            return Snapshot._made(
                self._core.snapshot(run, os.fsencode(path), optional(base), word, note, told)
            )

    def resume(
        self,
        run: str,
        path: Path | None = None,
        *,
        step: int | None = None,
        force: bool = False,
        memory: bool = True,
        warn: bool = True,
        progress: ProgressWish = None,
    ) -> Resumed:
        """Restores the newest complete snapshot of a run, for a trainer to go on from.

        A reference to one version, such as "run:v3", means that snapshot and no other. `path` is
        the folder to make; "checkpoint-STEP" in the current folder without it. `step` asks for the
        snapshot of a step, `force` replaces files that are there. A snapshot that is
        damaged is passed over for the one before it. `warn` warns of that, of a run that went two
        ways, and of a snapshot that is lossy.

        What ``strata watch --memory-tier`` has in memory and not in the store yet counts, too,
        unless `memory` is False. The report then has no version.
        """
        place = b"" if path is None else os.fsencode(path)
        with callback(progress) as told:
            made = self._core.resume(run, place, step, force, memory, told)
            restored = made["restored"]
            if restored is not None:
                restored["version"] = listed(self._core, restored["version"])
        resumed = Resumed._made(made)
        if warn:
            warn_of(resumed)
        return resumed

    def _snapshots(self, run: str) -> list[tuple[str, int | None, str]]:
        """(label, step, name that its trainer gave it) of each snapshot, the newest first."""
        return self._core.snapshots(run)

    def _to_resume(self, run: str, step: int | None) -> list[tuple[str, int | None]]:
        """(label, step) of those that a training may go on from, the first that is complete."""
        return [(label, found) for label, found, _ in self._core.to_resume(run, step)]

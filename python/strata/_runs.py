"""Snapshots of the store at hand, as training scripts take and resume them."""

from __future__ import annotations

import os

from strata._given import Path, ProfileLike, Ref
from strata._local_ranks import once_for_all
from strata._progress import ProgressWish
from strata._reports import Snapshot
from strata._store import Store, at_hand


def snapshot(
    run: str,
    path: Path,
    *,
    store: Store | Path | None = None,
    base: Ref | None = None,
    profile: ProfileLike | None = None,
    note: str = "",
    progress: ProgressWish = None,
) -> Snapshot:
    """Stores a checkpoint of a training run: ``Store.snapshot`` of the store at hand."""
    return at_hand(store).snapshot(
        run, path, base=base, profile=profile, note=note, progress=progress
    )


def resume(
    run: str,
    path: Path | None = None,
    *,
    store: Store | Path | None = None,
    step: int | None = None,
    force: bool = False,
    memory: bool = True,
    warn: bool = True,
    progress: ProgressWish = None,
) -> str:
    """Restores the newest complete snapshot of a run, and answers where it is.

    ``trainer.train(resume_from_checkpoint=strata.resume("run"))``

    Processes of one training (LOCAL_RANK) may all call it: on each machine one of them restores,
    and the others wait and get its path.
    """
    opened = at_hand(store)

    def restored() -> str:
        resumed = opened.resume(
            run, path, step=step, force=force, memory=memory, warn=warn, progress=progress
        )
        return resumed.path

    place = None if path is None else os.path.abspath(path)
    return once_for_all(repr((opened.path, run, place, step)), restored)

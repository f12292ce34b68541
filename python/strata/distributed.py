"""Checkpoints of torch.distributed.checkpoint as snapshots of a run.

from strata.distributed import Reader, Writer

dcp.save({"model": state}, storage_writer=Writer("run", "out/checkpoint-500"))
dcp.load({"model": state}, storage_reader=Reader("run"))
"""

from __future__ import annotations

import os
import re
import tempfile
import warnings
from typing import Any

from strata._errors import ArgumentError, Error, UnsupportedError
from strata._ranks import Ranks, resume_together
from strata._reports import Snapshot
from strata._store import Path, ProfileLike, Ref, Store, at_hand
from torch.distributed.checkpoint import FileSystemReader, FileSystemWriter

_METADATA = ".metadata"
_SHARD = re.compile(r"__\d+_\d+\.distcp")


class Writer(FileSystemWriter):
    """Every rank writes its shards into `folder`, which all of them see; rank 0 then stores it.

    ``checkpoint_id`` of ``dcp.save`` is another folder, for a writer that serves several saves. A
    snapshot is there once all ranks are done, and never before: a save that one of them does not
    end leaves none. The shards go away again unless `keep` is set, and the folder with them where
    nothing else lies in it. What the store refuses the save raises, and the folder stays.
    """

    def __init__(
        self,
        run: str,
        folder: Path,
        store: Store | Path | None = None,
        *,
        base: Ref | None = None,
        profile: ProfileLike | None = None,
        keep: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(os.fspath(folder), **options)
        self.taken: Snapshot | None = None  #: rank 0: what the last save stored
        self._run = run
        self._store = store
        self._options: dict[str, Any] = {"base": base, "profile": profile}
        self._keep = keep

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Called on all ranks before they write."""
        if not kwargs.get("use_collectives", True):
            raise UnsupportedError(
                "a save with use_collectives=False is a checkpoint for each rank, and no snapshot",
                "call dcp.save without it",
            )
        self.taken = None
        if is_coordinator:
            self._store = at_hand(self._store)  # where there is none, nothing is written
        super().set_up_storage_writer(is_coordinator, *args, **kwargs)

    def finish(self, metadata: Any, results: Any) -> None:
        """Called by rank 0 once all ranks have written."""
        super().finish(metadata, results)
        folder = os.fspath(self.path)
        try:
            self.taken = at_hand(self._store).snapshot(self._run, folder, **self._options)
        except Error as error:
            raise type(error)(
                f"{folder} is written whole, and was not stored: {error.message}",
                error.fix or f'strata.snapshot("{self._run}", "{folder}") stores it',
            ) from error
        for doubt in self.taken.doubts:
            warnings.warn(f"{self.taken.version} looks damaged: {doubt}", stacklevel=2)
        if not self._keep:
            _clear(folder)


def _clear(folder: str) -> None:
    """Takes away what a save wrote. The metadata goes first: what is left is no checkpoint."""
    shards = [name for name in os.listdir(folder) if _SHARD.fullmatch(name)]
    try:
        for name in [_METADATA, *shards]:
            os.unlink(os.path.join(folder, name))
        if not os.listdir(folder):
            os.rmdir(folder)
    except OSError as error:
        warnings.warn(f"{folder} is stored, and could not be taken away: {error}", stacklevel=3)


class Reader(FileSystemReader):
    """Reads the newest complete snapshot of a run, or that of `step`.

    All ranks of `process_group` make it together, and read what rank 0 finds; ``no_dist=True`` is
    for a rank that makes one alone, as in ``dcp.load``. Each rank restores the snapshot into a
    folder of its own, which goes away with the reader, or with ``close()``. `step` is that of the
    snapshot then; None where it does not say.
    """

    def __init__(
        self,
        run: str,
        store: Store | Path | None = None,
        *,
        step: int | None = None,
        process_group: Any = None,
        no_dist: bool = False,
    ) -> None:
        self._outer = tempfile.TemporaryDirectory(prefix="strata-")
        ranks = Ranks(process_group, no_dist)
        path, self.step = resume_together(store, run, self._outer.name, step, ranks)
        super().__init__(path)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Takes away the files that were restored. Nothing can be read any more."""
        self._outer.cleanup()

    def reset(self, checkpoint_id: Any = None) -> None:
        """Called before each load."""
        if checkpoint_id:
            raise ArgumentError(
                f"checkpoint_id is {os.fspath(checkpoint_id)!r}: a run is read, and no folder",
                "name the step instead: Reader(run, step=N)",
            )
        super().reset()

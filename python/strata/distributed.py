"""Checkpoints of torch.distributed.checkpoint as snapshots of a run.

from strata.distributed import Reader, Writer

dcp.save({"model": state}, storage_writer=Writer("run", "out/checkpoint-500"))
dcp.load({"model": state}, storage_reader=Reader("run"))
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any

from strata._reports import Snapshot
from strata._store import Path, Ref, Store
from torch.distributed.checkpoint import FileSystemReader, FileSystemWriter


class Writer(FileSystemWriter):
    """Every rank writes its shards into `folder`, which all of them see; rank 0 then stores it.

    A snapshot is there once all ranks are done, and never before: a save that one of them does not
    end leaves none. The folder goes away again unless `keep` is set.
    """

    def __init__(
        self,
        run: str,
        folder: Path,
        store: Store | Path | None = None,
        *,
        base: Ref | None = None,
        profile: str | None = None,
        keep: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(os.fspath(folder), **options)
        self.taken: Snapshot | None = None  #: rank 0: what was stored
        self._run = run
        self._folder = os.fspath(folder)
        self._store = store
        self._options = {"base": base, "profile": profile}
        self._keep = keep

    def finish(self, metadata: Any, results: Any) -> None:
        """Called by rank 0 once all ranks have written."""
        super().finish(metadata, results)
        store = self._store if isinstance(self._store, Store) else Store(self._store)
        self.taken = store.snapshot(self._run, self._folder, **self._options)
        if not self._keep:
            shutil.rmtree(self._folder)


class Reader(FileSystemReader):
    """Reads the newest complete snapshot of a run, or that of `step`.

    Each rank restores the snapshot into a folder of its own, which goes away with the reader.
    """

    def __init__(
        self, run: str, store: Store | Path | None = None, *, step: int | None = None
    ) -> None:
        self._outer = tempfile.TemporaryDirectory(prefix="strata-")
        opened = store if isinstance(store, Store) else Store(store)
        place = opened.resume(run, os.path.join(self._outer.name, "checkpoint"), step=step)
        self.step = place.step  #: None where the snapshot does not say
        super().__init__(place.path)

"""Checkpoints of torch.distributed.checkpoint as snapshots of a run.

from strata.distributed import Reader, Writer

dcp.save({"model": state}, storage_writer=Writer("run", "out/checkpoint-500"))
dcp.load({"model": state}, storage_reader=Reader("run"))
"""

from __future__ import annotations

import dataclasses
import io
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from strata._errors import ArgumentError, Error, UnsupportedError
from strata._model import Model
from strata._model_file import FileOfModel
from strata._ranks import Ranks, open_together
from strata._reports import Snapshot
from strata._saved_rows import rows_of
from strata._store import Path, ProfileLike, Ref, Store, at_hand
from torch.distributed.checkpoint import FileSystemReader, FileSystemWriter
from torch.distributed.checkpoint.metadata import TensorStorageMetadata
from torch.distributed.checkpoint.planner import LoadItemType

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
    for a rank that makes one alone, as in ``dcp.load``. Rank 0 checks the snapshot, and passes one
    that is damaged over. No file is written: each rank decodes what its plan asks for. `step` is
    that of the snapshot; None where it does not say.
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
        ranks = Ranks(process_group, no_dist)
        self._model, self.step = open_together(store, run, step, ranks)
        super().__init__(self._model._label)
        self.fs = _FilesOf(self._model)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the snapshot. Nothing can be read any more."""
        self._model.close()

    def reset(self, checkpoint_id: Any = None) -> None:
        """Called before each load."""
        if checkpoint_id:
            raise ArgumentError(
                f"checkpoint_id is {os.fspath(checkpoint_id)!r}: a run is read, and no folder",
                "name the step instead: Reader(run, step=N)",
            )
        super().reset()

    def set_up_storage_reader(self, metadata: Any, *args: Any, **kwargs: Any) -> None:
        """Called on each rank, with what the checkpoint holds."""
        super().set_up_storage_reader(metadata, *args, **kwargs)
        self._sizes = {
            (name, tuple(chunk.offsets)): tuple(chunk.sizes)
            for name, told in metadata.state_dict_metadata.items()
            if isinstance(told, TensorStorageMetadata)
            for chunk in told.chunks
        }

    def read_data(self, plan: Any, planner: Any) -> Any:
        """Called on each rank: puts what it needs into its tensors."""
        rest = [one for one in plan.items if not self._read_rows(one, planner)]
        return super().read_data(dataclasses.replace(plan, items=rest), planner)

    def _slice_file(self, file: Any, place: Any) -> Any:
        """A tensor or value as it was saved, decoded at once."""
        return io.BytesIO(self._model.read(file.raw.path, place.offset, place.length))

    def _read_rows(self, item: Any, planner: Any) -> bool:
        """Reads some rows of a saved tensor by themselves, where not all are asked for."""
        index = item.storage_index
        place = self.storage_data[index]
        sizes = self._sizes.get((index.fqn, tuple(index.offset or ())))
        if item.type != LoadItemType.TENSOR or not sizes or item.lengths[0] == sizes[0]:
            return False
        if getattr(place, "transform_descriptors", None):
            return False
        saved = FileOfModel(
            self._model, place.relative_path, place.offset, place.offset + place.length
        )
        rows = rows_of(saved, item.storage_offsets, item.lengths)
        if rows is None:
            return False
        target = planner.resolve_tensor(item).detach()
        if target.shape != rows.shape:
            return False  # torch says so
        target.copy_(rows)
        planner.commit_tensor(item, target)
        return True


class _FilesOf:
    """The files of a version, as FileSystemReader asks for them."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def init_path(self, path: Any) -> str:
        return str(path)

    def concat_path(self, path: Any, inner: str) -> str:
        return inner

    @contextmanager
    def create_stream(self, path: Any, mode: str) -> Iterator[io.BufferedReader]:
        yield io.BufferedReader(FileOfModel(self._model, path))

"""Each checkpoint of Lightning as a snapshot of a run.

from strata.lightning import StrataCheckpointIO

trainer = Trainer(plugins=[StrataCheckpointIO("run")])
"""

from __future__ import annotations

import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem
from strata._errors import NetworkError, NotFoundError
from strata._store import Path, ProfileLike, Ref, Store
from strata._trainers import Keeper

try:
    from lightning.pytorch.plugins.io import TorchCheckpointIO
except ImportError:
    from pytorch_lightning.plugins.io import TorchCheckpointIO


class StrataCheckpointIO(TorchCheckpointIO):
    """Writes files as Lightning does, and stores each as a snapshot.

    The trainer may delete its files then (``save_top_k``): one that is gone comes back from the
    store, by its name, else by the step in its name; "last.ckpt" as the newest. A file on a remote
    is read back from there to be stored. What fails is no end of the training: a warning says why.
    The file stays, though the trainer deletes it, and is tried again at the next save and at the
    end. ``strict=True`` raises instead. `push` names a remote to which each snapshot goes.
    """

    def __init__(
        self,
        run: str,
        store: Store | Path | None = None,
        *,
        base: Ref | None = None,
        profile: ProfileLike | None = None,
        push: str | None = None,
        strict: bool = False,
    ) -> None:
        super().__init__()
        self._keeper = _FileKeeper(run, store, {"base": base, "profile": profile}, push, strict)
        self.run = run
        self.store = self._keeper.store
        self.taken = self._keeper.taken  #: reports of the snapshots that were stored

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: Path, storage_options: Any = None
    ) -> None:
        """Called by Lightning; writes the file and stores it."""
        super().save_checkpoint(checkpoint, path, storage_options)
        self._keeper.keep(os.fspath(path))

    def load_checkpoint(self, path: Path, *args: Any, **options: Any) -> dict[str, Any]:
        """Called by Lightning; takes what is not there from the store."""
        files, place = url_to_fs(os.fspath(path))
        if files.exists(place):
            return super().load_checkpoint(path, *args, **options)
        name = os.path.basename(place)
        with tempfile.TemporaryDirectory(prefix="strata-") as outer:
            restored = os.path.join(outer, name)
            self.store.restore(self._label_of(name), restored)
            return super().load_checkpoint(restored, *args, **options)

    def remove_checkpoint(self, path: Path) -> None:
        """Called by Lightning; deletes a file once it is stored."""
        remove = super().remove_checkpoint
        self._keeper.once_stored(os.fspath(path), lambda: remove(path))

    def teardown(self) -> None:
        """Called by Lightning at its end."""
        self._keeper.finish()
        super().teardown()

    def _label_of(self, name: str) -> str:
        """The snapshot of a file. Of several that were called so the one that was stored last."""
        snapshots = self.store._snapshots(self.run)
        named = [label for label, _, called in snapshots if called == name]
        if named:
            return max(named, key=lambda label: int(label.rpartition(":v")[2]))
        if snapshots and re.fullmatch(r"last(-v\d+)?\.ckpt", name):
            # It had the bytes of another one, and was not stored a second time.
            warnings.warn(f"{name} is loaded from {snapshots[0][0]}, the newest", stacklevel=3)
            return snapshots[0][0]
        step = re.search(r"step=(\d+)", name)
        of_step = [label for label, known, _ in snapshots if step and known == int(step[1])]
        if len(of_step) != 1:
            several = f"; of its step there are {', '.join(of_step)}" if of_step else ""
            raise NotFoundError(
                f"{name} is not there, and {self.run} has no snapshot of it{several}",
                'Store.restore(ref, path) brings any snapshot back, '
                f'strata.resume("{self.run}") the newest',
            )
        warnings.warn(f"{name} is loaded from {of_step[0]}, which has another name", stacklevel=3)
        return of_step[0]


class _FileKeeper(Keeper):
    """Of files that may lie on a remote, by a path as "s3://bucket/last.ckpt"."""

    @contextmanager
    def local(self, path: str) -> Iterator[str]:
        files, place = url_to_fs(path)
        if isinstance(files, LocalFileSystem):
            yield place
            return
        with tempfile.TemporaryDirectory(prefix="strata-") as outer:
            copied = os.path.join(outer, os.path.basename(place))
            try:
                files.get_file(place, copied)
            except Exception as error:  # each of these file systems has its own
                raise NetworkError(f"{path} could not be read back: {error!r}") from error
            yield copied

    def is_there(self, path: str) -> bool:
        files, place = url_to_fs(path)
        return not isinstance(files, LocalFileSystem) or files.exists(place)

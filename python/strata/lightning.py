"""Each checkpoint of Lightning as a snapshot of a run.

from strata.lightning import StrataCheckpointIO

trainer = Trainer(plugins=[StrataCheckpointIO("run")])
"""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any

from strata._errors import NotFoundError
from strata._reports import Snapshot
from strata._store import Path, Ref, Store, at_hand

try:
    from lightning.pytorch.plugins.io import TorchCheckpointIO
except ImportError:
    from pytorch_lightning.plugins.io import TorchCheckpointIO


class StrataCheckpointIO(TorchCheckpointIO):
    """Writes files as Lightning does, and stores each as a snapshot.

    The trainer may delete its files then (``save_top_k``): one that is gone comes back from the
    store, by the step in its name. Files without a step in their names come from disk alone.
    """

    def __init__(
        self,
        run: str,
        store: Store | Path | None = None,
        *,
        base: Ref | None = None,
        profile: str | None = None,
    ) -> None:
        super().__init__()
        self.run = run
        self.store = at_hand(store)
        self.taken: list[Snapshot] = []  #: reports of the snapshots that were stored
        self._options = {"base": base, "profile": profile}

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: Path, storage_options: Any = None
    ) -> None:
        """Called by Lightning; writes the file and stores it."""
        super().save_checkpoint(checkpoint, path, storage_options)
        self.taken.append(self.store.snapshot(self.run, path, **self._options))

    def load_checkpoint(self, path: Path, *args: Any, **options: Any) -> dict[str, Any]:
        """Called by Lightning; takes what is not on disk from the store."""
        if os.path.exists(path):
            return super().load_checkpoint(path, *args, **options)
        named = re.search(r"step=(\d+)", os.path.basename(os.fspath(path)))
        if named is None:
            raise NotFoundError(
                f"{os.fspath(path)} is not there, and its name has no step",
                fix=f'strata.resume("{self.run}") brings the newest snapshot back',
            )
        with tempfile.TemporaryDirectory(prefix="strata-") as outer:
            place = os.path.join(outer, os.path.basename(os.fspath(path)))
            resumed = self.store.resume(self.run, place, step=int(named[1]))
            return super().load_checkpoint(resumed.path, *args, **options)

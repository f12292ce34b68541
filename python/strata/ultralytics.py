"""Each checkpoint that Ultralytics saves as a snapshot of a run.

from strata.ultralytics import Snapshots

model = YOLO("yolo11n.pt")
Snapshots("birds").attach(model)
model.train(data="birds.yaml", epochs=100)
"""

from __future__ import annotations

import os
from typing import Any

from strata._store import Path, ProfileLike, Ref, Store
from strata._trainers import Keeper


class Snapshots:
    """Stores ``last.pt`` each time that the trainer has written it, before it writes the next one.

    A snapshot's note has the epoch and the fitness. `push` names a remote to which each goes. What
    fails is no end of the training: a warning says why. It is tried again at the end of the epoch,
    at the next save and at the end. ``strict=True`` raises instead. The trainer of several GPUs
    runs in other processes, which know nothing of callbacks that were attached.
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
        self._keeper = Keeper(run, store, {"base": base, "profile": profile}, push, strict)
        self.run = run
        self.store = self._keeper.store
        self.taken = self._keeper.taken  #: reports of the snapshots that were stored

    def attach(self, model: Any) -> Any:
        """Adds the callbacks to a model, or to a trainer, and answers that."""
        for event in ("on_model_save", "on_fit_epoch_end", "on_train_end"):
            model.add_callback(event, getattr(self, event))
        return model

    def on_model_save(self, trainer: Any) -> None:
        """Called by the trainer when a checkpoint is written."""
        fitness = getattr(trainer, "fitness", None)
        note = f"epoch {trainer.epoch + 1}"
        if fitness is not None:
            note += f", fitness {float(fitness):.4g}"
        self._keeper.keep(os.fspath(trainer.last), note)

    def on_fit_epoch_end(self, trainer: Any) -> None:
        """Called by the trainer when an epoch is over: stores and sends what waits."""
        self._keeper.retry()

    def on_train_end(self, trainer: Any) -> None:
        """Called by the trainer at its end."""
        self._keeper.finish()

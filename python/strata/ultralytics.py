"""Each checkpoint that Ultralytics saves as a snapshot of a run.

from strata.ultralytics import Snapshots

model = YOLO("yolo11n.pt")
Snapshots("birds").attach(model)
model.train(data="birds.yaml", epochs=100)
"""

from __future__ import annotations

import os
import warnings
from typing import Any

from strata._errors import Error
from strata._store import Path, Ref, Store


class Snapshots:
    """Stores ``last.pt`` each time that the trainer has written it, before it writes the next one.

    A snapshot's note has the epoch and the fitness. `push` names a remote to which each goes. What
    fails is no end of the training: a warning says why. A push is tried again at the next epoch.
    ``strict=True`` raises instead. The trainer of several GPUs runs in other processes, which know
    nothing of callbacks that were attached.
    """

    def __init__(
        self,
        run: str,
        store: Store | Path | None = None,
        *,
        base: Ref | None = None,
        profile: str | None = None,
        push: str | None = None,
        strict: bool = False,
    ) -> None:
        self.run = run
        self.store = store if isinstance(store, Store) else Store(store)
        self.taken: list = []  #: reports of the snapshots that were stored
        self._options = {"base": base, "profile": profile}
        self._push = push
        self._strict = strict
        self._unsent: list[str] = []

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
        path = os.fspath(trainer.last)
        try:
            taken = self.store.snapshot(self.run, path, note=note, **self._options)
        except Error as error:
            self._tell(f"{path} was not stored: {error}", error)
            return
        self.taken.append(taken)
        if self._push:
            self._unsent.append(taken.version.ref)

    def on_fit_epoch_end(self, trainer: Any) -> None:
        """Called by the trainer when an epoch is over: sends what was stored."""
        if not self._unsent:
            return
        try:
            pushed = self.store.push(self._unsent, self._push or "")
        except Error as error:
            self._tell(f"{', '.join(self._unsent)} did not go to {self._push}: {error}", error)
            return
        self._unsent = [label for label, _ in pushed.failed if label in self._unsent]
        for label, why in pushed.failed:
            problem = f"{label} did not go to {self._push}: {why}"
            self._tell(problem, Error(problem))

    on_train_end = on_fit_epoch_end

    def _tell(self, problem: str, error: Error) -> None:
        if self._strict:
            raise error
        warnings.warn(problem, stacklevel=3)

"""Each checkpoint of a transformers Trainer as a snapshot of a run.

from strata.transformers import Snapshots

trainer = Trainer(model, args, callbacks=[Snapshots("sst2-run", base="minilm")])
trainer.train(resume_from_checkpoint=strata.resume("sst2-run"))
"""

from __future__ import annotations

import os
import warnings
from typing import Any

from strata._errors import Error
from strata._store import Path, Ref, Store, at_hand
from transformers import TrainerCallback


class Snapshots(TrainerCallback):
    """Stores each checkpoint once the trainer has written it, with optimizer and random numbers.

    The trainer may delete its folder then: ``save_total_limit=1`` loses no history. `push` names a
    remote to which each snapshot goes. What fails is no end of the training: a warning says why. A
    checkpoint whose other processes are not done with it, and a snapshot that did not go to the
    remote, are tried again at the next save and at the end. ``strict=True`` raises instead.
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
        self.store = at_hand(store)
        self.taken: list = []  #: reports of the snapshots that were stored
        self._options = {"base": base, "profile": profile}
        self._push = push
        self._strict = strict
        self._waiting: list[str] = []
        self._unsent: list[str] = []

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Called by the trainer when a checkpoint is written."""
        if state.is_world_process_zero:
            self._waiting.append(os.path.join(args.output_dir, f"checkpoint-{state.global_step}"))
            self._store_all()

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Called by the trainer at its end."""
        if state.is_world_process_zero:
            self._store_all()

    def _store_all(self) -> None:
        waiting, self._waiting = self._waiting, []
        for folder in waiting:
            try:
                taken = self.store.snapshot(self.run, folder, **self._options)
            except Error as error:
                self._tell(f"{folder} was not stored: {error}", error)
                if os.path.isdir(folder):
                    self._waiting.append(folder)
                continue
            self.taken.append(taken)
            for doubt in taken.doubts:
                warnings.warn(f"{taken.version} is stored, and looks damaged: {doubt}", stacklevel=2)
            if self._push:
                self._unsent.append(taken.version.ref)
        self._push_all()

    def _push_all(self) -> None:
        if not self._unsent:
            return
        try:
            pushed = self.store.push(self._unsent, self._push)
        except Error as error:
            self._tell(f"{', '.join(self._unsent)} did not go to {self._push}: {error}", error)
            return
        self._unsent = [label for label, _ in pushed.failed if label in self._unsent]
        for label, why in pushed.failed:
            problem = f"{label} did not go to {self._push}: {why}"
            self._tell(problem, Error(problem))

    def _tell(self, problem: str, error: Error) -> None:
        if self._strict:
            raise error
        warnings.warn(problem, stacklevel=3)

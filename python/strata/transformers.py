"""Each checkpoint of a transformers Trainer as a snapshot of a run.

from strata.transformers import Snapshots

trainer = Trainer(model, args, callbacks=[Snapshots("sst2-run", base="minilm")])
trainer.train(resume_from_checkpoint=strata.resume("sst2-run"))
"""

from __future__ import annotations

import os
from typing import Any

from strata._store import Path, ProfileLike, Ref, Store
from strata._trainers import Keeper
from transformers import TrainerCallback


class Snapshots(TrainerCallback):
    """Stores each checkpoint once the trainer has written it, with optimizer and random numbers.

    The trainer may delete its folder then: ``save_total_limit=1`` loses no history. `push` names a
    remote to which each snapshot goes. What fails is no end of the training: a warning says why. A
    checkpoint whose other processes are not done with it, and a snapshot that did not go to the
    remote, are tried again at the next save and at the end, as long as they are there.
    ``strict=True`` raises instead.
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

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Called by the trainer when a checkpoint is written."""
        if state.is_world_process_zero:
            self._keeper.keep(os.path.join(args.output_dir, f"checkpoint-{state.global_step}"))

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Called by the trainer at its end."""
        if state.is_world_process_zero:
            self._keeper.finish()

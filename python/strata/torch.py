"""Snapshots for a training loop of your own in PyTorch.

from strata.torch import Run

run = Run("sst2-run", base="minilm")
start = run.load(model, optimizer, scheduler)          # 0 for a run that has no snapshot yet
for step in range(start, steps):
    ...
    if step % 100 == 99:
        run.save(step + 1, model, optimizer, scheduler)
"""

from __future__ import annotations

import json
import os
import pickle
import random
import sys
import tempfile
import types
from typing import Any

import torch
from strata._errors import NotFoundError, UnsupportedError
from strata._ranks import Ranks, resume_together
from strata._reports import Snapshot
from strata._store import Path, ProfileLike, Ref, Store, at_hand

_MODEL = "pytorch_model.bin"
_STATE = "trainer_state.json"


class Run:
    """A run of training: its snapshots hold the model, the optimizer, the scheduler, and the random
    numbers of torch, Python and numpy. `base` is what the training began with."""

    def __init__(
        self,
        name: str,
        store: Store | Path | None = None,
        *,
        base: Ref | None = None,
        profile: ProfileLike | None = None,
    ) -> None:
        self.name = name
        self.store = at_hand(store)
        self.extra: Any = None  #: what save() was given as `extra` of the snapshot that load() read
        self._options: dict[str, Any] = {"base": base, "profile": profile}

    def save(
        self,
        step: int,
        model: Any,
        optimizer: Any = None,
        scheduler: Any = None,
        *,
        extra: Any = None,
    ) -> Snapshot:
        """Stores where the training is after `step` steps. `extra` is what JSON can hold.

        Without an optimizer the weights alone are stored: nothing goes on from them. Where several
        processes train, one of them calls it.
        """
        if scheduler is not None and optimizer is None:
            raise ValueError("a scheduler goes on with its optimizer alone: give both")
        with tempfile.TemporaryDirectory(prefix="strata-") as outer:
            folder = os.path.join(outer, f"checkpoint-{step}")
            os.mkdir(folder)
            torch.save(model.state_dict(), os.path.join(folder, _MODEL))
            if optimizer is not None:
                torch.save(optimizer.state_dict(), os.path.join(folder, "optimizer.pt"))
                state = {} if scheduler is None else scheduler.state_dict()
                torch.save(state, os.path.join(folder, "scheduler.pt"))
                torch.save(_random_state(), os.path.join(folder, "rng_state.pth"))
            with open(os.path.join(folder, _STATE), "w", encoding="utf-8") as file:
                json.dump({"global_step": step, "log_history": [], "extra": extra}, file)
            return self.store.snapshot(self.name, folder, **self._options)

    def load(
        self,
        model: Any,
        optimizer: Any = None,
        scheduler: Any = None,
        *,
        step: int | None = None,
        process_group: Any = None,
        no_dist: bool = False,
    ) -> int:
        """Puts the newest complete snapshot, or that of `step`, into what is given.

        Answers its step; 0 where the run has no snapshot and no step was asked for. Where
        torch.distributed runs, all ranks of `process_group` call it together, and load what rank 0
        finds; ``no_dist=True`` is for a rank that calls it alone.
        """
        ranks = Ranks(process_group, no_dist)
        with tempfile.TemporaryDirectory(prefix="strata-") as outer:
            try:
                folder, found = resume_together(self.store, self.name, outer, step, ranks)
            except NotFoundError:
                if step is None and not any(ranks.all(lambda: len(self.store.versions(self.name)))):
                    return 0
                raise
            # All is read before anything is put anywhere.
            weights = self._part(folder, _MODEL, found)
            if optimizer is not None:
                moments = self._part(folder, "optimizer.pt", found)
                numbers = self._part(folder, "rng_state.pth", found)
            if scheduler is not None:
                schedule = self._part(folder, "scheduler.pt", found)
            with open(os.path.join(folder, _STATE), encoding="utf-8") as file:
                extra = json.load(file).get("extra")
        model.load_state_dict(weights)
        if optimizer is not None:
            optimizer.load_state_dict(moments)
            _set_random_state(numbers)
        if scheduler is not None:
            scheduler.load_state_dict(schedule)
        self.extra = extra
        return found or 0

    def _part(self, folder: str, name: str, step: int | None) -> Any:
        if not os.path.exists(os.path.join(folder, name)):
            raise UnsupportedError(
                f"{self.name}: the snapshot of step {step} has no {name}",
                "load what it has, or give what save() gets to it: model, optimizer, scheduler",
            )
        return _read(folder, name)


class _PlainUnpickler(pickle.Unpickler):
    """Makes tensors and plain values, and nothing that could run."""

    def find_class(self, module: str, name: str) -> Any:
        is_storage = module == "torch" and name.endswith("Storage")
        if is_storage or (module, name) in _PLAIN:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is neither a tensor nor a plain value")


_PLAIN = {
    ("collections", "OrderedDict"),
    ("collections", "Counter"),
    ("torch._utils", "_rebuild_tensor_v2"),
    ("torch._utils", "_rebuild_parameter"),
}


def _read(folder: str, name: str) -> Any:
    """What torch.save() wrote, without running anything that is in it."""
    path = os.path.join(folder, name)
    if int(torch.__version__.split(".")[0]) >= 2:
        return torch.load(path, map_location="cpu", weights_only=True)
    # Before that `weights_only` knows no floating-point numbers, and 1.13 passes over a
    # `pickle_module`.
    plain = types.SimpleNamespace(Unpickler=_PlainUnpickler)
    with torch.serialization._open_zipfile_reader(path) as reader:
        return torch.serialization._load(reader, "cpu", plain, encoding="utf-8")


def _random_state() -> dict[str, Any]:
    version, numbers, gauss = random.getstate()
    state = {"torch": torch.get_rng_state(), "python": [version, list(numbers), gauss]}
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    if "numpy" in sys.modules:
        kind, keys, place, has_gauss, gauss = sys.modules["numpy"].random.get_state()
        state["numpy"] = [kind, keys.tolist(), place, has_gauss, gauss]
    return state


def _set_random_state(state: dict[str, Any]) -> None:
    torch.set_rng_state(state["torch"])
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["cuda"][: torch.cuda.device_count()])
    if "numpy" in state:
        import numpy

        kind, keys, place, has_gauss, gauss = state["numpy"]
        numpy.random.set_state((kind, numpy.array(keys, "uint32"), place, has_gauss, gauss))

"""Processes of torch.distributed that go on from one snapshot."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from strata._errors import CorruptDataError, Error
from strata._model import Model
from strata._store import Path, Store, at_hand

Answer = TypeVar("Answer")


class Ranks:
    """The processes of `group`, the default one without; this one alone with `no_dist`, or where
    torch.distributed does not run."""

    def __init__(self, group: Any = None, no_dist: bool = False) -> None:
        from torch import distributed

        is_on = not no_dist and distributed.is_available() and distributed.is_initialized()
        self._distributed = distributed if is_on else None
        self._group = group
        self.number = distributed.get_rank(group) if is_on else 0

    def all(self, work: Callable[[], Answer]) -> list[Answer]:
        """What `work` answers on each rank. What it raises on one of them, the first, all raise.

        So none waits for one that will not come.
        """
        if self._distributed is None:
            return [work()]
        answer, failure = None, None
        try:
            answer = work()
        except Exception as error:
            failure = error if isinstance(error, Error) else Error(repr(error))
        told: list = [None] * self._distributed.get_world_size(self._group)
        self._distributed.all_gather_object(told, (answer, failure), group=self._group)
        for rank, (_, other) in enumerate(told):
            if other is not None:
                raise type(other)(f"rank {rank}: {other.message}", other.fix)
        return [one for one, _ in told]


def open_together(
    store: Store | Path | None, run: str, step: int | None, ranks: Ranks
) -> tuple[Model, int | None]:
    """Opens on each rank the snapshot that rank 0 goes on from. It and its step."""

    def found() -> tuple[str, int | None] | None:
        return sound_snapshot(at_hand(store), run, step) if ranks.number == 0 else None

    told = ranks.all(found)[0]
    assert told is not None
    opened: list[Model] = []
    ranks.all(lambda: opened.append(at_hand(store).open(f"@{told[0]}")))
    return opened[0], told[1]


def sound_snapshot(store: Store, run: str, step: int | None) -> tuple[str, int | None]:
    """Hash and step of the newest snapshot without damage, which is looked for in what is stored.

    Of damage a warning is given, and a CorruptDataError where no snapshot is sound.
    """
    passed = []
    for label, found in store._to_resume(run, step):
        checked = store.verify(label)
        if checked.sound:
            for problem in passed:
                warnings.warn(problem, stacklevel=2)
            return store.open(label).version.hash, found
        damage = checked.damages[0]
        passed.append(f"{label} is passed over: {damage.path}: {damage.reason}")
    raise CorruptDataError(
        f"{run}: has no complete snapshot; {passed[0]}", "strata verify --repair mends what it can"
    )


def resume_together(
    store: Store | Path | None, run: str, folder: str, step: int | None, ranks: Ranks
) -> tuple[str, int | None]:
    """Restores on each rank the snapshot that rank 0 goes on from. Its path and its step.

    What is newest may differ from rank to rank: one more may be stored meanwhile, and one that is
    damaged is passed over where it is damaged, on one machine perhaps.
    """
    own, other = (os.path.join(folder, name) for name in ("checkpoint", "as-rank-0"))

    def newest() -> tuple[str, int | None]:
        # What lies in the memory of one machine, the others cannot restore.
        resumed = at_hand(store).resume(run, own, step=step, memory=False)
        assert resumed.version is not None
        return resumed.version.hash, resumed.step

    def as_rank_0() -> str:
        if told[ranks.number] == told[0]:
            return own
        at_hand(store).restore(f"@{chosen}", other)
        return other

    told = ranks.all(newest)
    chosen, found = told[0]
    return ranks.all(as_rank_0)[ranks.number], found

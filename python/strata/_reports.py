"""What operations tell: plain dataclasses, which a notebook shows as tables."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


def _escaped(text: Any) -> str:
    import html  # with all names of characters: nothing that an import has to wait for

    return html.escape(str(text))


def _table(head: list[str], rows: list[list[Any]]) -> str:
    cells = "".join(f"<th>{_escaped(word)}</th>" for word in head)
    lines = [f"<tr>{cells}</tr>"]
    for row in rows:
        cells = "".join(f"<td>{_escaped(value)}</td>" for value in row)
        lines.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _frame(items: list) -> Any:
    """A pandas.DataFrame with a row for each item."""
    import pandas

    return pandas.DataFrame([dataclasses.asdict(item) for item in items])


class _Report:
    """Shows its fields as a table of two columns."""

    def _repr_html_(self) -> str:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        rows = [[one.name.replace("_", " "), getattr(self, one.name)] for one in fields]
        return _table(["", type(self).__name__], rows)


def _moment(seconds: int) -> datetime | None:
    from datetime import datetime, timezone

    return datetime.fromtimestamp(seconds, timezone.utc) if seconds else None


@dataclass(frozen=True)
class Version(_Report):
    """A stored version of a model."""

    name: str
    number: int
    hash: str  #: of the model itself, however it is coded
    format: str  #: "safetensors", "onnx", "pytorch", "npz" or "folder"
    original_bytes: int
    stored_bytes: int  #: what it added to the store; 0 if the content was there already
    added_at: datetime
    lossy: bool = False
    profile: str = "exact"
    parent: str = ""  #: what it is a difference to; empty for a base
    base: str = ""  #: the root of its parents; empty for a base
    note: str = ""
    tags: tuple[str, ...] = ()
    license: str = ""
    source_url: str = ""
    checked_at: datetime | None = None  #: when verify() last found it sound
    files: int = 1
    tensors: int = 0
    depth: int = 0  #: parents to decode before it
    relative_change: float | None = None  #: L2 norm of the change over that of the parent
    awaited_bytes: int = 0  #: that pull() has to bring before it can be restored

    @property
    def ref(self) -> str:
        """The reference that means just this version: ``sst2:v2``."""
        return f"{self.name}:v{self.number}"

    @property
    def ratio(self) -> float:
        """How many times smaller than the model its difference is; 0 where nothing was stored."""
        return self.original_bytes / self.stored_bytes if self.stored_bytes else 0.0

    def __str__(self) -> str:
        return self.ref

    @classmethod
    def _made(cls, told: dict[str, Any]) -> Version:
        moments = {key: _moment(told[key]) for key in ("added_at", "checked_at")}
        return cls(**{**told, **moments})


class VersionList(list):
    """Versions, shown as a table."""

    def _repr_html_(self) -> str:
        return _table(
            ["version", "base", "original", "stored", "ratio", "added", "note"],
            [
                [
                    one.ref,
                    one.base,
                    f"{one.original_bytes:,}",
                    f"{one.stored_bytes:,}",
                    f"{one.ratio:.2f}x",
                    f"{one.added_at:%Y-%m-%d %H:%M}",
                    one.note,
                ]
                for one in self
            ],
        )

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a row for each version."""
        return _frame(list(self))


@dataclass(frozen=True)
class Added(_Report):
    """What add() did."""

    version: Version
    #: "stored", "shared" (the content was there under another name), "unchanged" (the newest
    #: version has it), "repaired", "completed" or "dry run"
    outcome: str
    shared_with: str = ""
    base_was_chosen: bool = False  #: by the store, not by the caller
    better_base: str = ""  #: where the base that was asked for has next to nothing of the model
    repaired: tuple[str, ...] = ()
    relative_error: float | None = None  #: of a lossy version
    kept_exact: tuple[str, ...] = ()  #: of a lossy version: tensors that are exact, and why
    seconds: float = 0.0

    @classmethod
    def _made(cls, told: dict[str, Any]) -> Added:
        lists = {key: tuple(told[key]) for key in ("repaired", "kept_exact")}
        return cls(**{**told, **lists, "version": Version._made(told["version"])})


@dataclass(frozen=True)
class Restored(_Report):
    """What restore() wrote."""

    version: Version
    files: list[str]
    backups: list[str]
    compared_sha256: bool  #: of every file; else checksums of pieces were
    written_bytes: int
    seconds: float

    @classmethod
    def _made(cls, told: dict[str, Any]) -> Restored:
        return cls(**{**told, "version": Version._made(told["version"])})


@dataclass(frozen=True)
class TensorDiff(_Report):
    """One tensor of B and what differs from A."""

    name: str
    source: str  #: where its values come from in A, if not from the tensor of that name
    type: str
    shape: tuple[int, ...]
    size: int
    changed: int  #: values that differ in any bit
    new: int  #: values without a counterpart in A
    relative_change: float | None  #: ||B - A|| / ||A||
    max_abs_change: float | None
    comparable: bool


@dataclass(frozen=True)
class Diff(_Report):
    """How B differs from A."""

    a: str
    b: str
    identical: bool
    tensors: list[TensorDiff] = field(repr=False)  #: the most changed first
    changed_tensors: int
    equal_tensors: int
    only_in_a: list[str]
    only_in_b: list[str]
    files_changed: list[str]
    changed_share: float | None  #: of all values
    distance: float | None  #: ||B - A|| / ||A|| over all weights
    summary: str

    @classmethod
    def _made(cls, told: dict[str, Any]) -> Diff:
        return cls(**{**told, "tensors": [TensorDiff(**one) for one in told["tensors"]]})

    def __str__(self) -> str:
        return f"{self.a} -> {self.b}: {self.summary}"

    def _repr_html_(self) -> str:
        rows = [
            [
                one.name,
                one.type,
                "x".join(map(str, one.shape)),
                f"{one.changed:,}",
                "" if one.relative_change is None else f"{one.relative_change:.3g}",
            ]
            for one in self.tensors
        ]
        return f"<p>{_escaped(self)}</p>" + _table(
            ["tensor", "type", "shape", "changed", "relative change"], rows
        )

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a row for each tensor."""
        return _frame(self.tensors)


@dataclass(frozen=True)
class Damage(_Report):
    """Something in a store that is not as it was written."""

    kind: str
    path: str
    reason: str
    versions: list[str]  #: that cannot be restored for it


@dataclass(frozen=True)
class Verification(_Report):
    """What verify() found. Damage is no exception: look at ``sound``."""

    sound: bool
    versions: int  #: checked, without bases
    bases: int
    objects: int
    checked_bytes: int
    damages: list[Damage]
    damaged_versions: list[str]
    to_add: list[str]  #: models that mend the damage if they are added again, in this order
    absent_versions: list[str]  #: whose packs were never pulled
    unfinished: list[str]
    seconds: float

    def __bool__(self) -> bool:
        return self.sound

    @classmethod
    def _made(cls, told: dict[str, Any]) -> Verification:
        return cls(**{**told, "damages": [Damage(**one) for one in told["damages"]]})


@dataclass(frozen=True)
class Pushed(_Report):
    """What push() sent."""

    pushed: list[str]
    already_there: list[str]
    failed: list[tuple[str, str]]  #: versions that did not go, and why
    tags_elsewhere: list[str]  #: tags that point elsewhere there, and were left
    sent_bytes: int


@dataclass(frozen=True)
class AddedFrom(_Report):
    """What add_from() did."""

    stored: int  #: new versions
    known: int  #: models that the store had under their names
    there: int  #: models that the remote had: they are not in the store
    failed: list[tuple[str, str]]  #: names of models that were not stored, and why
    pushed: int
    sent_bytes: int
    unsent: list[tuple[str, str]]  #: versions that did not go, and why
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether all of the list is stored and, where it was asked for, on the remote."""
        return not self.failed and not self.unsent


@dataclass(frozen=True)
class Pulled(_Report):
    """What pull() fetched."""

    pulled: list[str]
    completed: list[str]  #: were here already, and now with all their bytes
    already_here: list[str]
    failed: list[tuple[str, str]]
    tags_elsewhere: list[str]
    problems: list[str]
    fetched_bytes: int


@dataclass(frozen=True)
class Snapshot(_Report):
    """What snapshot() stored."""

    added: Added
    step: int | None
    kind: str  #: "transformers", "accelerate", "lightning", "distributed" or "plain"
    was_taken: bool  #: the run had this checkpoint already
    exact_because: str = ""  #: why it is exact although a lossy profile was asked for
    in_full_because: str = ""  #: why it is a difference to nothing, if that cannot be read
    doubts: list[str] = field(default_factory=list)  #: what of the checkpoint looks damaged

    @property
    def version(self) -> Version:
        """The version that it is."""
        return self.added.version

    @classmethod
    def _made(cls, told: dict[str, Any]) -> Snapshot:
        return cls(**{**told, "added": Added._made(told["added"])})


@dataclass(frozen=True)
class Resumed(_Report):
    """What resume() brought back."""

    restored: Restored | None  #: None where it came from memory: no version has it yet
    path: str  #: the folder or file that the trainer goes on from
    step: int | None
    kind: str
    passed: list[tuple[str, str]]  #: newer snapshots that are not complete, and why
    beside: list[str] = field(default_factory=list)  #: snapshots of another way that the run went

    @property
    def version(self) -> Version | None:
        """The version that it is; None for what ``strata watch`` keeps in memory."""
        return None if self.restored is None else self.restored.version

    @property
    def from_memory(self) -> bool:
        """Whether it is a copy that ``strata watch --memory-tier`` has not stored yet."""
        return self.restored is None

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path

    @classmethod
    def _made(cls, told: dict[str, Any]) -> Resumed:
        restored = told["restored"]
        made = None if restored is None else Restored._made(restored)
        return cls(**{**told, "restored": made})


@dataclass(frozen=True)
class Trial(_Report):
    """One set of settings that tune() has tried."""

    number: int
    what: str
    stored_bytes: int
    relative_error: float
    score: float | None
    loss_points: float | None  #: hundredths of the score that were lost
    meets_target: bool
    failure: str


@dataclass(frozen=True)
class Tuned(_Report):
    """What tune() found. ``Store.add(name, model, profile=tuned)`` stores a model by it."""

    target: str
    met: bool
    parent: str
    original_bytes: int
    chosen: Trial | None  #: what meets the target, else what comes nearest
    trials: list[Trial] = field(repr=False)
    profile: str = field(repr=False)  #: the settings, as the text of a profile in TOML
    seconds: float

    def __bool__(self) -> bool:
        return self.met

    def _repr_html_(self) -> str:
        rows = [
            [
                one.number,
                one.what,
                f"{one.stored_bytes:,}",
                f"{self.original_bytes / max(one.stored_bytes, 1):.1f}x",
                "" if one.score is None else f"{one.score:.4f}",
                "yes" if one.meets_target else "",
            ]
            for one in self.trials
        ]
        head = ["trial", "what", "stored", "ratio", "score", self.target]
        return _table(head, rows)

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a row for each trial."""
        return _frame(self.trials)

    @classmethod
    def _made(cls, told: dict[str, Any]) -> Tuned:
        chosen = told["chosen"] and Trial(**told["chosen"])
        trials = [Trial(**one) for one in told["trials"]]
        return cls(**{**told, "chosen": chosen, "trials": trials})

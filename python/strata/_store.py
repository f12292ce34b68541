"""A store: a folder of models."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from strata import _arrays, _core
from strata._errors import ArgumentError, Error, ForkError
from strata._given import (
    ModelLike,
    Path,
    ProfileLike,
    Ref,
    Texts,
    listed,
    optional,
    profile_word,
    refs_given,
    texts,
)
from strata._model import Model, check_framework
from strata._progress import ProgressWish, callback
from strata._reports import Added, Diff, Restored, Tuned, Verification, Version, VersionList
from strata._store_exchange import ExchangeOfStore
from strata._store_runs import RunsOfStore

if TYPE_CHECKING:
    from strata._evaluator import Scores

atexit.register(_core.end_running)
os.register_at_fork(after_in_child=_core.forget_running)


def init(path: Path) -> Store:
    """Makes a store in a folder and opens it. A folder that is a store already stays as it is."""
    return Store(path, create=True)


def at_hand(store: Store | Path | None) -> Store:
    """A store that is open, that of a path, or the one that the command line would use."""
    return store if isinstance(store, Store) else Store(store)


class Store(ExchangeOfStore, RunsOfStore):
    """A store that is open. Safe to use from several threads; not from a forked child.

    Without `path` it is the store that the command line would use: $STRATA_STORE, else ``.strata``
    here or in a folder above, else the user's own. ``create=True`` makes one where there is none.
    `wait` is for how many seconds a writer waits for another one, `jobs` how many threads work,
    `device` "auto", "cpu" or "cuda"; what is not said is as the settings say.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        create: bool = False,
        device: str | None = None,
        jobs: int | None = None,
        wait: float | None = None,
    ) -> None:
        if create and path is None:
            raise ArgumentError("create=True needs a path")
        if jobs is not None and jobs < 0:
            raise ArgumentError(f"jobs is {jobs}, expected 0 or more")
        self._settings = (device, jobs, wait)
        # A later chdir() leads to the same store.
        place = None if path is None else os.fsencode(os.path.abspath(path))
        self._core = _core.open_store(place, create, device, jobs, wait)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            return "<strata.Store, closed>" if self._core.closed else f"<strata.Store {self.path}>"
        except ForkError:
            return "<strata.Store of the parent process>"

    def __reduce__(self) -> tuple[Any, ...]:
        """A process that gets it opens the store itself."""
        return _opened, (self.path, *self._settings)

    def close(self) -> None:
        """Lets go of the store. Versions that are open stay so."""
        self._core.close()

    @property
    def path(self) -> str:
        """The store's folder."""
        return self._core.folder

    def add(
        self,
        name: str,
        model: ModelLike,
        *,
        base: Ref | None = None,
        profile: ProfileLike | None = None,
        effort: str | None = None,
        note: str = "",
        tags: Texts = (),
        chain: bool | None = None,
        dry_run: bool = False,
        exclude: Texts = (),
        follow_links: bool = False,
        metadata: Mapping[str, str] | None = None,
        file_name: str = "model.safetensors",
        progress: ProgressWish = None,
    ) -> Added:
        """Stores a model as the next version of a name, as a difference to its base.

        `model` is a file, a folder, or a dict of arrays: of numpy, torch, jax or anything else that
        speaks DLPack or the buffer protocol. Arrays are read where they are. They become a
        safetensors file called `file_name`, whose header has `metadata`.

        `base` is a reference, "auto" (the store finds it) or "none" (stored in full). `profile` is
        "exact", the name or file of a lossy one, or what tune() found. `effort` is "fast",
        "default" or "best". `chain` says whether the version may be a difference to the newest of
        its name.
        """
        with callback(progress) as told, profile_word(profile) as word:
            source = self._model(model, exclude, follow_links, metadata, file_name, told)
            return Added._made(
                self._core.add(
                    name,
                    source,
                    optional(base),
                    word,
                    effort,
                    note,
                    texts(tags),
                    chain,
                    dry_run,
                    told,
                )
            )

    def restore(
        self,
        ref: Ref,
        path: Path,
        *,
        force: bool = False,
        backup: bool = False,
        verify: bool | None = None,
        weights_only: bool = False,
        progress: ProgressWish = None,
    ) -> Restored:
        """Writes a version's files, byte for byte as they were added.

        They get their names once all of it is written and its checksums match. `force` replaces
        files that exist, `backup` keeps these as NAME.bak, `verify` compares the SHA-256, too.
        `weights_only` leaves out of a checkpoint what only its training needs.
        """
        with callback(progress) as told:
            made = self._core.restore(
                str(ref), os.fsencode(path), force, backup, verify, weights_only, told
            )
            return Restored._made({**made, "version": listed(self._core, made["version"])})

    def load(
        self,
        ref: Ref,
        names: Texts | None = None,
        *,
        framework: str = "numpy",
        progress: ProgressWish = None,
    ) -> dict[str, Any]:
        """The tensors of a version as a dict of arrays, decoded into their own memory.

        `names` chooses some, by name or pattern. `framework` is "numpy" or "torch". Types that
        numpy lacks (bfloat16, float8) are those of ml_dtypes; without that package their words are
        given as integers, and a warning says so.
        """
        with self.open(ref, framework=framework) as model:
            return model.get_tensors(names, progress)

    def open(self, ref: Ref, *, framework: str = "numpy") -> Model:
        """Opens a version to be read tensor by tensor, as ``safetensors.safe_open``."""
        check_framework(framework)
        return Model(self._core.open(str(ref)), framework)

    def versions(self, pattern: str = "", *, filter: str = "", newest: bool = False) -> VersionList:
        """What the store holds, by name, and of each name the newest first.

        `pattern` chooses names ("sst2*") or versions ("sst2:v1?"), `filter` by conditions as
        "ratio>10,tag=prod" (``strata help list``), `newest` the newest of each name alone.
        """
        rows = self._core.versions(pattern, filter, not newest)
        return VersionList(Version._made(row) for row in rows)

    def log(self, name: str = "", *, limit: int = 0) -> VersionList:
        """The history of a name, or of the whole store, the newest first."""
        return VersionList(Version._made(row) for row in self._core.log(name, limit))

    def diff(
        self,
        a: Ref,
        b: ModelLike | Version | None = None,
        *,
        names: Texts = (),
        threshold: float = 0.0,
        progress: ProgressWish = None,
    ) -> Diff:
        """Compares two models tensor by tensor; `a` with its own base if there is no `b`.

        `b` is a version, a dict of arrays or, as an ``os.PathLike``, a file. `names` are patterns
        of tensors, `threshold` hides those of which a smaller share changed.
        """
        other, source = None, None
        with callback(progress) as told:
            if isinstance(b, (str, Version)):
                other = str(b)
            elif b is not None:
                source = self._model(b, (), False, None, "model.safetensors", told)
            label = os.fspath(b) if isinstance(b, os.PathLike) else "arrays"
            return Diff._made(
                self._core.diff(str(a), other, source, label, texts(names), threshold, told)
            )

    def verify(
        self, refs: Ref | Iterable[Ref] = (), *, level: str = "full", progress: ProgressWish = None
    ) -> Verification:
        """Looks for damage in versions and their parents; in the whole store without `refs`.

        `level` is "quick" (everything is there), "full" (every object is hashed) or "rebuild"
        (every version is decoded and compared with the SHA-256 of its files).
        """
        with callback(progress) as told:
            return Verification._made(self._core.verify(refs_given(refs), level, told))

    def tune(
        self,
        model: Path,
        *,
        target: str | None = None,
        evaluate: Callable[[str], Scores] | None = None,
        base: Ref | None = None,
        profile: Path = "balanced",
        trials: int | None = None,
        time_limit: float | None = None,
        progress: ProgressWish = None,
    ) -> Tuned:
        """Looks for lossy settings that reach a target, and stores nothing.

        `target` is "quality_loss=0.5" (points, hundredths of the score), "size=500kB" or
        "error=0.1"; without it that of the profile, which says where to begin, too. `evaluate` is
        called with the path of a model: first the unquantized one, then each candidate. It answers
        the score, or a dict with more (tools/evaluators/README.md); it runs on a thread of its own.
        What it raises ends the search, and tune() raises it. Without it sizes and errors are all
        there is to go by. `time_limit` is in seconds.
        """
        from strata._evaluator import ServedFunction

        path = os.path.abspath(model)
        source = self._model(path, (), False, None, "", None)
        with ExitStack() as stack:
            told = stack.enter_context(callback(progress))
            served = None if evaluate is None else stack.enter_context(ServedFunction(evaluate))
            command = None if served is None else served.command
            try:
                found = self._core.tune(
                    source,
                    os.fsencode(path),
                    optional(base),
                    os.fspath(profile),
                    target,
                    command,
                    trials,
                    time_limit,
                    told,
                )
            except Error:
                if served is not None and served.failure is not None:
                    raise served.failure from None
                raise
            if served is not None and served.failure is not None:
                raise served.failure
        return Tuned._made(found)

    @staticmethod
    def _model(
        model: ModelLike,
        exclude: Texts,
        follow_links: bool,
        metadata: Mapping[str, str] | None,
        file_name: str,
        progress: Any,
    ) -> Any:
        if _arrays.is_arrays(model):
            pairs = list((metadata or {}).items())
            return _core.model_of_arrays(_arrays.given(model), file_name, pairs, progress)
        if not isinstance(model, (str, os.PathLike)):
            raise ArgumentError(
                f"the model is a {type(model).__name__}",
                fix="pass a path or a dict of arrays, such as model.state_dict()",
            )
        return _core.open_model(os.fsencode(model), texts(exclude), follow_links)


def _opened(path: str, device: str | None, jobs: int | None, wait: float | None) -> Store:
    return Store(path, device=device, jobs=jobs, wait=wait)

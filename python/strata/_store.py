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
    models_given,
    optional,
    profile_word,
    refs_given,
    texts,
    warn_of,
    warn_of_list,
)
from strata._model import Model, check_framework
from strata._progress import ProgressWish, callback
from strata._reports import (
    Added,
    AddedFrom,
    Diff,
    Pulled,
    Pushed,
    Restored,
    Resumed,
    Snapshot,
    Tuned,
    Verification,
    Version,
    VersionList,
)

if TYPE_CHECKING:
    from strata._evaluator import Scores

atexit.register(_core.end_running)
os.register_at_fork(after_in_child=_core.forget_running)


def init(path: Path) -> Store:
    """Makes a store in a folder and opens it. A folder that is a store already stays as it is."""
    return Store(path, create=True)


def snapshot(
    run: str,
    path: Path,
    *,
    store: Store | Path | None = None,
    base: Ref | None = None,
    profile: ProfileLike | None = None,
    note: str = "",
    progress: ProgressWish = None,
) -> Snapshot:
    """Stores a checkpoint of a training run: ``Store.snapshot`` of the store at hand."""
    return at_hand(store).snapshot(
        run, path, base=base, profile=profile, note=note, progress=progress
    )


def resume(
    run: str,
    path: Path | None = None,
    *,
    store: Store | Path | None = None,
    step: int | None = None,
    force: bool = False,
    memory: bool = True,
    warn: bool = True,
    progress: ProgressWish = None,
) -> str:
    """Restores the newest complete snapshot of a run, and answers where it is.

    ``trainer.train(resume_from_checkpoint=strata.resume("run"))``
    """
    opened = at_hand(store)
    resumed = opened.resume(
        run, path, step=step, force=force, memory=memory, warn=warn, progress=progress
    )
    return resumed.path


def at_hand(store: Store | Path | None) -> Store:
    """A store that is open, that of a path, or the one that the command line would use."""
    return store if isinstance(store, Store) else Store(store)


class Store:
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

    def add_from(
        self,
        models: Path | Iterable[tuple[str, Path] | tuple[str, Path, str]],
        *,
        shard: tuple[int, int] = (0, 1),
        push: Path | None = None,
        base: Ref | None = None,
        profile: ProfileLike | None = None,
        effort: str | None = None,
        note: str = "",
        tags: Texts = (),
        warn: bool = True,
        progress: ProgressWish = None,
    ) -> AddedFrom:
        """Stores the models of a list, as one of many workers, and pushes them as it goes.

        `models` are (name, file) or (name, file, base) each, or the file of such a list: lines of
        NAME, FILE and BASE, with tabs between them. ``shard=(i, n)`` takes those whose place in
        the list, counted from 0, leaves i when divided by n. A base that is not here comes from
        the remote `push`. What the store or the remote has already is not stored again. A model
        that fails does not stop the others: `failed` and a warning name it.
        """
        with callback(progress) as told, profile_word(profile) as word:
            made = self._core.add_from(
                models_given(models),
                "{}/{}".format(*shard),
                None if push is None else os.fspath(push),
                optional(base),
                word,
                effort,
                note,
                texts(tags),
                told,
            )
        report = AddedFrom(**made)
        if warn:
            warn_of_list(report)
        return report

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
            return Restored._made({**made, "version": self._listed(made["version"])})

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

    def push(
        self,
        refs: Ref | Iterable[Ref] = (),
        remote: Path = "",
        *,
        with_base: bool = True,
        dry_run: bool = False,
        message: str = "",
        progress: ProgressWish = None,
    ) -> Pushed:
        """Sends versions to a remote: its name, a URL or a folder; the default one without.

        Without `refs` all versions go. Parents that the remote lacks go along, unless `with_base`
        is False. `message` is what the remote's own history says, where it has one.
        """
        with callback(progress) as told:
            made = self._core.push(
                refs_given(refs), os.fspath(remote), with_base, dry_run, message, told
            )
            return Pushed(**made)

    def pull(
        self,
        refs: Ref | Iterable[Ref] = (),
        remote: Path = "",
        *,
        latest: int = 0,
        lazy: bool = False,
        dry_run: bool = False,
        progress: ProgressWish = None,
    ) -> Pulled:
        """Fetches versions from a remote, with the parents that are missing here.

        `latest` takes only so many versions of each name, `lazy` leaves the weights for a later
        pull.
        """
        with callback(progress) as told:
            return Pulled(
                **self._core.pull(refs_given(refs), os.fspath(remote), latest, lazy, dry_run, told)
            )

    def snapshot(
        self,
        run: str,
        path: Path,
        *,
        base: Ref | None = None,
        profile: ProfileLike | None = None,
        note: str = "",
        progress: ProgressWish = None,
    ) -> Snapshot:
        """Stores a checkpoint of a training, with all its files, as the next version of a run.

        One that is not finished is refused (UnsupportedError says why). `base` and `profile` are as
        those of add().
        """
        with callback(progress) as told, profile_word(profile) as word:
            return Snapshot._made(
                self._core.snapshot(run, os.fsencode(path), optional(base), word, note, told)
            )

    def resume(
        self,
        run: str,
        path: Path | None = None,
        *,
        step: int | None = None,
        force: bool = False,
        memory: bool = True,
        warn: bool = True,
        progress: ProgressWish = None,
    ) -> Resumed:
        """Restores the newest complete snapshot of a run, for a trainer to go on from.

        A reference to one version, such as "run:v3", means that snapshot and no other. `path` is
        the folder to make; "checkpoint-STEP" in the current folder without it. `step` asks for the
        snapshot of a step, `force` replaces files that are there. A snapshot that is
        damaged is passed over for the one before it. `warn` warns of that, of a run that went two
        ways, and of a snapshot that is lossy.

        What ``strata watch --memory-tier`` has in memory and not in the store yet counts, too,
        unless `memory` is False. The report then has no version.
        """
        place = b"" if path is None else os.fsencode(path)
        with callback(progress) as told:
            made = self._core.resume(run, place, step, force, memory, told)
            restored = made["restored"]
            if restored is not None:
                restored["version"] = self._listed(restored["version"])
        resumed = Resumed._made(made)
        if warn:
            warn_of(resumed)
        return resumed

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

    def _listed(self, version: dict[str, Any]) -> dict[str, Any]:
        """A version as versions() tells of it: with its parents and what it awaits."""
        return self._core.listed(f"{version['name']}:v{version['number']}") or version

    def _snapshots(self, run: str) -> list[tuple[str, int | None, str]]:
        """(label, step, name that its trainer gave it) of each snapshot, the newest first."""
        return self._core.snapshots(run)

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

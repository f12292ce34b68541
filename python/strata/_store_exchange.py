"""What a store exchanges with remotes, and how it takes lists of models."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from strata._fetched import Fetched
from strata._given import (
    Path,
    ProfileLike,
    Ref,
    Texts,
    is_url,
    models_given,
    optional,
    profile_word,
    refs_given,
    texts,
    warn_of_list,
)
from strata._progress import ProgressWish, callback
from strata._reports import AddedFrom, Pulled, Pushed


class ExchangeOfStore:
    """The part of a Store that pushes, pulls, and stores lists of models."""

    _core: Any

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
        scratch: Path | None = None,
        warn: bool = True,
        progress: ProgressWish = None,
    ) -> AddedFrom:
        """Stores the models of a list, as one of many workers, and pushes them as it goes.

        `models` are (name, file) or (name, file, base) each, or the file of such a list: lines of
        NAME, FILE and BASE, with tabs between them. ``shard=(i, n)`` takes those whose place in
        the list, counted from 0, leaves i when divided by n. A base that is not here comes from
        the remote `push`. What the store or the remote has already is not stored again. A model
        that fails does not stop the others: `failed` and a warning name it.

        A file or a base may be a URL that fsspec knows of, as "s3://bucket/model.safetensors", or
        that of a folder. A model lies in the folder `scratch` until it is stored, the temporary
        folder without. A base is fetched once, and stored as "bases/NAME-HASH".
        """
        with callback(progress) as told, profile_word(profile) as word:
            made = self._core.add_from(
                models_given(models, base),
                "{}/{}".format(*shard),
                None if push is None else os.fspath(push),
                None if is_url(base) else optional(base),
                word,
                effort,
                note,
                texts(tags),
                Fetched(scratch),
                told,
            )
        report = AddedFrom(**made)
        if warn:
            warn_of_list(report)
        return report

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

"""What callers give, as the core takes it, and what they are warned of."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Union

from strata import _core
from strata._errors import ArgumentError
from strata._reports import AddedFrom, Resumed, Tuned, Version

Path = Union[str, "os.PathLike[str]"]
#: A version: a reference as "sst2", "sst2:v2", "sst2:prod" or "@HASH", or what a report names.
Ref = Union[str, Version]
#: A model on its way in: a file, a folder, or arrays by their names.
ModelLike = Union[Path, Mapping[str, Any], Iterable["tuple[str, Any]"]]
#: "exact", the name or file of a lossy profile, or what tune() found.
ProfileLike = Union[Path, Tuned]
#: One or several.
Texts = Union[str, Iterable[str]]


@contextmanager
def profile_word(profile: ProfileLike | None) -> Iterator[str | None]:
    """A profile as the core takes it: a name or a file."""
    if not isinstance(profile, Tuned):
        yield None if profile is None else os.fspath(profile)
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="strata-") as folder:
        file = os.path.join(folder, "tuned.toml")
        with open(file, "w", encoding="utf-8") as out:
            out.write(profile.profile)
        yield file


def warn_of(resumed: Resumed) -> None:
    """What the command line would say on the way."""
    import warnings

    version = resumed.version
    for label, why in resumed.passed:
        warnings.warn(f"{label} is passed over: {why}", stacklevel=3)
    if resumed.beside:
        others = ", ".join(resumed.beside)
        warnings.warn(
            f"the run went another way than that of {version}: {others}; resume() of one of "
            "these goes on from there",
            stacklevel=3,
        )
    if version is not None and version.lossy:
        warnings.warn(
            f"{version} is lossy: what goes on from it differs from the run before", stacklevel=3
        )


def listed(core: Any, version: dict[str, Any]) -> dict[str, Any]:
    """A version as versions() tells of it: with its parents and what it awaits."""
    return core.listed(f"{version['name']}:v{version['number']}") or version


def texts(given: Texts) -> list[str]:
    """One text, or several."""
    return [given] if isinstance(given, str) else list(given)


def optional(ref: Ref | None) -> str | None:
    return None if ref is None else str(ref)


def refs_given(refs: Ref | Iterable[Ref]) -> list[str]:
    if isinstance(refs, (str, Version)):
        return [str(refs)]
    return [str(ref) for ref in refs]


def is_url(place: Any) -> bool:
    """Whether a model or base is named by a URL."""
    return isinstance(place, str) and "://" in place


def models_given(models: Path | Iterable[Any], base: Any = None) -> list[tuple[str, bytes, str]]:
    """Names, files and bases of a list, or of the file that has one. Lines without a base have
    `base`, if that is a URL."""
    given = _read_list(models) if isinstance(models, (str, os.PathLike)) else _listed(models)
    if not is_url(base):
        return given
    return [(name, file, own or base) for name, file, own in given]


def _read_list(place: Path) -> list[tuple[str, bytes, str]]:
    if is_url(place):
        import fsspec

        with fsspec.open(place, "rb") as file:
            return _core.read_model_list(file.read(), os.fspath(place))
    with open(place, "rb") as file:
        return _core.read_model_list(file.read(), os.fspath(place))


def _listed(models: Iterable[Any]) -> list[tuple[str, bytes, str]]:
    given = []
    for one in models:
        if not isinstance(one, (tuple, list)) or len(one) not in (2, 3):
            raise ArgumentError(
                f"a model of the list is {one!r}", fix="pass (name, file) or (name, file, base)"
            )
        given.append((str(one[0]), os.fsencode(one[1]), str(one[2]) if len(one) > 2 else ""))
    return given


def warn_of_list(report: AddedFrom) -> None:
    """Of models that were not stored, and of versions that did not go."""
    import warnings

    for name, why in report.failed:
        warnings.warn(f"{name} was not stored: {why}", stacklevel=3)
    for ref, why in report.unsent:
        warnings.warn(f"{ref} did not go: {why}", stacklevel=3)

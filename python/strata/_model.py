"""A stored version that is read tensor by tensor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from strata import _arrays
from strata._errors import ArgumentError, NotFoundError
from strata._progress import ProgressWish, callback
from strata._reports import Version

_MOST_HEADER_BYTES = 100_000_000


class Model:
    """A version of a store, open for reading: nothing is decoded before it is asked for.

    Used as ``safetensors.safe_open`` is::

        with store.open("sst2") as model:
            for name in model.keys():
                tensor = model.get_tensor(name)

    Safe to use from several threads. ``framework`` is "numpy" or "torch".
    """

    def __init__(self, opened: Any, framework: str) -> None:
        check_framework(framework)
        self._core: Any = opened
        self._framework = framework
        self._label: str = opened.label
        self._version: Version | None = None  # known once it is asked for
        self._files = opened.files
        self._tensors = _by_name(opened.tensors, self._files)
        self._tensors.update(self._empty())

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<strata.Model {self._label}: {len(self._tensors)} tensors>"

    def close(self) -> None:
        """Lets go of the version; arrays that it gave stay valid."""
        self._core = None

    @property
    def version(self) -> Version:
        """The version that is open. Ask before close()."""
        if self._version is None:
            self._version = Version._made(self._opened().version)
        return self._version

    @property
    def files(self) -> dict[str, int]:
        """Paths of the model's files, and how many bytes each has."""
        return {path: size for path, _, size in self._files}

    def keys(self) -> list[str]:
        """Names of all tensors. Of one that several files have: ``FILE:NAME``."""
        return list(self._tensors)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def __contains__(self, name: object) -> bool:
        return name in self._tensors

    def __getitem__(self, name: str) -> Any:
        return self.get_tensor(name)

    def get_shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor, without decoding it."""
        return self._tensor(name)[1]

    def get_dtype(self, name: str) -> str:
        """The type of a tensor's elements as Strata calls it: "f32", "bf16"."""
        return self._tensor(name)[0]

    def get_tensor(self, name: str) -> Any:
        """A tensor, decoded into memory of its own."""
        self._tensor(name)  # a pattern is no name
        return self.get_tensors([name])[name]

    def get_tensors(
        self, names: str | Iterable[str] | None = None, progress: ProgressWish = None
    ) -> dict[str, Any]:
        """Several tensors, decoded at once; all of them without `names`.

        A name may be a pattern with ``*``, ``?`` and ``[...]``, as "encoder.*".
        """
        wanted = list(self._tensors) if names is None else self._matching(names)
        arrays, targets = {}, []
        for name in wanted:
            kind, shape, _ = self._tensor(name)
            arrays[name], memory = _arrays.made(name, kind, shape, self._framework)
            targets.append((name, kind, list(shape), memory))
        with callback(progress) as told:
            self._opened().restore(targets, told)
        return arrays

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """Bytes of one of the model's files, decoded; all from `offset` on without `length`."""
        if offset < 0 or (length is not None and length < 0):
            raise ArgumentError(f"offset is {offset} and length {length}, expected 0 or more")
        for number, (known, _, size) in enumerate(self._files):
            if known == path:
                rest = max(size - offset, 0)
                count = rest if length is None else min(length, rest)
                return self._opened().read(number, offset, count) if count else b""
        raise NotFoundError(f"{self._label} has no file {path!r}, but {', '.join(self.files)}")

    def metadata(self) -> dict[str, str]:
        """What a model of one safetensors file says of itself; empty for others."""
        if len(self._files) != 1:
            return {}
        return self._header(0).get("__metadata__", {})

    def _opened(self) -> Any:
        if self._core is None:
            raise ArgumentError(f"{self._label} was closed", fix="open it again")
        return self._core

    def _tensor(self, name: str) -> tuple:
        if name not in self._tensors:
            raise NotFoundError(
                f"{self._label} has no tensor {name!r}", fix="keys() lists its tensors"
            )
        return self._tensors[name]

    def _matching(self, names: str | Iterable[str]) -> list[str]:
        import fnmatch

        if isinstance(names, str):
            names = [names]
        found: dict[str, None] = {}
        for name in names:
            if name in self._tensors:
                found[name] = None
                continue
            matches = fnmatch.filter(self._tensors, name)
            if not matches:
                self._tensor(name)
            found.update(dict.fromkeys(matches))
        return list(found)

    def _header(self, number: int) -> dict[str, Any]:
        """The JSON that a safetensors file begins with; empty for other files."""
        import json

        _, kind, size = self._files[number]
        if kind != "safetensors" or size < 8:
            return {}
        length = int.from_bytes(self._opened().read(number, 0, 8), "little")
        if length > min(size - 8, _MOST_HEADER_BYTES):
            return {}
        return json.loads(self._opened().read(number, 8, length))

    def _empty(self) -> dict[str, tuple]:
        """Tensors without elements: lines of a header, and nothing that could be stored."""
        found = {}
        for number in range(len(self._files)):
            for name, told in self._header(number).items():
                if name == "__metadata__" or 0 not in told["shape"] or name in self._tensors:
                    continue
                found[name] = (_header_type(told["dtype"]), tuple(told["shape"]), number)
        return found


def check_framework(framework: str) -> None:
    """Raises where arrays of it cannot be made."""
    if framework not in ("numpy", "torch"):
        raise ArgumentError(f"framework is {framework!r}, expected 'numpy' or 'torch'")


def _header_type(dtype: str) -> str:
    """A type as a safetensors header spells it: "F32", "F8_E4M3"."""
    return {"f8_e4m3": "f8e4m3fn", "f8_e5m2": "f8e5m2", "f8_e8m0": "f8e8m0"}.get(
        dtype.lower(), dtype.lower()
    )


def _by_name(tensors: list[tuple], files: list[tuple]) -> dict[str, tuple]:
    counts: dict[str, int] = {}
    for name, *_ in tensors:
        counts[name] = counts.get(name, 0) + 1
    found = {}
    for name, kind, shape, file, *_ in tensors:
        key = name if counts[name] == 1 else f"{files[file][0]}:{name}"
        found[key] = (kind, shape, file)
    return found

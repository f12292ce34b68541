"""Stored versions as files: ``strata://sst2:v2/model.safetensors``, read-only, decoded by range.

    import fsspec

    with fsspec.open("strata://sst2/model.safetensors", store="models") as file:
        header = file.read(8)

`store` is a store or its path; without it the one that the command line would use.
"""

from __future__ import annotations

import threading
from typing import Any

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem
from strata._errors import NotFoundError
from strata._model import Model
from strata._store import Path, Store, at_hand

_MOST_KEPT = 16


class StrataFileSystem(AbstractFileSystem):
    """A store as a file system: its folders are versions, and in these lie the models' files."""

    protocol = "strata"
    cachable = False  # one of a closed store, or of another folder's, is of no use
    root_marker = ""

    def __init__(self, store: Store | Path | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._store = at_hand(store)
        self._kept: dict[str, Model] = {}  # by a reference that means one version for ever
        self._lock = threading.Lock()  # of _kept

    def ls(self, path: str, detail: bool = True, **_: Any) -> list:
        """The versions of the store, the files of a version, or what lies in a folder of it."""
        ref, inner = self._parted(path)
        if not ref:
            found = [self._folder(str(version)) for version in self._store.versions()]
        else:
            found = self._below(ref, inner)
            if not found:
                found = [self.info(path)]
        return found if detail else [one["name"] for one in found]

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Name, size and kind of a file or folder."""
        ref, inner = self._parted(path)
        if not ref:
            return self._folder("")
        files = self._model(ref).files
        if inner in files:
            return {"name": f"{ref}/{inner}", "size": files[inner], "type": "file"}
        if not inner or any(name.startswith(inner + "/") for name in files):
            return self._folder(f"{ref}/{inner}".rstrip("/"))
        raise FileNotFoundError(path)

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        """Bytes of a file, from `start` to `end`; negative ones count from its end."""
        info = self.info(path)
        if info["type"] != "file":
            raise IsADirectoryError(path)
        begin, stop, _step = slice(start, end).indices(info["size"])
        ref, inner = self._parted(path)
        return self._model(ref).read(inner, begin, max(stop - begin, 0))

    def created(self, path: str) -> Any:
        """When the version of a file was added."""
        return self._model(self._parted(path)[0]).version.added_at

    modified = created

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: Any = None,
        autocommit: bool = True,
        cache_options: Any = None,
        **_: Any,
    ) -> AbstractBufferedFile:
        if mode != "rb":
            raise OSError(f"{path}: versions never change; Store.add stores another one")
        if self.info(path)["type"] != "file":
            raise IsADirectoryError(path)
        ref, inner = self._parted(path)
        model = self._model(ref)
        return _VersionFile(
            self,
            path,
            mode,
            block_size or "default",
            cache_options=cache_options,
            size=model.files[inner],
            model=model,
            inner=inner,
        )

    def _parted(self, path: str) -> tuple[str, str]:
        ref, _, inner = self._strip_protocol(path).strip("/").partition("/")
        return ref, inner

    def _model(self, ref: str) -> Model:
        with self._lock:
            kept = self._kept.get(ref)
        if kept is not None:
            return kept
        try:
            opened = self._store.open(ref)
        except NotFoundError as error:
            raise FileNotFoundError(str(error)) from error
        if opened._label == ref:  # a name alone, or with a tag, may mean another one later
            with self._lock:
                self._kept[ref] = opened
                if len(self._kept) > _MOST_KEPT:
                    del self._kept[next(iter(self._kept))]
        return opened

    def _below(self, ref: str, inner: str) -> list[dict[str, Any]]:
        found = {}
        start = inner + "/" if inner else ""
        for name, size in self._model(ref).files.items():
            if not name.startswith(start):
                continue
            first, more, _ = name[len(start) :].partition("/")
            full = f"{ref}/{start}{first}"
            found[full] = (
                self._folder(full) if more else {"name": full, "size": size, "type": "file"}
            )
        return list(found.values())

    @staticmethod
    def _folder(name: str) -> dict[str, Any]:
        return {"name": name, "size": 0, "type": "directory"}


class _VersionFile(AbstractBufferedFile):
    """A file of the version that its path meant when it was opened."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        return self.kwargs["model"].read(self.kwargs["inner"], start, end - start)

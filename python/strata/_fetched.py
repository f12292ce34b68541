"""Models that URLs name, on this machine while they are needed."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any

from strata._errors import ArgumentError
from strata._given import Path


class Fetched:
    """Fetches what fsspec knows of: s3://, gs://, https:// and more."""

    def __init__(self, scratch: Path | None = None) -> None:
        self._scratch = scratch
        self._folders: dict[str, list[str]] = {}

    def take(self, url: str) -> bytes:
        """The path of the file or folder that a URL names."""
        try:
            from fsspec.core import url_to_fs

            files, place = url_to_fs(url)
        except ImportError as error:
            raise ArgumentError(f"{url} needs a package: {error}") from error
        if self._scratch is not None:
            os.makedirs(self._scratch, exist_ok=True)
        folder = tempfile.mkdtemp(prefix="strata-", dir=self._scratch)
        self._folders.setdefault(url, []).append(folder)
        name = place.partition("?")[0].rstrip("/").rpartition("/")[2]
        path = os.path.join(folder, _plain(name) or "model")
        if files.info(place)["type"] != "directory":
            files.get_file(place, path)
            return os.fsencode(path)
        found = files.find(place)
        if not found:
            raise FileNotFoundError(f"{url} has no files")
        for one in found:
            inner = [_plain(word) for word in _below(one, files._strip_protocol(place)).split("/")]
            if None in inner:
                raise ArgumentError(f"{url} has a file called {one!r}, which is no plain path")
            to = os.path.join(path, *inner)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            files.get_file(one, to)
        return os.fsencode(path)

    def drop(self, url: str) -> None:
        """Takes away what take() fetched last for a URL."""
        folders = self._folders.get(url)
        if folders:
            shutil.rmtree(folders.pop(), ignore_errors=True)


def _below(path: str, folder: Any) -> str:
    """A path from a folder on; empty for one that lies elsewhere."""
    start = folder.rstrip("/") + "/"
    return path[len(start) :] if path.startswith(start) else ""


def _plain(word: str) -> str | None:
    """A word that a file may be called; None where it would lead elsewhere."""
    return None if word in ("", ".", "..") or "\0" in word else word

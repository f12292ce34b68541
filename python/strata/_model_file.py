"""A file of a stored version that is read by range."""

from __future__ import annotations

import io
from typing import Any

from strata._model import Model


class FileOfModel(io.RawIOBase):
    """Reads and seeks, and decodes what is asked for; `begin` and `end` bound a part of it."""

    def __init__(self, model: Model, path: str, begin: int = 0, end: int | None = None) -> None:
        super().__init__()
        self.path = path
        self._model = model
        self._begin = begin
        self._end = model.files[path] if end is None else end
        self._at = begin

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at - self._begin

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: self._begin, io.SEEK_CUR: self._at, io.SEEK_END: self._end}[whence]
        self._at = max(start + offset, self._begin)
        return self.tell()

    def readinto(self, into: Any) -> int:
        count = min(len(into), max(self._end - self._at, 0))
        into[:count] = self._model.read(self.path, self._at, count)
        self._at += count
        return count

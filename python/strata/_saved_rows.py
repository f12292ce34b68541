"""Rows of a tensor that torch.save() wrote, read where it lies in a stored version."""

from __future__ import annotations

import io
import math
import pickle
import zipfile
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from strata._model_file import FileOfModel

_SMALL = 1 << 20  # bytes that are read at once
_READ_AT_ONCE = 1 << 12  # of what describes the tensor
#: What comes of files that hold no plain tensor.
_OTHER = (
    zipfile.BadZipFile,
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
)
_LOCAL_HEADER = 30  # bytes of a zip's header of a record, before its name


class _Storage(NamedTuple):
    dtype: torch.dtype
    key: str


class _Tensor(NamedTuple):
    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


class _Describer(pickle.Unpickler):
    """Tells of a tensor, and makes none."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, shape, stride, *_: _Tensor(
                storage, offset, tuple(shape), tuple(stride)
            )
        if (module, name) == ("collections", "OrderedDict"):
            return dict
        if module == "torch" and name.endswith("Storage") and name != "UntypedStorage":
            return getattr(torch, name).dtype
        raise pickle.UnpicklingError(f"{module}.{name} is no plain tensor")

    def persistent_load(self, told: Any) -> _Storage:
        _, dtype, key, *_ = told
        return _Storage(dtype, key)


def rows_of(
    saved: FileOfModel, offsets: Sequence[int], lengths: Sequence[int]
) -> torch.Tensor | None:
    """The part at `offsets`, `lengths` long in each direction, of a tensor that was saved.

    Reads the rows of the first direction that are asked for. None where the tensor is to be read
    as a whole: it is small, or not laid out row by row.
    """
    size = saved.seek(0, io.SEEK_END)
    if size < _SMALL or 0 in lengths:
        return None
    try:
        with zipfile.ZipFile(io.BufferedReader(saved, _READ_AT_ONCE)) as archive:
            tensor, start = _described(archive, saved)
    except _OTHER:
        return None  # torch reads it, or says what is wrong
    dtype, row = tensor.storage.dtype, math.prod(tensor.shape[1:])
    first, count = offsets[0], lengths[0]
    at = start + (tensor.offset + first * row) * dtype.itemsize
    byte_count = count * row * dtype.itemsize
    if not _is_row_by_row(tensor) or first + count > tensor.shape[0] or at + byte_count > size:
        return None
    words = bytearray(byte_count)
    saved.seek(at)
    saved.readinto(words)
    rows = torch.frombuffer(words, dtype=dtype).reshape(count, *tensor.shape[1:])
    for axis in range(1, len(lengths)):
        rows = rows.narrow(axis, offsets[axis], lengths[axis])
    return rows


def _described(archive: zipfile.ZipFile, saved: FileOfModel) -> tuple[_Tensor, int]:
    """What was saved, and where its words begin. Raises what rows_of() knows of."""
    inner = {one.filename.partition("/")[2]: one for one in archive.infolist()}
    if "byteorder" in inner and archive.read(inner["byteorder"]) != b"little":
        raise ValueError("words of another order")
    tensor = _Describer(io.BytesIO(archive.read(inner["data.pkl"]))).load()
    if not isinstance(tensor, _Tensor):
        raise TypeError("no tensor")
    if min(tensor.offset, *tensor.shape, *tensor.stride) < 0:
        raise ValueError("words before the first one")
    record = inner[f"data/{tensor.storage.key}"]
    if record.compress_type != zipfile.ZIP_STORED:
        raise ValueError("compressed")
    saved.seek(record.header_offset)
    header = saved.read(_LOCAL_HEADER)
    name, extra = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
    return tensor, record.header_offset + _LOCAL_HEADER + name + extra


def _is_row_by_row(tensor: _Tensor) -> bool:
    expected = 1
    for length, stride in zip(reversed(tensor.shape), reversed(tensor.stride)):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return bool(tensor.shape)

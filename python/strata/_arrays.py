"""Arrays of numpy, torch, jax and others as Strata takes and gives them, without a copy."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from strata._errors import ArgumentError, of_array

# How the types of arrays are called by numpy, torch and jax, and by Strata.
_NAMES = {
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "bfloat16": "bf16",
    "int8": "i8",
    "uint8": "u8",
    "int16": "i16",
    "uint16": "u16",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
    "bool": "bool",
    "complex64": "c64",
    "complex128": "c128",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e4m3fnuz": "f8e4m3fnuz",
    "float8_e5m2": "f8e5m2",
    "float8_e5m2fnuz": "f8e5m2fnuz",
    "float8_e8m0fnu": "f8e8m0",
    "float8_e4m3": "f8e4m3",
}
_NUMPY = {ours: theirs for theirs, ours in _NAMES.items()}
_TO_NUMBERS = "convert it to a type of numbers, such as float32"


def is_arrays(model: Any) -> bool:
    """Whether a model is given as arrays: a dict, or pairs of a name and an array."""
    return isinstance(model, Mapping) or (
        isinstance(model, Iterable)
        and not hasattr(model, "__fspath__")
        and not isinstance(model, (str, bytes))
    )


def given(arrays: Any) -> list[tuple]:
    """The arrays of a model as the core takes them: (name, type, shape, array)."""
    pairs = arrays.items() if isinstance(arrays, Mapping) else arrays
    taken = [_given(name, array) for name, array in _checked(pairs)]
    if not taken:
        raise ArgumentError("the model has no arrays", fix="pass at least one array")
    return taken


def _checked(pairs: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    seen = set()
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentError(
                f"a model of arrays holds a {type(pair).__name__} where a pair of a "
                "name and an array belongs",
                fix="pass a dict of names and arrays",
            )
        name, array = pair
        if not isinstance(name, str):
            raise ArgumentError(
                f"the name of an array is {name!r}, and no text",
                fix="name arrays by texts: {str(name): array}",
            )
        if name in seen:
            raise of_array(name, "there are two arrays of this name", "give each its own name")
        seen.add(name)
        yield name, array


def _is_torch(array: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def _is_numpy(array: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(array, (numpy.ndarray, numpy.generic))


def _given(name: str, array: Any) -> tuple:
    if _is_torch(array):
        return _given_torch(name, array)
    if _is_numpy(array):
        return _given_numpy(name, array)
    device = getattr(array, "__dlpack_device__", None)
    if device is not None and device()[0] not in (1, 3):  # main memory, or what CUDA pins there
        raise of_array(
            name,
            f"is on a device, {_device_name(array)}",
            "copy it to main memory first, such as jax.device_get(array) or cupy.asnumpy(array)",
        )
    return name, None, None, array


def _device_name(array: Any) -> str:
    device = getattr(array, "device", None)
    return str(device() if callable(device) else device)


def _given_torch(name: str, tensor: Any) -> tuple:
    torch = sys.modules["torch"]
    if tensor.layout != torch.strided:
        raise of_array(name, f"is a tensor of layout {tensor.layout}", "pass tensor.to_dense()")
    if getattr(tensor, "is_quantized", False):
        raise of_array(name, f"is a quantized tensor ({tensor.dtype})", "pass tensor.int_repr()")
    if tensor.device.type != "cpu":
        raise of_array(name, f"is on a device, {tensor.device}", "pass tensor.cpu()")
    if not tensor.is_contiguous():
        raise of_array(name, "is not contiguous", "pass tensor.contiguous()")
    if tensor.is_conj() or tensor.is_neg():
        raise of_array(name, "is a view that negates or conjugates", "pass tensor.clone()")
    kind = _NAMES.get(str(tensor.dtype).removeprefix("torch."))
    if kind is None:
        raise of_array(name, f"has elements of type {tensor.dtype}", _TO_NUMBERS)
    return name, kind, list(tensor.shape), torch_bytes(tensor)


def torch_bytes(tensor: Any) -> Any:
    """The bytes of a contiguous tensor, in place."""
    torch = sys.modules["torch"]
    return tensor.detach().reshape(-1).view(torch.uint8)


def _given_numpy(name: str, array: Any) -> tuple:
    import numpy

    array = numpy.asarray(array)
    kind = _NAMES.get(array.dtype.name)
    if kind is None:
        raise of_array(name, f"has elements of type {array.dtype}", _TO_NUMBERS)
    if not array.dtype.isnative:
        raise of_array(name, "is big-endian", 'pass array.astype(array.dtype.newbyteorder("="))')
    if not array.flags.c_contiguous:
        raise of_array(name, "is not contiguous", "pass numpy.ascontiguousarray(array)")
    return name, kind, list(array.shape), numpy_bytes(array)


def numpy_bytes(array: Any) -> Any:
    """The bytes of a contiguous array, in place."""
    import numpy

    return array.reshape(-1).view(numpy.uint8)


class RawWordsWarning(UserWarning):
    """Values of a type that numpy lacks were given as words without a meaning."""


def made(name: str, kind: str, shape: tuple, framework: str) -> tuple[Any, Any]:
    """A new array for a tensor, and its bytes for the core to fill."""
    if framework == "torch":
        array = _made_torch(name, kind, shape)
        return array, torch_bytes(array)
    array = _made_numpy(name, kind, shape)
    return array, numpy_bytes(array)


def _made_torch(name: str, kind: str, shape: tuple) -> Any:
    import torch

    dtype = getattr(torch, _NUMPY.get(kind, ""), None)
    if dtype is None:
        raise of_array(
            name,
            f"has elements of type {kind}, which torch {torch.__version__} lacks",
            'load it with framework="numpy"',
        )
    return torch.empty(shape, dtype=dtype)


def _made_numpy(name: str, kind: str, shape: tuple) -> Any:
    import numpy

    wanted = _NUMPY.get(kind)
    if wanted is None:  # packed values: bytes are all that numpy can hold of them
        raise of_array(
            name,
            f"has elements of type {kind}, which numpy lacks",
            "restore the version to a file: Store.restore(ref, path)",
        )
    try:
        return numpy.empty(shape, numpy.dtype(wanted))
    except TypeError:
        pass
    try:
        import ml_dtypes

        return numpy.empty(shape, getattr(ml_dtypes, wanted))
    except (ImportError, AttributeError):
        words = "uint16" if kind == "bf16" else "uint8"
        warnings.warn(
            f"{name} is {wanted}, which numpy lacks: its words are given as {words}. "
            'Install ml_dtypes, or load with framework="torch", to get its values',
            RawWordsWarning,
            stacklevel=5,
        )
        return numpy.empty(shape, numpy.dtype(words))

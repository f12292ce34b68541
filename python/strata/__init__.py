"""Fine-tuned models as small, exact differences to the model they were tuned from.

    import strata

    store = strata.Store("models", create=True)
    store.add("base", base_model.state_dict())
    store.add("sst2", tuned_model.state_dict(), base="base")
    weights = store.load("sst2", framework="torch")

A store is a folder. ``Store.add`` takes arrays in memory, a file or a folder; ``Store.load`` gives
arrays back, ``Store.restore`` writes the files, ``Store.open`` reads tensor by tensor. Failures are
exceptions below ``strata.Error``, with the exit code of the command line and what to do.
"""

from typing import TYPE_CHECKING, Any

from strata._core import version as __version__
from strata._errors import (
    ArgumentError,
    ArrayError,
    CancelledError,
    CorruptDataError,
    DeviceError,
    Error,
    EvaluatorError,
    ForkError,
    FormatTooNewError,
    InternalError,
    LimitError,
    LoginError,
    NetworkError,
    NoSpaceError,
    NoStoreError,
    NotFoundError,
    StoreLockedError,
    SystemCallError,
    UnsupportedError,
)
from strata._model import Model
from strata._reports import (
    Added,
    AddedFrom,
    Damage,
    Diff,
    Pulled,
    Pushed,
    Restored,
    Resumed,
    Snapshot,
    TensorDiff,
    Trial,
    Tuned,
    Verification,
    Version,
    VersionList,
)
from strata._runs import resume, snapshot
from strata._store import Store, init

if TYPE_CHECKING:
    from strata.onnx import onnx_session as onnx_session

__all__ = [
    "Added",
    "AddedFrom",
    "ArgumentError",
    "ArrayError",
    "CancelledError",
    "CorruptDataError",
    "Damage",
    "DeviceError",
    "Diff",
    "Error",
    "EvaluatorError",
    "ForkError",
    "FormatTooNewError",
    "InternalError",
    "LimitError",
    "LoginError",
    "Model",
    "NetworkError",
    "NoSpaceError",
    "NoStoreError",
    "NotFoundError",
    "Pulled",
    "Pushed",
    "Restored",
    "Resumed",
    "Snapshot",
    "Store",
    "StoreLockedError",
    "SystemCallError",
    "TensorDiff",
    "Trial",
    "Tuned",
    "UnsupportedError",
    "Verification",
    "Version",
    "VersionList",
    "__version__",
    "init",
    "resume",
    "snapshot",
]


def __getattr__(name: str) -> Any:
    if name == "onnx_session":  # brings ONNX Runtime, once it is asked for
        from strata.onnx import onnx_session

        return onnx_session
    raise AttributeError(f"module 'strata' has no attribute {name!r}")

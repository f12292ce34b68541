"""Failures as exceptions, with the exit code of the command line and what to do about them."""

from __future__ import annotations

from strata._core import exit_codes


class Error(Exception):
    """Something that Strata could not do, and of which the store has no half.

    What was to be stored is not there. What a pull had fetched, and files that the caller or a
    trainer wrote, stay.

    ``message`` says what happened, ``fix`` what to do about it (perhaps nothing), ``code`` is the
    exit code that the command line has for it (docs/CLI.md).
    """

    code: int = exit_codes["Internal"]

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message, fix)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message}\n  What to do: {self.fix}" if self.fix else self.message


class ArgumentError(Error, ValueError):
    """An argument asks for something that cannot be."""


class ArrayError(ArgumentError):
    """An array cannot be taken as it is: its type, its place or its layout."""


class NotFoundError(Error, LookupError):
    """A version, tensor, file or remote is not there."""


class UnsupportedError(Error):
    """A file that is no model, or of a kind that Strata does not read."""


class CorruptDataError(Error):
    """Bytes are not what they were when they were stored."""


class LimitError(Error):
    """More memory would be taken than is allowed."""


class NoSpaceError(Error):
    """The disk is full."""


class NoStoreError(Error):
    """There is no store at this place."""


class StoreLockedError(Error):
    """Somebody else writes to the store."""


class FormatTooNewError(Error):
    """A newer Strata wrote it."""


class LoginError(Error):
    """A remote refused the credentials, or wants some."""


class SystemCallError(Error):
    """The operating system refused a file operation."""


class NetworkError(Error):
    """The network or a server failed."""


class DeviceError(Error):
    """A GPU was insisted on, and there is none or it failed."""


class EvaluatorError(Error):
    """The program or function that scores models failed."""


class CancelledError(Error):
    """It was told to stop."""


class InternalError(Error):
    """A bug of Strata."""


class ForkError(ArgumentError):
    """A forked child used what its parent opened."""


# What the core calls a failure, with what to do about it from Python.
_KINDS: dict[str, tuple[type[Error], str]] = {
    "InvalidArgument": (ArgumentError, ""),
    "NotFound": (NotFoundError, ""),
    "Unsupported": (UnsupportedError, ""),
    "CorruptData": (
        CorruptDataError,
        "Store.verify() says what is damaged and which models mend it",
    ),
    "BaseMismatch": (
        CorruptDataError,
        "Store.verify() says what is damaged and which models mend it",
    ),
    "LimitExceeded": (LimitError, ""),
    "NoSpace": (NoSpaceError, "free space on that disk, then call it again"),
    "NoStore": (NoStoreError, "strata.init(path) makes a store"),
    "StoreLocked": (
        StoreLockedError,
        "Store(path, wait=600) waits for others for up to 600 seconds",
    ),
    "FormatTooNew": (FormatTooNewError, "install a newer version of the package strata"),
    "LoginRequired": (LoginError, "strata auth login REMOTE, in a shell"),
    "Io": (SystemCallError, ""),
    "Network": (NetworkError, "call it again: what was transferred so far is kept"),
    "Device": (DeviceError, 'Store(path, device="auto") takes the CPU where there is no GPU'),
    "Evaluator": (EvaluatorError, ""),
    "Cancelled": (CancelledError, ""),
    "Internal": (InternalError, ""),
}


for _kind, (_exception, _) in _KINDS.items():
    _exception.code = exit_codes[_kind]


def from_core(kind: str, message: str) -> Error:
    """The exception of a failure of the core.

    What a message advises itself is nearer to the cause than what its kind suggests.
    """
    exception, fix = _KINDS[kind]
    return exception(message, "" if '"strata ' in message else fix)


def of_array(name: str, what: str, fix: str) -> ArrayError:
    """The exception of an array that cannot be taken."""
    return ArrayError(f"{name}: {what}", fix)


def forked() -> ForkError:
    """The exception of a child that uses what its parent opened."""
    return ForkError(
        "the store was opened by another process, from which this one was forked",
        "open it in this process: strata.Store(path)",
    )

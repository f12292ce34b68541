"""A Python function as the program that scores models (tools/evaluators/README.md)."""

from __future__ import annotations

import json
import math
import os
import shlex
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from strata._errors import ArgumentError

#: What a function says of a model: its score (higher is better), or a dict with "score" and what
#: else an evaluator may say: "metric", "samples", "correct" (a bool for each sample), "divergence",
#: "expected_loss".
Scores = Union[float, Mapping[str, Any]]
_KEYS = {"score", "metric", "samples", "correct", "divergence", "expected_loss"}


class ServedFunction:
    """While it is entered, `command` is a program that scores models by calling the function.

    The function runs on a thread of its own. Once it has raised, no model is scored any more;
    ``failure`` is what it raised.
    """

    def __init__(self, function: Callable[[str], Scores]) -> None:
        self.failure: BaseException | None = None
        self.command = ""
        self._function = function

    def __enter__(self) -> ServedFunction:
        self._folder = tempfile.mkdtemp(prefix="strata-")
        place = os.path.join(self._folder, "lines")
        self._listener = socket.socket(socket.AF_UNIX)
        try:
            self._listener.bind(place)
        except OSError as error:  # such places have at most some hundred bytes
            self._listener.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            raise ArgumentError(
                f"{place} cannot be listened at: {error}", "set TMPDIR to a folder of a short path"
            ) from error
        self._listener.listen()
        bridge = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bridge.py")
        self.command = shlex.join([sys.executable, "-I", "-S", bridge, place])
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes who waits in accept()
        self._thread.join()
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # it was shut down
                return
            with connection, connection.makefile("rw", encoding="utf-8") as lines:
                try:
                    for line in lines:
                        lines.write(self._answer(json.loads(line)) + "\n")
                        lines.flush()
                except OSError:  # the other side has gone; it may come again
                    pass

    def _answer(self, asked: dict[str, Any]) -> str:
        answer = {"id": asked["id"]}
        if self.failure is None:
            try:
                return json.dumps({**answer, **_told(self._function(asked["model"]))})
            except BaseException as failure:  # noqa: the caller of tune() gets it
                self.failure = failure
        return json.dumps({**answer, "error": f"the function raised {self.failure!r}"})


def _told(scores: Scores) -> dict[str, Any]:
    told: dict[str, Any] = dict(scores) if isinstance(scores, Mapping) else {"score": scores}
    if "score" not in told or not set(told) <= _KEYS:
        raise ArgumentError(
            f"evaluate answered {sorted(told)}",
            f'answer a number, or a dict with "score" and some of {sorted(_KEYS - {"score"})}',
        )
    for key in ("score", "divergence", "expected_loss"):
        if key in told:
            told[key] = float(told[key])
    if not math.isfinite(told["score"]):
        raise ArgumentError(f"evaluate answered a score of {told['score']}", "answer a number")
    if "correct" in told:
        right = told["correct"]
        told["samples"] = len(right)
        told["correct"] = _hexadecimal(right)
    return told


def _hexadecimal(right: Sequence[Any]) -> str:
    """Whether each sample is right, as bits: the first in the highest, zeros at the end."""
    bits = "".join("1" if one else "0" for one in right)
    bits += "0" * (-len(bits) % 8)
    return f"{int(bits, 2):0{len(bits) // 4}x}" if bits else ""

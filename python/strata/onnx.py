"""Stored ONNX models in ONNX Runtime, without writing them to files."""

from __future__ import annotations

from typing import Any

import onnxruntime
from strata._errors import UnsupportedError
from strata._store import Path, Ref, Store, at_hand


def onnx_session(
    ref: Ref,
    store: Store | Path | None = None,
    *,
    file: str | None = None,
    options: Any = None,
    **arguments: Any,
) -> Any:
    """An ``onnxruntime.InferenceSession`` of a stored version.

    `file` is the graph where a version has several; `options` are ``SessionOptions``, which get the
    weights, too: each session needs its own. All else goes to the session, as
    ``providers=["CPUExecutionProvider"]``.
    """
    opened = at_hand(store)
    with opened.open(ref) as model:
        graphs = [path for path in model.files if path.endswith(".onnx")]
        if file is None and len(graphs) != 1:
            what = f"{len(graphs)} ONNX graphs: {', '.join(graphs)}" if graphs else "no ONNX graph"
            raise UnsupportedError(
                f"{model._label} has {what}", "name one: file=PATH" if graphs else ""
            )
        graph = file or graphs[0]
        options = options or onnxruntime.SessionOptions()
        weights = [path for path in model.files if path != graph and not path.endswith(".onnx")]
        data = {path: model.read(path) for path in weights}
        if data:
            # Graphs name such files from where they lie themselves.
            start = graph[: graph.rfind("/") + 1]
            options.add_external_initializers_from_files_in_memory(
                [path.removeprefix(start) for path in data],
                list(data.values()),
                [len(one) for one in data.values()],
            )
        return onnxruntime.InferenceSession(model.read(graph), options, **arguments)

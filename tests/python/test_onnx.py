"""Stored ONNX models in ONNX Runtime."""

import numpy
import pytest
import strata
from conftest import root

onnxruntime = pytest.importorskip(
    "onnxruntime", reason="onnxruntime is missing: scripts/setup python"
)


def test_runs_a_model_without_writing_it(store):
    example = root() / "examples" / "base.onnx"
    store.add("digits", example)
    session = strata.onnx_session("digits", store, providers=["CPUExecutionProvider"])
    expected = onnxruntime.InferenceSession(str(example), providers=["CPUExecutionProvider"])
    given = {
        one.name: numpy.ones([n if isinstance(n, int) else 2 for n in one.shape], "float32")
        for one in expected.get_inputs()
    }
    for left, right in zip(session.run(None, given), expected.run(None, given)):
        assert numpy.array_equal(left, right)


def test_says_where_there_is_no_graph(filled):
    with pytest.raises(strata.UnsupportedError, match="tuned:v1 has no ONNX graph"):
        strata.onnx_session("tuned", filled)

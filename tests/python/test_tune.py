"""Searches for lossy settings, with a Python function that scores models."""

import functools
import pathlib
import tempfile
import time

import numpy
import pytest
import strata
from conftest import tuned_model


@pytest.fixture
def files(filled, tmp_path):
    """The paths of a base and of a fine-tune that changed all of its matrix."""
    model = tuned_model()
    change = numpy.random.default_rng(5).standard_normal((400, 300)).astype("float32")
    model["encoder.weight"] = model["encoder.weight"] + numpy.float32(1e-2) * change
    filled.add("wide", model, base="base")
    filled.restore("wide", tmp_path / "wide.safetensors")
    return filled, tmp_path / "wide.safetensors", model


def weight_in(path):
    """The matrix of a model's file, which Strata has written."""
    with strata.Store(pathlib.Path(path).parent / "reader", create=True) as reader:
        reader.add("model", path)
        return reader.load("model", ["encoder.weight"])["encoder.weight"]


def test_reaches_a_size_without_an_evaluator(files):
    store, path, _ = files
    found = store.tune(path, target="size=20kB", base="base", trials=8)
    assert found and found.chosen.stored_bytes <= 20_000 and found.parent == "base:v1"
    assert 0 < len(found.trials) <= 8 and found.chosen.score is None
    added = store.add("small", path, base="base", profile=found)
    assert added.version.lossy and added.version.stored_bytes <= 20_000


def test_scores_with_a_function(files, tmp_path):
    store, path, model = files
    asked = []

    def evaluate(candidate):
        asked.append(candidate)
        off = numpy.abs(weight_in(candidate) - model["encoder.weight"])
        right = off.ravel()[:2000] < 0.02
        return {"score": right.mean(), "correct": right, "metric": "near"}

    told = []
    found = store.tune(
        path,
        target="quality_loss=5",
        evaluate=evaluate,
        base="base",
        trials=5,
        progress=lambda *words: told.append(words),
    )
    assert asked[0] == str(path) and found.trials[0].score is not None
    assert len(asked) >= len([one for one in found.trials if one.score is not None])
    assert told and {phase for phase, *_ in told} == {"tuning"}
    assert found.met and found.chosen.score >= 0.9 and "[[score]]" in found.profile
    assert found.target in found._repr_html_()


def test_what_the_function_raises_ends_the_search(files):
    store, path, _ = files

    class Broken(Exception):
        pass

    calls = []

    def evaluate(candidate):
        calls.append(candidate)
        if len(calls) > 1:
            raise Broken("no data")
        return 1.0

    with pytest.raises(Broken, match="no data"):
        store.tune(path, target="quality_loss=1", evaluate=evaluate, base="base", trials=30)
    assert len(calls) == 2


@pytest.mark.parametrize("answer", [None, "good", {}, {"score": 1, "colour": 3}, float("nan")])
def test_odd_answers_are_told(files, answer):
    store, path, _ = files
    with pytest.raises((strata.ArgumentError, TypeError, ValueError)):
        store.tune(path, target="quality_loss=1", evaluate=lambda _, told=answer: told, base="base")


def test_odd_wishes_are_told(files):
    store, path, _ = files
    with pytest.raises(strata.ArgumentError, match="exact"):
        store.tune(path, profile="exact")
    with pytest.raises(strata.ArgumentError):
        store.tune(path, target="speed=3")
    with pytest.raises(strata.NotFoundError):
        store.tune(path.with_name("missing"))


def test_refuses_a_time_that_is_none(files):
    store, path, _ = files
    for limit in (0, -1, float("nan")):
        with pytest.raises(strata.ArgumentError, match="time_limit"):
            store.tune(path, target="size=20kB", base="base", time_limit=limit)
    assert store.tune(path, target="size=20kB", base="base", trials=2, time_limit=float("inf"))


def test_a_part_of_a_second_is_a_limit(files):
    store, path, model = files
    began = time.monotonic()

    def slow(_):
        time.sleep(0.3)
        return 1.0

    found = store.tune(
        path, target="quality_loss=50", base="base", evaluate=slow, trials=500, time_limit=0.5
    )
    assert len(found.trials) < 60 and time.monotonic() - began < 60


def test_what_is_no_answer_ends_the_search(files):
    store, path, _ = files
    for answer in ({"score": 1.0, "metric": object()}, {"score": "high"}, {"loss": 1.0}):
        with pytest.raises((TypeError, ValueError)):
            evaluate = functools.partial(lambda told, _: told, answer)
            store.tune(path, target="quality_loss=5", evaluate=evaluate, base="base")


def test_a_temporary_folder_of_a_long_path(files, monkeypatch, tmp_path):
    store, path, _ = files
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with pytest.raises(strata.ArgumentError) as caught:
        store.tune(path, target="quality_loss=5", evaluate=lambda _: 1.0, base="base")
    assert "TMPDIR" in caught.value.fix and list(long.iterdir()) == []

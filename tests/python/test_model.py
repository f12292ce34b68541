"""Versions that are open: tensor by tensor, by range, by pattern."""

from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
import strata
from conftest import base_model, equal, tuned_model


def test_reads_tensor_by_tensor_as_safe_open(filled):
    with filled.open("tuned") as model:
        assert model.keys() == list(tuned_model()) and len(model) == 4
        for name in model:
            assert name in model and numpy.array_equal(model[name], tuned_model()[name])
        assert model.get_shape("encoder.weight") == (400, 300)
        assert model.get_dtype("steps") == "i64"
        assert model.version.ref == "tuned:v1" and "4 tensors" in repr(model)
    with pytest.raises(strata.ArgumentError, match="closed"):
        model.get_tensor("steps")


def test_gives_memory_of_its_own(filled):
    with filled.open("tuned") as model:
        first, second = model["encoder.bias"], model["encoder.bias"]
    first[:] = 0
    assert first.flags.owndata and numpy.array_equal(second, tuned_model()["encoder.bias"])


def test_chooses_tensors_by_name_and_pattern(filled):
    assert list(filled.load("tuned", ["encoder.*"])) == ["encoder.weight", "encoder.bias"]
    assert list(filled.load("tuned", "steps")) == ["steps"]
    assert list(filled.load("tuned", ["scale", "s*"])) == ["scale", "steps"]
    assert filled.load("tuned", []) == {}
    for names in (["weight"], ["nothing.*"]):
        with pytest.raises(strata.NotFoundError, match="tuned:v1 has no tensor"):
            filled.load("tuned", names)


def test_a_name_with_brackets_is_a_name_first(store):
    store.add("model", {"a[0]": numpy.ones(2), "a0": numpy.zeros(3)})
    assert list(store.load("model", ["a[0]"])) == ["a[0]"]


def test_reads_ranges_of_files(filled, tmp_path):
    filled.restore("tuned", tmp_path / "file")
    whole = (tmp_path / "file").read_bytes()
    with filled.open("tuned") as model:
        (path,) = model.files
        assert model.read(path) == whole
        for offset, length in [
            (0, 8),
            (5, 100_000),
            (len(whole) - 3, 3),
            (len(whole), 9),
            (7, None),
        ]:
            end = len(whole) if length is None else offset + length
            assert model.read(path, offset, length) == whole[offset:end]
        with pytest.raises(strata.NotFoundError):
            model.read("other")
        assert model.read(path, len(whole) + 5, 4) == b""


def test_tells_tensors_of_several_files_apart(store, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    store.add("base", base_model())
    store.restore("base", folder / "a.safetensors")
    store.add("tuned", tuned_model())
    store.restore("tuned", folder / "b.safetensors")
    store.add("both", folder)
    with store.open("both") as model:
        assert "a.safetensors:steps" in model and len(model) == 8
        assert numpy.array_equal(
            model["b.safetensors:encoder.weight"], tuned_model()["encoder.weight"]
        )
    assert len(store.load("both")) == 8


def test_refuses_an_unknown_framework(filled):
    with pytest.raises(strata.ArgumentError, match="expected 'numpy' or 'torch'"):
        filled.load("tuned", framework="tensorflow")


def test_loads_a_chain_of_versions(store):
    model = base_model()
    store.add("run", model)
    for step in range(5):
        model["encoder.weight"] = model["encoder.weight"] + numpy.float32(1e-4 * (step + 1))
        store.add("run", model, chain=True)
    assert store.versions()[0].depth == 5
    assert equal(store.load("run"), model)


def test_a_version_that_is_open_needs_the_store_no_more(filled):
    model = filled.open("tuned")
    filled.close()
    assert (model.version.ref, model.version.parent) == ("tuned:v1", "base:v1")
    assert equal(model.get_tensors(), tuned_model())
    model.close()
    assert model.version.base == "base:v1" and "tuned:v1" in repr(model)


def test_a_version_that_is_closed_tells_what_it_was_asked_before(filled):
    model = filled.open("tuned")
    model.close()
    assert "tuned:v1" in repr(model)
    with pytest.raises(strata.ArgumentError, match="tuned:v1 was closed"):
        model.version


def test_several_threads_read_one_model(filled):
    with filled.open("tuned") as model, ThreadPoolExecutor(8) as threads:
        parents = threads.map(lambda name: model.version.parent, model.keys() * 8)
        arrays = threads.map(model.get_tensor, model.keys() * 8)
        assert list(parents) == ["base:v1"] * 32 and len(list(arrays)) == 32


def test_a_pattern_is_no_name_of_one_tensor(filled):
    with filled.open("tuned") as model:
        with pytest.raises(strata.NotFoundError, match="no tensor 'encoder"):
            model.get_tensor("encoder.*")
        with pytest.raises(strata.NotFoundError):
            model["encoder.*"]


def test_ranges_that_cannot_be(filled):
    with filled.open("tuned") as model:
        (path,) = model.files
        for offset, length in ((-1, 4), (0, -1)):
            with pytest.raises(strata.ArgumentError, match="0 or more"):
                model.read(path, offset, length)

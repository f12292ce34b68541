"""Failures: what they are called, what they carry, and damage below an open store."""

import pathlib
import pickle
import shutil

import pytest
import strata
from conftest import base_model, tuned_model


def objects_of(store):
    return sorted(one for one in pathlib.Path(store.path, "objects").rglob("*") if one.is_file())


def test_failures_have_the_codes_of_the_command_line():
    expected = {
        strata.ArgumentError: 2,
        strata.NotFoundError: 5,
        strata.UnsupportedError: 1,
        strata.CorruptDataError: 6,
        strata.LimitError: 9,
        strata.NoSpaceError: 9,
        strata.NoStoreError: 10,
        strata.StoreLockedError: 11,
        strata.FormatTooNewError: 12,
        strata.LoginError: 4,
        strata.NetworkError: 8,
        strata.CancelledError: 130,
        strata.ArrayError: 2,
        strata.ForkError: 2,
    }
    assert {kind: kind.code for kind in expected} == expected
    assert all(issubclass(kind, strata.Error) for kind in expected)


def test_failures_survive_pickling():
    error = strata.NotFoundError("a is not there", "look elsewhere")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.fix) == (strata.NotFoundError, str(error), error.fix)


def test_what_is_not_there(filled, tmp_path):
    with pytest.raises(strata.NotFoundError, match='"nothing"'):
        filled.load("nothing")
    with pytest.raises(LookupError):
        filled.restore("nothing:v3", tmp_path / "x")
    with pytest.raises(strata.NotFoundError, match="no such file"):
        filled.add("model", tmp_path / "missing.safetensors")
    with pytest.raises(strata.NotFoundError):
        filled.add("model", tuned_model(), profile="unheard-of")
    with pytest.raises(strata.ArgumentError, match="expected fast, default or best"):
        filled.add("model", tuned_model(), effort="utmost")


def test_a_cut_file_is_no_damage_of_the_store(filled, tmp_path):
    filled.restore("tuned", tmp_path / "whole")
    (tmp_path / "cut.safetensors").write_bytes((tmp_path / "whole").read_bytes()[:-5])
    with pytest.raises(strata.UnsupportedError):
        filled.add("cut", tmp_path / "cut.safetensors")


def test_damage_is_found_and_named(filled):
    largest = max(objects_of(filled), key=lambda one: one.stat().st_size)
    largest.chmod(0o600)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 1
    largest.write_bytes(bytes(content))
    with pytest.raises(strata.CorruptDataError) as caught:
        filled.load("tuned")
    assert "verify" in caught.value.fix
    found = filled.verify()
    assert not found and found.damages and found.to_add == ["base:v1"]
    mended = filled.add("base", base_model())
    assert mended.outcome == "repaired" and filled.verify().sound


def test_a_store_that_is_deleted_below_an_open_version(filled):
    model = filled.open("tuned")
    shutil.rmtree(filled.path)
    try:  # what is mapped can still be read
        assert (model["steps"] == tuned_model()["steps"]).all()
    except strata.Error as error:
        assert str(error)
    for act in (
        lambda: filled.load("tuned"),
        lambda: filled.add("new", base_model()),
        lambda: filled.verify(),
    ):
        try:
            act()
        except strata.Error as error:
            assert "tuned" in str(error) or "store" in str(error) or filled.path in str(error)


def test_objects_that_are_deleted_before_a_load(filled):
    for one in objects_of(filled):
        one.unlink()
    with pytest.raises(strata.Error, match="tuned:v1|base"):
        filled.load("tuned")


def test_a_file_is_no_store(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(strata.Error):
        strata.Store(tmp_path / "file")
    with pytest.raises(strata.Error):
        strata.Store(tmp_path / "file", create=True)

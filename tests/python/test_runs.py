"""Runs of training: snapshots, and the newest complete one back."""

import os
import warnings

import pytest
import strata
from conftest import write_checkpoint


def bytes_of(folder):
    return {one.relative_to(folder): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_snapshots_and_resumes(store, tmp_path):
    written = {}
    for step in (10, 20):
        folder = write_checkpoint(tmp_path / "out" / f"checkpoint-{step}", step)
        written[step] = bytes_of(folder)
        taken = store.snapshot("run", folder)
        assert (taken.step, taken.kind, taken.was_taken) == (step, "transformers", False)
        assert f"step-{step}" in taken.version.tags
    assert store.snapshot("run", folder).was_taken
    resumed = store.resume("run", tmp_path / "back")
    assert (resumed.step, resumed.passed, os.fspath(resumed)) == (20, [], str(tmp_path / "back"))
    assert bytes_of(tmp_path / "back") == written[20]
    assert store.resume("run", tmp_path / "first", step=10).step == 10
    assert bytes_of(tmp_path / "first") == written[10]


def test_the_functions_take_the_store_at_hand(store, tmp_path, monkeypatch):
    folder = write_checkpoint(tmp_path / "out" / "checkpoint-5", 5)
    monkeypatch.setenv("STRATA_STORE", store.path)
    strata.snapshot("run", folder)
    assert strata.resume("run", tmp_path / "back") == str(tmp_path / "back")
    assert strata.resume("run", store=store) == "checkpoint-5"


def test_an_unfinished_checkpoint_is_refused(store, tmp_path):
    folder = write_checkpoint(tmp_path / "checkpoint-5", 5)
    (folder / "trainer_state.json").unlink()
    (folder / "checkpoint-is-incomplete.txt").write_text("")
    with pytest.raises(strata.UnsupportedError):
        store.snapshot("run", folder)
    with pytest.raises(strata.NotFoundError):
        store.resume("run")


def test_says_that_a_run_went_two_ways(store, tmp_path):
    for step in (10, 20, 15):
        store.snapshot("run", write_checkpoint(tmp_path / "out" / f"checkpoint-{step}", step))
    with pytest.warns(UserWarning, match="another way"):
        resumed = store.resume("run", tmp_path / "back")
    assert resumed.step == 20 and len(resumed.beside) == 1 and "15" in resumed.beside[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.resume("run", tmp_path / "quiet", warn=False).beside == resumed.beside


def test_reports_name_the_parents(store, tmp_path):
    for step in (10, 20):
        store.snapshot("run", write_checkpoint(tmp_path / "out" / f"checkpoint-{step}", step))
    restored = store.restore("run:v2", tmp_path / "restored")
    assert (restored.version.parent, restored.version.base) == ("run:v1", "run:v1")
    assert store.resume("run", tmp_path / "back").restored.version.parent == "run:v1"
    with store.open("run:v2") as model:
        assert model.version.parent == "run:v1"
    assert store.restore("run:v1", tmp_path / "first").version.parent == ""

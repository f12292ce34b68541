"""Runs of training: snapshots, and the newest complete one back."""

import json
import os

import numpy
import pytest
import strata
from conftest import base_model


def write_checkpoint(folder, step):
    """What a trainer of transformers leaves, without an optimizer."""
    folder.mkdir(parents=True)
    model = base_model()
    model["encoder.weight"] = model["encoder.weight"] + numpy.float32(step * 1e-5)
    with strata.Store(folder.parent / f"maker-{step}", create=True) as maker:
        maker.add("model", model)
        maker.restore("model", folder / "model.safetensors")
    (folder / "trainer_state.json").write_text(json.dumps({"global_step": step, "log_history": []}))
    return folder


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

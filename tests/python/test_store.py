"""Stores: making and opening them, adding models, restoring them, what they list."""

import os
import pathlib

import numpy
import pytest
import strata
from conftest import base_model, equal, program, tuned_model


def test_stores_arrays_and_gives_them_back(store):
    added = store.add("base", base_model(), note="as trained", tags=["prod"])
    assert (added.outcome, added.version.ref, added.version.note) == (
        "stored",
        "base:v1",
        "as trained",
    )
    assert added.version.tags == ("prod",)
    tuned = store.add("tuned", tuned_model())
    assert tuned.version.base == "base:v1" and tuned.base_was_chosen
    assert tuned.version.ratio > 3
    assert equal(store.load("tuned"), tuned_model())
    assert equal(store.load("base:prod"), base_model())


def test_reads_arrays_where_they_are_and_leaves_them_alone(store):
    model = base_model()
    for array in model.values():
        numpy.asarray(array).flags.writeable = False
    store.add("base", model)
    assert equal(model, base_model())


def test_adds_what_it_has_once(filled):
    again = filled.add("tuned", tuned_model())
    assert (again.outcome, again.version.ref) == ("unchanged", "tuned:v1")
    shared = filled.add("other", tuned_model())
    assert (shared.outcome, shared.shared_with, shared.version.stored_bytes) == (
        "shared",
        "tuned:v1",
        0,
    )


def test_a_dry_run_stores_nothing(filled):
    assert filled.add("new", tuned_model(), dry_run=True).outcome == "dry run"
    assert [str(one) for one in filled.versions()] == ["base:v1", "tuned:v1"]


def test_arrays_become_the_file_that_the_command_line_restores(filled, tmp_path):
    safetensors = pytest.importorskip(
        "safetensors.numpy", reason="safetensors is missing: scripts/setup python"
    )
    filled.add("named", tuned_model(), file_name="tuned.safetensors", metadata={"format": "pt"})
    program("-C", filled.path, "restore", "named", "-o", tmp_path / "tuned.safetensors")
    assert equal(safetensors.load_file(tmp_path / "tuned.safetensors"), tuned_model())
    assert filled.open("named").metadata() == {"format": "pt"}


def test_stores_files_and_restores_their_bytes(filled, tmp_path):
    written = filled.restore("tuned", tmp_path / "tuned.safetensors")
    assert written.files == [str(tmp_path / "tuned.safetensors")]
    assert written.written_bytes == os.path.getsize(written.files[0])
    added = filled.add("file", tmp_path / "tuned.safetensors", file_name="is not used")
    assert added.version.original_bytes == written.written_bytes
    filled.restore(added.version, str(tmp_path / "again.safetensors"))
    assert (tmp_path / "again.safetensors").read_bytes() == pathlib.Path(
        written.files[0]
    ).read_bytes()
    with pytest.raises(strata.ArgumentError, match="exists"):
        filled.restore("file", tmp_path / "again.safetensors")
    kept = filled.restore("file", tmp_path / "again.safetensors", backup=True)
    assert kept.backups == [str(tmp_path / "again.safetensors.bak")]


def test_stores_folders_without_what_is_excluded(store, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    store.add("base", base_model())
    store.restore("base", folder / "model.safetensors")
    (folder / "config.json").write_text("{}")
    (folder / "notes.txt").write_text("no part of it")
    store.add("folder", folder, exclude=["notes.txt"])
    assert set(store.open("folder").files) == {"config.json", "model.safetensors"}


def test_stores_lossy_versions_by_a_profile(filled):
    model = tuned_model()
    model["encoder.weight"] = model["encoder.weight"] + numpy.float32(1e-3)
    added = filled.add("small", model, base="base", profile="safe")
    assert added.version.lossy and added.version.profile == "safe" and added.relative_error > 0
    assert not equal(filled.load("small"), model)


def test_lists_versions(filled):
    filled.add("tuned", base_model() | {"steps": numpy.arange(6)}, note="second")
    assert [str(one) for one in filled.versions("tuned*")] == ["tuned:v2", "tuned:v1"]
    assert [str(one) for one in filled.versions(newest=True)] == ["base:v1", "tuned:v2"]
    assert [str(one) for one in filled.versions(filter="name=base")] == ["base:v1"]
    assert [one.note for one in filled.log("tuned")] == ["second", ""]
    assert len(filled.log(limit=2)) == 2
    first = filled.versions()[0]
    assert first.added_at.tzinfo is not None and first.checked_at is None
    assert "base:v1" in filled.versions()._repr_html_()


def test_compares_models(filled, tmp_path):
    diff = filled.diff("tuned")
    assert (diff.a, diff.b, diff.changed_tensors) == ("base:v1", "tuned:v1", 1)
    assert (
        diff.tensors[0].name == "encoder.weight"
        and 0.05 < diff.tensors[0].changed / diff.tensors[0].size < 0.2
    )
    assert filled.diff("tuned", "tuned").identical
    with_arrays = filled.diff("tuned", base_model(), names=["encoder.*"])
    assert (with_arrays.b, len(with_arrays.tensors)) == ("arrays", 2)
    filled.restore("base", tmp_path / "base.safetensors")
    assert filled.diff("base", tmp_path / "base.safetensors").changed_share == 0
    assert "encoder.weight" in diff._repr_html_()


def test_verifies(filled):
    assert filled.verify().sound and filled.verify("tuned", level="rebuild")
    with pytest.raises(strata.ArgumentError, match="expected quick, full or rebuild"):
        filled.verify(level="deep")


def test_opens_and_makes_stores(tmp_path, monkeypatch):
    with pytest.raises(strata.NoStoreError) as caught:
        strata.Store(tmp_path / "nowhere")
    assert caught.value.code == 10 and "strata.init" in caught.value.fix
    made = strata.init(tmp_path / "made")
    assert strata.init(tmp_path / "made").path == made.path == str(tmp_path / "made")
    with pytest.raises(strata.ArgumentError):
        strata.Store(create=True)
    monkeypatch.setenv("STRATA_STORE", str(tmp_path / "made"))
    assert strata.Store().path == made.path


def test_a_relative_path_stays_the_same_store(tmp_path, monkeypatch):
    store = strata.Store("here", create=True)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    store.add("base", base_model())
    assert equal(store.load("base"), base_model())


def test_a_closed_store_says_so(filled):
    model = filled.open("tuned")
    filled.close()
    with pytest.raises(strata.ArgumentError, match="closed"):
        filled.versions()
    assert "closed" in repr(filled)
    assert equal(model.get_tensors(), tuned_model())


def test_waits_for_a_time_that_is_one(tmp_path):
    path = tmp_path / "models"
    for wait in (-1, float("nan")):
        with pytest.raises(strata.ArgumentError, match="wait"):
            strata.Store(path, create=True, wait=wait)
    with strata.Store(path, create=True, wait=float("inf")) as store:
        store.add("base", base_model())


def test_a_text_is_one_word_where_several_may_be_given(filled, tmp_path):
    added = filled.add("tagged", tuned_model(), base="base", tags="best")
    assert list(added.version.tags) == ["best"]
    folder = tmp_path / "folder"
    folder.mkdir()
    filled.restore("base", folder / "model.safetensors")
    (folder / "notes.txt").write_text("not of the model")
    filled.add("folder", folder, exclude="notes.txt")
    with filled.open("folder") as model:
        assert list(model.files) == ["model.safetensors"]
    assert [one.name for one in filled.diff("tuned", names="encoder.w*").tensors] == [
        "encoder.weight"
    ]


def test_what_cannot_be_is_said_before_anything_is_done(filled):
    for options in ({"jobs": -1}, {"jobs": 1.5}, {"wait": -1}):
        with pytest.raises((strata.ArgumentError, TypeError), match=next(iter(options))):
            strata.Store(filled.path, **options)

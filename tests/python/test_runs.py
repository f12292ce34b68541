"""Runs of training: snapshots, and the newest complete one back."""

import hashlib
import os
import warnings

import pytest
import strata
from conftest import program, write_checkpoint


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


def test_resumes_the_version_that_is_named(store, tmp_path):
    for step in (10, 20):
        store.snapshot("run", write_checkpoint(tmp_path / "out" / f"checkpoint-{step}", step))
    for named in ("run:v1", "run:step-10", "run~1"):
        assert store.resume(named, tmp_path / "back", force=True).step == 10
    with pytest.raises(strata.ArgumentError):
        store.resume("run:v1", tmp_path / "other", step=20)


def test_says_that_a_run_went_two_ways(store, tmp_path):
    for step in (10, 20, 15):
        store.snapshot("run", write_checkpoint(tmp_path / "out" / f"checkpoint-{step}", step))
    with pytest.warns(UserWarning, match="another way"):
        resumed = store.resume("run", tmp_path / "back")
    assert resumed.step == 20 and len(resumed.beside) == 1 and "15" in resumed.beside[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.resume("run", tmp_path / "quiet", warn=False).beside == resumed.beside


def keep_in_memory(memory, store, run, checkpoint, step):
    """As a watcher that was killed before it stored it."""
    of = hashlib.sha256(f"{os.path.realpath(store)}\n{run}".encode()).hexdigest()[:32]
    copy = memory / f"strata-run-{of}" / f"copy-1-{step}"
    copy.mkdir(parents=True)
    copy.parent.chmod(0o700)
    checkpoint.rename(copy / checkpoint.name)
    lines = "strata copied checkpoint 1\n"
    for path, data in sorted(bytes_of(copy).items()):
        lines += f"{hashlib.sha256(data).hexdigest()} {len(data)} {path}\n"
    check = hashlib.sha256(lines.encode()).hexdigest()
    (copy / "strata-files.txt").write_text(f"{lines}check {check}\n")


def test_resumes_what_lies_in_memory_alone(store, tmp_path):
    memory = tmp_path / "memory"
    store.snapshot("run", write_checkpoint(tmp_path / "out" / "checkpoint-10", 10))
    newer = write_checkpoint(tmp_path / "out" / "checkpoint-20", 20)
    files = bytes_of(newer)
    keep_in_memory(memory, tmp_path / "store", "run", newer, 20)
    program("config", "set", "watch.memory", memory)
    with strata.Store(tmp_path / "store") as again:
        resumed = again.resume("run", tmp_path / "back")
        assert (resumed.step, resumed.from_memory, resumed.version) == (20, True, None)
        assert bytes_of(tmp_path / "back") == files
        stored = again.resume("run", tmp_path / "stored", memory=False)
        assert (stored.step, stored.from_memory, stored.version.number) == (10, False, 1)
        strata.resume("run", tmp_path / "third", store=again)
        assert bytes_of(tmp_path / "third") == files


def test_reports_name_the_parents(store, tmp_path):
    for step in (10, 20):
        store.snapshot("run", write_checkpoint(tmp_path / "out" / f"checkpoint-{step}", step))
    restored = store.restore("run:v2", tmp_path / "restored")
    assert (restored.version.parent, restored.version.base) == ("run:v1", "run:v1")
    assert store.resume("run", tmp_path / "back").restored.version.parent == "run:v1"
    with store.open("run:v2") as model:
        assert model.version.parent == "run:v1"
    assert store.restore("run:v1", tmp_path / "first").version.parent == ""

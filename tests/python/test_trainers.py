"""Callbacks of trainers, with stand-ins for their libraries: what becomes of what fails.

test_transformers.py and test_lightning.py have the trainers themselves.
"""

import importlib
import io
import os
import shutil
import sys
import types
import warnings

import numpy
import pytest
import strata
from conftest import program, write_checkpoint


@pytest.fixture
def load(monkeypatch):
    """Gives a module of the package as it is with stand-ins of what it imports."""

    def loaded(name, modules):
        for module, standin in modules.items():
            monkeypatch.setitem(sys.modules, module, standin)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    yield loaded
    for name in ("strata.transformers", "strata.lightning"):
        sys.modules.pop(name, None)


class TestTransformers:
    @pytest.fixture
    def made(self, load):
        standin = types.SimpleNamespace(TrainerCallback=object)
        return load("strata.transformers", {"transformers": standin}).Snapshots

    @staticmethod
    def save(snapshots, folder, step):
        write_checkpoint(folder / f"checkpoint-{step}", step)
        state = types.SimpleNamespace(is_world_process_zero=True, global_step=step)
        snapshots.on_save(types.SimpleNamespace(output_dir=str(folder)), state, None)
        return state

    def test_a_remote_that_comes_later_gets_all(self, made, store, tmp_path):
        (tmp_path / "remote").write_text("no folder")
        snapshots = made("run", store, push=str(tmp_path / "remote"))
        with pytest.warns(UserWarning, match="did not go to"):
            self.save(snapshots, tmp_path / "out", 10)
        assert [one.step for one in snapshots.taken] == [10]
        (tmp_path / "remote").unlink()
        (tmp_path / "remote").mkdir()
        state = self.save(snapshots, tmp_path / "out", 20)
        snapshots.on_train_end(None, state, None)
        assert [one.step for one in snapshots.taken] == [10, 20]
        with strata.Store(tmp_path / "other", create=True) as other:
            other.pull(remote=tmp_path / "remote")
            assert [one.ref for one in other.versions("run")] == ["run:v2", "run:v1"]

    def test_a_number_that_is_another_s_there_is_said(self, made, store, tmp_path):
        (tmp_path / "remote").mkdir()
        with strata.Store(tmp_path / "other", create=True) as other:
            other.add("run", {"weight": numpy.ones(50, "float32")})
            other.push("run", tmp_path / "remote")
        snapshots = made("run", store, push=str(tmp_path / "remote"))
        with pytest.warns(UserWarning, match="run:v1 did not go to"):
            self.save(snapshots, tmp_path / "out", 10)
        (tmp_path / "file").write_text("no folder")
        strict = made("strict", store, push=str(tmp_path / "file"), strict=True)
        with pytest.raises(strata.Error):
            self.save(strict, tmp_path / "strict", 10)

    def test_a_snapshot_that_was_pruned_keeps_no_other_back(self, made, store, tmp_path):
        remote = tmp_path / "remote"
        remote.write_text("no folder")
        snapshots = made("run", store, push=str(remote))
        with pytest.warns(UserWarning, match="did not go to"):
            for step in (10, 20):
                self.save(snapshots, tmp_path / "out", step)
        program("-C", store.path, "remove", "run:v1")
        remote.unlink()
        remote.mkdir()
        with pytest.warns(UserWarning, match="run:v1 is not in the store any more"):
            state = self.save(snapshots, tmp_path / "out", 30)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            snapshots.on_train_end(None, state, None)
        with strata.Store(tmp_path / "other", create=True) as other:
            other.pull(remote=remote)
            assert {"run:v2", "run:v3"} <= {one.ref for one in other.versions("run")}

    def test_what_waits_is_stored_later_and_said_once(self, made, store, tmp_path):
        snapshots = made("run", store)
        folder = write_checkpoint(tmp_path / "out" / "checkpoint-10", 10)
        (folder / "checkpoint-is-incomplete.txt").write_text("")
        state = types.SimpleNamespace(is_world_process_zero=True, global_step=10)
        arguments = types.SimpleNamespace(output_dir=str(tmp_path / "out"))
        with pytest.warns(UserWarning, match="checkpoint-10 was not stored"):
            snapshots.on_save(arguments, state, None)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.save(snapshots, tmp_path / "out", 20)
        (folder / "checkpoint-is-incomplete.txt").unlink()
        snapshots.on_train_end(arguments, state, None)
        assert [one.step for one in snapshots.taken] == [20, 10]

    def test_strict_raises_and_forgets_nothing(self, made, store, tmp_path):
        snapshots = made("run", store, strict=True)
        folder = write_checkpoint(tmp_path / "out" / "checkpoint-10", 10)
        (folder / "checkpoint-is-incomplete.txt").write_text("")
        state = types.SimpleNamespace(is_world_process_zero=True, global_step=10)
        with pytest.raises(strata.UnsupportedError):
            snapshots.on_save(types.SimpleNamespace(output_dir=str(tmp_path / "out")), state, None)
        (folder / "checkpoint-is-incomplete.txt").unlink()
        snapshots.on_train_end(None, state, None)
        assert [one.step for one in snapshots.taken] == [10]


class TestLightning:
    """Files are written by torch, of any version."""

    @pytest.fixture
    def made(self, load):
        torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")
        fsspec = pytest.importorskip("fsspec", reason="fsspec is missing: scripts/setup python")

        class TorchCheckpointIO:
            """As that of Lightning 2: takes all paths of fsspec."""

            def save_checkpoint(self, checkpoint, path, storage_options=None):
                written = io.BytesIO()
                torch.save(checkpoint, written)
                files, place = fsspec.core.url_to_fs(os.fspath(path))
                files.makedirs(os.path.dirname(place), exist_ok=True)
                files.pipe_file(place, written.getvalue())

            def load_checkpoint(self, path, map_location=None):
                with fsspec.open(os.fspath(path)) as file:
                    return torch.load(io.BytesIO(file.read()))

            def remove_checkpoint(self, path):
                files, place = fsspec.core.url_to_fs(os.fspath(path))
                files.rm(place)

            def teardown(self):
                pass

        standin = types.SimpleNamespace(TorchCheckpointIO=TorchCheckpointIO)
        names = ("lightning", "lightning.pytorch", "lightning.pytorch.plugins")
        modules = {name: types.SimpleNamespace() for name in names}
        modules["lightning.pytorch.plugins.io"] = standin
        return load("strata.lightning", modules).StrataCheckpointIO

    @staticmethod
    def checkpoint(step, value):
        import torch

        return {"global_step": step, "state_dict": {"w": torch.full((50,), float(value))}}

    def test_a_store_that_fails_does_not_end_the_training(self, made, store, tmp_path):
        plugin = made("run", store, base="nothing")
        first, second = (str(tmp_path / f"epoch=0-step={step}.ckpt") for step in (4, 8))
        with pytest.warns(UserWarning, match="step=4.ckpt was not stored"):
            plugin.save_checkpoint(self.checkpoint(4, 1), first)
        plugin.remove_checkpoint(first)
        assert os.path.exists(first)  # else it would be lost
        plugin._keeper._options["base"] = None
        plugin.save_checkpoint(self.checkpoint(8, 2), second)
        assert [one.step for one in plugin.taken] == [4, 8] and not os.path.exists(first)
        plugin.remove_checkpoint(second)
        assert not os.path.exists(second)
        assert plugin.load_checkpoint(first)["global_step"] == 4

    def test_a_file_that_is_written_anew_is_not_removed(self, made, store, tmp_path):
        plugin = made("run", store, base="nothing")
        last = str(tmp_path / "last.ckpt")
        for step in (4, 8):
            with pytest.warns(UserWarning, match="was not stored"):
                plugin.save_checkpoint(self.checkpoint(step, step), last)
            if step == 4:
                plugin.remove_checkpoint(last)
            plugin._keeper._told.clear()
        plugin._keeper._options["base"] = None
        plugin.teardown()
        assert os.path.exists(last) and [one.step for one in plugin.taken] == [8]

    def test_the_end_says_what_was_never_stored(self, made, store, tmp_path):
        plugin = made("run", store, base="nothing")
        with pytest.warns(UserWarning, match="was not stored"):
            plugin.save_checkpoint(self.checkpoint(4, 1), tmp_path / "step=4.ckpt")
        with pytest.warns(UserWarning, match="step=4.ckpt was not stored"):
            plugin.teardown()
        with pytest.raises(strata.NotFoundError):
            made("run", store, base="nothing", strict=True).save_checkpoint(
                self.checkpoint(4, 1), tmp_path / "step=4.ckpt"
            )

    def test_files_of_a_remote_are_stored_and_read(self, made, store):
        plugin = made("run", store)
        there = f"memory://{os.path.basename(store.path)}/epoch=0-step=4.ckpt"
        plugin.save_checkpoint(self.checkpoint(4, 1), there)
        assert [one.step for one in plugin.taken] == [4]
        assert plugin.load_checkpoint(there)["global_step"] == 4
        plugin.remove_checkpoint(there)
        assert plugin.load_checkpoint(there)["global_step"] == 4

    def test_of_one_step_the_file_that_was_named_comes_back(self, made, store, tmp_path):
        plugin = made("run", store)
        for name, value in (("epoch=0-step=8.ckpt", 1), ("val-step=8.ckpt", 2), ("last.ckpt", 3)):
            plugin.save_checkpoint(self.checkpoint(8, value), tmp_path / "out" / name)
            os.unlink(tmp_path / "out" / name)
            loaded = plugin.load_checkpoint(tmp_path / "out" / "epoch=0-step=8.ckpt")
            assert loaded["state_dict"]["w"][0] == 1
        assert plugin.load_checkpoint(tmp_path / "val-step=8.ckpt")["state_dict"]["w"][0] == 2
        assert plugin.load_checkpoint(tmp_path / "last.ckpt")["state_dict"]["w"][0] == 3
        with pytest.raises(strata.NotFoundError, match="run:v1, run:v2|run:v3, run:v2, run:v1"):
            plugin.load_checkpoint(tmp_path / "other-step=8.ckpt")

    def test_one_of_that_step_with_another_name_is_said(self, made, store, tmp_path):
        plugin = made("run", store)
        plugin.save_checkpoint(self.checkpoint(8, 1), tmp_path / "epoch=0-step=8.ckpt")
        with pytest.warns(UserWarning, match="loaded from run:v1"):
            assert plugin.load_checkpoint(tmp_path / "step=8.ckpt")["global_step"] == 8
        with pytest.raises(strata.NotFoundError, match="no snapshot of it"):
            plugin.load_checkpoint(tmp_path / "step=9.ckpt")
        with pytest.raises(strata.NotFoundError, match="no snapshot of it"):
            made("none", store).load_checkpoint(tmp_path / "step=8.ckpt")

    def test_the_last_one_of_another_s_bytes_comes_back(self, made, store, tmp_path):
        plugin = made("run", store)
        for step in (4, 8):
            plugin.save_checkpoint(self.checkpoint(step, step), tmp_path / f"step={step}.ckpt")
        shutil.copy(tmp_path / "step=8.ckpt", tmp_path / "last.ckpt")
        plugin._keeper.keep(str(tmp_path / "last.ckpt"))
        assert len(store.versions("run")) == 2
        for one in tmp_path.glob("*.ckpt"):
            one.unlink()
        with pytest.warns(UserWarning, match="loaded from run:v2, the newest"):
            assert made("run", store).load_checkpoint(tmp_path / "last.ckpt")["global_step"] == 8

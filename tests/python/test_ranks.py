"""Checkpoints of torch.distributed, by stand-ins: each save is stored, and ranks go on as one.

test_distributed.py does so with torch 2.
"""

import importlib
import pathlib
import shutil
import sys

import pytest
import strata
from standins import Group, modules, save


@pytest.fixture
def load(monkeypatch):
    """Gives strata.distributed as it is with a stand-in of torch."""
    monkeypatch.delitem(sys.modules, "strata.distributed", raising=False)

    def loaded(group):
        for name, module in modules(group).items():
            monkeypatch.setitem(sys.modules, name, module)
        return importlib.import_module("strata.distributed")

    yield loaded
    sys.modules.pop("strata.distributed", None)


@pytest.fixture
def alone(load):
    return load(Group(is_on=False))


class TestWriter:
    def test_a_writer_serves_several_saves(self, alone, store, tmp_path):
        writer = alone.Writer("run", tmp_path / "out" / "checkpoint-500", store)
        save(writer, "a")
        assert (writer.taken.step, writer.taken.was_taken) == (500, False)
        save(writer, "b", tmp_path / "out" / "checkpoint-1000")
        assert (writer.taken.step, writer.taken.was_taken) == (1000, False)
        assert len(store.versions("run")) == 2 and list((tmp_path / "out").iterdir()) == []

    def test_each_folder_is_stored_where_it_stays(self, alone, store, tmp_path):
        writer = alone.Writer("run", tmp_path / "out" / "checkpoint-500", store, keep=True)
        save(writer, "a")
        save(writer, "b", tmp_path / "out" / "checkpoint-1000")
        assert (writer.taken.step, writer.taken.was_taken) == (1000, False)
        assert (tmp_path / "out" / "checkpoint-500" / "__0_0.distcp").exists()
        assert (tmp_path / "out" / "checkpoint-1000" / "__0_0.distcp").exists()

    def test_what_lies_beside_the_shards_stays(self, alone, store, tmp_path):
        folder = tmp_path / "checkpoint-5"
        (folder / "logs").mkdir(parents=True)
        (folder / "notes.txt").write_text("mine")
        save(alone.Writer("run", folder, store), "a")
        assert sorted(one.name for one in folder.iterdir()) == ["logs", "notes.txt"]
        assert len(store.versions("run")) == 1

    def test_a_save_that_is_not_stored_keeps_its_folder(self, alone, store, tmp_path):
        folder = tmp_path / "checkpoint-5"
        writer = alone.Writer("run", folder, store, base="nothing")
        with pytest.raises(strata.NotFoundError, match="is written whole, and was not stored"):
            save(writer, "a")
        assert writer.taken is None and (folder / "__0_0.distcp").exists()
        assert store.snapshot("run", folder).step == 5

    def test_without_a_store_nothing_is_written(self, alone, tmp_path):
        writer = alone.Writer("run", tmp_path / "checkpoint-5", tmp_path / "no-store")
        with pytest.raises(strata.NoStoreError):
            save(writer, "a")
        assert not (tmp_path / "checkpoint-5").exists()

    def test_a_checkpoint_for_each_rank_is_refused_at_once(self, alone, store, tmp_path):
        writer = alone.Writer("run", tmp_path / "checkpoint-5", store)
        with pytest.raises(strata.UnsupportedError, match="use_collectives"):
            save(writer, "a", rank=0, use_collectives=False)
        assert not (tmp_path / "checkpoint-5").exists() and store.versions("run") == []
        save(writer, "a", rank=0, use_collectives=True)


class TestReader:
    @pytest.fixture
    def run(self, alone, store, tmp_path):
        for step in (1, 2):
            save(alone.Writer("run", tmp_path / f"checkpoint-{step}", store), f"step {step}")
        return store

    @staticmethod
    def shard(reader):
        with reader.fs.create_stream(reader.fs.concat_path("", "__0_0.distcp"), "rb") as file:
            return file.read()[-6:]

    def test_reads_the_newest_or_a_step(self, alone, run):
        with alone.Reader("run", run) as reader:
            assert (reader.step, self.shard(reader)) == (2, b"step 2")
            reader.reset()
            with pytest.raises(strata.ArgumentError, match="step=N"):
                reader.reset("checkpoint-1")
        with pytest.raises(strata.ArgumentError, match="was closed"):
            self.shard(reader)
        assert alone.Reader("run", run, step=1).step == 1

    @pytest.fixture
    def further(self, alone, run, tmp_path):
        """The store of another machine, which has a newer snapshot."""
        shutil.copytree(run.path, tmp_path / "further")
        with strata.Store(tmp_path / "further") as store:
            save(alone.Writer("run", tmp_path / "checkpoint-3", store), "step 3")
            yield store

    def read(self, load, stores, **asked):
        """What the ranks read, each from its store."""
        sys.modules.pop("strata.distributed")
        group = Group(len(stores))
        several = load(group)

        def read_one(rank):
            reader = several.Reader("run", stores[rank], **asked)
            return reader.step, self.shard(reader)

        return group.run(read_one)

    def test_all_ranks_read_what_rank_0_finds(self, load, run, further):
        assert self.read(load, [run, further, run]) == [(2, b"step 2")] * 3

    def test_a_rank_that_lacks_it_ends_all(self, load, run, further):
        for asked in ({}, {"step": 3}):
            for found in self.read(load, [further, run, further], **asked):
                assert isinstance(found, strata.NotFoundError) and "rank 1" in str(found)
        for found in self.read(load, [run, further], step=3):
            assert isinstance(found, strata.NotFoundError) and "step 3" in str(found)

    def test_what_is_damaged_is_passed_over(self, load, alone, run, further):
        before = {one for one in pathlib.Path(run.path).rglob("*") if one.is_file()}
        for one in pathlib.Path(further.path).rglob("*"):
            is_pack = one.is_file() and "objects" in one.parts
            if is_pack and pathlib.Path(run.path) / one.relative_to(further.path) not in before:
                one.chmod(0o600)
                one.write_bytes(b"damaged")
        with pytest.warns(UserWarning, match="run:v3 is passed over"):
            assert alone.Reader("run", further).step == 2
        with pytest.raises(strata.CorruptDataError, match="run:v3 is passed over"):
            alone.Reader("run:v3", further)

    def test_a_rank_may_read_alone(self, load, run, further):
        assert self.read(load, [run, further], no_dist=True) == [(2, b"step 2"), (3, b"step 3")]

"""Lists of models, which several workers store and push."""

import pytest
import strata
from conftest import base_model, equal, numpy


def models(filled, count):
    """Files of fine-tunes: (name, file, base) each."""
    listed = []
    for index in range(count):
        model = base_model()
        model["encoder.bias"] = model["encoder.bias"] + numpy.float32(index + 1)
        filled.add(f"made{index}", model, base="base")
        filled.restore(f"made{index}", f"m{index}.safetensors")
        listed.append((f"m{index}", f"m{index}.safetensors", "base"))
    return listed


@pytest.fixture
def remote(filled, tmp_path):
    """A folder with the base."""
    folder = tmp_path / "remote"
    folder.mkdir()
    filled.push("base", folder)
    return folder


def test_each_worker_stores_its_shard(filled, remote, tmp_path):
    listed = models(filled, 5)
    for index, stored in ((0, 3), (1, 2)):
        with strata.Store(tmp_path / f"worker{index}", create=True) as worker:
            report = worker.add_from(listed, shard=(index, 2), push=remote)
            assert report.complete
            assert (report.stored, report.pushed) == (stored, stored)
            again = worker.add_from(listed, shard=(index, 2), push=remote)
            assert (again.there, again.stored, again.pushed) == (stored, 0, 0)
    with strata.Store(tmp_path / "centre", create=True) as centre:
        centre.pull(remote=remote)
        assert len(centre.versions()) == 6
        for index in range(5):
            assert equal(centre.load(f"m{index}"), filled.load(f"made{index}"))


def test_reads_the_file_of_a_list(filled, tmp_path):
    listed = models(filled, 2)
    (tmp_path / "list").write_text("".join("\t".join(line) + "\n" for line in listed))
    report = filled.add_from(tmp_path / "list", note="from a list")
    assert (report.stored, report.pushed, report.complete) == (2, 0, True)
    assert filled.versions("m1")[0].note == "from a list"


def test_names_what_failed(filled, tmp_path):
    listed = models(filled, 2)
    listed.insert(1, ("bad", "nowhere.onnx"))
    with pytest.warns(UserWarning, match="bad was not stored: .*nowhere.onnx"):
        report = filled.add_from(listed)
    assert (report.stored, report.complete) == (2, False)
    assert [name for name, _ in report.failed] == ["bad"]
    report = filled.add_from(listed, warn=False)
    assert report.known == 2


def test_refuses_lists_before_anything_is_stored(filled, tmp_path):
    listed = models(filled, 1)
    before = len(filled.versions())
    for wrong in ([], [("a", "f"), ("a", "g")], [("-", "f")], [("a",)], ["a"], [("a", "-")]):
        with pytest.raises(strata.ArgumentError):
            filled.add_from(listed + wrong if wrong else wrong)
    for shard in ((2, 2), (0, 0), (-1, 2)):
        with pytest.raises(strata.ArgumentError, match="shard"):
            filled.add_from(listed, shard=shard)
    (tmp_path / "list").write_text("a\tf\nb\n")
    with pytest.raises(strata.ArgumentError, match="line 2"):
        filled.add_from(tmp_path / "list")
    assert len(filled.versions()) == before


class TestUrls:
    """Models and bases in a bucket, for which fsspec's memory stands in."""

    @pytest.fixture
    def bucket(self, filled):
        """A file system with a base and two fine-tunes, one of them a folder."""
        fsspec = pytest.importorskip("fsspec", reason="fsspec is missing: lists had no URLs")
        memory = fsspec.filesystem("memory")
        memory.store.clear()
        memory.pseudo_dirs[:] = [""]
        filled.restore("base", "base.safetensors")
        memory.put("base.safetensors", "memory://b/base.safetensors")
        for name, file, _ in models(filled, 2):
            inner = "m0.safetensors" if name == "m0" else "m1/deep/model.safetensors"
            memory.put(file, f"memory://b/{inner}")
        memory.pipe("memory://b/m1/config.json", b"{}")
        yield memory
        memory.store.clear()

    LISTED = [("m0", "memory://b/m0.safetensors", "memory://b/base.safetensors"),
              ("m1", "memory://b/m1", "memory://b/base.safetensors")]

    def test_are_fetched_stored_and_taken_away(self, bucket, filled, tmp_path):
        (tmp_path / "remote").mkdir()
        with strata.Store(tmp_path / "worker", create=True) as worker:
            report = worker.add_from(self.LISTED, push=tmp_path / "remote",
                                     scratch=tmp_path / "scratch")
            assert report.complete and (report.stored, report.pushed) == (2, 3)
            assert list((tmp_path / "scratch").iterdir()) == []
            found = {one.name: one for one in worker.versions()}
            base = found["m0"].base
            assert base.startswith("bases/base-") and found["m1"].base == base
            assert equal(worker.load("m0"), filled.load("made0"))
            worker.restore("m1", tmp_path / "m1")
            assert (tmp_path / "m1" / "config.json").read_bytes() == b"{}"
            assert (tmp_path / "m1" / "deep" / "model.safetensors").exists()
            # The base as an option; the list by a URL, too.
            lines = "".join(f"{name}-2\t{file}\n" for name, file, _ in self.LISTED)
            bucket.pipe("memory://b/list", lines.encode())
            report = worker.add_from("memory://b/list", base="memory://b/base.safetensors")
            assert report.complete and report.stored == 2
            assert worker.versions("m0-2")[0].base == base
        with strata.Store(tmp_path / "other", create=True) as other:
            again = other.add_from(self.LISTED, push=tmp_path / "remote")
            assert (again.there, again.stored) == (2, 0) and other.versions() == []

    def test_what_is_not_there_is_named(self, bucket, filled, tmp_path):
        bucket.pipe("memory://b/text", b"no model at all")
        wrong = [("gone", "memory://b/gone"), ("text", "memory://b/text"),
                 ("odd", "nothing://b/m"), ("based", "m0.safetensors", "memory://b/gone")]
        report = filled.add_from(self.LISTED[:1] + wrong, scratch=tmp_path / "scratch", warn=False)
        assert report.stored == 1
        assert [name for name, _ in report.failed] == ["gone", "text", "odd", "based"]
        told = dict(report.failed)
        assert "gone" in told["gone"] and "nothing" in told["odd"] and "gone" in told["based"]
        assert list((tmp_path / "scratch").iterdir()) == []

    def test_no_name_leads_out_of_the_folder(self, bucket, filled, tmp_path):
        bucket.store["/b/evil/../../../../escaped"] = type(bucket.store["/b/m0.safetensors"])(
            bucket, "/b/evil/../../../../escaped", b"x")
        report = filled.add_from([("evil", "memory://b/evil")], scratch=tmp_path / "scratch",
                                 warn=False)
        assert "no plain path" in report.failed[0][1]
        assert list((tmp_path / "scratch").iterdir()) == []
        assert not any(tmp_path.rglob("escaped"))

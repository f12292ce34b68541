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
    for wrong in ([], [("a", "f"), ("a", "g")], [("-", "f")], [("a",)], ["a"], [("a", "hf://o/m")]):
        with pytest.raises(strata.ArgumentError):
            filled.add_from(listed + wrong if wrong else wrong)
    for shard in ((2, 2), (0, 0), (-1, 2)):
        with pytest.raises(strata.ArgumentError, match="shard"):
            filled.add_from(listed, shard=shard)
    (tmp_path / "list").write_text("a\tf\nb\n")
    with pytest.raises(strata.ArgumentError, match="line 2"):
        filled.add_from(tmp_path / "list")
    assert len(filled.versions()) == before

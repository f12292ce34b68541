"""Versions as files of fsspec."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import strata
from conftest import register_files, tuned_model

fsspec = pytest.importorskip("fsspec", reason="fsspec is missing: scripts/setup python")

PATH = "strata://tuned:v1/model.safetensors"


@pytest.fixture
def files(filled):
    from strata.fsspec import StrataFileSystem

    return StrataFileSystem(store=filled, skip_instance_cache=True)


@pytest.fixture
def whole(filled, tmp_path):
    filled.restore("tuned", tmp_path / "tuned.safetensors")
    return (tmp_path / "tuned.safetensors").read_bytes()


def test_lists_versions_and_their_files(files, whole):
    assert files.ls("", detail=False) == ["base:v1", "tuned:v1"]
    assert files.ls("tuned:v1") == [
        {"name": "tuned:v1/model.safetensors", "size": len(whole), "type": "file"}
    ]
    assert files.isfile(PATH) and files.isdir("strata://tuned") and files.exists("strata://tuned")
    assert not files.exists("strata://nothing/x") and not files.exists("strata://tuned/x")
    assert files.find("tuned:v1") == ["tuned:v1/model.safetensors"]
    assert files.modified(PATH) == strata.Store(files._store.path).versions("tuned")[0].added_at


def test_gives_bytes_by_range(files, whole):
    assert files.cat_file(PATH) == whole
    for start, end in [(0, 8), (3, 400_000), (-5, None), (10, -10), (7, 7), (len(whole), None)]:
        assert files.cat_file(PATH, start, end) == whole[start:end]
    with files.open(PATH) as file:
        file.seek(1000)
        assert file.read(100) == whole[1000:1100] and file.read() == whole[1100:]
    with pytest.raises(FileNotFoundError):
        files.cat_file("strata://tuned/other")
    with pytest.raises(IsADirectoryError):
        files.cat_file("strata://tuned")


def test_writes_nothing(files):
    with pytest.raises(OSError, match="versions never change"):
        files.open(PATH, "wb")


def test_a_file_that_is_open_stays_that_version(files, filled, whole):
    with files.open("strata://tuned/model.safetensors", block_size=1000) as file:
        first = file.read(1000)
        filled.add("tuned", {"other": tuned_model()["encoder.bias"]})
        assert first + file.read() == whole
    assert files.cat_file("strata://tuned/model.safetensors") != whole


def test_finds_the_store_by_its_path(filled, whole):
    register_files()
    with fsspec.open(PATH, store=filled.path) as file:
        assert file.read(8) == whole[:8]


def test_what_is_open_needs_the_store_no_more(files, filled, whole):
    files.info(PATH)
    filled.close()
    assert files.cat_file(PATH) == whole and files.created(PATH) is not None


def test_serves_several_threads(files, filled):
    for i in range(40):
        filled.add(f"more{i}", {"w": tuned_model()["scale"] + i})
    paths = [f"more{i}:v1/model.safetensors" for i in range(40)] * 5
    with ThreadPoolExecutor(8) as threads:
        assert len({info["size"] for info in threads.map(files.info, paths)}) == 1

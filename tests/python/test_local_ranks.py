"""Processes of one training on one machine, which all call resume()."""

import json
import multiprocessing
import os
import pathlib
import tempfile

import pytest
import strata
from conftest import write_checkpoint

RANKS = 4


def run_rank(rank, environment, store, path, dies, answers):
    os.environ.update(environment, LOCAL_RANK=str(rank))
    if rank in dies:  # while it restores for all
        strata.Store.resume = lambda *_, **__: os._exit(9)
    try:
        found = [strata.resume("run", path, store=store)]
        if "AGAIN" in os.environ:
            found.append(strata.resume("run", path + "-again", store=store))
        answers.put((rank, found))
    except Exception as error:
        answers.put((rank, repr(error)))


def run_all(store, path, dies=(), **environment):
    """What each rank found, of processes that this one started."""
    environment = {"LOCAL_WORLD_SIZE": str(RANKS), **environment}
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    ranks = [
        context.Process(target=run_rank,
                        args=(rank, environment, store.path, str(path), dies, answers))
        for rank in range(RANKS)
    ]
    for rank in dies:  # while it has what the others wait for
        ranks[rank].start()
        ranks[rank].join(120)
        assert ranks[rank].exitcode == 9
    for rank, one in enumerate(ranks):
        if rank not in dies:
            one.start()
    found = {}
    for one in ranks:
        one.join(120)
    while len(found) < RANKS - len(dies):
        rank, answer = answers.get(timeout=10)
        found[rank] = answer
    return found


@pytest.fixture
def run(store, tmp_path, monkeypatch):
    for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "LOCAL_SIZE", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    store.snapshot("run", write_checkpoint(tmp_path / "out" / "checkpoint-2", 2))
    return store


def left(tmp_path):
    return [one for one in (tmp_path / "tmp").rglob("*") if one.is_file()]


def test_one_restores_for_all(run, tmp_path):
    path = tmp_path / "back"
    expected = {rank: [str(path), f"{path}-again"] for rank in range(RANKS)}
    assert run_all(run, path, AGAIN="1") == expected
    assert json.loads((path / "trainer_state.json").read_text())["global_step"] == 2
    assert left(tmp_path) == []
    # Other processes find a folder that is there, as one alone does.
    assert all("already exists" in one for one in run_all(run, path).values())


def test_where_one_dies_another_restores(run, tmp_path):
    found = run_all(run, tmp_path / "back", dies=(0, 2))
    assert found == {rank: [str(tmp_path / "back")] for rank in (1, 3)}
    assert (tmp_path / "back" / "trainer_state.json").exists()


def test_what_fails_fails_for_all(run, tmp_path):
    found = run_all(run, tmp_path / "nowhere" / "back")
    assert len(found) == RANKS and all("no such folder" in one for one in found.values())
    assert left(tmp_path) == []


def test_a_rank_may_call_it_alone(run, tmp_path, monkeypatch):
    monkeypatch.setenv("LOCAL_RANK", "0")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    for name in ("one", "two"):
        assert strata.resume("run", tmp_path / name, store=run) == str(tmp_path / name)
    with pytest.raises(strata.ArgumentError, match="already exists"):
        strata.resume("run", tmp_path / "one", store=run)


def test_a_folder_of_somebody_else_is_refused(run, tmp_path, monkeypatch):
    from strata import _local_ranks

    monkeypatch.setenv("LOCAL_RANK", "0")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    folder = pathlib.Path(_local_ranks._own_folder())
    folder.chmod(0o777)
    with pytest.raises(strata.SystemCallError, match="others may write"):
        strata.resume("run", tmp_path / "back", store=run)
    assert not (tmp_path / "back").exists()

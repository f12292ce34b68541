"""Checkpoints of torch.distributed.checkpoint: four ranks, and one that dies."""

import multiprocessing
import os

import pytest
import strata

torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")
if int(torch.__version__.split(".")[0]) < 2:
    pytest.skip("torch 2 is missing: its distributed checkpoints were not tried",
                allow_module_level=True)

RANKS = 4


def state_of(rank):
    """What each rank has of its own."""
    generator = torch.Generator().manual_seed(rank)
    return {f"part{rank}.weight": torch.randn(100, 50, generator=generator)}


def run_rank(rank, port, path, folder, dies, answers):
    import torch.distributed
    import torch.distributed.checkpoint as dcp
    from strata.distributed import Reader, Writer

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.distributed.init_process_group("gloo", rank=rank, world_size=RANKS)
    if dies and rank == 2:
        os._exit(9)
    try:
        with strata.Store(path) as store:
            dcp.save(state_of(rank), storage_writer=Writer("run", folder, store))
            torch.distributed.barrier()
            back = {name: torch.zeros_like(value) for name, value in state_of(rank).items()}
            dcp.load(back, storage_reader=Reader("run", store))
        answers.put(all(torch.equal(back[name], one) for name, one in state_of(rank).items()))
    except Exception as error:  # what a rank sees of another one's end differs
        answers.put(repr(error))


def run_all(path, folder, dies=False):
    import socket

    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ranks = [
        context.Process(target=run_rank, args=(rank, port, path, str(folder), dies, answers))
        for rank in range(RANKS)
    ]
    for rank in ranks:
        rank.start()
    found = [answers.get(timeout=120) for _ in range(RANKS - dies)]
    for rank in ranks:
        rank.join(60)
        rank.kill()
    return found


def test_four_ranks_store_one_snapshot(store, tmp_path):
    assert run_all(store.path, tmp_path / "checkpoint-7") == [True] * RANKS
    (version,) = store.versions("run")
    assert version.files == RANKS + 1 and not (tmp_path / "checkpoint-7").exists()


def test_a_rank_that_dies_leaves_no_snapshot(store, tmp_path):
    found = run_all(store.path, tmp_path / "checkpoint-7", dies=True)
    assert all(isinstance(one, str) for one in found)
    assert store.versions("run") == []

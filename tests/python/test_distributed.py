"""Checkpoints of torch.distributed.checkpoint: four ranks, and one that dies."""

import multiprocessing
import os
import shutil

import pytest
import strata

torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")
if int(torch.__version__.split(".")[0]) < 2:
    pytest.skip("torch 2 is missing: its distributed checkpoints were not tried",
                allow_module_level=True)

RANKS = 4


def state_of(rank, step):
    """What each rank has of its own; the last one has nothing to write."""
    generator = torch.Generator().manual_seed(RANKS * step + rank)
    names = [] if rank == RANKS - 1 else [f"part{rank}.weight"]
    return {name: torch.randn(100, 50, generator=generator) for name in names}


def check_load(rank, step, reader):
    import torch.distributed.checkpoint as dcp

    state = state_of(rank, step)
    back = {name: torch.zeros_like(value) for name, value in state.items()}
    dcp.load(back, storage_reader=reader)
    assert reader.step == step and all(torch.equal(back[name], state[name]) for name in state)


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
            writer = Writer("run", os.path.join(folder, "checkpoint-7"), store)
            dcp.save(state_of(rank, 7), storage_writer=writer)
            if rank == 1:
                shutil.copytree(path, path + "-behind")
            torch.distributed.barrier()
            check_load(rank, 7, Reader("run", store))
            later = os.path.join(folder, "checkpoint-8")
            dcp.save(state_of(rank, 8), storage_writer=writer, checkpoint_id=later)
            check_load(rank, 8, Reader("run", store))
            # Rank 0 does not know of step 8.
            behind = strata.Store(path + "-behind") if rank == 0 else store
            check_load(rank, 7, Reader("run", behind))
        answers.put(True)
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
    assert run_all(store.path, tmp_path / "out") == [True] * RANKS
    assert [version.files for version in store.versions("run")] == [RANKS + 1] * 2
    assert list((tmp_path / "out").iterdir()) == []


def test_a_rank_that_dies_leaves_no_snapshot(store, tmp_path):
    found = run_all(store.path, tmp_path / "out", dies=True)
    assert all(isinstance(one, str) for one in found)
    assert store.versions("run") == []

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
    return {name: torch.randn(1000, 500, generator=generator) for name in names}


def check_load(rank, step, reader):
    import torch.distributed.checkpoint as dcp

    state = state_of(rank, step)
    back = {name: torch.zeros_like(value) for name, value in state.items()}
    dcp.load(back, storage_reader=reader)
    assert reader.step == step and all(torch.equal(back[name], state[name]) for name in state)


def counted(reader):
    """A list of how many bytes a reader decodes each time."""
    counts, read = [], reader._model.read
    reader._model.read = lambda path, offset=0, length=None: (
        counts.append(length) or read(path, offset, length)
    )
    return counts


def check_own_part(rank, step, store):
    """A rank decodes its own tensors, and not those of others."""
    from strata.distributed import Reader

    with Reader("run", store) as reader:
        counts = counted(reader)
        check_load(rank, step, reader)
        own = sum(value.nbytes for value in state_of(rank, step).values())
        assert own <= sum(counts) < own + 300_000, counts


def check_rows(rank, store, folder):
    """Of a tensor that one rank saved, each reads the rows that it has from then on."""
    import torch.distributed.checkpoint as dcp
    from strata.distributed import Reader, Writer
    from torch.distributed.device_mesh import init_device_mesh

    try:
        from torch.distributed.tensor import Shard, distribute_tensor
    except ImportError:  # before torch 2.5
        from torch.distributed._tensor import Shard, distribute_tensor
    whole = torch.arange(2000 * 600, dtype=torch.float32).reshape(2000, 600)
    turned = torch.arange(1000 * 500, dtype=torch.float32).reshape(1000, 500).t()
    state = {"table": whole, "turned": turned, "few": torch.ones(8, 3)}
    dcp.save(state, storage_writer=Writer("table", os.path.join(folder, "checkpoint-1"), store))
    mesh = init_device_mesh("cpu", (RANKS,))
    for axis in (0, 1):
        back = {
            name: distribute_tensor(torch.zeros_like(value), mesh, [Shard(axis)])
            for name, value in state.items()
        }
        with Reader("table", store) as reader:
            counts = counted(reader)
            dcp.load(back, storage_reader=reader)
        for name, value in state.items():
            own = value.chunk(RANKS, axis)
            found = back[name].to_local()
            assert torch.equal(found, own[rank]) if rank < len(own) else found.numel() == 0
        limit = whole.nbytes // RANKS if axis == 0 else whole.nbytes
        assert sum(counts) < limit + turned.nbytes + 300_000, counts


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
            check_own_part(rank, 7, store)
            later = os.path.join(folder, "checkpoint-8")
            dcp.save(state_of(rank, 8), storage_writer=writer, checkpoint_id=later)
            check_load(rank, 8, Reader("run", store))
            # Rank 0 does not know of step 8.
            behind = strata.Store(path + "-behind") if rank == 0 else store
            check_load(rank, 7, Reader("run", behind))
            check_rows(rank, store, folder)
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

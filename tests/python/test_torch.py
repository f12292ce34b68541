"""Snapshots of a training loop of PyTorch: a resumed training is the same training, bit by bit."""

import pickle
import random
import subprocess
import sys

import numpy
import pytest
import strata
from standins import Group

torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")


def test_a_torch_that_was_imported_first_changes_nothing(tmp_path):
    """PyPI's torch brings a library that answers for libstdc++'s own."""
    words = (
        "import torch, array, strata; store = strata.Store('s', create=True);"
        "print(store.add('new', {'w': array.array('f', range(100))}).version)"
    )
    done = subprocess.run([sys.executable, "-c", words], text=True, capture_output=True)
    assert (done.stdout, done.returncode) == ("new:v1\n", 0), done.stderr


def parts():
    torch.manual_seed(3)
    model = torch.nn.Sequential(
        torch.nn.Linear(20, 30), torch.nn.Dropout(0.3), torch.nn.Linear(30, 2)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    return model, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)


def train(model, optimizer, scheduler, steps):
    losses = []
    for _ in range(steps):
        inputs = torch.randn(8, 20) + random.random() + float(numpy.random.rand())
        loss = model(inputs).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses


def test_resumes_to_the_same_training(store):
    from strata.torch import Run

    random.seed(1)
    numpy.random.seed(1)
    run = Run("loop", store)
    trained = parts()
    assert run.load(*trained) == 0
    train(*trained, 5)
    taken = run.save(5, *trained, extra={"epoch": 2})
    assert taken.version.ref == "loop:v1" and "step-5" in taken.version.tags
    expected = train(*trained, 5)
    run.save(10, *trained)

    random.seed(99)
    numpy.random.seed(99)
    again = parts()
    assert Run("loop", store).load(*again) == 10
    other = Run("loop", store)
    assert other.load(*again, step=5) == 5 and other.extra == {"epoch": 2}
    assert train(*again, 5) == expected
    for left, right in zip(again[0].state_dict().values(), trained[0].state_dict().values()):
        assert torch.equal(left, right)


def test_a_step_that_is_not_there(store):
    from strata.torch import Run

    model, *_ = parts()
    run = Run("loop", store)
    run.save(5, model)
    with pytest.raises(strata.NotFoundError):
        run.load(model, step=6)
    assert run.load(model) == 5


def test_nothing_of_a_snapshot_is_run(store, tmp_path):
    from strata.torch import Run

    class Harmful:
        def __reduce__(self):
            return open, (str(tmp_path / "was run"), "w")

    folder = tmp_path / "checkpoint-3"
    folder.mkdir()
    torch.save({"w": Harmful()}, folder / "pytorch_model.bin")
    (folder / "trainer_state.json").write_text('{"global_step": 3, "log_history": []}')
    store.snapshot("loop", folder)
    with pytest.raises(pickle.UnpicklingError):
        Run("loop", store).load(parts()[0])
    assert not (tmp_path / "was run").exists()


def test_all_ranks_load_what_rank_0_finds(store, tmp_path, monkeypatch):
    from strata.torch import Run

    group = Group(3)
    for name in ("is_initialized", "get_rank", "get_world_size", "all_gather_object"):
        monkeypatch.setattr(torch.distributed, name, getattr(group, name), raising=False)
    stores = [store, store, strata.Store(tmp_path / "further", create=True)]

    def load(rank, **asked):
        return Run("loop", stores[rank]).load(parts()[0], **asked)

    assert group.run(load) == [0, 0, 0]
    Run("loop", store).save(1, *parts())
    for found in group.run(load):
        assert isinstance(found, strata.NotFoundError) and "rank 2" in str(found)
    assert group.run(lambda rank: load(rank, no_dist=True)) == [1, 1, 0]

    (tmp_path / "remote").mkdir()
    store.push((), tmp_path / "remote")
    stores[2].pull((), tmp_path / "remote")
    Run("loop", stores[2]).save(2, *parts())
    assert group.run(load) == [1, 1, 1]
    assert group.run(lambda rank: load(rank, step=1)) == [1, 1, 1]


def test_weights_alone_are_put_nowhere_if_more_is_asked_for(store):
    from strata.torch import Run

    run = Run("loop", store)
    run.save(5, parts()[0])
    model, optimizer, _ = parts()
    before = model[0].bias.detach().clone()
    with torch.no_grad():
        model[0].bias.add_(1)
    with pytest.raises(strata.UnsupportedError, match="step 5 has no optimizer"):
        run.load(model, optimizer)
    assert torch.equal(model[0].bias, before + 1)
    assert run.load(model) == 5

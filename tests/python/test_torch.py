"""Snapshots of a training loop of PyTorch: a resumed training is the same training, bit by bit."""

import pickle
import random

import numpy
import pytest
import strata

torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")


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

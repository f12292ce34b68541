"""Lightning's checkpoints as snapshots."""

import os

import pytest
import strata

torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")
lightning = pytest.importorskip(
    "lightning.pytorch", reason="lightning is missing: its plugin was not tried"
)


class Line(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(40, 20)

    def training_step(self, batch, _):
        return self.layer(batch).square().mean()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


def train(folder, plugin, epochs, start=None):
    torch.manual_seed(3)
    data = torch.utils.data.DataLoader(torch.randn(32, 40), batch_size=8)
    keeper = lightning.callbacks.ModelCheckpoint(folder, every_n_epochs=1)
    trainer = lightning.Trainer(
        accelerator="cpu",
        max_epochs=epochs,
        plugins=[plugin],
        callbacks=[keeper],
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    model = Line()
    trainer.fit(model, data, ckpt_path=start)
    return model


def test_keeps_what_the_trainer_deletes(store, tmp_path):
    from strata.lightning import StrataCheckpointIO

    plugin = StrataCheckpointIO("run", store)
    whole = train(tmp_path / "out", plugin, 3)
    assert [one.step for one in plugin.taken] == [4, 8, 12]
    assert [one.kind for one in plugin.taken] == ["lightning"] * 3
    assert os.listdir(tmp_path / "out") == ["epoch=2-step=12.ckpt"]
    gone = str(tmp_path / "out" / "epoch=1-step=8.ckpt")
    again = train(tmp_path / "again", StrataCheckpointIO("other", store), 3, start=None)
    for left, right in zip(whole.parameters(), again.parameters()):
        assert torch.equal(left, right)
    resumed = train(tmp_path / "resumed", plugin, 3, start=gone)
    for left, right in zip(whole.parameters(), resumed.parameters()):
        assert torch.allclose(left, right)
    assert plugin.load_checkpoint(gone)["global_step"] == 8


def test_says_what_it_cannot_find(store, tmp_path):
    from strata.lightning import StrataCheckpointIO

    plugin = StrataCheckpointIO("run", store)
    for name in ("last.ckpt", "epoch=0-step=4.ckpt"):
        with pytest.raises(strata.NotFoundError):
            plugin.load_checkpoint(tmp_path / name)

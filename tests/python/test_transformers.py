"""Snapshots of a Trainer of transformers: stored at each save, and resumed from."""

import os

import pytest
import strata

torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")
transformers = pytest.importorskip(
    "transformers", reason="transformers is missing: its callback was not tried"
)
pytest.importorskip(
    "accelerate", reason="accelerate is missing: the callback of transformers was not tried"
)


def trainer(folder, callbacks):
    config = transformers.BertConfig(
        vocab_size=50,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        num_labels=2,
    )
    torch.manual_seed(1)
    model = transformers.BertForSequenceClassification(config)
    data = [{"input_ids": torch.arange(8) + i, "labels": torch.tensor(i % 2)} for i in range(32)]
    arguments = transformers.TrainingArguments(
        output_dir=str(folder),
        max_steps=6,
        save_steps=2,
        per_device_train_batch_size=8,
        save_total_limit=1,
        report_to=[],
        disable_tqdm=True,
        logging_steps=1,
        use_cpu=True,
        seed=5,
    )
    return transformers.Trainer(model, arguments, train_dataset=data, callbacks=callbacks)


def test_stores_each_checkpoint_and_resumes(store, tmp_path):
    from strata.transformers import Snapshots

    snapshots = Snapshots("run", store)
    whole = trainer(tmp_path / "out", [snapshots])
    whole.train()
    assert [one.step for one in snapshots.taken] == [2, 4, 6]
    assert os.listdir(tmp_path / "out") == ["checkpoint-6"]

    again = trainer(tmp_path / "again", [])
    place = strata.resume("run", tmp_path / "checkpoint-4", store=store, step=4)
    again.train(resume_from_checkpoint=place)
    for left, right in zip(whole.model.state_dict().values(), again.model.state_dict().values()):
        assert torch.equal(left, right)


def test_a_snapshot_that_fails_is_no_end_of_the_training(store, tmp_path):
    from strata.transformers import Snapshots

    snapshots = Snapshots("run", store)
    store.close()
    with pytest.warns(UserWarning, match="checkpoint-2 was not stored"):
        trainer(tmp_path / "out", [snapshots]).train()
    with pytest.raises(strata.Error):
        trainer(tmp_path / "strict", [Snapshots("run", store, strict=True)]).train()

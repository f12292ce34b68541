"""Ultralytics' callbacks, called by a stand-in for its trainer as its documentation says."""

import pytest
import strata
from conftest import base_model, numpy, program
from strata.ultralytics import Snapshots

torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")


class Trainer:
    """Ultralytics' BaseTrainer as far as callbacks see it: it writes one file over and over."""

    def __init__(self, folder, store):
        self.last = folder / "last.pt"
        self.epoch, self.fitness = 0, None
        self._callbacks, self._store = {}, store

    def add_callback(self, event, function):
        self._callbacks.setdefault(event, []).append(function)

    def run(self, event):
        for function in self._callbacks.get(event, []):
            function(self)

    def train(self, epochs):
        for self.epoch in range(epochs):
            self.fitness = numpy.float64(0.5 + self.epoch / 10)
            model = base_model()
            model["encoder.bias"] = model["encoder.bias"] + numpy.float32(self.epoch)
            weights = {key: torch.from_numpy(numpy.asarray(value)) for key, value in model.items()}
            torch.save({"epoch": self.epoch, "model": weights}, self.last)
            self.run("on_model_save")
            self.run("on_fit_epoch_end")
        self.run("on_train_end")


def test_keeps_each_checkpoint(store, tmp_path):
    (tmp_path / "remote").mkdir()
    snapshots = Snapshots("birds", store, push=str(tmp_path / "remote"))
    trainer = snapshots.attach(Trainer(tmp_path, store))
    trainer.train(3)
    assert [one.version.ref for one in snapshots.taken] == ["birds:v1", "birds:v2", "birds:v3"]
    notes = [one.note for one in reversed(store.versions("birds"))]
    assert notes == ["epoch 1, fitness 0.5", "epoch 2, fitness 0.6", "epoch 3, fitness 0.7"]
    assert snapshots.taken[1].version.stored_bytes < snapshots.taken[0].version.stored_bytes / 2
    place = store.resume("birds", tmp_path / "again.pt").path
    assert open(place, "rb").read() == trainer.last.read_bytes()
    with strata.Store(tmp_path / "other", create=True) as other:
        assert len(other.pull("birds:v*", tmp_path / "remote").pulled) == 3


def test_a_failure_is_no_end_of_the_training(store, tmp_path):
    snapshots = Snapshots("birds", store, push=str(tmp_path / "file"))
    (tmp_path / "file").write_text("no folder")
    trainer = snapshots.attach(Trainer(tmp_path, store))
    with pytest.warns(UserWarning, match="birds:v1 did not go"):
        trainer.train(1)
    (tmp_path / "file").unlink()
    trainer.train(2)  # the first epoch again: stored before, and sent now
    assert len(store.versions("birds")) == 2
    trainer.last = tmp_path / "gone.pt"
    with pytest.warns(UserWarning, match="gone.pt was not stored"):
        snapshots.on_model_save(trainer)
    strict = Snapshots("birds", store, strict=True)
    with pytest.raises(strata.Error):
        strict.on_model_save(trainer)


def test_a_snapshot_that_was_pruned_keeps_no_other_back(store, tmp_path):
    remote = tmp_path / "remote"
    remote.write_text("no folder")
    snapshots = Snapshots("birds", store, push=str(remote))
    trainer = snapshots.attach(Trainer(tmp_path, store))
    with pytest.warns(UserWarning, match="did not go to"):
        trainer.train(2)
    program("-C", store.path, "remove", "birds:v1")
    remote.unlink()
    remote.mkdir()
    with pytest.warns(UserWarning, match="birds:v1 is not in the store any more"):
        trainer.run("on_fit_epoch_end")
    with strata.Store(tmp_path / "other", create=True) as other:
        other.pull(remote=remote)
        assert "birds:v2" in {one.ref for one in other.versions("birds")}


def test_one_that_failed_is_tried_again(store, tmp_path):
    snapshots = Snapshots("birds", store, base="nothing")
    trainer = snapshots.attach(Trainer(tmp_path, store))
    with pytest.warns(UserWarning, match="last.pt was not stored"):
        trainer.train(1)
    snapshots._keeper._options["base"] = None
    trainer.run("on_fit_epoch_end")
    assert [one.note for one in store.versions("birds")] == ["epoch 1, fitness 0.5"]


def test_the_library_itself_goes_on_from_a_snapshot(store, tmp_path):
    ultralytics = pytest.importorskip(
        "ultralytics", reason="ultralytics is missing: a stand-in was tried instead"
    )
    image = pytest.importorskip("PIL.Image")
    values = numpy.random.default_rng(1)
    for part, name, index in ((p, n, i) for p in ("train", "val") for n in "ab" for i in range(4)):
        place = tmp_path / "data" / part / name
        place.mkdir(parents=True, exist_ok=True)
        pixels = values.integers(0, 255, (32, 32, 3), dtype="uint8")
        image.fromarray(pixels).save(place / f"{index}.png")

    class Crash(Exception):
        pass

    def crash(trainer):
        if trainer.epoch == 2:
            raise Crash

    snapshots = Snapshots("birds", store)
    model = snapshots.attach(ultralytics.YOLO("yolov8n-cls.yaml"))
    model.add_callback("on_train_epoch_start", crash)
    with pytest.raises(Crash):
        model.train(
            data=str(tmp_path / "data"),
            epochs=3,
            imgsz=32,
            batch=4,
            workers=0,
            plots=False,
            amp=False,
            device="cpu",
            project=str(tmp_path / "runs"),
        )
    assert [one.version.number for one in snapshots.taken] == [1, 2]
    again = snapshots.attach(ultralytics.YOLO(store.resume("birds", tmp_path / "last.pt").path))
    again.train(resume=True)
    assert len(snapshots.taken) == 3
    assert store.versions("birds:v3")[0].note.startswith("epoch 3, fitness ")

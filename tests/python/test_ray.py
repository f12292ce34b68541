"""Workers of Ray: all models once, also where some of the workers are killed."""

import os
import signal
import sys
import threading
import time

import pytest
import strata
from conftest import base_model, equal, numpy

ray = pytest.importorskip("ray", reason="ray is missing: its workers were not tried")

WORKERS, MODELS = 4, 40


@pytest.fixture(scope="module")
def cluster():
    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False,
             runtime_env={"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}})
    yield
    ray.shutdown()


def workers_of(folder):
    """Processes that have a store below a folder."""
    found = []
    for process in os.listdir("/proc"):
        try:
            files = [os.readlink(f"/proc/{process}/fd/{one}") for one in
                     os.listdir(f"/proc/{process}/fd")]
        except OSError:
            continue
        if int(process) != os.getpid() and any(one.startswith(str(folder)) for one in files):
            found.append(int(process))
    return found


def test_all_models_once_though_two_workers_are_killed(store, tmp_path, cluster):
    from strata.ray import add_models

    store.add("base", base_model())
    store.push("base", tmp_path / "remote")
    listed, made = [], []
    for index in range(MODELS):
        model = base_model()
        model["encoder.weight"] = model["encoder.weight"] + numpy.float32(index + 1) / 1000
        made.append(model)
        store.add("made", model, base="base")
        store.restore("made", f"m{index}.safetensors")
        listed.append((f"m{index}", f"m{index}.safetensors", "base"))
    killed = []

    def kill_two():
        end = time.monotonic() + 60
        while len(killed) < 2 and time.monotonic() < end:
            for process in workers_of(tmp_path / "scratch"):
                if process not in killed and len(killed) < 2:
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
            time.sleep(0.01)

    (tmp_path / "scratch").mkdir()
    killer = threading.Thread(target=kill_two)
    killer.start()
    report = add_models(listed, push=str(tmp_path / "remote"), workers=WORKERS,
                        scratch=str(tmp_path / "scratch"))
    killer.join()
    assert len(killed) == 2 and report.complete
    assert report.stored + report.known + report.there == MODELS
    assert os.listdir(tmp_path / "scratch") == []
    with strata.Store(tmp_path / "centre", create=True) as centre:
        centre.pull(remote=tmp_path / "remote")
        refs = sorted(one.ref for one in centre.versions())
        assert refs == sorted(["base:v1"] + [f"m{index}:v1" for index in range(MODELS)])
        for index in range(MODELS):
            assert equal(centre.load(f"m{index}"), made[index])
    again = add_models(listed, push=str(tmp_path / "remote"), workers=2,
                       scratch=str(tmp_path / "scratch"))
    assert (again.there, again.stored, again.pushed) == (MODELS, 0, 0)


def some_models(store, count):
    """A base on a remote, and files of fine-tunes."""
    store.add("base", base_model())
    store.push("base", "./remote")
    listed = []
    for index in range(count):
        model = base_model()
        model["encoder.bias"] = model["encoder.bias"] + numpy.float32(index + 1)
        store.add("made", model, base="base")
        store.restore("made", f"m{index}.safetensors")
        listed.append((f"m{index}", f"m{index}.safetensors", "base"))
    return listed


def add(listed, tmp_path, **options):
    from strata.ray import add_models

    return add_models(listed, push=str(tmp_path / "remote"), workers=2, warn=False,
                      scratch=str(tmp_path / "scratch"), **options)


class Deadly:
    """Tags that kill one of the workers that look at them, in each of its lives."""

    def __init__(self, place):
        self.place = str(place)

    def __repr__(self):
        return "Deadly"

    def __iter__(self):
        own = ray.get_runtime_context().get_actor_id()
        try:
            with open(self.place, "x") as file:
                file.write(own)
        except FileExistsError:
            pass
        if open(self.place).read() == own:
            os._exit(9)
        return iter(["tagged"])


def test_a_worker_that_cannot_live_stops_no_other(store, tmp_path, cluster, monkeypatch):
    import strata.ray

    (tmp_path / "remote").mkdir()
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(strata.ray, "_MOST_RETRIES", 1)
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    listed = some_models(store, 4)
    report = add(listed, tmp_path, tags=Deadly(tmp_path / "victim"))
    assert (report.stored, report.pushed, len(report.failed)) == (2, 2, 2)
    assert all("died 2 times" in why for _, why in report.failed)
    done = {name for name, *_ in listed} - {name for name, _ in report.failed}
    assert done in ({"m0", "m2"}, {"m1", "m3"})
    (tmp_path / "victim").write_text("nobody")
    again = add(listed, tmp_path, tags=Deadly(tmp_path / "victim"))
    ray.cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    assert (again.there, again.stored, again.complete) == (2, 2, True)
    assert os.listdir(tmp_path / "scratch") == []


def test_what_all_fail_with_is_raised_and_what_is_unsent_goes_later(store, tmp_path, cluster):
    (tmp_path / "remote").mkdir()
    (tmp_path / "scratch").mkdir()
    listed = some_models(store, 4)
    with pytest.raises(strata.ArgumentError, match="effort"):
        add(listed, tmp_path, effort="none")
    assert os.listdir(tmp_path / "scratch") == []
    (tmp_path / "remote").rename(tmp_path / "there")
    (tmp_path / "remote").write_text("no folder")
    listed = [(name, file, "none") for name, file, _ in listed]
    report = add(listed, tmp_path)
    assert (report.stored, report.pushed, report.complete) == (4, 0, False)
    assert len(os.listdir(tmp_path / "scratch")) == 2
    (tmp_path / "remote").unlink()
    (tmp_path / "there").rename(tmp_path / "remote")
    report = add(listed, tmp_path)
    assert (report.known, report.pushed, report.complete) == (4, 4, True)
    assert os.listdir(tmp_path / "scratch") == []

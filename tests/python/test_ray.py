"""Workers of Ray: all models once, also where some of the workers are killed."""

import os
import signal
import threading
import time

import pytest
import strata
from conftest import base_model, equal, numpy

ray = pytest.importorskip("ray", reason="ray is missing: its workers were not tried")

WORKERS, MODELS = 4, 40


@pytest.fixture
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

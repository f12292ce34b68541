"""Progress, callbacks that raise, and Ctrl-C in the middle of the work."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest
from conftest import equal, tuned_model


def large_model():
    values = numpy.random.default_rng(3)
    return {f"layer.{i}": values.standard_normal((1000, 1000)).astype("float32") for i in range(12)}


def test_tells_progress(filled, tmp_path):
    told = []
    filled.add("large", large_model(), progress=lambda *words: told.append(words))
    filled.restore("large", tmp_path / "large", progress=lambda *words: told.append(words))
    phases = {phase for phase, *_ in told}
    assert "restoring" in phases and len(phases) > 1
    for phase, item, done, total in told:
        assert isinstance(item, str) and 0 <= done <= total


def test_shows_a_bar_of_tqdm(filled, monkeypatch):
    pytest.importorskip("tqdm", reason="tqdm is missing: its bar was not tried")
    assert equal(filled.load("tuned", progress=True), tuned_model())


def test_progress_is_a_function_or_true(filled):
    with pytest.raises(TypeError, match="expected a function"):
        filled.load("tuned", progress="yes")


def test_a_callback_that_raises_stops_the_work(filled, tmp_path):
    class Enough(Exception):
        pass

    def stop(*_):
        raise Enough

    with pytest.raises(Enough):
        filled.add("large", large_model(), progress=stop)
    assert [str(one) for one in filled.versions()] == ["base:v1", "tuned:v1"]
    assert filled.verify().sound
    filled.add("large", large_model())
    with pytest.raises(Enough):
        filled.restore("large", tmp_path / "large", progress=stop)
    assert not (tmp_path / "large").exists()


def test_a_callback_may_use_the_store(filled):
    seen = []
    filled.add("large", large_model(), progress=lambda *_: seen.append(len(filled.versions())))
    assert seen and set(seen) <= {2, 3}


def test_ctrl_c_stops_the_work(filled):
    model = large_model()
    seen = threading.Event()

    def interrupt():
        seen.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        # Slow enough that the signal comes while it is at work.
        filled.add("large", model, effort="best", progress=lambda *_: seen.set())
        pytest.fail("was not interrupted")
    sender.join()
    assert [str(one) for one in filled.versions()] == ["base:v1", "tuned:v1"]
    assert filled.verify().sound


def test_other_threads_run_meanwhile(filled):
    counted = [0]
    over = threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    started = time.monotonic()
    filled.add("large", large_model())
    took = time.monotonic() - started
    over.set()
    counter.join()
    assert counted[0] > took * 20  # of about 1000 a second on an idle machine


def test_the_interpreter_ends_well_with_a_store_open(filled):
    script = (
        "import strata, threading, sys\n"
        f"store = strata.Store({filled.path!r})\n"
        "model = store.open('tuned')\n"
        "threading.Thread(target=lambda: [store.load('tuned') for _ in range(50)],"
        " daemon=True).start()\n"
        "store.load('tuned')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    # The thread may say that it was stopped, as far as it comes with that.
    assert done.returncode == 0 and not {"leaked", "terminate", "Fatal"} & set(done.stderr.split())

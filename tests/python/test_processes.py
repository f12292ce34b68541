"""Threads, forked children, other processes that write."""

import multiprocessing
import os
import pickle
import threading
import traceback

import pytest
import strata
from conftest import base_model, equal, tuned_model


def in_child(act):
    """Forks, and answers what `act` says in the child: None, or how it failed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        said = b"ok"
        try:
            act()
        except BaseException:
            said = traceback.format_exc().encode()
        os.write(writer, said)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child ended with {status}"
    return None if said == b"ok" else said.decode()


def test_threads_share_a_store(filled):
    failures = []

    def use(number):
        try:
            for _ in range(5):
                assert equal(filled.load("tuned"), tuned_model())
                filled.add(f"own-{number}", tuned_model())
                filled.versions()
        except BaseException as error:  # noqa: what a thread raises is lost otherwise
            failures.append(error)

    threads = [threading.Thread(target=use, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [] and len(filled.versions()) == 6 and filled.verify().sound


def test_closing_a_store_ends_nothing_that_another_thread_does(filled):
    results = []

    def load():
        results.append(equal(filled.load("tuned"), tuned_model()))

    started = threading.Event()
    thread = threading.Thread(target=lambda: (started.set(), load()))
    model = filled.open("tuned")
    thread.start()
    started.wait()
    try:
        filled.close()
        thread.join()
    finally:
        assert equal(model.get_tensors(), tuned_model())


def test_a_forked_child_is_told_to_open_the_store_itself(filled):
    model = filled.open("tuned")
    filled.load("tuned")  # threads are running

    def act():
        for use in (
            filled.versions,
            lambda: filled.load("tuned"),
            lambda: model["steps"],
            lambda: filled.add("new", base_model()),
            lambda: filled.path,
        ):
            with pytest.raises(strata.ForkError, match="another process") as caught:
                use()
            assert "strata.Store(path)" in caught.value.fix
        assert "parent process" in repr(filled)
        filled.close()

    assert in_child(act) is None
    assert equal(model.get_tensors(), tuned_model()) and filled.verify().sound


def test_a_forked_child_may_open_the_store_anew(filled):
    path = filled.path
    filled.load("tuned")

    def act():
        with strata.Store(path) as own:
            assert equal(own.load("tuned"), tuned_model())
            own.add("child", tuned_model() | {"steps": base_model()["steps"] + 1})
            assert own.verify().sound

    assert in_child(act) is None
    assert [str(one) for one in filled.versions()] == ["base:v1", "child:v1", "tuned:v1"]
    assert filled.verify().sound


def _load_in_worker(path):
    with strata.Store(path) as store:
        return {name: one.tobytes() for name, one in store.load("tuned").items()}


def test_workers_of_a_pool_open_it_themselves(filled):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for loaded in pool.map(_load_in_worker, [filled.path] * 4):
            assert loaded["encoder.weight"] == tuned_model()["encoder.weight"].tobytes()


def test_a_writer_that_has_the_lock_is_named(filled):
    import fcntl

    path = filled.path
    with open(os.path.join(path, "lock"), "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        def act():
            with strata.Store(path, wait=0) as other:
                with pytest.raises(strata.StoreLockedError) as caught:
                    other.add("new", base_model() | {"steps": base_model()["steps"] + 7})
                assert caught.value.code == 11

        assert in_child(act) is None


def test_a_store_that_is_sent_to_a_process_is_opened_there(filled):
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as others:
        assert others.apply(strata.Store.load, (filled, "tuned")).keys() == tuned_model().keys()
    again = pickle.loads(pickle.dumps(strata.Store(filled.path, jobs=1, wait=0)))
    assert again.path == filled.path and again._settings == (None, 1, 0)
    filled.close()
    with pytest.raises(strata.ArgumentError, match="closed"):
        pickle.dumps(filled)

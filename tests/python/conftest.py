"""What the tests of the Python package share: stores, and a model with its fine-tune."""

import json
import os
import pathlib
import re
import subprocess

import pytest

numpy = pytest.importorskip("numpy", reason="numpy is missing: scripts/setup")
strata = pytest.importorskip("strata", reason="the package strata is not on PYTHONPATH")


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """No settings of the user's, and no store of theirs, count in a test."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "XDG_STATE_HOME",
        "STRATA_STORE",
        "STRATA_CONFIG",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def store(tmp_path):
    with strata.Store(tmp_path / "store", create=True) as opened:
        yield opened


def base_model():
    values = numpy.random.default_rng(1)
    return {
        "encoder.weight": values.standard_normal((400, 300)).astype("float32"),
        "encoder.bias": values.standard_normal(300).astype("float32"),
        "steps": numpy.arange(5, dtype="int64"),
        "scale": numpy.float32(0.5),
    }


def tuned_model():
    model = base_model()
    changed = numpy.random.default_rng(2).random((400, 300)) < 0.1
    model["encoder.weight"] = model["encoder.weight"] + changed.astype("float32") * numpy.float32(
        1e-3
    )
    return model


def write_checkpoint(folder, step):
    """What a trainer of transformers leaves, without an optimizer."""
    folder.mkdir(parents=True)
    model = base_model()
    model["encoder.weight"] = model["encoder.weight"] + numpy.float32(step * 1e-5)
    with strata.Store(folder.parent / f"maker-{step}", create=True) as maker:
        maker.add("model", model)
        maker.restore("model", folder / "model.safetensors")
    (folder / "trainer_state.json").write_text(json.dumps({"global_step": step, "log_history": []}))
    return folder


@pytest.fixture
def filled(store):
    """A store with `base:v1` and `tuned:v1`."""
    store.add("base", base_model())
    store.add("tuned", tuned_model(), base="base")
    return store


def equal(left, right):
    """Whether two dicts have the same arrays, bit by bit."""
    return list(left) == list(right) and all(
        numpy.asarray(left[name]).dtype == numpy.asarray(right[name]).dtype
        and numpy.asarray(left[name]).tobytes() == numpy.asarray(right[name]).tobytes()
        and numpy.shape(left[name]) == numpy.shape(right[name])
        for name in left
    )


def program(*words, **options):
    """Runs the command line, and answers what it printed."""
    done = subprocess.run(
        [os.environ["STRATA_PROGRAM"], *map(str, words)], text=True, capture_output=True, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def root():
    """The folder of the project."""
    return pathlib.Path(__file__).resolve().parents[2]


def all_examples(page):
    """The Python examples of a page."""
    text = (root() / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def register_files():
    """Makes strata:// known to fsspec, as pip does of an installed package."""
    import fsspec
    import tomllib

    project = tomllib.loads((root() / "pyproject.toml").read_text())["project"]
    place = project["entry-points"]["fsspec.specs"]["strata"].replace(":", ".")
    fsspec.register_implementation("strata", place, clobber=True)


def pytest_sessionfinish(session, exitstatus):
    """A file all of whose tests are skipped for want of a library is no failure; it is counted."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.OK

"""Searches whose trials are scored by many workers of Ray at once."""

import json
import os
import pathlib
import zlib

import pytest
import strata
from conftest import all_examples, numpy, tuned_model

ray = pytest.importorskip("ray", reason="ray is missing: its evaluators were not tried")

SAMPLES = 1000


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=3, num_gpus=3, include_dashboard=False, log_to_driver=False,
             runtime_env={"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}})
    yield
    ray.shutdown()


@pytest.fixture
def evaluators(tmp_path):
    """Makes Evaluators, and sees that their workers leave nothing behind."""
    from strata.ray import Evaluators

    scratch = tmp_path / "scratch"
    made = []

    def make(*given, **settings):
        made.append(Evaluators(*given, scratch=str(scratch), **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()
    assert not scratch.exists() or list(scratch.iterdir()) == []


@pytest.fixture
def files(filled, tmp_path):
    """The paths of a base and of a fine-tune that changed all of its matrix."""
    model = tuned_model()
    change = numpy.random.default_rng(5).standard_normal((400, 300)).astype("float32")
    model["encoder.weight"] = model["encoder.weight"] + numpy.float32(1e-2) * change
    filled.add("wide", model, base="base")
    filled.restore("wide", tmp_path / "wide.safetensors")
    return filled, tmp_path / "wide.safetensors", model["encoder.weight"].ravel()[:SAMPLES]


def reader():
    """A function that reads words of the matrix, whole in itself for other processes."""

    def words_in(path, samples):
        content = pathlib.Path(path).read_bytes()
        length = int.from_bytes(content[:8], "little")
        begin, end = json.loads(content[8 : 8 + length])["encoder.weight"]["data_offsets"]
        return numpy.frombuffer(content[8 + length + begin : 8 + length + end], "float32")[
            samples.start : samples.stop
        ]

    return words_in


def told(found):
    """What a search found, without times."""
    return [(one.what, one.stored_bytes, one.score, one.loss_points) for one in found.trials]


def search(files, evaluate):
    return files[0].tune(files[1], target="quality_loss=5", base="base", trials=6,
                         evaluate=evaluate)


def test_many_workers_find_what_one_function_finds(files, evaluators):
    words_in, whole = reader(), files[2]

    def values(path, samples):
        off = numpy.abs(words_in(path, samples) - whole[samples.start : samples.stop])
        return {"correct": off < 0.004, "divergence": off.astype(float) ** 2}

    from strata.ray import mean

    def alone(path):
        answer = values(path, range(SAMPLES))
        return mean({key: one.tolist() for key, one in answer.items()})

    expected = told(search(files, alone))
    assert len({score for _, _, score, _ in expected}) > 2
    for workers in (1, 3):
        many = evaluators(lambda part: lambda path: values(path, part), SAMPLES, workers=workers)
        with many as evaluate:
            assert told(search(files, evaluate)) == expected


def test_a_worker_that_dies_is_started_again(files, evaluators, tmp_path):
    words_in, whole, notes = reader(), files[2], str(tmp_path)

    def make(part):
        path_of = f"{notes}/calls-{part.start}"

        def right(path):
            with open(path_of, "a") as file:
                print(zlib.crc32(pathlib.Path(path).read_bytes()), file=file)
            if part.start and len(open(path_of).readlines()) == 2:
                os._exit(9)
            return numpy.abs(words_in(path, part) - whole[part.start : part.stop]) < 0.004

        return right

    with evaluators(make, SAMPLES, workers=2) as evaluate:
        found = search(files, evaluate)
    calls = (tmp_path / "calls-0").read_text().splitlines()
    again = (tmp_path / f"calls-{SAMPLES // 2}").read_text().splitlines()
    assert len(calls) >= len(found.trials) > 2
    # The second life begins with what the search began with.
    assert again == calls[:2] + calls[:1] + calls[1:]


def test_a_worker_that_cannot_live_ends_the_search(files, evaluators, tmp_path):
    def make(part):
        def right(path):
            if part.start:
                os._exit(9)
            return [True] * len(part)

        return right

    with evaluators(make, 10, workers=2) as evaluate:
        with pytest.raises(strata.EvaluatorError, match="samples 5 to 9 died 4 times"):
            search(files, evaluate)


def test_what_a_worker_raises_ends_the_search(files, evaluators):
    class Broken(Exception):
        pass

    def make(part):
        def right(path):
            if part.start:
                raise Broken("no data")
            return [True] * len(part)

        return right

    with evaluators(make, 10, workers=2) as evaluate:
        with pytest.raises(Broken, match="no data"):
            search(files, evaluate)

    def make_none(part):
        raise Broken("no model")

    with pytest.raises(Broken, match="no model"):
        evaluators(make_none, 10, workers=2)


def test_samples_of_a_list_keep_their_order(files, evaluators):
    lists = []

    def join(values):
        lists.append(values)
        return {"score": 1.0, "metric": "order"}

    samples = [f"text {index}" for index in range(11)]
    with evaluators(lambda part: lambda path: part, samples, workers=3, join=join) as evaluate:
        evaluate(files[1])
        evaluate(str(files[1]))
    assert lists == [samples] * 2


def test_a_folder_goes_as_it_is(evaluators, tmp_path):
    folder = tmp_path / "model"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "weights").write_bytes(b"1234567")
    (folder / "empty").write_bytes(b"")

    def make(part):
        def sizes(path):
            found = [(os.path.basename(path), one, os.path.getsize(os.path.join(path, one)))
                     for one in ("empty", "deep/weights")]
            return [str(found)] * len(part)

        return sizes

    lists = []
    with evaluators(make, 2, workers=2, join=lambda values: lists.append(values) or 1.0) as one:
        one(folder)
    assert lists == [[str([("model", "empty", 0), ("model", "deep/weights", 7)])] * 2]


def test_each_worker_has_the_gpus_that_it_was_promised(files, evaluators):
    lists = []
    with evaluators(lambda part: lambda path: [os.environ["CUDA_VISIBLE_DEVICES"]], 3, workers=3,
                    num_gpus=1, join=lambda values: lists.append(values) or 1.0) as evaluate:
        evaluate(files[1])
    assert sorted(lists[0]) == ["0", "1", "2"]


def test_odd_answers_and_wishes_are_told(files, evaluators):
    def few(part):
        return lambda path: [True] * (5 if part.start == 0 else 4)

    def unlike(part):
        return lambda path: [1.0] * 5 if part.start else {"score": [1.0] * 5}

    for make, says in ((few, "samples 5 to 9: .* 4 values, expected 5"),
                       (unlike, "for those before")):
        with evaluators(make, 10, workers=2) as evaluate:
            with pytest.raises(strata.ArgumentError, match=says):
                search(files, evaluate)
    for workers in (0, 4):
        with pytest.raises(strata.ArgumentError, match="expected 1 to 3"):
            evaluators(lambda part: len, 3, workers=workers)
    closed = evaluators(lambda part: lambda path: [True], 1, workers=1)
    closed.close()
    with pytest.raises(strata.ArgumentError, match="closed"):
        closed(files[1])


def test_the_example_runs(filled, tmp_path):
    filled.restore("tuned", tmp_path / "sst2.safetensors")
    found = [one for one in all_examples("docs/PYTHON.md") if "Evaluators" in one]
    assert len(found) == 1
    given = {"store": filled, "__name__": "__main__"}
    exec(compile(found[0], "docs/PYTHON.md, Evaluators", "exec"), given)
    assert given["found"].trials

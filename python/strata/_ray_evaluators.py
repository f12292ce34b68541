"""One function that scores models, on many workers of Ray: each scores a part of the samples."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy
import ray
from strata._errors import ArgumentError, EvaluatorError
from strata._evaluator import Scores
from strata._given import Path

#: What a function says of a model: a value for each of its samples, or such values by a name.
PerSample = Union[Sequence[Any], Mapping[str, Sequence[Any]]]
#: A model's files, by their paths below its folder: "" where it is one file. First its name.
_Files = tuple[str, "dict[str, numpy.ndarray]"]

_MOST_RETRIES = 3
_LONGEST_END = 10  # seconds for workers to clear up


class Evaluators:
    """Scores models for ``Store.tune``, each by several workers at once::

        with Evaluators(make, samples=872, workers=4, num_gpus=1) as evaluate:
            found = store.tune("sst2.safetensors", target="quality_loss=0.5", evaluate=evaluate)

    `samples` are a number or a list, which is parted among the workers. Each worker is an actor
    with `num_cpus` processors and `num_gpus` GPUs; `resources` are what else ``ray.remote`` takes,
    such as a node's label. It calls ``make(part)`` once, with a range of numbers or a part of the
    list. What `make` gives is called with the path of a model, as the function of ``Store.tune``,
    and answers a value for each of its samples: whether it is right, or its score. It may answer a
    dict of such lists, with "correct", "score", "divergence" and "expected_loss". The values of all
    workers are put in the order of the samples, so the outcome is that of one worker, to the bit,
    if the value of a sample does not hang on the others. The score is their mean, unless `join`
    makes it of them all.

    The model goes through Ray's object store once, and lies in the folder `scratch` of a worker's
    node until its answer. A worker that dies is started again, and scores the search's first model
    before the one that it had. One that dies four times over a model ends the search. Evaluators
    serve one search.
    """

    def __init__(
        self,
        make: Callable[[Any], Callable[[str], PerSample]],
        samples: int | Sequence[Any],
        *,
        workers: int,
        num_cpus: float = 1,
        num_gpus: float = 0,
        join: Callable[[Any], Scores] | None = None,
        scratch: str | None = None,
        **resources: Any,
    ) -> None:
        self._crew: list[Any] = []
        every = range(samples) if isinstance(samples, int) else samples
        if not 1 <= workers <= len(every):
            raise ArgumentError(
                f"workers is {workers}, expected 1 to {len(every)}, the number of samples"
            )
        self._join = join or mean
        self._first: Any = None  # the model that the search began with, in the object store
        self._parts = [
            (len(every) * index // workers, len(every) * (index + 1) // workers)
            for index in range(workers)
        ]
        run = uuid.uuid4().hex[:12]
        worker = ray.remote(_Worker).options(
            num_cpus=num_cpus,
            num_gpus=num_gpus,
            max_restarts=-1,
            max_task_retries=_MOST_RETRIES,
            **resources,
        )
        self._crew = [
            worker.remote(make, every[begin:end], f"strata-ray-{run}-{index}", scratch)
            for index, (begin, end) in enumerate(self._parts)
        ]
        try:
            self._answers([one.prepare.remote() for one in self._crew])
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Evaluators:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __call__(self, path: str) -> Scores:
        """What ``Store.tune`` is told of a model. What a worker's function raises it raises."""
        if not self._crew:
            raise ArgumentError("these evaluators were closed", "make others")
        model = ray.put(_files_of(path))
        first = [] if self._first is None else [self._first]
        found = self._answers([one.values.remote(model, first) for one in self._crew])
        if self._first is None:
            self._first = model
        return self._join(_joined(found, self._parts))

    def close(self) -> None:
        """Ends the workers."""
        crew, self._crew, self._first = self._crew, [], None
        # One that has died over a model is about to live again, and clears up then.
        if crew:
            asked = [one.clear.remote() for one in crew]
            ray.wait(asked, num_returns=len(asked), timeout=_LONGEST_END)
        for one in crew:
            ray.kill(one)

    def _answers(self, asked: list[Any]) -> list[Any]:
        # Who fails waits for the others: they take their files away.
        ray.wait(asked, num_returns=len(asked))
        answers = []
        for one, (begin, end) in zip(asked, self._parts):
            try:
                answers.append(ray.get(one))
            except ray.exceptions.RayActorError as error:
                raise EvaluatorError(
                    f"the worker of samples {begin} to {end - 1} died {_MOST_RETRIES + 1} times: "
                    f"{error}",
                    "fewer workers for each node leave more memory to each",
                ) from error
        return answers


class _Worker:
    """Scores models by its part of the samples."""

    def __init__(self, make: Any, part: Any, name: str, scratch: str | None) -> None:
        self._make = make
        self._part = part
        self._folder = os.path.join(scratch or tempfile.gettempdir(), name)
        self._function: Any = None
        self._is_begun = False
        self.clear()  # what a life before left

    def clear(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def prepare(self) -> None:
        if self._function is None:
            self._function = self._make(self._part)

    def values(self, model: _Files, first: list[Any]) -> dict[str, list[Any]]:
        """`first` holds what the search began with, unless `model` is that."""
        self.prepare()
        if first and not self._is_begun:  # another life knew it
            self._called(ray.get(first[0]))
        self._is_begun = True
        return self._called(model)

    def _called(self, model: _Files) -> dict[str, list[Any]]:
        name, files = model
        place = os.path.join(self._folder, name)
        try:
            for inner, content in files.items():
                path = os.path.join(place, inner) if inner else place
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(memoryview(content))
            answer = self._function(place)
        finally:
            self.clear()
        named = answer if isinstance(answer, Mapping) else {"": answer}
        return {key: _listed(values) for key, values in named.items()}


def mean(values: Any) -> Scores:
    """The score of values for all samples, as Evaluators join them unless told otherwise.

    Sums are rounded once, so they do not hang on the order.
    """
    named = dict(values) if isinstance(values, Mapping) else {"score": values}
    alone = named.get("score")
    if "correct" not in named and alone and all(isinstance(one, bool) for one in alone):
        named["correct"] = alone
    told: dict[str, Any] = {}
    for key, listed in {"score": named.get("correct"), **named}.items():
        if listed is not None:
            told[key] = listed if key == "correct" else math.fsum(listed) / len(listed)
    return told


def _files_of(path: Path) -> _Files:
    path = os.fspath(path)
    name = os.path.basename(os.path.normpath(path))
    if not os.path.isdir(path):
        return name, {"": numpy.fromfile(path, numpy.uint8)}
    files = {}
    for folder, _, names in os.walk(path):
        for one in names:
            full = os.path.join(folder, one)
            files[os.path.relpath(full, path)] = numpy.fromfile(full, numpy.uint8)
    return name, files


def _listed(values: Any) -> list[Any]:
    """Values of numpy and torch become those of Python."""
    if hasattr(values, "tolist"):
        return values.tolist()
    return [one.item() if hasattr(one, "item") else one for one in values]


def _joined(found: list[dict[str, list[Any]]], parts: list[tuple[int, int]]) -> Any:
    """The answers of all parts as one, in the order of the samples."""
    joined: dict[str, list[Any]] = {key: [] for key in found[0]}
    for answer, (begin, end) in zip(found, parts):
        if answer.keys() != joined.keys():
            raise ArgumentError(
                f"samples {begin} to {end - 1}: evaluate answered {sorted(answer)}, and "
                f"{sorted(joined)} for those before",
                "answer the same values for each part",
            )
        for key, values in answer.items():
            if len(values) != end - begin:
                raise ArgumentError(
                    f"samples {begin} to {end - 1}: evaluate answered {len(values)} values, "
                    f"expected {end - begin}",
                    "answer a value for each sample that make() was given",
                )
            joined[key] += values
    return joined[""] if list(joined) == [""] else joined

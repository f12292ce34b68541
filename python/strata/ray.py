"""Many workers of Ray: they store many models, or score one model together.

from strata.ray import Evaluators, add_models

report = add_models(models, push="s3://bucket/models", workers=8)
with Evaluators(make, samples=872, workers=4, num_gpus=1) as evaluate:
    found = store.tune("sst2.safetensors", target="quality_loss=0.5", evaluate=evaluate)
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from typing import Any

import ray
from strata._errors import ArgumentError
from strata._given import Path, is_url, models_given, warn_of_list
from strata._ray_evaluators import Evaluators as Evaluators, mean as mean
from strata._reports import AddedFrom
from strata._store import Store

_NOTHING = AddedFrom(0, 0, 0, [], 0, 0, [])
_MOST_RETRIES = 20  #: of a worker that dies: a cluster may take nodes away again and again


def add_models(
    models: Path | Iterable[tuple[str, Path] | tuple[str, Path, str]],
    *,
    push: str,
    workers: int,
    scratch: str | None = None,
    warn: bool = True,
    **options: Any,
) -> AddedFrom:
    """Stores the models of a list by several workers and pushes them to one remote.

    `models` are as for ``Store.add_from``. All nodes have to see their files; what a URL names each
    worker fetches to its node. `push` is a URL, or a folder that all nodes see. Each worker is an
    actor with one processor and a store of its own in the folder `scratch` of its node. `options`
    are those of ``add_from``: base, profile, effort, note, tags. Ray connects as ``ray.init()``
    says where nobody did before.

    A worker that dies is started again, on another node if need be, and does what is left. One that
    fails or dies too often does not stop the others: its models are `failed`. Where all fail, the
    first failure is raised. A store goes once all that it has is pushed; the same call takes up
    those that are left.
    """
    given = [
        (name, file if is_url(file := os.fsdecode(place)) else os.path.abspath(file), base)
        for name, place, base in models_given(models)
    ]
    if workers < 1:
        raise ArgumentError(f"workers is {workers}, expected 1 or more")
    remote = push if is_url(push) else os.path.abspath(push)
    call = repr((given, remote, workers, sorted(options.items())))
    run = hashlib.sha256(call.encode(errors="surrogateescape")).hexdigest()[:12]
    crew = [
        _Worker.options(max_restarts=-1, max_task_retries=_MOST_RETRIES).remote(run, index, scratch)
        for index in range(workers)
    ]
    asked = [
        one.add.remote(given, (index, workers), remote, options) for index, one in enumerate(crew)
    ]
    try:
        ray.wait(asked, num_returns=len(asked))
        report = _report_of(asked, given)
    finally:
        for one in crew:
            ray.kill(one)
    if warn:
        warn_of_list(report)
    return report


@ray.remote(num_cpus=1)
class _Worker:
    """Stores one shard. Of two lives on one node the second goes on with the first one's store."""

    def __init__(self, run: str, index: int, scratch: str | None) -> None:
        place = scratch or tempfile.gettempdir()
        self._folder = os.path.join(place, f"strata-ray-{run}-{index}")

    def add(self, models: list, shard: tuple[int, int], remote: str, options: dict) -> dict:
        fetched = self._folder + "-fetched"
        is_needed = True
        try:
            with Store(self._folder, create=True, jobs=1) as store:
                try:
                    report = store.add_from(
                        models, shard=shard, push=remote, scratch=fetched, warn=False, **options
                    )
                    is_needed = bool(report.unsent)
                except BaseException:
                    is_needed = bool(store.versions())
                    raise
        finally:
            shutil.rmtree(fetched, ignore_errors=True)
            if not is_needed:
                shutil.rmtree(self._folder, ignore_errors=True)
        return dataclasses.asdict(report)


def _report_of(asked: list, models: list) -> AddedFrom:
    """What all workers did; of their times the longest. Of one that failed: why."""
    reports, failures = [], []
    for index, one in enumerate(asked):
        try:
            reports.append(ray.get(one))
        except Exception as error:
            why = str(error)
            if isinstance(error, ray.exceptions.RayActorError):
                why = f"its worker died {_MOST_RETRIES + 1} times; the same call does what is left"
            names = [name for name, *_ in models[index :: len(asked)]]
            failures.append(error)
            reports.append(dataclasses.asdict(_NOTHING) | {"failed": [(one, why) for one in names]})
    if len(failures) == len(asked):
        raise failures[0]
    lists = ("failed", "unsent")
    total = {
        key: sum((one[key] for one in reports), [] if key in lists else 0) for key in reports[0]
    }
    total["seconds"] = max(one["seconds"] for one in reports)
    return AddedFrom(**{**total, **{key: [tuple(one) for one in total[key]] for key in lists}})

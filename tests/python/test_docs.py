"""The Python examples of docs/PYTHON.md and of the README run as they stand, in their order."""

import re

import numpy
import pytest
from conftest import all_examples, base_model, register_files, tuned_model


def examples(page):
    """Those that run one after the other, without a cluster (test_evaluators.py)."""
    return [one for one in all_examples(page) if "strata.ray" not in one]


class SomeModel:
    """What examples call `model`: something with a state_dict()."""

    def __init__(self, arrays):
        self.arrays = arrays

    def state_dict(self):
        return self.arrays

    def load_state_dict(self, arrays):
        self.arrays = arrays


@pytest.mark.parametrize("page", ["README.md", "docs/PYTHON.md"])
def test_examples_run(page, tmp_path):
    given = {
        "base_model": SomeModel(base_model()),
        "tuned_model": SomeModel(tuned_model()),
        "numpy": numpy,
    }
    found = examples(page)
    assert found, f"{page} has no examples"
    for number, example in enumerate(found, 1):
        needed = [
            name
            for name in ("torch", "pandas", "fsspec", "transformers", "onnxruntime")
            if re.search(rf"^(import|from) {name}|framework=\"{name}\"", example, re.MULTILINE)
        ]
        for name in needed:
            pytest.importorskip(
                name,
                reason=f"{name} is missing: example {number} of {page} and "
                "those after it were not run",
            )
        if "fsspec" in needed:
            register_files()
        exec(compile(example, f"{page}, example {number}", "exec"), given)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from . import data
from .data import Inputs
from .works import Work


@pytest.fixture(scope="session")
def inputs() -> Inputs:
    return data.load()


@pytest.fixture
def run(benchmark: Any, inputs: Inputs) -> Callable[[Callable[[Inputs], Work], int], None]:
    """Return a function that times a task in several rounds, and prepares each round untimed."""

    def run(make: Callable[[Inputs], Work], rounds: int) -> None:
        work = make(inputs)
        # Without a name, the tasks of a group would differ only by the address of a function.
        benchmark.name = work.name
        benchmark.extra_info["quads"] = len(inputs.quads)
        result = benchmark.pedantic(work.run, setup=lambda: ((work.prepare(),), {}), rounds=rounds)
        assert work.check(result)

    return run

"""Times applying to a Dataset in rdflib's default store, against rdflib's parser and ``addN``."""

from __future__ import annotations

from typing import Any

import pytest

from . import works


@pytest.mark.benchmark(group="Dataset.parse")
@pytest.mark.parametrize(
    ("make", "rounds"),
    [(works.parse_patch, 3), (works.rdflib_parse_patch, 1), (works.rdflib_add, 2)],
)
def test_apply(run: Any, make: Any, rounds: int) -> None:
    run(make, rounds)


@pytest.mark.benchmark(group="Dataset.parse of .jelly")
@pytest.mark.parametrize(
    ("make", "rounds"), [(works.parse_statements, 3), (works.pyjelly_parse_dataset, 1)]
)
def test_parse_statements(run: Any, make: Any, rounds: int) -> None:
    run(make, rounds)

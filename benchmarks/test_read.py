"""Times reading: to columns against protobuf, to rdflib's terms against pyjelly and pyoxigraph."""

from __future__ import annotations

from typing import Any

import pytest

from . import works


@pytest.mark.benchmark(group="read_batches")
@pytest.mark.parametrize("make", [works.read_batches, works.protobuf_parse])
def test_batches(run: Any, make: Any) -> None:
    run(make, rounds=20)


@pytest.mark.benchmark(group="read_batches of .jelly")
@pytest.mark.parametrize("make", [works.read_statement_batches, works.protobuf_parse_statements])
def test_statement_batches(run: Any, make: Any) -> None:
    run(make, rounds=20)


@pytest.mark.benchmark(group="tables")
@pytest.mark.parametrize(
    ("make", "rounds"),
    [(works.make_table, 10), (works.make_table_of_dicts, 2), (works.take_table, 10)],
)
def test_tables(run: Any, make: Any, rounds: int) -> None:
    run(make, rounds)


@pytest.mark.benchmark(group="read_statements")
@pytest.mark.parametrize(
    ("make", "rounds"), [(works.read_statements, 10), (works.pyjelly_parse, 2)]
)
def test_statements(run: Any, make: Any, rounds: int) -> None:
    run(make, rounds)


@pytest.mark.benchmark(group="read_operations")
@pytest.mark.parametrize(
    ("make", "rounds"),
    [(works.read_operations, 10), (works.pyjelly_parse, 2), (works.pyoxigraph_parse, 5)],
)
def test_operations(run: Any, make: Any, rounds: int) -> None:
    run(make, rounds)

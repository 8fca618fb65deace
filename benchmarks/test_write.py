"""Times writing ready operations, against pyjelly's serializer."""

from __future__ import annotations

from typing import Any

import pytest

from . import works


@pytest.mark.benchmark(group="PatchWriter")
@pytest.mark.parametrize(
    ("make", "rounds"),
    [
        (works.write_batches, 5),
        (works.write_patch, 5),
        (works.write_patch_one_by_one, 5),
        (works.protobuf_serialize, 5),
        (works.pyjelly_write, 2),
    ],
)
def test_write(run: Any, make: Any, rounds: int) -> None:
    run(make, rounds)


@pytest.mark.benchmark(group="StatementWriter")
@pytest.mark.parametrize(
    ("make", "rounds"),
    [
        (works.write_statement_batches, 5),
        (works.write_statements, 5),
        (works.protobuf_serialize_statements, 5),
        (works.pyjelly_write, 2),
    ],
)
def test_write_statements(run: Any, make: Any, rounds: int) -> None:
    run(make, rounds)

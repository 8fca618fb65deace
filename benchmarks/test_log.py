"""Times patch logs: the history of schema.org is appended, replayed and checked out."""

from __future__ import annotations

from typing import Any

import pytest

from . import log_works


@pytest.mark.benchmark(group="PatchLog.append")
@pytest.mark.parametrize(
    ("make", "rounds"), [(log_works.append_history, 3), (log_works.write_files, 3)]
)
def test_append(run: Any, make: Any, rounds: int) -> None:
    run(make, rounds)


@pytest.mark.benchmark(group="PatchLog.replay")
@pytest.mark.parametrize(
    ("make", "rounds"), [(log_works.replay_history, 3), (log_works.rdflib_replay, 1)]
)
def test_replay(run: Any, make: Any, rounds: int) -> None:
    run(make, rounds)


@pytest.mark.benchmark(group="PatchLog.checkout")
@pytest.mark.parametrize(
    ("make", "rounds"), [(log_works.checkout_versions, 3), (log_works.rdflib_parse_releases, 1)]
)
def test_checkout(run: Any, make: Any, rounds: int) -> None:
    run(make, rounds)

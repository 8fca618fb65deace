"""Runs pySHACL's own tests with a `JellyStore` as rdflib's default store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.peers.both_stores import run_with_both_stores
from tests.peers.outcomes import Known, Outcome

KNOWN = [
    Known(
        "test/test_sht_validate.py::*uniqueLang-002*",
        "pySHACL changes how rdflib reads booleans while it loads a file; nodes of a JellyStore get"
        " their values when they are asked for",
    ),
]


def run(checkout: Path) -> Iterator[Outcome]:
    """Run all tests."""
    yield from run_with_both_stores(checkout, "test")

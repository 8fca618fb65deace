"""Outcomes of other projects' tests, and the reasons for known differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

__all__ = ["Known", "Outcome", "explain"]


@dataclass(frozen=True)
class Outcome:
    """A test, and its difference from the correct result or from rdflib's Memory store.

    Attributes:
        test: Its name, which is the same in each run: ``"rdf-n-triples/bad-uri-01: JellyStore"``.
        difference: A sentence, or None if there is no difference.
    """

    test: str
    difference: str | None = None


@dataclass(frozen=True)
class Known:
    """Tests that differ, and the reason.

    Attributes:
        tests: A shell-style pattern of their names.
        reason: A sentence, as in ``docs/peers-tests.md``.
    """

    tests: str
    reason: str


def explain(
    outcomes: Iterable[Outcome], known: Iterable[Known]
) -> Iterator[tuple[Outcome, str | None]]:
    """Yield each outcome that has a difference, with its known reason."""
    for outcome in outcomes:
        if outcome.difference is not None:
            reasons = (one.reason for one in known if fnmatchcase(outcome.test, one.tests))
            yield outcome, next(reasons, None)

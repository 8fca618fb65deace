"""What a test of another project gave, and why some are known to differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

__all__ = ["Known", "Outcome", "explain"]


@dataclass(frozen=True)
class Outcome:
    """A test, and what differs in it from what is right, or from rdflib's Memory store.

    Attributes:
        test: Its name, which is the same in each run: ``"rdf-n-triples/bad-uri-01: JellyStore"``.
        difference: A sentence; None if nothing differs.
    """

    test: str
    difference: str | None = None


@dataclass(frozen=True)
class Known:
    """Tests that differ, and why that is right or can't be helped.

    Attributes:
        tests: A pattern of their names, as in a shell.
        reason: A sentence, as in ``docs/peers-tests.md``.
    """

    tests: str
    reason: str


def explain(
    outcomes: Iterable[Outcome], known: Iterable[Known]
) -> Iterator[tuple[Outcome, str | None]]:
    """Yield each outcome that has a difference, and the reason that is known for it."""
    for outcome in outcomes:
        if outcome.difference is not None:
            reasons = (one.reason for one in known if fnmatchcase(outcome.test, one.tests))
            yield outcome, next(reasons, None)

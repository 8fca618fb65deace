"""The W3C's tests: what no syntax allows is refused, and what updates make is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.peers.outcomes import Known, Outcome
from tests.peers.w3c import syntax, update

KNOWN: list[Known] = [*syntax.KNOWN, *update.KNOWN]


def run(checkout: Path) -> Iterator[Outcome]:
    """Run the tests of syntaxes, of RDF 1.2 those with what is malformed, and of updates."""
    yield from syntax.run(checkout / "rdf" / "rdf11")
    yield from syntax.run(checkout / "rdf" / "rdf12", only_bad=True)
    yield from update.run(checkout / "sparql" / "sparql11")

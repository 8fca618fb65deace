"""The targets by name: what each checks, what its inputs are, and how they are mutated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import differential, looking, reading, round_trips, syntaxes, terms

__all__ = ["TARGETS", "Target"]


@dataclass(frozen=True)
class Target:
    """A target.

    Args:
        check: Takes an input; whatever it raises is a finding.
        inputs: Its seeds: a name in `fuzz.seeds.SEEDS`.
        messages: The frames' classes in the schema, if inputs are mutated as messages too.
    """

    check: Callable[[bytes], None]
    inputs: str
    messages: tuple[str, ...] = ()


PATCH = ("RdfPatchFrame",)
RDF = ("RdfStreamFrame",)

TARGETS = {
    "patch": Target(reading.read_patch, "patch", PATCH),
    "rdf": Target(reading.read_rdf, "rdf", RDF),
    "text": Target(reading.read_text, "text"),
    "thrift": Target(reading.read_thrift, "thrift"),
    "any": Target(reading.read_any, "any"),
    "patch-differential": Target(differential.compare_patch, "patch", PATCH),
    "rdf-differential": Target(differential.compare_rdf, "rdf", RDF),
    "text-differential": Target(differential.compare_text, "text"),
    "patch-round-trip": Target(round_trips.round_trip_patch, "patch", PATCH),
    "rdf-round-trip": Target(round_trips.round_trip_rdf, "rdf", RDF),
    "inspect": Target(looking.look_at_any, "any", PATCH + RDF),
    "parts": Target(looking.read_parts, "frames", PATCH + RDF),
    "state": Target(looking.restore_state, "state"),
    "terms": Target(terms.parse_terms, "terms"),
    "syntaxes": Target(syntaxes.read_syntax, "syntaxes"),
    "nesting": Target(terms.watch_nesting, "nesting"),
}

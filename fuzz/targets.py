"""The targets by name, each with its check, seeds and mutator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tests.oracle import columns_schema

from . import differential, entries, looking, reading, round_trips, syntaxes, terms
from .messages import MessageMutator

__all__ = ["TARGETS", "MutateBytes", "Mutator", "Target"]

# Mutates an input, up to a size in bytes.
MutateBytes = Callable[[bytes, int], bytes]
# Mutates an input, up to a size in bytes, with a seed.
Mutator = Callable[[bytes, int, int], bytes]


@dataclass(frozen=True)
class Target:
    """A target.

    Args:
        check: Reads an input; any exception that it raises is a finding.
        inputs: The name of the seeds in `fuzz.seeds.SEEDS`.
        make_mutator: Makes the mutator of inputs; None to mutate only bytes.
    """

    check: Callable[[bytes], None]
    inputs: str
    make_mutator: Callable[[MutateBytes], Mutator] | None = None


PATCH = partial(MessageMutator, ("RdfPatchFrame",))
RDF = partial(MessageMutator, ("RdfStreamFrame",))
COLUMNS = partial(MessageMutator, [draft.Frame for draft in columns_schema.DRAFTS])
BOTH = partial(MessageMutator, ("RdfPatchFrame", "RdfStreamFrame"))

TARGETS = {
    "patch": Target(reading.read_patch, "patch", PATCH),
    "rdf": Target(reading.read_rdf, "rdf", RDF),
    "text": Target(reading.read_text, "text"),
    "thrift": Target(reading.read_thrift, "thrift"),
    "any": Target(reading.read_any, "any"),
    "entries": Target(entries.enter, "any", BOTH),
    "patch-differential": Target(differential.compare_patch, "patch", PATCH),
    "rdf-differential": Target(differential.compare_rdf, "rdf", RDF),
    "columns-differential": Target(differential.compare_columns, "columns", COLUMNS),
    "text-differential": Target(differential.compare_text, "text"),
    "patch-round-trip": Target(round_trips.round_trip_patch, "patch", PATCH),
    "rdf-round-trip": Target(round_trips.round_trip_rdf, "rdf", RDF),
    "inspect": Target(looking.look_at_any, "any", BOTH),
    "parts": Target(looking.read_parts, "frames", BOTH),
    "state": Target(looking.restore_state, "state"),
    "terms": Target(terms.parse_terms, "terms"),
    "syntaxes": Target(syntaxes.read_syntax, "syntaxes"),
    "answers": Target(syntaxes.read_answers, "answers"),
}

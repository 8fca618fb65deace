"""Squashing: one patch with the effect of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from jelly_rdflib.algebra.compact import compact
from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.log.place import Place
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import PatchOptions

__all__ = ["squashed_operations", "squashed_options"]


def squashed_operations(entries: Sequence[LogEntry]) -> Iterator[Operation]:
    """Iterate over the operations of one patch with the effect of several: see `compact`.

    The headers that go with its place are not among them. Memory is that of `compact`.

    Args:
        entries: The patches, which follow one another.
    """
    # Before the first patch there is nothing to be deleted.
    has_deletes = entries[0].prev is not None
    for operation in compact(chain.from_iterable(entry.operations() for entry in entries)):
        is_idle = operation[0] == Op.D and not has_deletes
        if not is_idle and not Place.has_header(operation):
            yield operation


def squashed_options(entries: Sequence[LogEntry]) -> PatchOptions:
    """Return options that allow all terms that the patches have."""
    has_quoted = has_generalized = False
    for entry in entries:
        batches = entry.batches()
        try:
            next(batches)
            options = batches.options
        finally:
            batches.close()
        has_quoted |= options.rdf_star
        has_generalized |= options.generalized_statements
    return PatchOptions(rdf_star=has_quoted, generalized_statements=has_generalized)

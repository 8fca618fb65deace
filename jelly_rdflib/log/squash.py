"""Squashing: one patch with the effect of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rdflib.term import Node

from jelly_rdflib.log.committed import committed_operations
from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import PatchOptions

__all__ = ["squashed_operations", "squashed_options"]


def squashed_operations(entries: Sequence[LogEntry]) -> Iterator[Operation]:
    """Iterate over the operations of one patch with the effect of several: one transaction.

    Of what they do to a statement the last counts. Memory is bounded by the statements that they
    add and delete, each counted once.

    Args:
        entries: The patches, which follow one another.
    """
    prefixes = _Prefixes()
    statements: dict[tuple[Node, ...], bool] = {}
    for entry in entries:
        for operation in committed_operations(entry, entry.stored()):
            op = operation[0]
            if op == Op.A or op == Op.D:
                statements[operation[1:]] = op == Op.A
            else:
                prefixes.take(operation)
    # Before the first patch there is nothing to be deleted.
    has_deletes = entries[0].prev is not None
    yield (Op.TX,)
    yield from prefixes.operations
    for statement, is_added in statements.items():
        if is_added:
            yield (Op.A, *statement)
        elif has_deletes:
            yield (Op.D, *statement)
    yield (Op.TC,)


class _Prefixes:
    """Changes to prefixes, but for those that only repeat what was done last.

    All others stay, in their order. rdflib has one prefix for an IRI: to bind a second unbinds the
    first, so that not only the last change to a prefix counts.
    """

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        # The IRI and graph of the last change to a prefix; the prefix that was last bound to these.
        self._last: dict[str, Any] = {}
        self._bound: dict[Any, str] = {}

    def take(self, operation: Operation) -> None:
        op, prefix, *rest = operation
        change = (op, *rest)
        is_repeated = self._last.get(prefix) == change
        if op == Op.PA:
            is_repeated &= self._bound.get(rest[0]) == prefix
            self._bound[rest[0]] = prefix
        self._last[prefix] = change
        if not is_repeated:
            self.operations.append(operation)


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

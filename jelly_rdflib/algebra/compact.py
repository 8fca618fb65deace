"""`compact` makes the smallest patch with the same effect as a given patch."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import chain, islice
from typing import Any

from jelly_rdflib.algebra.headers import JoinedHeaders
from jelly_rdflib.algebra.net_prefixes import NetPrefixes
from jelly_rdflib.algebra.net_statements import NetStatements
from jelly_rdflib.algebra.sources import open_checked, open_rows, operation_at
from jelly_rdflib.core.batch import (
    Batch,
    BatchSlice,
    BatchSource,
    GeneratedBatches,
    OperationReader,
    check_closed,
)
from jelly_rdflib.errors import LimitError
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, as_limits
from jelly_rdflib.streams.open_input import closing_reader
from jelly_rdflib.types import ChangeFormat, Readable


def compact(
    source: Readable | Iterable[Operation],
    *,
    assume_effective: bool = False,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: ChangeFormat | None = None,
) -> OperationReader:
    """Iterate over the operations of the smallest patch with the same effect as a given patch.

    The result has the same effect on any dataset. So the last operation on each statement stays.
    If the statement is added and then deleted, the delete stays, since a dataset that had it
    before must lose it. Aborted transactions are left out, and the committed ones become one.

    The remaining operations keep their order in three groups: headers, prefixes, statements. The
    last two are in one transaction. If the patch has no effect, only the headers remain.

    For each prefix and graph the last operation stays. But rdflib binds a prefix for all graphs,
    and gives an IRI only one prefix, so for each IRI the last operation that binds it stays, too.

    Several patches become one, with the headers that `concat` gives it.

    The whole source is read before the first operation is returned. Memory holds the distinct terms
    of the patch and some 50 bytes for each distinct statement: a patch may be larger than memory if
    it repeats the same statements.

    Args:
        source: Bytes, a path, a binary file, or operations; see `jelly_rdflib.apply`.
        assume_effective: Assume that each operation changes something in the dataset, as in the
            patches of `effective`, `diff` and `record`. Then the first operation on a statement
            shows whether the dataset had it. If the last one restores that state, both are left
            out. The result is effective as well, so that `invert` can undo it. Like rdflib, this
            binds a prefix for all graphs together: of a prefix in two graphs only the last binding
            stays.
        limits: Limits on the input; by default those of `jelly_rdflib.Limits`.
            ``max_held_operations`` limits the number of kept operations.
        normalize: Whether literals get the normal form of their value; see `jelly_rdflib.apply`.
        format: The name of the format, an extension or a media type; see `jelly_rdflib.apply`.

    Returns:
        A reader of operations, without an `Op.END`. The source is read when the first operation is
        requested.

    Raises:
        PatchError: The ``prev`` of a patch is not the ``id`` of the patch before it. (Raised by the
            iterator, like those below.)
        ApplyError: An item is not an operation, or a transaction starts or ends in the wrong place.
        EncodeError: An operation has a term of an unknown class.
        DecodeError: The input breaks a rule of the format.
        LimitError: The input exceeds ``limits``.
        TypeError: ``source`` has an unsupported type.
        ValueError: An argument is incompatible with the others; see `jelly_rdflib.apply`.
        LookupError: The format is unknown.
        OSError: The path can't be opened or read.

    See Also:
        - `Patch.compact`: compact a patch in memory.
        - `PatchLog.squash`: the same in a log.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> patch: list[Operation] = [
        ...     (Op.A, s, p, Literal("old"), None),
        ...     (Op.D, s, p, Literal("old"), None),
        ...     (Op.A, s, p, Literal("new"), None),
        ... ]
        >>> for operation in compact(patch):
        ...     print(operation[0].name, *operation[1:4])
        TX
        D urn:s urn:p old
        A urn:s urn:p new
        TC
        >>> len(list(compact(patch, assume_effective=True)))
        3
    """
    opened = open_checked(source, limits=limits, normalize=normalize, format=format)
    max_held = as_limits(limits).max_held_operations
    return OperationReader(
        GeneratedBatches(
            _compact(source, opened, assume_effective=assume_effective, max_held=max_held)
        )
    )


def _compact(
    source: Any, opened: BatchSource | None, *, assume_effective: bool, max_held: int
) -> Generator[Batch, None, None]:
    compaction = _Compaction()
    with closing_reader(opened):
        for part in open_rows(source, opened):
            compaction.take_slice(part)
            # Only check sources that are read: others are in memory anyway, and need no limit.
            if opened is not None and len(compaction) > max_held:
                raise LimitError(
                    f"more than {max_held} operations are left",
                    limit="max_held_operations",
                    value=max_held,
                )
    compaction.end_patch("the input ends")
    first: list[Operation] = compaction.headers.operations()
    prefixes = compaction.prefixes.operations(is_effective=assume_effective)
    batches = filter(len, compaction.statements.batches(without_reverted=assume_effective))
    statements = list(islice(batches, 1))
    if not prefixes and not statements:
        yield from NodeBatches(NODE_TYPES, first)
        return
    yield from NodeBatches(NODE_TYPES, [*first, (Op.TX,), *prefixes])
    yield from chain(statements, batches)
    yield from NodeBatches(NODE_TYPES, [(Op.TC,)])


class _Compaction:
    """The effective headers, prefixes and statements among the operations added so far."""

    def __init__(self) -> None:
        self.headers = JoinedHeaders()
        self.prefixes = NetPrefixes()
        self.statements = NetStatements()
        # Whether the open transaction has operations on prefixes.
        self._has_prefixes = False
        self._is_empty_patch = True

    def __len__(self) -> int:
        """The number of kept operations."""
        return len(self.headers) + len(self.prefixes) + len(self.statements)

    def take_slice(self, piece: BatchSlice) -> None:
        """Add the operations of a slice of a batch to the net changes."""
        batch, row, stop = piece.batch, piece.start, piece.stop
        while row < stop:
            next_row = self.statements.take_rows(batch, row, stop, has_others=self._has_prefixes)
            self._is_empty_patch = self._is_empty_patch and next_row == row
            if next_row < stop:
                self._take(operation_at(batch, next_row))
            row = next_row + 1

    def _take(self, operation: Operation) -> None:
        """Add an operation that is not on a statement."""
        op = operation[0]
        if op == Op.END:
            self.end_patch("a patch ends")
            return
        self._is_empty_patch = False
        if operation[0] == Op.H:
            self.headers.add(operation[1], operation[2])
        elif operation[0] == Op.PA or operation[0] == Op.PD:
            self._has_prefixes = self.statements.is_open
            self.prefixes.take(operation, is_pending=self._has_prefixes)
        elif op == Op.TX:
            self.statements.begin()
        else:
            is_commit = op == Op.TC
            (self.statements.commit if is_commit else self.statements.abort)()
            (self.prefixes.commit if is_commit else self.prefixes.abort)()
            self._has_prefixes = False

    def end_patch(self, what_ends: str) -> None:
        """End the patch at an `Op.END`, or at the end of the input."""
        check_closed(self.statements.is_open, what_ends)
        if not self._is_empty_patch:
            self.headers.end_patch()
        self._is_empty_patch = True

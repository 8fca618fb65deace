"""The smallest patch that does what a patch does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain, islice
from typing import Any

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from jelly_rdflib.algebra.headers import JoinedHeaders
from jelly_rdflib.algebra.net_prefixes import NetPrefixes
from jelly_rdflib.algebra.net_statements import NetStatements
from jelly_rdflib.algebra.sources import open_operations, operation_at
from jelly_rdflib.core.batch import Batch, BatchSlice, BatchSource
from jelly_rdflib.errors import LimitError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.open_input import open_input
from jelly_rdflib.streams.patch_operations import PatchOperations
from jelly_rdflib.streams.sources import is_readable
from jelly_rdflib.transactions import check_closed


def compact(
    source: Any,
    *,
    assume_effective: bool = False,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: str | None = None,
) -> Iterator[Operation]:
    """Iterate over the operations of the smallest patch that does what a patch does.

    It does so to any dataset. So of the operations on a statement the last one stays, be it that
    the statement is added first and then deleted: where it was there before, it must go. Aborted
    transactions are left out, and the committed ones become one.

    What stays is in the order of the patch: headers, then in one transaction prefixes, then
    statements. Nothing is left of a patch that has no effect but its headers.

    A prefix is bound for its graph, and of the operations on it there the last one stays. Since
    rdflib knows no graphs of prefixes, and an IRI has one prefix in it, of the operations that bind
    a prefix to an IRI the last one stays too.

    Several patches become one, with the headers that `concat` gives it.

    All is read before the first operation is there. In memory are the distinct statements of the
    patch, with some 50 bytes for each and its distinct terms: it may be larger than memory where it
    has the same statements over and over.

    Args:
        source: What `jelly_rdflib.apply` takes: bytes, a path, a binary file, or operations.
        assume_effective: Take it that each operation changed something where the patch is applied,
            as those do that `effective` leaves of any patch, or that `diff` and `record` make. Then
            the first operation on a statement says whether it was there, and where the last one
            brings that back, none of them stays. The result is effective as well, so that
            `invert` can undo it.
        limits: As for `jelly_rdflib.apply`; ``max_held_operations`` is for all that is kept.
        normalize: As for `jelly_rdflib.apply`.
        format: As for `jelly_rdflib.apply`.

    Returns:
        An iterator of operations, without an `Op.END`. Nothing is read before the first one is
        asked for.

    Raises:
        PatchError: A patch says that it comes after another than the one before it. (Raised by the
            iterator, as those below.)
        ApplyError: Something is no operation, or transactions start and end where they must not.
        DecodeError, LimitError, TypeError, ValueError, LookupError, OSError: As by
            `jelly_rdflib.apply`.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> patch = [
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
    opened: BatchSource | Iterable[BatchSlice] | Iterator[Operation]
    # Operations are in memory already.
    max_held: int | None = None
    if is_readable(source):
        opened = open_input(
            source, holds_changes=True, limits=limits, normalize=normalize, format=format
        ).batches()
        max_held = (limits or Limits()).max_held_operations
    else:
        opened = open_operations(source, limits=limits, normalize=normalize, format=format)
        if isinstance(source, Batch):
            opened = [BatchSlice(source, 0, len(source))]
        elif isinstance(source, PatchOperations) and source.slices is not None:
            opened = source.slices
    # Statements are handed on by C code alone.
    compacted = _compact(opened, assume_effective=assume_effective, max_held=max_held)
    return chain.from_iterable(compacted)


def _compact(
    opened: BatchSource | Iterable[BatchSlice] | Iterator[Operation],
    *,
    assume_effective: bool,
    max_held: int | None,
) -> Iterator[Iterable[Operation]]:
    compaction = _Compaction()
    if isinstance(opened, BatchSource):
        with closing(opened):
            for batch in opened:
                compaction.take_slice(BatchSlice(batch, 0, len(batch)))
                if max_held is not None and len(compaction) > max_held:
                    error = LimitError(
                        f"more than {max_held} operations are left (limit max_held_operations)"
                    )
                    opened.place_error(error)
                    raise error
    else:
        for piece in opened:
            if isinstance(piece, BatchSlice):
                compaction.take_slice(piece)
            else:
                compaction.take(piece)
    compaction.finish()
    yield compaction.headers.operations()
    prefixes = compaction.prefixes.operations(is_effective=assume_effective)
    statements = compaction.statements.operations(without_reverted=assume_effective)
    first = list(islice(statements, 1))
    if prefixes or first:
        yield ((Op.TX,), *prefixes, *first)
        yield statements
        yield ((Op.TC,),)


class _Compaction:
    """Takes all operations, and keeps what counts."""

    def __init__(self) -> None:
        self.headers = JoinedHeaders()
        self.prefixes = NetPrefixes()
        self.statements = NetStatements(DATASET_DEFAULT_GRAPH_ID)
        # Are there prefixes in the open transaction?
        self._has_prefixes = False
        # Is there anything in the patch?
        self._has_some = False

    def __len__(self) -> int:
        """How many operations are kept."""
        return len(self.headers) + len(self.prefixes) + len(self.statements)

    def take_slice(self, piece: BatchSlice) -> None:
        """Take operations of a batch."""
        batch, row, stop = piece.batch, piece.start, piece.stop
        while row < stop:
            next_row = self.statements.take_rows(batch, row, stop, has_others=self._has_prefixes)
            self._has_some = self._has_some or next_row > row
            if next_row < stop:
                self.take(operation_at(batch, next_row))
            row = next_row + 1

    def take(self, operation: Operation) -> None:
        """Take an operation."""
        op = operation[0]
        if op == Op.END:
            self._end_patch("a patch ends")
            return
        self._has_some = True
        if op in (Op.A, Op.D):
            self.statements.take(operation)
        elif op == Op.H:
            self.headers.add(operation[1], operation[2])
        elif op in (Op.PA, Op.PD):
            self._has_prefixes = self.statements.is_open
            self.prefixes.take(operation, is_pending=self._has_prefixes)
        elif op == Op.TX:
            self.statements.begin()
        else:
            is_commit = op == Op.TC
            (self.statements.commit if is_commit else self.statements.abort)()
            (self.prefixes.commit if is_commit else self.prefixes.abort)()
            self._has_prefixes = False

    def finish(self) -> None:
        """Take note that nothing follows."""
        self._end_patch("the input ends")

    def _end_patch(self, what_ends: str) -> None:
        check_closed(self.statements.is_open, what_ends)
        if self._has_some:
            self.headers.end_patch()
        self._has_some = False

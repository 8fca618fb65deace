"""Sources of operations, as for `jelly_rdflib.apply`; each operation is checked as it comes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, cast

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.term import BNode, Literal, Node, URIRef

from jelly_rdflib.core.batch import (
    Batch,
    BatchSlice,
    BatchSource,
    OperationReader,
    SliceIterator,
)
from jelly_rdflib.errors import LimitError
from jelly_rdflib.graph.stores.statements import (
    check_operation,
    check_reading,
    check_source,
    not_an_operation,
)
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Op, Operation, PrefixChange
from jelly_rdflib.streams.open_input import open_read
from jelly_rdflib.streams.patch_operations import PatchOperations
from jelly_rdflib.streams.sources import is_readable
from jelly_rdflib.terms import TripleTerm

# Datatypes whose values take so much memory that each frame has a limit for them.
_LARGE_VALUES = re.compile(b"#(?:XMLLiteral|duration|dayTimeDuration|yearMonthDuration)")
_TERMS = frozenset({URIRef, BNode, Literal, TripleTerm})


def is_held(source: Any) -> bool:
    """Are the operations of a source in memory anyway?"""
    return isinstance(source, list | tuple | PatchOperations | Batch)


def settings_for(*sources: Any, **reading: Any) -> list[dict[str, Any]]:
    """Return for each source the settings to read it with: none if it has operations.

    If none of them is read, there must be no settings, as by `check_reading`.
    """
    found = [reading if is_readable(source) else {} for source in sources]
    if not any(found):
        check_reading(**reading)
    return found


def open_operations(source: Any, *, in_batches: bool = False, **reading: Any) -> Iterator[Any]:
    """Open a source, as for `jelly_rdflib.apply`, as an iterator of well-formed operations.

    With ``in_batches``, those that are rows come as batches or slices of them. The settings are for
    a source that is read.
    """
    opened = open_read(source, **reading)
    if opened is not None:
        return opened if in_batches else OperationReader(opened)
    check_source(source, **reading)
    # Operations of a reader are well-formed.
    if (rows := _slices_of(source)) is not None:
        return iter(rows) if in_batches else SliceIterator(rows)
    return map(_checked, source)


def _slices_of(source: Any) -> Iterable[BatchSlice] | None:
    """Return the rows of operations that are in batches; None if they are tuples."""
    if isinstance(source, Batch):
        return source._slices()
    return source.slices if isinstance(source, PatchOperations) else None


def open_rows(source: Any, opened: BatchSource | None) -> Iterator[BatchSlice]:
    """Yield the operations of one patch as rows; what follows it may be one row more.

    A LimitError says that nobody could make nodes of the rows with the same limits.
    """
    reader = source if isinstance(source, OperationReader) else opened
    rows = _slices_of(source) if reader is None else reader._slices()
    for part in _make_rows(iter(source)) if rows is None else rows:
        if _LARGE_VALUES.search(part.batch.terms.data):
            iter(part.batch.terms)
        yield part


def _make_rows(operations: Iterator[Any]) -> Iterator[BatchSlice]:
    end: Operation = (Op.END,)
    patch = iter(operations.__next__, end)

    def start() -> Iterator[Operation]:
        for operation in patch:
            yield operation
            if operation[0] != Op.H:
                break

    # The headers may show that the rest need not be read.
    yield from NodeBatches(NODE_TYPES, start())._slices()
    yield from NodeBatches(NODE_TYPES, patch)._slices()
    # What follows need be no operation, not even None.
    ends = [end] if next(operations, end) is end else [end, end]
    yield from NodeBatches(NODE_TYPES, ends)._slices()


@contextmanager
def closing_reader(opened: Any) -> Iterator[None]:
    """Close a reader after the block, and tell a LimitError of the block where it stands.

    An iterator of the caller is not closed.
    """
    if not isinstance(opened, OperationReader | BatchSource):
        yield
        return
    with closing(opened):
        try:
            yield
        except LimitError as error:
            if error.offset is None:
                opened.place_error(error)
            raise


def operation_at(batch: Batch, row: int) -> Operation:
    """Return an operation of a batch that is no statement.

    An iterator over the batch would make the nodes of all its terms, for each such row anew.
    """
    op = Op(batch.ops[row])
    if op in (Op.TX, Op.TC, Op.TA, Op.END):
        return (op,)
    terms = batch.terms
    if op == Op.H:
        return (op, terms[batch.s[row]], terms[batch.o[row]])
    graph = terms[batch.g[row]]
    if graph == DATASET_DEFAULT_GRAPH_ID:
        graph = None
    return cast("PrefixChange", (op, terms[batch.s[row]], terms[batch.o[row]], graph))


def _checked(operation: Any) -> Operation:
    if _is_plain_statement(operation):
        g = operation[4]
        return operation if g is None or g != DATASET_DEFAULT_GRAPH_ID else (*operation[:4], None)
    check_operation(operation)
    code = operation[0]
    if code in (Op.A, Op.D):
        for term in operation[1:4] if operation[4] is None else operation[1:]:
            if not isinstance(term, Node):
                raise not_an_operation(operation, "its terms are terms of rdflib")
            if isinstance(term, Graph):
                raise not_an_operation(operation, "for a Graph give its identifier")
    if not isinstance(code, Op):
        # A plain number is accepted, but the algebra compares with `is`.
        operation = (Op(code), *operation[1:])
    if code in (Op.PA, Op.PD, Op.A, Op.D) and operation[-1] == DATASET_DEFAULT_GRAPH_ID:
        operation = (*operation[:-1], None)
    return operation  # type: ignore[no-any-return]


def _is_plain_statement(operation: Any) -> bool:
    """Is this a well-formed statement? A fast test for most operations."""
    if type(operation) is not tuple or len(operation) != 5:
        return False
    op, s, p, o, g = operation
    return (
        (op is Op.A or op is Op.D)
        and type(s) in _TERMS
        and type(p) in _TERMS
        and type(o) in _TERMS
        and (g is None or type(g) in _TERMS)
    )

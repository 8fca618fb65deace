"""Reads the sources that `jelly_rdflib.apply` accepts, and checks each operation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.term import BNode, Literal, Node, URIRef

from jelly_rdflib.core.batch import (
    Batch,
    BatchSlice,
    BatchSource,
    OperationReader,
)
from jelly_rdflib.errors import LimitError
from jelly_rdflib.graph.stores.statements import (
    check_operation,
    check_reading,
    check_source,
    not_an_operation,
)
from jelly_rdflib.nodes import NODE_TYPES, as_iri, rows_of
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Op, Operation, PrefixChange
from jelly_rdflib.streams.open_input import open_read
from jelly_rdflib.streams.patch_operations import PatchOperations
from jelly_rdflib.streams.sources import is_readable
from jelly_rdflib.terms import TripleTerm

# Datatypes whose values take much memory; each frame has a limit for them.
_LARGE_VALUES = re.compile(b"#(?:XMLLiteral|duration|dayTimeDuration|yearMonthDuration)")
_TERMS = frozenset({URIRef, BNode, Literal, TripleTerm})


def is_held(source: Any) -> bool:
    """Return whether the operations of a source are in memory anyway."""
    return isinstance(source, list | tuple | PatchOperations | Batch)


def settings_for(*sources: Any, **reading: Any) -> list[dict[str, Any]]:
    """Return the settings to read each source with; none for a source of operations.

    If no source has to be read, settings are refused, as by `check_reading`.
    """
    found = [reading if is_readable(source) else {} for source in sources]
    if not any(found):
        check_reading(**reading)
    return found


def open_checked(source: Any, **reading: Any) -> BatchSource | None:
    """Open a source, as for `jelly_rdflib.apply`; return None if it has operations already.

    The settings are only for a source that is read.
    """
    opened = open_read(source, **reading)
    if opened is None:
        check_source(source, **reading)
    return opened


def check_rows(operations: Iterator[Any]) -> Iterator[BatchSlice]:
    """Yield operations as rows; raise an ApplyError for a malformed one."""
    yield from NodeBatches(NODE_TYPES, map(_checked, operations))._slices()


def open_rows(
    source: Any,
    opened: BatchSource | None,
    make_rows: Callable[[Iterator[Any]], Iterator[Any]] = check_rows,
) -> Iterator[Any]:
    """Yield the operations of a source as rows; ``opened`` is the result of `open_checked`.

    ``make_rows`` makes rows from operations as tuples; by default each operation is checked.
    The rows of a reader keep its setting for literals: in normal form, or as written. A LimitError
    is raised if making nodes of the rows would exceed the limits.
    """
    reader = source if opened is None else opened
    rows: Iterable[BatchSlice] | None = None
    # Use rows only from this type: other iterators over rows may yield statements.
    if isinstance(reader, OperationReader):
        rows = rows_of(reader)
    elif isinstance(reader, BatchSource | Batch):
        rows = reader._slices()
    elif isinstance(reader, PatchOperations):
        rows = reader.slices
    if rows is None:
        yield from make_rows(iter(source))
        return
    try:
        for part in rows:
            if _LARGE_VALUES.search(part.batch.terms.data):
                iter(part.batch.terms)
            yield part
    except LimitError as error:
        if error.offset is None and isinstance(reader, BatchSource | OperationReader):
            reader.place_error(error)
        raise


def rows_of_patch(operations: Iterator[Any]) -> Iterator[BatchSlice]:
    """Yield one patch as rows, with its `Op.END`; a second `Op.END` is added if more follows."""
    end: Operation = (Op.END,)
    patch = iter(operations.__next__, end)

    def start() -> Iterator[Operation]:
        for operation in patch:
            yield operation
            if operation[0] != Op.H:
                break

    # Yield the headers first, since they may show that the rest need not be read.
    yield from NodeBatches(NODE_TYPES, start())._slices()
    yield from NodeBatches(NODE_TYPES, patch)._slices()
    # Use `end` as the default, since the next item may be anything, even None.
    ends = [end] if next(operations, end) is end else [end, end]
    yield from NodeBatches(NODE_TYPES, ends)._slices()


def cut_patches(parts: Iterable[BatchSlice]) -> Iterator[BatchSlice]:
    """Cut rows after each `Op.END`; no slice is empty, see `ends_patch`."""
    for part in parts:
        ops, start = bytes(part.batch.ops), part.start
        while start < part.stop:
            stop = ops.find(Op.END, start, part.stop) + 1 or part.stop
            yield BatchSlice(part.batch, start, stop)
            start = stop


def ends_patch(part: BatchSlice) -> bool:
    """Return whether the last row of a slice is an `Op.END`."""
    return part.batch.ops[part.stop - 1] == Op.END


def cut_rows(batch: Batch, start: int, stop: int, kept: bytearray) -> Batch:
    """Return the rows from ``start`` to before ``stop`` whose entry in ``kept`` is 1."""
    if start > 0:
        # Make all nodes now, once: otherwise each part of the batch would make them again.
        batch.terms[0]
    return BatchSlice(batch, start, stop).as_batch(bytes(kept[start:stop]))


def operation_at(batch: Batch, row: int) -> Operation:
    """Return the operation of a row that is not a statement.

    Iterating over the batch instead would make the nodes of all terms of the batch.
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
    if is_plain_statement(operation):
        return operation  # type: ignore[no-any-return]
    check_operation(operation)
    if operation[0] in (Op.A, Op.D):
        for term in operation[1:4] if operation[4] is None else operation[1:]:
            if not isinstance(term, Node):
                raise not_an_operation(operation, "its terms are terms of rdflib")
            if isinstance(term, Graph):
                raise not_an_operation(operation, "for a Graph give its identifier")
    elif operation[0] in (Op.PA, Op.PD):
        code, prefix, iri, graph = operation
        operation = (code, prefix, as_iri(iri), graph)
    return operation  # type: ignore[no-any-return]


def is_plain_statement(operation: Any) -> bool:
    """Return True for most well-formed adds and deletes, and for nothing else: a fast test."""
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

"""Sources of operations, as for `jelly_rdflib.apply`; each operation is checked as it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from typing import Any, cast

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.term import BNode, Literal, Node, URIRef

from jelly_rdflib.core.batch import Batch, BatchSource, OperationReader, SliceIterator
from jelly_rdflib.graph.stores.statements import (
    check_operation,
    check_reading,
    check_source,
    not_an_operation,
)
from jelly_rdflib.operations import Op, Operation, PrefixChange
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.open_input import open_input
from jelly_rdflib.streams.patch_operations import PatchOperations
from jelly_rdflib.streams.sources import is_readable
from jelly_rdflib.terms import TripleTerm

_TERMS = frozenset({URIRef, BNode, Literal, TripleTerm})


@dataclass(frozen=True)
class OpenedElsewhere:
    """A source whose batches the caller opens, in its own format and with its own limits.

    ``can_reopen`` says whether ``open`` gives the batches each time, and not only once.
    """

    open: Callable[[], BatchSource]
    can_reopen: bool

    def __iter__(self) -> Iterator[Operation]:
        return OperationReader(self.open())


def is_read(source: Any) -> bool:
    """Does a source consist of bytes, so that ``limits`` are for it?"""
    return is_readable(source) or isinstance(source, OpenedElsewhere)


def is_held(source: Any) -> bool:
    """Are the operations of a source in memory anyway?"""
    return isinstance(source, list | tuple | PatchOperations | Batch)


def open_operations(
    source: Any,
    *,
    limits: Limits | None,
    normalize: bool | None,
    format: str | None,
    in_batches: bool = False,
) -> Iterator[Any]:
    """Open a source, as for `jelly_rdflib.apply`, as an iterator of well-formed operations.

    With ``in_batches``, those that are rows of batches come as batches or slices of them.
    """
    if isinstance(source, OpenedElsewhere):
        return source.open() if in_batches else OperationReader(source.open())
    if is_readable(source):
        opened = open_input(
            source, holds_changes=True, limits=limits, normalize=normalize, format=format
        )
        return opened.batches() if in_batches else opened.operations()
    check_source(source)
    check_reading(limits, normalize, format)
    # Operations of a reader are well-formed.
    if isinstance(source, Batch):
        return iter([source]) if in_batches else iter(source)
    if isinstance(source, PatchOperations) and source.slices is not None:
        return iter(source.slices) if in_batches else SliceIterator(source.slices)
    return map(_checked, source)


def closing_reader(opened: Any) -> AbstractContextManager[object]:
    """Close a reader after the block; an iterator of the caller is not closed."""
    is_reader = isinstance(opened, OperationReader | BatchSource)
    return closing(opened) if is_reader else nullcontext()


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

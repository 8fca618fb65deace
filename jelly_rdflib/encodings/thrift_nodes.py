"""Writes operations of rdflib's nodes in Thrift: each as a batch of one row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jelly_rdflib.core.batch_builder import BatchBuilder
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.core.thrift import ThriftPatchEncoder
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits

__all__ = ["ThriftNodeEncoder"]

_MAX_SIZE = (1 << 31) - 1
_LIMITS = Limits(max_string_size=_MAX_SIZE, max_text_size=_MAX_SIZE)
_MAX_NESTING_DEPTH = 30

# Length of the tuple of each operation.
_SIZES: dict[int, int] = {
    Op.H: 3, Op.TX: 1, Op.TC: 1, Op.TA: 1, Op.PA: 4, Op.PD: 4, Op.A: 5, Op.D: 5, Op.END: 1,
}  # fmt: skip


class ThriftNodeEncoder(ThriftPatchEncoder):
    """Encodes operations, one after another, or whole batches.

    Args:
        types: The classes of nodes.
        sink: Called with pieces of the output as they are ready: bytes, in whole rows.
    """

    def __init__(self, types: NodeTypes, sink: Callable[[bytes], object]) -> None:
        super().__init__(types, sink)
        self._types = types

    def header(self, key: str, value: Any) -> None:
        """Write a header."""
        if not isinstance(key, str):
            raise EncodeError(f"header key {key!r} is no str")
        builder = self._builder()
        self._put(builder, Op.H, builder.string(_plain(key)), 0, self._number(builder, value))

    def begin(self) -> None:
        """Start a transaction."""
        self._put(self._builder(), Op.TX)

    def commit(self) -> None:
        """Commit the transaction."""
        self._put(self._builder(), Op.TC)

    def abort(self) -> None:
        """Abort the transaction: what was written since `begin` has no effect."""
        self._put(self._builder(), Op.TA)

    def add(self, s: Any, p: Any, o: Any, g: Any = None) -> None:
        """Write that a statement is added."""
        self._put_statement(Op.A, s, p, o, g)

    def delete(self, s: Any, p: Any, o: Any, g: Any = None) -> None:
        """Write that a statement is deleted."""
        self._put_statement(Op.D, s, p, o, g)

    def add_prefix(self, prefix: str, iri: Any, graph: Any = None) -> None:
        """Write that a prefix is bound."""
        if iri is None:
            raise EncodeError(f"prefix {prefix!r} is added, but has no IRI")
        self._put_prefix(Op.PA, prefix, iri, graph)

    def delete_prefix(self, prefix: str, iri: Any = None, graph: Any = None) -> None:
        """Write that a prefix is no longer bound."""
        self._put_prefix(Op.PD, prefix, iri, graph)

    def end_patch(self) -> None:
        """End the patch: what follows belongs to the next one. What is written is handed on."""
        self._put(self._builder(), Op.END)

    def write(self, operation: Operation) -> None:
        """Write an operation that is given as a tuple (see `jelly_rdflib.Op`)."""
        if not isinstance(operation, tuple) or not operation:
            raise EncodeError(f"{operation!r} is no operation: give a tuple that starts with an Op")
        op, *items = operation
        if not isinstance(op, int) or _SIZES.get(op) != len(operation):
            raise EncodeError(f"{operation!r} is no operation: see jelly_rdflib.Op")
        if op in (Op.A, Op.D):
            self._put_statement(op, *items)
        elif op == Op.PA:
            self.add_prefix(*items)
        elif op == Op.PD:
            self.delete_prefix(*items)
        elif op == Op.H:
            self.header(*items)
        else:
            self._put(self._builder(), op)

    def write_all(self, operations: Iterable[Operation]) -> None:
        """Write each operation of an iterable."""
        for operation in operations:
            self.write(operation)

    def _builder(self) -> BatchBuilder:
        return BatchBuilder(NodeFactory(self._types), _LIMITS)

    def _put(self, builder: BatchBuilder, op: int, *numbers: int) -> None:
        builder.add_row(op, *numbers)
        self.write_batch(builder.take(has_graphs=True))

    def _put_statement(self, op: int, s: Any, p: Any, o: Any, g: Any) -> None:
        builder = self._builder()
        numbers = [self._number(builder, node) for node in (s, p, o)]
        self._put(builder, op, *numbers, self._graph(builder, g))

    def _put_prefix(self, op: int, prefix: Any, iri: Any, graph: Any) -> None:
        if not isinstance(prefix, str):
            raise EncodeError(f"prefix {prefix!r} is no str")
        if iri is not None and not isinstance(iri, self._types.iri):
            raise EncodeError(f"prefix {prefix!r} can't stand for {iri!r}: it is no URIRef")
        builder = self._builder()
        name = builder.string(_plain(prefix))
        number = 0 if iri is None else self._number(builder, iri)
        self._put(builder, op, name, 0, number, self._graph(builder, graph))

    def _graph(self, builder: BatchBuilder, graph: Any) -> int:
        return 0 if graph is None else self._number(builder, graph)

    def _number(self, builder: BatchBuilder, node: Any) -> int:
        """Return the number of a node in the batch."""
        return self._term(builder, node, 1, {})

    def _term(self, builder: BatchBuilder, node: Any, level: int, known: dict[int, int]) -> int:
        types: Any = self._types
        if isinstance(node, types.iri):
            return builder.iri(_plain(node))
        if isinstance(node, types.literal):
            language, datatype = node.language, node.datatype
            return builder.literal(
                _plain(node),
                None if language is None else _plain(language),
                None if datatype is None else _plain(datatype),
            )
        if isinstance(node, types.blank_node):
            return builder.blank_node(_plain(node))
        if not isinstance(node, types.triple_term):
            raise EncodeError(
                f"{node!r} of type {type(node).__name__} is no term: give rdflib's URIRef, BNode or"
                " Literal, or a TripleTerm; of a Graph, its identifier"
            )
        if level > _MAX_NESTING_DEPTH:
            raise EncodeError("quoted triples of more than 30 levels can't be written")
        if id(node) not in known:
            parts = (node.s, node.p, node.o)
            known[id(node)] = builder.triple(
                *(self._term(builder, part, level + 1, known) for part in parts)
            )
        return known[id(node)]


def _plain(text: str) -> str:
    plain = str.__str__(text)
    try:
        plain.encode()
    except UnicodeEncodeError as error:
        raise EncodeError(f"text has no UTF-8 form: {error}") from error
    return plain

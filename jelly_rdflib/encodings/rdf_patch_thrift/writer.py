"""Writes RDF Patch in Thrift."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from thrift.protocol.fastbinary import encode_compact

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.output import Output
from jelly_rdflib.core.term_table import TermTable
from jelly_rdflib.core.terms import TermKind
from jelly_rdflib.encodings.rdf_patch_thrift.schema import (
    RDF_IRI,
    PatchTxn,
    RDF_BNode,
    RDF_Literal,
    RDF_Patch_Row,
    RDF_Term,
)
from jelly_rdflib.encodings.rdf_patch_thrift.wire import (
    MAX_NESTING_DEPTH,
    string_field,
    struct_field,
)
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.language_tags import is_language_tag
from jelly_rdflib.operations import Op, Operation

__all__ = ["ThriftPatchEncoder"]

# How much is handed on at once, or somewhat more.
_PIECE = 1 << 16
_MAX_ROW_SIZE = (1 << 31) - 1
_MAX_STRING_SIZE = (1 << 31) - 1

# How many nodes are remembered, and how much may be written for one.
_MAX_KNOWN = 4096
_MAX_KNOWN_SIZE = 256

_TOO_DEEP = (
    f"quoted triples of more than {MAX_NESTING_DEPTH} levels can't be written: thrift does not"
    " read them"
)

# Length of the tuple of each operation.
_SIZES: dict[int, int] = {
    Op.H: 3, Op.TX: 1, Op.TC: 1, Op.TA: 1, Op.PA: 4, Op.PD: 4, Op.A: 5, Op.D: 5, Op.END: 1,
}  # fmt: skip

# Plain numbers: an enum's members take their time.
_NONE = int(TermKind.NONE)
_IRI = int(TermKind.IRI)
_BLANK_NODE = int(TermKind.BLANK_NODE)
_SIMPLE_LITERAL = int(TermKind.SIMPLE_LITERAL)
_LANGUAGE_LITERAL = int(TermKind.LANGUAGE_LITERAL)
_TYPED_LITERAL = int(TermKind.TYPED_LITERAL)
_TRIPLE_TERM = int(TermKind.TRIPLE_TERM)
_DEFAULT_GRAPH = int(TermKind.DEFAULT_GRAPH)
_STRING = int(TermKind.STRING)

# A struct is written the same wherever it stands. So thrift writes terms by themselves, each of a
# batch once, and rows are put together of them.
_NEXT = struct_field(1)
_END = b"\0"
_ENDS = _END + _END
_STATEMENTS: dict[int, bytes] = {
    Op.A: struct_field(2) + _NEXT,
    Op.D: struct_field(3) + _NEXT,
}
_TRIPLE = struct_field(9) + _NEXT

_ROW_ARGUMENTS = [RDF_Patch_Row, RDF_Patch_Row.thrift_spec]
# The encoder asks for each field that the spec has: iri, bnode and literal are all that are set.
_TERM_ARGUMENTS = [RDF_Term, RDF_Term.thrift_spec[:4]]

_MARKS: dict[int, bytes] = {
    op: encode_compact(RDF_Patch_Row.of(txn=txn), _ROW_ARGUMENTS)
    for op, txn in (
        (Op.TX, PatchTxn.TX),
        (Op.TC, PatchTxn.TC),
        (Op.TA, PatchTxn.TA),
        (Op.END, PatchTxn.Segment),
    )
}


class ThriftPatchEncoder(Output):
    """Encodes operations, one after another, or whole batches.

    An operation that can't be encoded raises `EncodeError` and leaves the output as if it had not
    been tried. What Thrift can't say: a literal whose language tag is none, and quoted triples of
    more than 30 levels, which thrift does not read. What it does not tell: the default graph from
    no graph at all, and the IRI of a prefix that is deleted.

    A patch's end is written, as ``Segment``, where something follows it; the last one is the
    output's own end.

    Args:
        types: The classes of nodes.
        sink: Called with pieces of the output as they are ready: bytes, in whole rows.
    """

    def __init__(self, types: NodeTypes, sink: Callable[[bytes], object]) -> None:
        super().__init__(sink)
        self._iri = types.iri
        self._blank_node = types.blank_node
        self._literal: Any = types.literal
        self._triple_term: Any = types.triple_term
        self._default_graph = str(types.default_graph)
        # Nodes with what is written for them, by the nodes' ids: the same object comes often.
        self._known: dict[int, tuple[Any, bytes]] = {}
        # What is not handed on yet.
        self._rows: list[bytes] = []
        self._size = 0
        self._in_transaction = False
        # Is there an end of a patch to be written before what follows?
        self._is_end_due = False
        self._has_end = False
        self._patch_is_empty = True

    @property
    def in_transaction(self) -> bool:
        """Is a transaction open?"""
        return self._in_transaction

    def header(self, key: str, value: Any) -> None:
        """Write a header.

        Args:
            key: A str, such as ``"id"`` or ``"prev"``.
            value: A term.
        """
        if not isinstance(key, str):
            raise EncodeError(f"header key {key!r} is no str")
        self._put(_header(_encode_text(key), self._encode_node(value)))

    def begin(self) -> None:
        """Start a transaction."""
        self._put_mark(Op.TX)

    def commit(self) -> None:
        """Commit the transaction."""
        self._put_mark(Op.TC)

    def abort(self) -> None:
        """Abort the transaction: what was written since `begin` has no effect."""
        self._put_mark(Op.TA)

    def add(self, s: Any, p: Any, o: Any, g: Any = None) -> None:
        """Write that a statement is added.

        Args:
            s, p, o: Terms.
            g: The graph's name; None for the default graph.
        """
        self._put_statement(Op.A, s, p, o, g)

    def delete(self, s: Any, p: Any, o: Any, g: Any = None) -> None:
        """Write that a statement is deleted; arguments as for `add`."""
        self._put_statement(Op.D, s, p, o, g)

    def add_prefix(self, prefix: str, iri: Any, graph: Any = None) -> None:
        """Write that a prefix is bound.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef.
            graph: As ``g`` of `add`.
        """
        if iri is None:
            raise EncodeError(f"prefix {prefix!r} is added, but has no IRI")
        self._check_prefix(prefix, iri)
        self._put(_prefix(_encode_text(prefix), _encode_text(iri), self._encode_graph(graph)))

    def delete_prefix(self, prefix: str, iri: Any = None, graph: Any = None) -> None:
        """Write that a prefix is no longer bound; arguments as for `add_prefix`.

        The IRI is not written: RDF Patch in Thrift has no place for it.
        """
        self._check_prefix(prefix, iri)
        self._put(_prefix(_encode_text(prefix), None, self._encode_graph(graph)))

    def end_patch(self) -> None:
        """End the patch: what follows belongs to the next one. What is written is handed on."""
        self.claim()
        try:
            if self._in_transaction:
                raise EncodeError("the patch ends inside a transaction: commit() or abort() it")
            if self._is_end_due:
                # This patch is empty.
                self._put_end()
                self._patch_is_empty = True
            self._is_end_due = True
            self._emit()
        finally:
            self.free()

    def write(self, operation: Operation) -> None:
        """Write an operation that is given as a tuple (see `jelly_rdflib.Op`)."""
        if not isinstance(operation, tuple) or not operation:
            raise EncodeError(f"{operation!r} is no operation: give a tuple that starts with an Op")
        op, *items = operation
        if not isinstance(op, int) or _SIZES.get(op) != len(operation):
            raise EncodeError(f"{operation!r} is no operation: see jelly_rdflib.Op")
        if op in _STATEMENTS:
            self._put_statement(op, *items)
        elif op == Op.PA:
            self.add_prefix(*items)
        elif op == Op.PD:
            self.delete_prefix(*items)
        elif op == Op.H:
            self.header(*items)
        elif op == Op.END:
            self.end_patch()
        else:
            self._put_mark(op)

    def write_all(self, operations: Iterable[Operation]) -> None:
        """Write each operation of an iterable."""
        for operation in operations:
            self.write(operation)

    def write_batch(self, batch: Batch) -> None:
        """Write the operations of a batch, without making nodes of its terms.

        If one of them can't be encoded, those before it are written.
        """
        if not isinstance(batch, Batch):
            raise TypeError(f"{type(batch).__name__} is no batch")
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        self.check()
        terms = _BatchTerms(batch.terms, self._default_graph)
        encoded = terms.encoded
        g = -1
        graph = None
        for op, s, p, o, g_now in zip(batch.ops, batch.s, batch.p, batch.o, batch.g, strict=True):
            if terms.faults:
                terms.check(s, p, o, g_now)
            if g_now != g:
                g = g_now
                graph = terms.graph(g)
            if op in _STATEMENTS:
                self._put(_statement(op, encoded[s], encoded[p], encoded[o], graph))
            elif op == Op.END:
                self.end_patch()
            elif op == Op.H:
                self._put(_header(terms.text(s), encoded[o]))
            elif op == Op.PA:
                self._put(_prefix(terms.text(s), terms.text(o), graph))
            elif op == Op.PD:
                self._put(_prefix(terms.text(s), None, graph))
            else:
                self._put_mark(op)

    def finish(self) -> None:
        """End the output and hand on what is left. An open transaction is aborted."""
        if self.is_over:
            return
        self.claim()
        try:
            if self._in_transaction:
                self._append(_MARKS[Op.TA])
                self._in_transaction = False
            if self._is_end_due and self._has_end and self._patch_is_empty:
                # Without its Segment an empty patch behind another would be none.
                self._put_end()
            self._emit()
            self.end()
        finally:
            self.free()

    # Rows.

    def _put(self, row: bytes) -> None:
        self.claim()
        try:
            self._append(row)
        finally:
            self.free()

    def _append(self, row: bytes) -> None:
        if self._is_end_due:
            self._put_end()
        self._patch_is_empty = False
        self._rows.append(row)
        self._size += len(row)
        if self._size >= _PIECE:
            self._emit()

    def _put_end(self) -> None:
        self._rows.append(_MARKS[Op.END])
        self._size += len(_MARKS[Op.END])
        self._is_end_due = False
        self._has_end = True

    def _emit(self) -> None:
        if not self._rows:
            return
        piece = b"".join(self._rows)
        self._rows.clear()
        self._size = 0
        self.hand_on(piece)

    def _put_mark(self, op: int) -> None:
        self.claim()
        try:
            if op == Op.TX:
                if self._in_transaction:
                    raise EncodeError("a transaction starts inside a transaction")
            elif not self._in_transaction:
                raise EncodeError("there is no transaction to end: begin() one first")
            self._append(_MARKS[op])
            self._in_transaction = op == Op.TX
        finally:
            self.free()

    def _put_statement(self, op: int, s: Any, p: Any, o: Any, g: Any) -> None:
        node = self._encode_node
        self._put(_statement(op, node(s), node(p), node(o), self._encode_graph(g)))

    def _check_prefix(self, prefix: Any, iri: Any) -> None:
        if not isinstance(prefix, str):
            raise EncodeError(f"prefix {prefix!r} is no str")
        if iri is not None and not isinstance(iri, self._iri):
            raise EncodeError(f"prefix {prefix!r} can't stand for {iri!r}: it is no URIRef")

    # Nodes.

    def _encode_graph(self, graph: Any) -> bytes | None:
        # rdflib's own == is Python code, and slow.
        if graph is None or (
            isinstance(graph, self._iri) and str.__eq__(graph, self._default_graph)
        ):
            return None
        if isinstance(graph, self._triple_term):
            raise EncodeError(f"a quoted triple can't be a graph: {graph!r}")
        return self._encode_node(graph)

    def _encode_node(self, node: Any) -> bytes:
        found = self._known.get(id(node))
        if found is not None:
            return found[1]
        if isinstance(node, self._triple_term):
            return self._encode_triple_term(node, 1, {})[0]
        encoded = self._encode_simple_node(node)
        if len(encoded) <= _MAX_KNOWN_SIZE:
            if len(self._known) == _MAX_KNOWN:
                self._known.clear()
            self._known[id(node)] = (node, encoded)
        return encoded

    def _encode_simple_node(self, node: Any) -> bytes:
        if isinstance(node, self._iri):
            return _encode_iri(_encode_text(node))
        if isinstance(node, self._literal):
            language, datatype = node.language, node.datatype
            return _encode_literal(
                _encode_text(node),
                None if language is None else _encode_text(language),
                None if datatype is None else _encode_text(datatype),
            )
        if isinstance(node, self._blank_node):
            return _encode_blank_node(_encode_text(node))
        raise EncodeError(
            f"{node!r} of type {type(node).__name__} is no term: give rdflib's URIRef, BNode or"
            " Literal, or a TripleTerm; of a Graph, its identifier"
        )

    def _encode_triple_term(
        self, triple: Any, depth: int, known: dict[int, tuple[bytes, int]]
    ) -> tuple[bytes, int]:
        """Encode a quoted triple; return its bytes and how many levels it has.

        Args:
            triple: The triple.
            depth: Its level.
            known: What was returned for triples before, by their ids: one may be quoted often.
        """
        if id(triple) in known:
            return known[id(triple)]
        if depth > MAX_NESTING_DEPTH:
            raise EncodeError(_TOO_DEEP)
        levels = 0
        terms = []
        for node in (triple.s, triple.p, triple.o):
            if isinstance(node, self._triple_term):
                encoded, inner_levels = self._encode_triple_term(node, depth + 1, known)
                levels = max(levels, inner_levels)
            else:
                encoded = self._encode_node(node)
            terms.append(encoded)
        result = _encode_triple(terms, levels + 1), levels + 1
        known[id(triple)] = result
        return result


class _BatchTerms:
    """The terms of a batch as they stand in rows, each written once.

    Args:
        terms: The batch's terms.
        default_graph: The IRI that stands for the default graph.
    """

    def __init__(self, terms: TermTable, default_graph: str) -> None:
        self._kinds = terms.kinds.tolist()
        self._offsets = terms.offsets.tolist()
        self._extras = terms.extras.tolist()
        self._data = bytes(terms.data)
        self._default_graph = default_graph.encode()
        # How many levels a quoted triple has.
        self._levels: dict[int, int] = {}
        #: What can't be written, with the reason.
        self.faults: dict[int, str] = {}
        #: By a term's number; of what is no term, nothing.
        self.encoded: list[bytes] = []
        # A quoted triple's terms come before it.
        for term in range(len(self._kinds)):
            self.encoded.append(self._encode(term))

    def text(self, term: int) -> bytes:
        """Return the text of a term, or of what is none."""
        return self._data[self._offsets[term] : self._offsets[term + 1]]

    def check(self, *terms: int) -> None:
        """Check that terms can be written.

        Raises:
            EncodeError: One of them can't.
        """
        for term in terms:
            if term in self.faults:
                raise EncodeError(self.faults[term])

    def graph(self, term: int) -> bytes | None:
        """Return what is written for a graph; None for the default graph."""
        kind = self._kinds[term]
        if kind == _TRIPLE_TERM:
            raise EncodeError("a quoted triple can't be a graph")
        if kind in (_NONE, _DEFAULT_GRAPH) or (
            kind == _IRI and self.text(term) == self._default_graph
        ):
            return None
        return self.encoded[term]

    def _encode(self, term: int) -> bytes:
        kind = self._kinds[term]
        text = self.text(term)
        if kind == _IRI:
            return _encode_iri(text)
        if kind == _SIMPLE_LITERAL:
            return _encode_literal(text, None, None)
        if kind == _TYPED_LITERAL:
            return _encode_literal(text, None, self.text(self._extras[term]))
        if kind == _BLANK_NODE:
            return _encode_blank_node(text)
        if kind in (_STRING, _NONE):
            return b""
        if kind == _DEFAULT_GRAPH:
            return _encode_iri(self._default_graph)
        try:
            if kind == _LANGUAGE_LITERAL:
                return _encode_literal(text, self.text(self._extras[term]), None)
            return self._encode_triple_term(term, struct.unpack("=3I", text))
        except EncodeError as error:
            self.faults[term] = str(error)
            return b""

    def _encode_triple_term(self, term: int, numbers: tuple[int, ...]) -> bytes:
        self.check(*numbers)
        levels = 1 + max(self._levels.get(number, 0) for number in numbers)
        self._levels[term] = levels
        return _encode_triple([self.encoded[number] for number in numbers], levels)


def _statement(op: int, s: bytes, p: bytes, o: bytes, g: bytes | None) -> bytes:
    if g is None:
        return b"".join((_STATEMENTS[op], s, _NEXT, p, _NEXT, o, _ENDS))
    return b"".join((_STATEMENTS[op], s, _NEXT, p, _NEXT, o, _NEXT, g, _ENDS))


def _header(key: bytes, value: bytes) -> bytes:
    return b"".join((struct_field(1), string_field(1, key), _NEXT, value, _ENDS))


def _prefix(prefix: bytes, iri: bytes | None, graph: bytes | None) -> bytes:
    """Return the row that binds a prefix, or without an IRI, of the one that unbinds it."""
    row = [struct_field(4 if iri is not None else 5)]
    if graph is not None:
        row += (_NEXT, graph)
    row.append(string_field(2 if graph is None else 1, prefix))
    if iri is not None:
        row.append(string_field(1, iri))
    row.append(_ENDS)
    return b"".join(row)


def _encode_iri(text: bytes) -> bytes:
    iri = RDF_IRI()
    iri.iri = text
    term = RDF_Term()
    term.iri = iri
    encoded: bytes = encode_compact(term, _TERM_ARGUMENTS)
    return encoded


def _encode_blank_node(label: bytes) -> bytes:
    node = RDF_BNode()
    node.label = label
    term = RDF_Term()
    term.bnode = node
    encoded: bytes = encode_compact(term, _TERM_ARGUMENTS)
    return encoded


def _encode_literal(lexical: bytes, language: bytes | None, datatype: bytes | None) -> bytes:
    literal = RDF_Literal()
    literal.lex = lexical
    if language is None:
        literal.datatype = datatype
    elif is_language_tag(language):
        literal.langtag = language
    else:
        raise EncodeError(f"{language.decode()!r} is no language tag: it can't be written")
    term = RDF_Term()
    term.literal = literal
    encoded: bytes = encode_compact(term, _TERM_ARGUMENTS)
    return encoded


def _encode_triple(terms: Sequence[bytes], levels: int) -> bytes:
    if levels > MAX_NESTING_DEPTH:
        raise EncodeError(_TOO_DEEP)
    # Triples that share triples may be few and yet endless to write down.
    if sum(map(len, terms)) > _MAX_ROW_SIZE:
        raise EncodeError("the row would be longer than 2 GiB")
    s, p, o = terms
    return b"".join((_TRIPLE, s, _NEXT, p, _NEXT, o, _ENDS))


def _encode_text(text: str) -> bytes:
    try:
        # A subclass may have an encode() of its own.
        encoded = str.encode(text, "utf-8")
    except UnicodeEncodeError as error:
        raise EncodeError(f"text has no UTF-8 form: {error}") from error
    if len(encoded) > _MAX_STRING_SIZE:
        raise EncodeError(f"text of {len(encoded)} bytes is too long for Thrift")
    return encoded

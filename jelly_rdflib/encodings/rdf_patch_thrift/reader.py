"""Reads RDF Patch in Thrift as batches."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NoReturn

from thrift.protocol.fastbinary import decode_compact
from thrift.protocol.TCompactProtocol import TCompactProtocolAccelerated
from thrift.protocol.TProtocol import TProtocolException

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.batch_builder import BatchBuilder, BuiltBatches
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.encodings.rdf_patch_thrift.literals import (
    RDF_LANG_STRING,
    XSD,
    decimal_size,
    decimal_text,
    double_text,
)
from jelly_rdflib.encodings.rdf_patch_thrift.row_input import RowInput, RowIsCutOff
from jelly_rdflib.encodings.rdf_patch_thrift.schema import (
    RDF_IRI,
    Patch_Data_Add,
    Patch_Data_Del,
    Patch_Header,
    Patch_Prefix_Add,
    Patch_Prefix_Del,
    PatchTxn,
    RDF_BNode,
    RDF_Decimal,
    RDF_Literal,
    RDF_Patch_Row,
    RDF_Term,
    RDF_Triple,
)
from jelly_rdflib.encodings.rdf_patch_thrift.wire import (
    MAX_NESTING_DEPTH,
    check_row,
    number_size,
    string_size,
)
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.language_tags import is_language_tag
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits

__all__ = ["open_batches"]

# How much goes into a batch.
_MAX_ROWS = 512
_MAX_TEXT = 1 << 18

_ROW_ARGUMENTS = [RDF_Patch_Row, RDF_Patch_Row.thrift_spec]

# How many digits a decimal number may have whatever its scale.
_FREE_DIGITS = 1024

# Plain numbers: an enum's members take their time.
_A = int(Op.A)
_D = int(Op.D)
_MARKS = {PatchTxn.TX: Op.TX, PatchTxn.TC: Op.TC, PatchTxn.TA: Op.TA, PatchTxn.Segment: Op.END}

# Jena's names for the default graph.
_DEFAULT_GRAPHS = (b"urn:x-arq:DefaultGraphNode", b"urn:x-arq:DefaultGraph")

# Sizes of headers and ends of fields around what a term or a row consists of.
_FIELD = 1
_END = 1
_UNION = _FIELD + _END

# A term's number in the batch, and how many bytes it takes.
_Term = tuple[int, int]
# An operation with the numbers of its terms, and how many bytes it takes.
_Row = tuple[int, int, int, int, int, int]


def open_batches(source: Any, factory: NodeFactory, limits: Limits) -> BuiltBatches:
    """Open a source as batches; the end of the input ends a patch too.

    Memory is bounded by a row and a batch. A batch has what is there: rows that come one by one
    are not kept waiting for each other.

    Args:
        source: What `jelly_rdflib.core.source.open_source` takes.
        factory: Makes the nodes of the batches.
        limits: ``max_frame_size`` is for a row.
    """
    return BuiltBatches(_BatchReader(RowInput(source, limits), factory, limits).batches())


class _BatchReader:
    def __init__(self, input: RowInput, factory: NodeFactory, limits: Limits) -> None:
        self._input = input
        self._limits = limits
        self._max_depth = limits.max_nesting_depth
        self._protocol = TCompactProtocolAccelerated(
            input,
            string_length_limit=limits.max_string_size,
            # Each item takes a byte at the least.
            container_length_limit=limits.max_frame_size,
            fallback=False,
        )
        self._builder = BatchBuilder(factory, limits)
        # Terms of the batch that is being built.
        self._iris: dict[bytes, _Term] = {}
        self._blank_nodes: dict[bytes, _Term] = {}
        self._literals: dict[tuple[bytes, bytes | None, bytes | None], _Term] = {}
        # Number of the row that comes next.
        self._row = 0
        self._in_transaction = False
        # Is there an operation since the last end of a patch?
        self._is_open = False
        self._has_end = False

    def batches(self) -> Generator[Batch, None, None]:
        builder = self._builder
        try:
            while True:
                try:
                    is_row = self._read_row()
                except (RowIsCutOff, DecodeError):
                    # Those before it come first; then it is tried once more.
                    if len(builder) == 0:
                        raise
                    self._input.rewind()
                    yield self._take()
                    continue
                if not is_row:
                    break
                if len(builder) >= _MAX_ROWS or builder.text_size >= _MAX_TEXT:
                    yield self._take()
            self._finish()
            if len(builder) > 0:
                yield self._take()
        finally:
            self._input.close()

    def _take(self) -> Batch:
        self._iris.clear()
        self._blank_nodes.clear()
        self._literals.clear()
        return self._builder.take(has_graphs=True)

    def _read_row(self) -> bool:
        """Add a row to the batch; False at the end of the input."""
        input = self._input
        row = RDF_Patch_Row()
        try:
            if not input.begin_row(may_read=len(self._builder) == 0):
                return False
            decode_compact(row, self._protocol, _ROW_ARGUMENTS)
        except DecodeError as error:
            self._add_place(error, input.position)
            raise
        except (OverflowError, TProtocolException, TypeError, ValueError) as error:
            if input.source_failed:
                raise
            translated = self._translate(error)
            self._add_place(translated, input.position)
            raise translated from error
        try:
            size = input.end_row()
            op, s, p, o, g, size_understood = self._understand(row)
            if size != size_understood:
                check_row(input.row())
        except DecodeError as error:
            self._add_place(error, input.row_start)
            raise
        self._builder.add_row(op, s, p, o, g)
        self._row += 1
        self._is_open = True
        if row.txn is not None:
            self._in_transaction = op == Op.TX
            self._is_open = op != Op.END
            self._has_end |= op == Op.END
        return True

    def _add_place(self, error: DecodeError, offset: int) -> None:
        if error.offset is None:
            error.offset = offset
        error.row = self._row
        if self._row == 0 and not isinstance(error, LimitError):
            error.message += "; is the input RDF Patch in Thrift at all?"

    def _translate(self, error: Exception) -> DecodeError:
        """Make the error that stands for one of thrift's decoder."""
        if isinstance(error, TProtocolException) and error.type == TProtocolException.DEPTH_LIMIT:
            return LimitError(
                "structs nest deeper than thrift's decoder takes: it takes quoted triples of"
                f" {MAX_NESTING_DEPTH} levels"
            )
        # These are of lengths: too large ones, and such as are negative in 32 bits.
        if isinstance(error, OverflowError | ValueError) and "varint" not in str(error):
            limits = self._limits
            return LimitError(
                f"string of more than {limits.max_string_size} bytes (limit max_string_size), or"
                f" list of more than {limits.max_frame_size} items (limit max_frame_size)"
            )
        return DecodeError(f"this can't be a row: {error}")

    # Rows.

    def _understand(self, row: RDF_Patch_Row) -> _Row:
        if row.dataAdd is not None:
            return self._read_statement(_A, row.dataAdd)
        if row.dataDel is not None:
            return self._read_statement(_D, row.dataDel)
        if row.txn is not None:
            return self._read_mark(row.txn)
        if row.header is not None:
            return self._read_header(row.header)
        if row.prefixAdd is not None:
            return self._read_prefix_add(row.prefixAdd)
        if row.prefixDel is not None:
            return self._read_prefix_del(row.prefixDel)
        raise DecodeError("the row has none of the members of RDF_Patch_Row")

    def _read_statement(self, op: int, data: Patch_Data_Add | Patch_Data_Del) -> _Row:
        if data.s is None or data.p is None or data.o is None:
            raise DecodeError(f"{type(data).__name__} lacks s, p or o")
        s, s_size = self._read_term(data.s)
        p, p_size = self._read_term(data.p)
        o, o_size = self._read_term(data.o)
        g, g_size = self._read_graph(data.g)
        return op, s, p, o, g, s_size + p_size + o_size + g_size + (_UNION + 3 * _FIELD + _END)

    def _read_header(self, header: Patch_Header) -> _Row:
        if header.name is None or header.value is None:
            raise DecodeError("Patch_Header lacks name or value")
        key = self._builder.string(_text(header.name))
        value, value_size = self._read_term(header.value)
        size = string_size(header.name) + value_size + (_UNION + 2 * _FIELD + _END)
        return Op.H, key, 0, value, 0, size

    def _read_prefix_add(self, data: Patch_Prefix_Add) -> _Row:
        if data.prefix is None or data.iriStr is None:
            raise DecodeError("Patch_Prefix_Add lacks prefix or iriStr")
        prefix = self._builder.string(_text(data.prefix))
        iri = self._builder.iri(_text(data.iriStr))
        g, g_size = self._read_graph(data.graphNode)
        size = string_size(data.prefix) + string_size(data.iriStr) + g_size
        return Op.PA, prefix, 0, iri, g, size + (_UNION + 2 * _FIELD + _END)

    def _read_prefix_del(self, data: Patch_Prefix_Del) -> _Row:
        if data.prefix is None:
            raise DecodeError("Patch_Prefix_Del lacks prefix")
        prefix = self._builder.string(_text(data.prefix))
        g, g_size = self._read_graph(data.graphNode)
        return Op.PD, prefix, 0, 0, g, string_size(data.prefix) + g_size + (_UNION + _FIELD + _END)

    def _read_mark(self, txn: int) -> _Row:
        op = _MARKS.get(txn)
        if op is None:
            raise DecodeError(f"PatchTxn has no value {txn}")
        if op == Op.TX:
            if self._in_transaction:
                raise DecodeError("transaction starts inside a transaction")
        elif op == Op.END:
            if self._in_transaction:
                raise DecodeError("patch ends inside a transaction")
        elif not self._in_transaction:
            raise DecodeError("transaction ends, but none was started")
        return op, 0, 0, 0, 0, number_size(txn) + _UNION

    def _finish(self) -> None:
        """Add the end of the patch that the input's end ends, if it ends one."""
        if self._in_transaction:
            raise DecodeError(
                "the input ends inside a transaction", offset=self._input.position, row=self._row
            )
        if self._is_open or not self._has_end:
            self._builder.add_row(Op.END)

    # Terms.

    def _read_graph(self, term: RDF_Term | None) -> _Term:
        """Return a graph's number, and the size of the whole field; none has neither.

        Jena gives the default graph a name where RDF Patch wants none.
        """
        if term is None:
            return 0, 0
        if term.tripleTerm is not None:
            raise DecodeError("a quoted triple can't be a graph")
        number, size = self._read_term(term)
        if term.iri is not None and term.iri.iri in _DEFAULT_GRAPHS:
            number = 0
        return number, size + _FIELD

    def _read_term(self, term: RDF_Term, depth: int = 0) -> _Term:
        """Return a term's number; ``depth`` counts the quoted triples around it."""
        iri = term.iri
        if iri is not None:
            found = self._iris.get(iri.iri)  # type: ignore[arg-type]
            return found or self._add_iri(iri)
        literal = term.literal
        if literal is not None:
            if literal.dtPrefix is not None or literal.baseDirection is not None:
                self._refuse_literal(literal)
            key = (literal.lex, literal.langtag, literal.datatype)
            found = self._literals.get(key)  # type: ignore[arg-type]
            return found or self._add_literal(literal)
        blank_node = term.bnode
        if blank_node is not None:
            found = self._blank_nodes.get(blank_node.label)  # type: ignore[arg-type]
            return found or self._add_blank_node(blank_node)
        if term.tripleTerm is not None:
            return self._read_triple(term.tripleTerm, depth + 1)
        return self._read_other(term)

    def _add_iri(self, iri: RDF_IRI) -> _Term:
        if iri.iri is None:
            raise DecodeError("RDF_IRI lacks iri")
        number = self._builder.iri(_text(iri.iri))
        added = number, string_size(iri.iri) + (_UNION + _UNION)
        self._iris[iri.iri] = added
        return added

    def _add_blank_node(self, node: RDF_BNode) -> _Term:
        if node.label is None:
            raise DecodeError("RDF_BNode lacks label")
        number = self._builder.blank_node(_text(node.label))
        added = number, string_size(node.label) + (_UNION + _UNION)
        self._blank_nodes[node.label] = added
        return added

    def _add_literal(self, literal: RDF_Literal) -> _Term:
        if literal.lex is None:
            raise DecodeError("RDF_Literal lacks lex")
        lexical = _text(literal.lex)
        size = string_size(literal.lex) + (_UNION + _UNION)
        language = datatype = None
        if literal.datatype is not None:
            datatype = _text(literal.datatype)
            size += _FIELD + string_size(literal.datatype)
        if literal.langtag is not None:
            size += _FIELD + string_size(literal.langtag)
            # An empty one is none, as it is for Jena.
            if literal.langtag:
                language = _tag(literal.langtag)
                if datatype not in (None, RDF_LANG_STRING):
                    raise DecodeError("literal with a language tag and a datatype")
        number = self._builder.literal(lexical, language, datatype)
        added = number, size
        self._literals[literal.lex, literal.langtag, literal.datatype] = added
        return added

    def _refuse_literal(self, literal: RDF_Literal) -> NoReturn:
        if literal.dtPrefix is not None:
            raise DecodeError("prefixed name as datatype: RDF Patch has IRIs in full")
        raise DecodeError("base direction of a literal: RDF 1.1 has none")

    def _read_triple(self, triple: RDF_Triple, depth: int) -> _Term:
        if depth > self._max_depth:
            raise LimitError(
                f"quoted triples nest deeper than {self._max_depth} (limit max_nesting_depth)"
            )
        if triple.S is None or triple.P is None or triple.O is None:
            raise DecodeError("RDF_Triple lacks S, P or O")
        s, s_size = self._read_term(triple.S, depth)
        p, p_size = self._read_term(triple.P, depth)
        o, o_size = self._read_term(triple.O, depth)
        number = self._builder.triple(s, p, o)
        return number, s_size + p_size + o_size + (_UNION + 3 * _FIELD + _END)

    def _read_other(self, term: RDF_Term) -> _Term:
        """Read a value; refuse what is no term of RDF."""
        if term.valInteger is not None:
            number = self._builder.literal(str(term.valInteger), datatype=XSD + "integer")
            return number, number_size(term.valInteger) + _UNION
        if term.valDouble is not None:
            number = self._builder.literal(double_text(term.valDouble), datatype=XSD + "double")
            return number, 8 + _UNION
        if term.valDecimal is not None:
            return self._read_decimal(term.valDecimal)
        if term.prefixName is not None:
            raise DecodeError("prefixed name: RDF Patch has IRIs in full")
        for name in ("variable", "any", "undefined", "repeat"):
            if getattr(term, name) is not None:
                raise DecodeError(f"{name} is no term of RDF")
        raise DecodeError("the term has none of the members of RDF_Term")

    def _read_decimal(self, decimal: RDF_Decimal) -> _Term:
        value, scale = decimal.value, decimal.scale
        if value is None or scale is None:
            raise DecodeError("RDF_Decimal lacks value or scale")
        size = number_size(value) + number_size(scale) + (_UNION + 2 * _FIELD + _END)
        # A few bytes can stand for two thousand million digits.
        max_size = _FREE_DIGITS + self._limits.max_expansion * size
        if decimal_size(value, scale) > max_size:
            raise LimitError(
                f"decimal number of more than {max_size} characters: its scale is {scale} (limit"
                f" max_expansion is {self._limits.max_expansion})"
            )
        number = self._builder.literal(decimal_text(value, scale), datatype=XSD + "decimal")
        return number, size


def _tag(string: bytes) -> str:
    if not is_language_tag(string):
        raise DecodeError("this is no language tag")
    return string.decode()


def _text(string: bytes) -> str:
    try:
        return string.decode()
    except UnicodeDecodeError as error:
        raise DecodeError("string is not UTF-8") from error

"""Reads Jena's RDF Protobuf as batches, with protobuf's own classes."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any

from google.protobuf import message

from jelly_rdflib.core.batch import Batch, BatchBuilder
from jelly_rdflib.core.jelly_decoder import FrameReader
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.core.thrift import decimal_text, double_text
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.formats.format import Reading
from jelly_rdflib.formats.protobuf.messages import message_class
from jelly_rdflib.operations import Op

_XSD = "http://www.w3.org/2001/XMLSchema#"
_LANGUAGE_TAG = re.compile(r"[A-Za-z]+(-[A-Za-z0-9]+)*")
# Jena's names for the default graph.
_DEFAULT_GRAPHS = ("urn:x-arq:DefaultGraph", "urn:x-arq:DefaultGraphNode")
# A batch is full when it has this many rows, or bytes of text.
_ROWS = 512
_TEXT = 1 << 18
# The number of characters that a decimal number may always have, whatever ``max_expansion`` is.
_FREE_DIGITS = 1024


class RowBatches(Iterator[Batch]):
    """Iterates over the batches of RDF Protobuf; ``max_frame_size`` limits the size of a row."""

    def __init__(self, source: memoryview | ByteSource, reading: Reading) -> None:
        self._limits = reading.limits
        self._rows = FrameReader(source, reading.limits, delimited=True)
        self._builder = BatchBuilder(reading.factory, reading.limits)
        self._row_class = message_class("rdf-protobuf.proto", "RDF_StreamRow")
        self._count = 0
        # Total bytes of the rows, and of the IRIs that prefixed names were expanded to.
        self._size = self._expanded = 0
        self._prefixes: dict[str, str] = {}
        self._prefix_size = 0
        # The error to raise after the last batch.
        self._error: DecodeError | None = None

    def __del__(self) -> None:
        self.close()

    def __next__(self) -> Batch:
        builder = self._builder
        try:
            while self._error is None and len(builder) < _ROWS and builder.text_size < _TEXT:
                data = next(self._rows, None)
                if data is None:
                    break
                self._size += len(data)
                self._add(data)
                self._count += 1
        except DecodeError as error:
            # The shared reader of messages counts frames; here each message is a row.
            error.frame, error.row = None, self._count + 1
            self._error = error
        if len(builder) > 0:
            return builder.drain(has_graphs=True)
        raise self._error or StopIteration

    def close(self) -> None:
        """Close the source."""
        self._rows.close()

    def _add(self, data: bytes) -> None:
        """Add a row."""
        try:
            row = self._row_class.FromString(data)
        except message.DecodeError as error:
            raise DecodeError(
                "the row is not an RDF_StreamRow, or nests deeper than protobuf reads; is the input"
                " RDF Protobuf at all?"
            ) from error
        kind = row.WhichOneof("row")
        if kind is None:
            raise DecodeError("the row has none of the members of RDF_StreamRow")
        if kind == "prefixDecl":
            self._declare(row.prefixDecl.prefix, row.prefixDecl.uri)
        elif kind != "base":
            statement = getattr(row, kind)
            s, p, o = self._parts(statement, 0)
            has_graph = kind == "quad" and statement.HasField("G")
            g = self._graph(statement.G) if has_graph else self._builder.default_graph()
            self._builder.add_row(Op.A, s, p, o, g)

    def _declare(self, prefix: str, iri: str) -> None:
        self._prefix_size += len(prefix) + len(iri)
        if self._prefix_size > self._limits.max_text_size:
            raise LimitError(
                f"prefixes of more than {self._limits.max_text_size} bytes",
                limit="max_text_size",
                value=self._limits.max_text_size,
            )
        self._prefixes[prefix] = iri
        self._builder.add_row(Op.PA, self._builder.string(prefix), 0, self._builder.iri(iri))

    def _parts(self, triple: Any, depth: int) -> tuple[int, int, int]:
        return (
            self._term(triple.S, depth),
            self._term(triple.P, depth),
            self._term(triple.O, depth),
        )

    def _graph(self, term: Any) -> int:
        kind = term.WhichOneof("term")
        if kind == "tripleTerm":
            raise DecodeError("a quoted triple can't be a graph")
        if kind == "iri" and term.iri.iri in _DEFAULT_GRAPHS:
            return self._builder.default_graph()
        return self._term(term, 0)

    def _term(self, term: Any, depth: int) -> int:
        """Return the number of a term that is inside ``depth`` quoted triples."""
        builder = self._builder
        kind = term.WhichOneof("term")
        if kind == "iri":
            return builder.iri(term.iri.iri)
        if kind == "prefixName":
            return builder.iri(self._expand(term.prefixName))
        if kind == "bnode":
            return builder.blank_node(term.bnode.label)
        if kind == "literal":
            return self._literal(term.literal)
        if kind == "tripleTerm":
            if depth == self._limits.max_nesting_depth:
                raise LimitError(
                    f"quoted triples nest deeper than {depth}",
                    limit="max_nesting_depth",
                    value=depth,
                )
            return builder.triple(*self._parts(term.tripleTerm, depth + 1))
        if kind == "valInteger":
            return builder.literal(str(term.valInteger), None, f"{_XSD}integer")
        if kind == "valDouble":
            (bits,) = struct.unpack("<Q", struct.pack("<d", term.valDouble))
            return builder.literal(double_text(bits).decode(), None, f"{_XSD}double")
        if kind == "valDecimal":
            return self._decimal(term.valDecimal.value, term.valDecimal.scale)
        if kind is None:
            raise DecodeError("a term has none of the members of RDF_Term")
        raise DecodeError(f"{kind} of RDF_Term is not a term of RDF")

    def _literal(self, literal: Any) -> int:
        kind = literal.WhichOneof("literalKind")
        if kind is None:
            raise DecodeError("a literal has none of the members of literalKind")
        if kind == "langtag":
            if _LANGUAGE_TAG.fullmatch(literal.langtag) is None:
                raise DecodeError("this is not a language tag")
            return self._builder.literal(literal.lex, literal.langtag)
        if kind == "simple":
            return self._builder.literal(literal.lex)
        datatype = literal.datatype if kind == "datatype" else self._expand(literal.dtPrefix)
        return self._builder.literal(literal.lex, None, datatype)

    def _expand(self, name: Any) -> str:
        """Return the IRI that a prefixed name stands for."""
        iri = self._prefixes.get(name.prefix)
        if iri is None:
            raise DecodeError("no earlier row declares the prefix of this prefixed name")
        # A long IRI may be declared once, and then be used again and again in a few bytes.
        self._expanded += len(iri)
        most = self._limits.max_text_size + self._limits.max_expansion * self._size
        if self._expanded > most:
            raise LimitError(
                f"prefixed names stand for more than {most} bytes",
                limit="max_expansion",
                value=self._limits.max_expansion,
            )
        return f"{iri}{name.localName}"

    def _decimal(self, value: int, scale: int) -> int:
        # A few bytes can expand to two billion digits.
        most = _FREE_DIGITS + self._limits.max_expansion
        if abs(scale) > most:
            raise LimitError(
                f"decimal number of more than {most} characters",
                limit="max_expansion",
                value=self._limits.max_expansion,
            )
        text = decimal_text(value, scale).decode()
        return self._builder.literal(text, None, f"{_XSD}decimal")

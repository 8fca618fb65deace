"""Writes Jena's RDF Protobuf with protobuf's own classes, a few thousand statements at a time."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import Any

from google.protobuf.proto import serialize_length_prefixed

from jelly_rdflib.core.batch import Batch, TermKind
from jelly_rdflib.core.text import LineEncoder, TextBatchReader
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.formats.format import Format
from jelly_rdflib.formats.protobuf.messages import message_class
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.nodes.conversion import NodeTypes
from jelly_rdflib.options import Limits

# Implementations of protobuf read at most 100 levels of messages. A quoted triple takes two levels;
# the row, its statement, the term and the innermost term's message take four.
MAX_TRIPLE_DEPTH = 48
# High limits, since this package itself has written the lines.
_LIMITS = Limits(
    max_frame_size=(1 << 31) - 1,
    max_string_size=(1 << 31) - 1,
    max_text_size=(1 << 31) - 1,
    max_nesting_depth=1000,
)


class RdfEncoder(LineEncoder):
    """Encodes statements as rows; buffered statements are kept as lines of N-Quads."""

    def __init__(self, types: NodeTypes, sink: Callable[[bytes], object], format: Format) -> None:
        self._row_class = message_class("rdf-protobuf.proto", "RDF_StreamRow")
        self._term_class = message_class("rdf-protobuf.proto", "RDF_Term")
        self._factory = make_node_factory(False)
        super().__init__(types, sink, format)

    def put_prefix(self, prefix: str, iri: str) -> None:
        """Declare a prefix."""
        self.put_lines()
        row = self._row_class()
        row.prefixDecl.prefix, row.prefixDecl.uri = prefix, iri
        piece = io.BytesIO()
        serialize_length_prefixed(row, piece)
        self.hand_on(piece.getvalue())

    def put_lines(self) -> None:
        """Pass the buffered statements to the sink as rows."""
        lines = self.take_lines()
        if not lines:
            return
        piece = io.BytesIO()
        try:
            reader = TextBatchReader(
                lines, self._factory, _LIMITS, is_patch=False, strict=False, generalized=True
            )
            for batch in reader:
                self._put_batch(batch, piece)
        except BaseException:
            # The statements of these lines are lost, so the output is broken.
            self.lose()
            raise
        self.hand_on(piece.getvalue())

    def _put_batch(self, batch: Batch, piece: io.BytesIO) -> None:
        terms = self._make_terms(batch)
        for s, p, o, g in zip(batch.s, batch.p, batch.o, batch.g, strict=True):
            row = self._row_class()
            graph = terms[g]
            statement = row.triple if graph is None else row.quad
            if graph is not None:
                statement.G.CopyFrom(graph)
            statement.S.CopyFrom(terms[s])
            statement.P.CopyFrom(terms[p])
            statement.O.CopyFrom(terms[o])
            serialize_length_prefixed(row, piece)

    def _make_terms(self, batch: Batch) -> list[Any]:
        """Return the message of each term of a batch, or None for the default graph."""
        table = batch.terms
        kinds, extras, offsets = table.kinds, table.extras, table.offsets
        # How deeply quoted triples nest in each term.
        depths = [0] * len(kinds)
        made: list[Any] = []
        for number, kind in enumerate(kinds):
            term = self._term_class()
            if kind == TermKind.IRI:
                term.iri.iri = table.text_of(number)
            elif kind == TermKind.BLANK_NODE:
                term.bnode.label = table.text_of(number)
            elif kind == TermKind.SIMPLE_LITERAL:
                term.literal.lex, term.literal.simple = table.text_of(number), True
            elif kind == TermKind.LANGUAGE_LITERAL:
                term.literal.lex = table.text_of(number)
                term.literal.langtag = table.text_of(extras[number])
            elif kind == TermKind.TYPED_LITERAL:
                term.literal.lex = table.text_of(number)
                term.literal.datatype = table.text_of(extras[number])
            elif kind == TermKind.TRIPLE_TERM:
                parts = struct.unpack("=3I", table.data[offsets[number] : offsets[number + 1]])
                depths[number] = 1 + max(depths[part] for part in parts)
                if depths[number] > MAX_TRIPLE_DEPTH:
                    raise EncodeError(
                        f"quoted triples of more than {MAX_TRIPLE_DEPTH} levels can't be written:"
                        " implementations of protobuf do not read them"
                    )
                for name, part in zip("SPO", parts, strict=True):
                    getattr(term.tripleTerm, name).CopyFrom(made[part])
            made.append(None if kind in (TermKind.NONE, TermKind.DEFAULT_GRAPH) else term)
        return made

"""Returns the operations of batches in plain form.

They are rebuilt from the columns, because rdflib's terms have no base direction.
"""

import io
import struct
import warnings
from typing import Any

import jelly_rdflib as jr
from jelly_rdflib.core.batch import Batch, TermKind, TermTable
from jelly_rdflib.core.jelly_decoder import BatchReader, StatementFrameDecoder
from jelly_rdflib.nodes import make_node_factory
from tests.oracle.columns_decoder import read
from tests.oracle.reference import Doubt, RuleError
from tests.oracle.terms import DEFAULT_GRAPH, Plain, with_simple_strings

# The limits on lookups, rows and nested triples still apply.
LOOSE = jr.Limits(max_expansion=1 << 24, max_text_size=1 << 30)


def plain_terms(table: TermTable) -> list[Any]:
    """Return the terms of `table`: plain terms, the text of a STRING, or None for no term."""
    data, offsets = bytes(table.data), list(table.offsets)
    terms: list[Any] = []
    for number, (kind, extra) in enumerate(zip(table.kinds, table.extras, strict=True)):
        text = data[offsets[number] : offsets[number + 1]]
        if kind == TermKind.TRIPLE_TERM:
            terms.append(("triple", *(terms[part] for part in struct.unpack("3I", text))))
        elif kind == TermKind.LANGUAGE_LITERAL:
            language, *direction = terms[extra].split("--")
            terms.append(("literal", text.decode(), language, None, *direction))
        elif kind == TermKind.TYPED_LITERAL:
            terms.append(("literal", text.decode(), None, terms[extra][1]))
        elif kind == TermKind.SIMPLE_LITERAL:
            terms.append(("literal", text.decode(), None, None))
        elif kind == TermKind.DEFAULT_GRAPH:
            terms.append(DEFAULT_GRAPH)
        elif kind == TermKind.STRING:
            terms.append(text.decode())
        else:
            names = {TermKind.IRI: "iri", TermKind.BLANK_NODE: "bnode"}
            terms.append((names[TermKind(kind)], text.decode()) if number else None)
    return terms


def plain_operations(batch: Batch) -> list[Plain]:
    """Return the operations of `batch`, with ("END",) where a message ends."""
    terms = plain_terms(batch.terms)
    operations: list[Plain] = []
    ends = list(batch.message_ends or ())
    for row, op in enumerate(batch.ops):
        while ends and ends[0] == row:
            operations.append(("END",))
            del ends[0]
        s, p, o, g = (terms[getattr(batch, column)[row]] for column in "spog")
        operations.append(("A", s, p, o, g) if op == jr.Op.A else ("PA", s, o, None))
    operations += [("END",)] * len(ends)
    return [with_simple_strings(operation) for operation in operations]


def read_plain(data: Any, **settings: Any) -> list[list[Plain]]:
    """Return the operations of each frame of `data`, which is Jelly-RDF 1.2."""
    return [plain_operations(batch) for batch in open_batches(data, **settings)]


def open_batches(data: Any, limits: jr.Limits | None = None, **settings: Any) -> BatchReader:
    """Open `data` as Jelly-RDF batches, without a format check or a warning about the draft."""
    warnings.filterwarnings("ignore", message="Jelly-RDF 1.2 is a draft")
    limits = limits or jr.Limits()
    decoder = StatementFrameDecoder(make_node_factory(False, limits), limits, **settings)
    source = io.BytesIO(data) if isinstance(data, bytes) else data
    return BatchReader(source, decoder, limits)


def assert_same_outcome(data: bytes) -> None:
    """Assert that the package and the reference reader read `data` alike, or both refuse it."""
    try:
        wanted = [frame.operations for frame in read(data, with_end=False)]
    except Doubt:
        return
    except RuleError:
        try:
            read_plain(data, limits=LOOSE)
        except jr.DecodeError:
            return
        raise AssertionError("it must be refused, but was read") from None
    assert read_plain(data, limits=LOOSE) == wanted

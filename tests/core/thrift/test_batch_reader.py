"""Tests how Thrift is read: rows, terms, values, transactions, pieces."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from tests.core.patch_wires import THRIFT
from tests.core.thrift.oracle import SCHEMA, encode, rows_to_bytes
from tests.oracle.terms import Plain
from tests.pieces import Chunks, Pieces
from tests.strategies import Stream, streams

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
END: Plain = ("END",)

SAMPLE: list[Plain] = [
    ("H", "id", ("iri", "uuid:1")),
    ("H", "two words", ("literal", "é", "en", None)),
    ("TX",),
    ("PA", "ex", ("iri", "http://example.org/"), ("iri", "g")),
    ("PD", "ex", None, None),
    ("A", ("iri", "s"), ("iri", "p"), ("literal", "o" * 300, None, None), ("bnode", "g")),
    ("D", ("bnode", "b.1"), ("iri", "p"), ("literal", "1", None, XSD + "integer"), None),
    (
        "A",
        ("triple", ("iri", "s"), ("iri", "p"),
         ("triple", ("bnode", "a"), ("iri", "p"), ("iri", "o"))),
        ("iri", "p"),
        ("literal", "", None, XSD + "string"),
        None,
    ),
    ("TC",),
    ("END",),
    ("TX",),
    ("TA",),
]  # fmt: skip
DATA = rows_to_bytes(SAMPLE)


def row_of(message: Any) -> bytes:
    """Return a row with a header whose value is `message`."""
    header = SCHEMA.Patch_Header(name="k", value=message)
    return encode(SCHEMA.RDF_Patch_Row(header=header))


def value(message: Any) -> Plain:
    """Return the plain term that the reader returns for an RDF_Term."""
    ((_, _, plain_term), _) = THRIFT.read(row_of(message))
    return plain_term


@given(streams())
def test_rows_as_another_library_writes_them(stream: Stream) -> None:
    operations = [(*op[:2], None, op[3]) if op[0] == "PD" else op for op in stream.operations]
    data = rows_to_bytes(operations)
    assert THRIFT.read(data) == operations
    assert THRIFT.read(Pieces(data, 7)) == operations


def test_pieces_of_every_size() -> None:
    for size in range(1, len(DATA) + 2):
        assert THRIFT.read(Pieces(DATA, size)) == [*SAMPLE, END]


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ({"lex": "a"}, ("literal", "a", None, None)),
        ({"lex": ""}, ("literal", "", None, None)),
        ({"lex": "a", "langtag": "en-GB"}, ("literal", "a", "en-GB", None)),
        ({"lex": "a", "langtag": ""}, ("literal", "a", None, None)),
        ({"lex": "a", "datatype": "urn:d"}, ("literal", "a", None, "urn:d")),
        ({"lex": "a", "datatype": ""}, ("literal", "a", None, "")),
        ({"lex": "a", "datatype": XSD + "string"}, ("literal", "a", None, XSD + "string")),
        (
            {"lex": "a", "langtag": "en", "datatype": RDF + "langString"},
            ("literal", "a", "en", None),
        ),
        ({"lex": "a", "langtag": "", "datatype": "urn:d"}, ("literal", "a", None, "urn:d")),
    ],
)  # fmt: skip
def test_literals(literal: dict[str, str], expected: Plain) -> None:
    """Tags and datatypes, present or missing, are read exactly as Jena reads them."""
    assert value(SCHEMA.RDF_Term(literal=SCHEMA.RDF_Literal(**literal))) == expected


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_integers(number: int) -> None:
    expected = ("literal", str(number), None, XSD + "integer")
    assert value(SCHEMA.RDF_Term(valInteger=number)) == expected


def test_terms_are_told_apart() -> None:
    """The reader looks up each term among the terms of its batch and never confuses two terms."""
    text = "http://example.org/"
    terms: list[Plain] = [
        ("iri", text),
        ("bnode", text),
        ("literal", text, None, None),
        ("literal", text, "en", None),
        ("literal", text, "EN", None),
        ("literal", text, None, text),
        ("literal", text, None, XSD + "string"),
    ]
    operations: list[Plain] = [("H", text, plain_term) for plain_term in terms * 2]
    data = rows_to_bytes(operations)
    assert THRIFT.read(data) == [*operations, END]
    # The other five are the missing term, the key, the two tags and the datatype.
    assert len(next(THRIFT.batches(data)).terms) == len(terms) + 5


@pytest.mark.parametrize(
    ("marks", "ends"),
    [
        ([], 1),
        (["END"], 1),
        (["END", "END"], 2),
        (["TX", "TC"], 1),
        (["TX", "TC", "END"], 1),
        (["TX", "TC", "END", "TX", "TA"], 2),
        (["END", "TX", "TC"], 2),
    ],
)
def test_ends_of_patches(marks: list[str], ends: int) -> None:
    """A Segment ends a patch; so does the end of the input, except directly after a Segment."""
    operations = THRIFT.read(rows_to_bytes([(mark,) for mark in marks]))
    assert operations.count(END) == ends
    assert operations[-1] == END


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        (["TC"], "none was started"),
        (["TA"], "none was started"),
        (["TX", "TX"], "inside a transaction"),
        (["TX", "END"], "inside a transaction"),
        (["TX", "TC", "TC"], "none was started"),
        (["TX"], "the input ends inside a transaction"),
    ],
)
def test_transactions_out_of_order(marks: list[str], message: str) -> None:
    data = rows_to_bytes([(mark,) for mark in marks])
    for source in (data, Pieces(data)):
        operations, error = THRIFT.attempt(source)
        assert error is not None
        assert message in error.message
        is_at_end = message.startswith("the input")
        assert error.row - 1 == len(operations) == len(marks) - (0 if is_at_end else 1)
        assert error.offset == 3 * len(operations)


def test_rows_come_as_soon_as_they_are_there() -> None:
    first, second, third = (rows_to_bytes([op]) for op in (("TX",), SAMPLE[5], ("TC",)))
    live = Chunks([first + second[:5], second[5:], third])
    reader = THRIFT.batches(live)
    # The reader needs the first four bytes to detect whether the data is compressed.
    for asked, op in ((1, jr.Op.TX), (3, jr.Op.A), (4, jr.Op.TC)):
        assert list(next(reader).ops) == [op]
        assert live.asked == asked
    assert list(next(reader).ops) == [jr.Op.END]
    with pytest.raises(StopIteration):
        next(reader)


def test_batches_are_small() -> None:
    operation: Plain = ("A", ("iri", "s"), ("iri", "p"), ("iri", "o"), None)
    sizes = [len(batch) for batch in THRIFT.batches(rows_to_bytes([operation]) * 2000)]
    assert sizes[:3] == [512, 512, 512]
    assert sum(sizes) == 2001
    operations: list[Plain] = [
        ("H", str(number), ("literal", str(number) * 100_000, None, None)) for number in range(9)
    ]
    sizes = [len(batch) for batch in THRIFT.batches(rows_to_bytes(operations))]
    assert max(sizes) <= 3
    assert sum(sizes) == 10


@pytest.mark.parametrize("name", ["urn:x-arq:DefaultGraph", "urn:x-arq:DefaultGraphNode"])
def test_jenas_names_for_the_default_graph(name: str) -> None:
    graph = ("iri", name)
    data = rows_to_bytes(
        [
            ("A", graph, graph, graph, graph),
            ("D", graph, graph, graph, graph),
            ("PA", "ex", graph, graph),
            ("PD", "ex", None, graph),
        ]
    )
    assert THRIFT.read(data) == [
        ("A", graph, graph, graph, None),
        ("D", graph, graph, graph, None),
        ("PA", "ex", graph, None),
        ("PD", "ex", None, None),
        END,
    ]


def test_unknown_fields_are_passed_over() -> None:
    """Unknown fields of any type are skipped, as Thrift requires, even strings without UTF-8."""
    unknown = b"".join(
        [
            b"\x08\x28\x02\xff\xfe",  # number 20: a string
            b"\x11\x12\x13\x05\x14\x05\x15\x05\x16\x05",  # numbers, and true and false
            b"\x17\0\0\0\0\0\0\0\0",  # a double
            b"\x19\x25\x01\x02\x1a\x15\x02\x1b\0\x1b\x01\x88\x01a\x01b",  # list, set, maps
            b"\x1c\x18\x01a\x1c\0\0",  # a struct
            b"\x1d" + bytes(16),  # a UUID
        ]
    )
    iri = b"\x1c\x18\x01a" + unknown + b"\0\0"
    statement = b"\x1c" + iri + b"\x1c" + iri + b"\x1c" + iri + unknown + b"\0"
    data = b"\x2c" + statement + b"\0"
    expected: Plain = ("A", ("iri", "a"), ("iri", "a"), ("iri", "a"), None)
    for source in (data, Pieces(data), Pieces(data, 13)):
        assert THRIFT.read(source) == [expected, END]


def test_numbers_in_more_bytes_than_they_need() -> None:
    data = b"\x2c\x1c\x1c\x18\x81\0a\0\0\x0c\x84\0\x1c\x18\x01p\0\0\x1c\x1c\x18\x01o\0\0\0\0"
    assert THRIFT.read(data) == [("A", ("iri", "a"), ("iri", "p"), ("iri", "o"), None), END]

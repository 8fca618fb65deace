"""Tests that bad input raises only an error with its position, in bounded memory."""

import io
import random
import tracemalloc
from typing import Any

import pytest
from hypothesis import given

import jelly_rdflib as jr
from tests.core.jelly.streams import damage
from tests.core.patch_wires import THRIFT
from tests.core.thrift.oracle import SCHEMA, encode, rows_to_bytes, term
from tests.core.thrift.test_batch_reader import DATA, END, SAMPLE, XSD, row_of
from tests.oracle import wire
from tests.oracle.terms import Plain
from tests.pieces import Pieces, breaking
from tests.strategies import dice

T = SCHEMA.RDF_Term
A = T(iri=SCHEMA.RDF_IRI(iri="a"))
NAME = SCHEMA.RDF_PrefixName(prefix="a", localName="b")
ROW: Plain = ("A", ("iri", "s"), ("iri", "p"), ("iri", "o"), None)


def literal(**fields: Any) -> Any:
    return T(literal=SCHEMA.RDF_Literal(lex="a", **fields))


def fault(data: bytes, **limits: int) -> jr.DecodeError:
    """Return the error for an input; check that pieces of the input produce the same error."""
    operations, error = THRIFT.attempt(data, **limits)
    assert error is not None, operations
    for size in (1, 5):
        operations_in_pieces, error_in_pieces = THRIFT.attempt(Pieces(data, size), **limits)
        assert operations_in_pieces == operations
        assert type(error_in_pieces) is type(error)
        assert (error_in_pieces.row, error_in_pieces.message) == (error.row, error.message)
    return error


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (T(), "none of the members of RDF_Term"),
        (T(prefixName=NAME), "prefixed name"),
        (T(variable=SCHEMA.RDF_VAR(name="a")), "variable of RDF_Term is not a term"),
        (T(any=SCHEMA.RDF_ANY()), "any of RDF_Term is not a term"),
        (T(undefined=SCHEMA.RDF_UNDEF()), "undefined of RDF_Term is not a term"),
        (T(repeat=SCHEMA.RDF_REPEAT()), "repeat of RDF_Term is not a term"),
        (literal(langtag="en_GB"), "not a language tag"),
        (literal(langtag="en", datatype="urn:d"), "language tag and a datatype"),
        (literal(dtPrefix=NAME), "prefixed name as datatype"),
        (literal(langtag="ar", baseDirection="rtl"), "base direction"),
        (T(iri=A.iri, bnode=SCHEMA.RDF_BNode(label="b")), "must have one member, but has 2"),
        (T(iri=A.iri, any=SCHEMA.RDF_ANY()), "RDF_Term must have one member, but has 2"),
        (T(valInteger=1, valDouble=1.0), "RDF_Term must have one member, but has 2"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_terms_that_are_none(message: Any, words: str) -> None:
    """A bad term is refused even after a similar good term, and in a quoted triple."""
    good = row_of(A) + row_of(term(("literal", "a", "ar", None)))
    for bad in (message, SCHEMA.RDF_Term(tripleTerm=SCHEMA.RDF_Triple(S=A, P=A, O=message))):
        error = fault(good + row_of(bad))
        assert words in error.message
        assert error.row == 3
        assert error.offset == len(good)
        assert f"(byte {len(good)}, row 3)" in str(error)


def row(**members: Any) -> bytes:
    return encode(SCHEMA.RDF_Patch_Row(**members))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x7c\0\0", "none of the members of RDF_Patch_Row"),
        (row(txn=4), "PatchTxn has no value 4"),
        (row(txn=-1), "PatchTxn has no value -1"),
        (row(txn=0, header=SCHEMA.Patch_Header(name="a", value=A)), "has 2"),
        (
            row(dataAdd=SCHEMA.Patch_Data_Add(s=A, p=A, o=A), dataDel=SCHEMA.Patch_Data_Del(s=A)),
            "RDF_Patch_Row must have one member, but has 2",
        ),
        (rows_to_bytes([("A", *ROW[1:4], ("triple", *ROW[1:4]))]), "can't be a graph"),
        (rows_to_bytes([("PD", "a", None, ("triple", *ROW[1:4]))]), "can't be a graph"),
        # The row has the field of a transaction twice.
        (b"\x65\0\x05\x0c\0\0", "field 6 of RDF_Patch_Row occurs twice"),
        # The object of a statement is a list.
        (b"\x2c" + (b"\x1c" + encode(A)) * 2 + b"\x19\x05\0\0", "Patch_Data_Add lacks"),
        # The term has its IRI twice.
        (b"\x1c\x18\x01k\x1c\x1c\x18\x01a\x08\x02\x01b\0\0\0\0", "field 1 of RDF_IRI occurs twice"),
        # The field number is 65537, which in 16 bits is 1.
        (b"\x1c\x18\x01k\x1c\x1c\x18\x01a\x08\x82\x80\x08\x01b\0\0\0\0", "number of a field"),
        # These types don't exist, neither alone nor in a list.
        (b"\x1e", "can't be a row"),
        (b"\x7f\0\0", "can't be a row"),
        (b"\x79\x10\0\0", "can't be a row"),
        # These numbers have too many bytes.
        (b"\x65" + b"\x80" * 5 + b"\0\0", "varint"),
        (b"\x1c\x18" + b"\x80" * 9 + b"\0", "varint"),
        (b"PK\x03\x04", "none of the members"),
        (b"H", "the input ends inside a row"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_rows_that_are_none(data: bytes, words: str) -> None:
    error = fault(data)
    assert words in error.message
    assert error.row == 1
    assert "is the input RDF Patch in Thrift at all?" in error.message
    error = fault(DATA + data)
    assert words in error.message
    assert "at all" not in error.message
    assert error.row == len(SAMPLE) + 1
    assert error.offset is not None
    assert len(DATA) <= error.offset <= len(DATA) + len(data)


@pytest.mark.parametrize(
    "text", [b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\x80"]
)
@pytest.mark.parametrize(
    ("start", "end"),
    [
        (b"\x1c\x18", b"\x1c\x1c\x18\x01a\0\0\0\0"),  # a header's key
        (b"\x1c\x18\x01k\x1c\x1c\x18", b"\0\0\0\0"),  # an IRI
        (b"\x1c\x18\x01k\x1c\x2c\x18", b"\0\0\0\0"),  # a blank node
        (b"\x1c\x18\x01k\x1c\x3c\x18", b"\0\0\0\0"),  # a literal
        (b"\x1c\x18\x01k\x1c\x3c\x18\x01a\x28", b"\0\0\0\0"),  # its datatype
        (b"\x4c\x28", b"\x18\x01i\0\0"),  # a prefix
        (b"\x4c\x28\x01a\x18", b"\0\0"),  # its IRI
        (b"\x5c\x28", b"\0\0"),  # a prefix that is deleted
    ],
)
def test_strings_that_are_not_utf_8(start: bytes, end: bytes, text: bytes) -> None:
    """Strings that are not UTF-8 are refused; thrift itself would silently replace the bytes."""
    assert THRIFT.attempt(start + b"\x01a" + end)[1] is None
    error = fault(start + bytes((len(text),)) + text + end)
    assert "UTF-8" in error.message


def test_truncated_at_every_byte() -> None:
    ends = [len(rows_to_bytes(SAMPLE[:count])) for count in range(len(SAMPLE) + 1)]
    for size in range(len(DATA)):
        data = DATA[:size]
        rows = sum(end <= size for end in ends) - 1
        operations, error = THRIFT.attempt(data)
        assert operations[:rows] == SAMPLE[:rows]
        if size in ends and not is_in_transaction(rows):
            assert error is None
            continue
        assert error is not None
        assert error.row == rows + 1
        assert error.offset == size
        words = "inside a transaction" if size in ends else "the input ends inside a row"
        assert words in error.message
        operations_in_pieces, error_in_pieces = THRIFT.attempt(Pieces(data))
        assert operations_in_pieces == operations
        assert str(error_in_pieces) == str(error)


def is_in_transaction(rows: int) -> bool:
    marks = [op[0] for op in SAMPLE[:rows] if op[0] in ("TX", "TC", "TA")]
    return marks[-1:] == ["TX"]


@given(dice)
def test_any_bytes_are_read_or_refused(chance: random.Random) -> None:
    for _ in range(20):
        data = any_bytes(chance)
        operations, error = THRIFT.attempt(data)
        if error is None:
            # The operations can be written and read again.
            assert THRIFT.read(THRIFT.write(operations)) == operations
        else:
            assert isinstance(error.row, int)
            assert isinstance(error.offset, int)
            assert 0 <= error.offset <= len(data)
        operations_in_pieces, error_in_pieces = THRIFT.attempt(Pieces(data, chance.randrange(1, 9)))
        assert operations_in_pieces == operations
        assert str(error_in_pieces) == str(error)


def any_bytes(chance: random.Random) -> bytes:
    """Return damaged rows, and sometimes random bytes."""
    data = bytearray(DATA if chance.random() < 0.8 else chance.randbytes(chance.randrange(1, 40)))
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        damage(data, chance)
    return bytes(data)


@pytest.mark.parametrize("size", [0, 1, 5, len(DATA)])
def test_errors_of_the_source_are_its_own(size: int) -> None:
    """An error of the source reaches the caller, both at a row's start and inside a row."""
    for error in (ValueError("closed"), OverflowError("mine"), OSError("disk"), MemoryError()):
        with pytest.raises(type(error)) as caught:
            THRIFT.read(breaking(error, DATA[:size]))
        assert caught.value is error
    with pytest.raises(TypeError, match="text file"):
        THRIFT.read(io.StringIO("TX ."))


NUMBER = T(valDecimal=SCHEMA.RDF_Decimal(value=-5, scale=2000))
STATEMENT: Plain = ("A", *SAMPLE[6][1:])
NESTED = SAMPLE[7]


@pytest.mark.parametrize(
    ("name", "data", "enough"),
    [
        ("max_frame_size", rows_to_bytes([STATEMENT] * 3), len(rows_to_bytes([STATEMENT]))),
        ("max_string_size", rows_to_bytes([STATEMENT] * 3), len(XSD + "integer")),
        ("max_text_size", rows_to_bytes([STATEMENT] * 3), len(XSD + "integer" + "b.1p1")),
        ("max_nesting_depth", rows_to_bytes([NESTED] * 3), 2),
        # The text consists of the digits, preceded by a sign, a zero and a point.
        ("max_string_size", row_of(NUMBER), len("-0.") + 2000),
        ("max_text_size", row_of(NUMBER), len("k" + XSD + "decimal" + "-0.") + 2000),
        # The row has 8 bytes. The first 1024 characters are free, and the digits and the rest
        # count 22 more.
        ("max_expansion", row_of(NUMBER), -((1024 - 22 - 2000) // 8)),
    ],
)
def test_where_a_limit_starts_to_hold(name: str, data: bytes, enough: int) -> None:
    most = {"max_nesting_depth": 1000, "max_expansion": 1 << 24}.get(name, (1 << 31) - 1)
    for value in (0, enough - 1, enough, enough + 1, most):
        for source in (data, Pieces(data), Pieces(data, 1000)):
            operations, error = THRIFT.attempt(source, **{name: value})
            if value >= enough:
                assert error is None
                assert operations[-1] == END
            else:
                assert operations == []
                assert type(error) is jr.LimitError
                assert name in error.message
                assert error.row == 1
                assert error.offset is not None
                assert error.offset <= len(data)


def test_nesting_that_jena_can_not_read() -> None:
    for levels in (30, 31, 32, 90):
        term = A
        for _ in range(levels):
            term = T(tripleTerm=SCHEMA.RDF_Triple(S=A, P=A, O=term))
        if levels == 30:
            assert THRIFT.attempt(row_of(term))[1] is None
        else:
            error = fault(row_of(term))
            assert type(error) is jr.LimitError
            assert "30 levels" in error.message


class TestLimits:
    @pytest.mark.parametrize(
        "size", [1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 35) - 1]
    )
    @pytest.mark.parametrize("start", [b"\x1c\x18", b"\x1c\x98"])
    def test_of_a_string_is_kept_before_it_is_read(self, start: bytes, size: int) -> None:
        """The limit is checked before a string is read, even in an unknown field."""
        tracemalloc.start()
        try:
            _, error = THRIFT.attempt(start + wire.varint(size) + b"x", max_string_size=1 << 20)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert type(error) is jr.LimitError
        assert peak < 1 << 21

    @pytest.mark.parametrize("data", [b"\x79\xf8\xff\xff\xff\x7f\x01", b"\x7b\xff\xff\xff\x7f\x88"])
    def test_of_a_list_is_kept_before_it_is_read(self, data: bytes) -> None:
        assert type(fault(data)) is jr.LimitError

    @pytest.mark.parametrize(
        ("start", "rest"),
        [
            (b"\x1c\x18\xff\xff\xff\x03", b"x"),
            (b"\x79\xf3\xff\xff\x3f", b"\0"),
            (b"", b"\x08\x02\x01x"),
            (b"\x1c", b"\x08\x14\x01x"),
        ],
        ids=["string", "list", "strings", "unknown fields"],
    )
    def test_of_an_endless_row(self, start: bytes, rest: bytes) -> None:
        """An endless row uses no more memory than the limit allows."""

        source = Pieces(start + rest * ((4 << 20) // len(rest)), 1 << 16)
        tracemalloc.start()
        try:
            _, error = THRIFT.attempt(source, max_frame_size=1 << 20)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert type(error) is jr.LimitError
        assert source.at <= 2 << 20
        assert peak < 8 << 20

    @pytest.mark.parametrize(
        ("value", "scale"), [(1, 1 << 16), (1, -(1 << 31)), (7, (1 << 31) - 1)]
    )
    def test_of_what_a_decimal_stands_for(self, value: int, scale: int) -> None:
        message = SCHEMA.RDF_Term(valDecimal=SCHEMA.RDF_Decimal(value=value, scale=scale))
        error = fault(row_of(message))
        assert type(error) is jr.LimitError
        assert "max_expansion" in error.message

    @pytest.mark.parametrize("levels", [1000, 100_000])
    @pytest.mark.parametrize(
        ("unit", "end"),
        [
            (b"\x9c\x1c", b"\x1c\x18\x01a\0\0"),
            (b"\x9c\x1c\x1c\x18\x01a\0\0\x1c", b"\x1c\x18\x01a\0\0"),
            (b"\x7c", b"\0"),
            (b"\x79\x1c\x7c", b"\0"),
            (b"\x7b\x01\x8c\x01a", b"\0"),
        ],
        ids=["subjects", "predicates", "structs", "lists", "maps"],
    )
    def test_of_nesting_without_end(self, unit: bytes, end: bytes, levels: int) -> None:
        data = b"\x2c\x1c" + unit * levels + end
        _, error = THRIFT.attempt(data, max_nesting_depth=1000)
        assert type(error) is jr.LimitError
        assert error.row == 1

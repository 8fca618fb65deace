"""Tests how text is read: positions of faults, pieces, limits, damage."""

import random
from typing import Any

import pytest
from hypothesis import given

import jelly_rdflib as jr
from tests.core.patch_wires import TEXT
from tests.core.text import reference, soup
from tests.pieces import Chunks, Pieces
from tests.strategies import dice

END = ("END",)

SAMPLE = """\
# A patch.
H id <uuid:1> .
H "two words" "é"@en .
TX .
PA "ex" <http://example.org/> <g> .
PD ex .
A <http://example.org/s> <http://example.org/p> "a \\"quoted\\" \\u00e9" <_:g> .
D _:b.1 <p> -1.5e3 . A << <s> <p> <<( _:a <p> true )>> >> <p> '''long
  ' string\\n'''^^<http://www.w3.org/2001/XMLSchema#string> . # end
TC .
Z .
TX . TA .
""".encode()


@pytest.mark.parametrize(
    ("text", "line", "column", "offset"),
    [
        ("B <s> <p> <o> .", 1, 1, 0),
        ("  B <s> <p> <o> .", 1, 3, 2),
        ("TX .\nTC .\nTC .", 3, 1, 10),
        ("TX .\r\nTC .\r\n  TC .", 3, 3, 14),
        ("A <s> <p> .", 1, 11, 10),
        ("A <s> <p> <o> . A <s> x <o> .", 1, 23, 22),
        ("A <é> <日本> \U0001f600 .", 1, 12, 16),
        ("A <s> <p>\n\n  <o> <g> <x> .", 3, 11, 21),
        ("A <s> <p> '''a\nbé''' <g> x .", 2, 11, 26),
        ('A <s> <p> "é\\q" .', 1, 13, 13),
        ('A <s> <p> "o"@e1 .', 1, 15, 14),
        ("A <s s> <p> <o> .", 1, 5, 4),
        ("A <s> <p> <o>", 1, 14, 13),
        ("A <s> <p> <o>\n", 2, 1, 14),
        ("TX .\n# a\nA <s> <p> <o> .\n", 4, 1, 25),
        ("\ufeffB .", 1, 1, 3),
        ("# é\nB .", 2, 1, 5),
    ],
)
def test_place_of_a_fault(text: str, line: int, column: int, offset: int) -> None:
    for source in (text.encode(), Pieces(text.encode()), Pieces(text.encode(), 5)):
        _, error = TEXT.attempt(source)
        assert error is not None
        assert (error.line, error.column, error.offset) == (line, column, offset), error
        assert f"(line {line}, column {column}, byte {offset})" in str(error)


def test_place_of_a_fault_far_behind() -> None:
    """The reader counts lines and columns across batches, in long lines and in many lines."""
    rows = "A <s> <p> 'é' . " * 700
    for text, line, column in [
        (rows + "B.", 1, 16 * 700 + 1),
        (rows.replace(". ", ".\n") + " B.", 701, 2),
        (rows + "\n" + rows + "B.", 2, 16 * 700 + 1),
        (rows.replace("'é'", "'''\né\n'''") + "B.", 1401, 7),
    ]:
        data = text.encode()
        for source in (data, Pieces(data, 1000), Pieces(data, 7)):
            operations, error = TEXT.attempt(source)
            assert error is not None
            assert len(operations) % 700 == 0
            assert (error.line, error.column, error.offset) == (line, column, len(data) - 2)


def test_rows_come_as_soon_as_they_are_there() -> None:
    live = Chunks([b"TX", b" .\n", b"A <s> <p> <o> .\n", b"TC .\n"])
    reader = TEXT.batches(live)
    # The reader needs the first four bytes to detect whether the data is compressed.
    for asked, op in ((3, jr.Op.TX), (4, jr.Op.A), (5, jr.Op.TC)):
        assert list(next(reader).ops) == [op]
        assert live.asked == asked
    assert list(next(reader).ops) == [jr.Op.END]
    with pytest.raises(StopIteration):
        next(reader)


@given(dice)
def test_as_the_reference(chance: random.Random) -> None:
    for make in (soup.tokens, soup.rows):
        assert_as_reference(make(chance), chance)


def assert_as_reference(data: bytes, chance: random.Random) -> None:
    expected = reference.read(data)
    operations, error = TEXT.attempt(data)
    assert operations == expected.operations, data
    assert (error is None) == (expected.fault is None), (data, expected, error)
    for size in (1, chance.randint(2, 9)):
        in_pieces, error_in_pieces = TEXT.attempt(Pieces(data, size))
        assert in_pieces == operations, data
        assert str(error_in_pieces) == str(error), data


def test_batches_are_small() -> None:
    rows = b"A <s> <p> <o> .\n" * 4000
    sizes = [len(batch) for batch in TEXT.batches(rows)]
    # The reader reads the last rows separately.
    assert sizes[:3] == [1024, 1024, 1024]
    assert sum(sizes) == 4001
    assert max(sizes) == 1024
    rows = b'A <s> <p> "%s" .\n' % (b"x" * 100_000) * 9
    assert [len(batch) for batch in TEXT.batches(rows)][:2] == [3, 3]


def test_text_without_rows_is_not_a_batch() -> None:
    comments = b"# comment\n\n" * 100_000
    assert [len(batch) for batch in TEXT.batches(comments + b"TX . TC .")] == [2, 1]
    assert [len(batch) for batch in TEXT.batches(Pieces(comments, 1000))] == [1]


def test_terms_of_a_row_that_is_not_whole_are_not_in_the_batch() -> None:
    row = b"A <s> <p> <o> .\n"
    for tail in (b"A <x> <y> z .", b"A <x> <y> <", b"A <x> <y> << <z> "):
        reader = TEXT.batches(row + tail)
        assert len(next(reader).terms) == 4


def test_limit_of_a_row() -> None:
    row = b'A <s> <p> "%s" .' % (b"x" * 100)
    for source in (row, b"\n" + row + b"\n", Pieces(row), Pieces(row * 3, 50)):
        assert TEXT.attempt(source, max_frame_size=len(row))[1] is None
    for data in (row, b"\n \n" + row + b"\n", row[:-2] + b"\n" * 9):
        for source in (data, Pieces(data), Pieces(data, 30)):
            operations, error = TEXT.attempt(source, max_frame_size=len(row) - 1)
            assert operations == []
            assert type(error) is jr.LimitError
            assert "max_frame_size" in str(error)


def test_limit_of_a_comment() -> None:
    for source in (b"#" * 101, Pieces(b"#" * 101), b"TX #" + b"x" * 200 + b"\n. TC ."):
        _, error = TEXT.attempt(source, max_frame_size=100)
        assert type(error) is jr.LimitError


def test_endless_row_takes_no_more_memory_than_allowed() -> None:
    class Endless:
        given = 0

        def read(self, size: int) -> bytes:
            self.given += size
            return b'A <s> <p> "' if self.given == size else b"x" * size

    source = Endless()
    _, error = TEXT.attempt(source, max_frame_size=1 << 20)
    assert type(error) is jr.LimitError
    assert source.given <= 4 << 20


@pytest.mark.parametrize(
    "term",
    ["<{}>", "<_:{}>", "_:{}", '"{}"', '"""{}"""', '"x"@{}', '"x"^^<{}>'],
)
def test_limit_of_a_string(term: str) -> None:
    for size, kind in ((20, type(None)), (21, jr.LimitError)):
        row = f"A <s> <p> {term.format('x' * size)} .".encode()
        assert type(TEXT.attempt(row, max_string_size=20)[1]) is kind


def test_limit_of_a_string_counts_what_escapes_mean() -> None:
    assert TEXT.attempt(rb'A <s> <p> "\u00e9\n" .', max_string_size=3)[1] is None
    assert type(TEXT.attempt(rb'A <s> <p> "\u00e9\n" .', max_string_size=2)[1]) is jr.LimitError
    assert TEXT.attempt(rb"A <s> <p> <\u00e9> .", max_string_size=2)[1] is None


def test_limit_of_nesting() -> None:
    def nested(depth: int) -> bytes:
        return b"A <s> <p> " + b"<< <s> <p> " * depth + b"<o>" + b" >>" * depth + b" ."

    assert TEXT.attempt(nested(3), max_nesting_depth=3)[1] is None
    assert type(TEXT.attempt(nested(4), max_nesting_depth=3)[1]) is jr.LimitError
    assert TEXT.attempt(nested(100))[1] is None
    assert type(TEXT.attempt(nested(100_000))[1]) is jr.LimitError


def test_reading_from_its_own_source() -> None:
    class Tricky:
        def __init__(self) -> None:
            self.reader: Any = None

        def read(self, size: int) -> bytes:
            next(self.reader)
            return b""

    source = Tricky()
    source.reader = TEXT.batches(source)
    with pytest.raises(ValueError, match="already reading"):
        next(source.reader)

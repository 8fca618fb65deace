"""Tests how the text reader continues after invalid rows."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from jelly_rdflib.core.text import TextBatchReader
from jelly_rdflib.nodes import make_node_factory
from tests.core.patch_wires import TEXT
from tests.core.text import soup
from tests.oracle.terms import Plain, plain_operation
from tests.pieces import Pieces
from tests.strategies import dice

END = ("END",)


def go_on(source: Any, **limits: int) -> tuple[list[Plain], list[jr.DecodeError]]:
    """Return the operations of a text without its invalid rows, and the errors of these rows."""
    errors: list[jr.DecodeError] = []
    batches = TextBatchReader(source, make_node_factory(False), jr.Limits(**limits), faults=errors)
    return [plain_operation(op) for batch in batches for op in batch], errors


def places(text: str | bytes, **limits: int) -> list[tuple[int | None, int | None]]:
    data = text.encode() if isinstance(text, str) else text
    operations, errors = go_on(data, **limits)
    for size in (1, 7):
        again = go_on(Pieces(data, size), **limits)
        assert again[0] == operations
        assert list(map(str, again[1])) == list(map(str, errors))
    return [(error.line, error.column) for error in errors]


BAD_ROWS = [
    "A <s> <p> .",
    "A <s> <p> ex:o .",
    'A <s> <p> "o .',
    'A <s> <p> "o"" .',
    "A <s> <p> 'it's' .",
    'A <s> <p> "\\q" .',
    'A <s> <p> "o"@1 .',
    "A <s <p> <o> .",
    "A <s> <p> <o>",
    "A",
    "A << <s> <p> <o> > <p> <o> .",
    'A <s> <p> """o\n" \\q""" .',
    "A <s> <p> '''it's\nA long '' \\x\nstring''' .",
    "A <s>\n  <p>\n  x .",
    "A <s>\n  <p\n  <o> .",
    "B <s> <p> <o> .",
    "+ <s> <p> <o> .",
    "PA ex: <x> .",
    "H id .",
    "H prev <x>",
    "@prefix ex: <x> .",
    "<s> <p> <o> .",
    "garbage\nin two lines",
    "A <s> <p> \ufffe .",
]

GOOD_ROWS = [
    "A <s> <p> <o> .",
    "D <s> <p> 1.5 .",
    'A <s>\n  <p> "o" .',
    "A <s> <p> '''two\nlines''' .",
    '# a comment, and "a quote\n',
    "PA ex <x> .",
    "H id <x> . # a comment",
    "TX . TC .",
    "TX .\nA <s> <p> <o> .\nTA .",
    "Z .",
]


@given(
    st.lists(st.sampled_from(GOOD_ROWS), max_size=4),
    st.sampled_from(BAD_ROWS),
    st.lists(st.sampled_from(GOOD_ROWS), max_size=4),
    st.integers(1, 40),
)
def test_one_bad_row_is_one_fault(before: list[str], bad: str, after: list[str], size: int) -> None:
    def text(rows: list[str]) -> bytes:
        return "".join(f"{row}\n" for row in rows).encode()

    good, none = TEXT.attempt(text(before + after))
    assert none is None
    bad_at = len(text(before))
    data = text([*before, bad, *after])
    for source in (data, Pieces(data, size)):
        operations, (error,) = go_on(source)
        # If the bad row is alone in its patch, the reader still returns the END of that patch.
        assert operations == good or operations == [*good, END]
        assert error.offset is not None
        assert bad_at <= error.offset <= len(data)


class TestWhereItGoesOn:
    def test_behind_the_dot_of_the_row(self) -> None:
        assert places("A x . A y . D <s> <p> <o> . A z .") == [(1, 3), (1, 9), (1, 31)]

    def test_at_the_next_line_that_starts_like_a_row(self) -> None:
        assert places("A <s>\n<p>\nA x .") == [(3, 1), (3, 3)]
        assert places("A <s>\n\t A x .") == [(2, 3), (2, 5)]

    def test_not_at_a_line_in_a_string(self) -> None:
        assert places("A x '''\nA <s> <p> .\n''' .\nA y .") == [(1, 3), (4, 3)]

    def test_a_string_without_an_end_is_one_line(self) -> None:
        assert places("A <s> <p> '''x .\nA <s> <p> <o> .\nA x .\n") == [(4, 1), (3, 3)]
        error = go_on(b"A <s> <p> '''x .\nA <s> <p> <o> .\nA x .\n")[1][0]
        assert error.message == "the input ends inside a row, which starts in line 1"

    def test_a_row_that_is_too_long(self) -> None:
        text = "A <s> <p> '''x\n" + "A <s> <p> <o> .\n" * 20
        operations, errors = go_on(text.encode(), max_frame_size=100)
        assert [type(error) for error in errors] == [jr.LimitError]
        assert operations == [("A", ("iri", "s"), ("iri", "p"), ("iri", "o"), None)] * 20 + [END]

    def test_a_line_that_ends_with_a_dot_ends_what_is_no_row(self) -> None:
        assert places('"x\ny\nz .\nB .\n"x\n\nB .') == [(1, 1), (4, 1), (5, 1), (7, 1)]

    def test_behind_a_comment_that_is_not_utf8(self) -> None:
        assert places(b"# \xff A\nA <s> <p> <o> . # \xff\nA x .") == [(1, 1), (2, 17), (3, 3)]

    def test_line_and_column_count_on(self) -> None:
        text = "  A é x . A 'é\n日 A <s> .\n  A\n<s> x ."
        assert places(text) == [(1, 5), (1, 15), (4, 5)]


class TestTransactions:
    def test_nobody_is_blamed_twice(self) -> None:
        for text in [
            "TX x .\nTC .",
            "TX .\nTC x .",
            "TX .\nTA <x> .\nTX .\nTC .",
            "T X .\nTC .",
            "TX .\nT C .\nTX .\nTC .",
            "TX .\nT C .\n",
            "TX .\nT C .\nZ .",
            "TX .\nZ x .\nTX .\nTC .",
        ]:
            assert len(places(text)) == 1, text

    def test_each_mark_out_of_place_is_told(self) -> None:
        assert places("TC .\nTA .\nTX .\nTX .\nZ .\nTC .\nTX .") == [
            *((1, 1), (2, 1), (4, 1), (5, 1), (6, 1)),
            (7, 5),
        ]

    def test_doubt_ends_with_the_next_mark(self) -> None:
        assert places("B .\nTC .\nTC .") == [(1, 1), (3, 1)]
        assert places("A x .\nTC .") == [(1, 3), (2, 1)]

    def test_marks_stay_in_the_operations(self) -> None:
        operations, _ = go_on(b"TX .\nTX .\nZ .\nTC .\nTC x .")
        assert operations == [("TX",), ("TX",), END, ("TC",), ("TC",), END]


def test_what_rdflib_writes_is_read_but_wrong() -> None:
    text = "H prev <x>\nTX .\nTC .\n"
    assert TEXT.attempt(text.encode())[1] is None
    assert places(text) == [(2, 1)]


@given(dice)
def test_of_any_soup_all_is_read_or_told(rng: random.Random) -> None:
    """Reading ends, the first error is that of the strict reader, and pieces make no difference."""
    data = soup.tokens(rng)
    found, error = TEXT.attempt(data)
    operations, errors = go_on(data)
    if errors and errors[0].message == "expected the dot that ends the row":
        pass  # rdflib may write such rows.
    elif error is None:
        assert errors == []
    else:
        assert str(errors[0]) == str(error)
        assert operations[: len(found)] == found
    again = go_on(Pieces(data, rng.randint(1, 9)))
    assert again[0] == operations
    assert list(map(str, again[1])) == list(map(str, errors))
    offsets = [error.offset for error in errors]
    assert all(offset is not None and offset <= len(data) for offset in offsets)


def test_places_of_rows_are_kept_for_faults_only() -> None:
    reader = TextBatchReader(b"TX .", make_node_factory(False), jr.Limits())
    next(reader)
    with pytest.raises(ValueError, match="not kept"):
        reader.locate([0])
    reader = TextBatchReader(b"\n TX . TC .", make_node_factory(False), jr.Limits(), faults=[])
    next(reader)
    assert reader.locate([0, 1]) == [(2, 2, 2), (7, 2, 7)]
    with pytest.raises(IndexError):
        reader.locate([1024])

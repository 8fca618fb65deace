"""Tests reports in HTML: escaped, truncated, folded, and readable in light and dark notebooks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.display.html import report_html
from jelly_rdflib.display.operations import operations_html
from jelly_rdflib.display.table import Bar, Table
from tests.display.cells import Cells

S, P = URIRef("urn:s"), URIRef("http://example.org/p")
EVIL = "<script>'\"</script>"


@given(st.text(), st.text(), st.integers())
def test_text_of_strangers_is_no_markup(name: str, value: str, number: int) -> None:
    table = Table((name + EVIL, "n"), [(value + EVIL, number)], EVIL)
    html = report_html(EVIL, [value + EVIL, table])
    assert "<script" not in html
    assert Cells(html).rows[1][1] == f"{number:,}"


def test_a_long_table_is_folded_and_cut() -> None:
    assert Cells(report_html("x", [Table(("n",), [(1,)] * 100)])).details == ["open"]
    cells = Cells(report_html("x", [Table(("n",), [(1,)] * 5000)]))
    assert cells.details == []
    assert len(cells.rows) == 1002
    assert cells.rows[-1] == ["… 4,000 more"]


def test_a_bar_has_both_parts() -> None:
    html = report_html("x", [Table(("b",), [(Bar(1, 3, 4),), (Bar(0, 0, 4),)], left=(0,))])
    assert "width:3.00em" in html
    assert "width:9.00em" in html
    assert html.count("<span") == 2


class Odd:
    def __repr__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    "odd",
    [3, None, (), (99, 1), ("A", S), (Op.PA,), (Op.PA, "x"), (Op.PA, 3, "urn:"), (Op.A, S), Odd()],
    ids=lambda odd: type(odd).__name__,
)
def test_what_is_no_operation_is_shown_too(odd: Any) -> None:
    assert Cells(operations_html("Patch", [odd, (Op.A, S, P, S, None)], 2)).rows[1][0] == "+"


def test_only_what_is_shown_is_read() -> None:
    def operations() -> Any:
        yield from [(Op.A, S, P, S, None)] * 1000
        raise AssertionError("the thousand and first was read")

    assert "999,000 more" in operations_html("Patch", operations(), 1_000_000)


def test_a_quoted_triple_that_stands_for_a_long_text_is_cut() -> None:
    term: Any = S
    for _ in range(50):
        term = jr.TripleTerm(term, P, term)
    html = operations_html("Patch", [(Op.A, term, P, Literal("o"), None)], 1)
    assert len(html) < 5000
    assert "&lt;&lt; … &gt;&gt;" in html


def test_an_iri_of_many_parts_takes_no_time_that_grows_with_its_square() -> None:
    html = operations_html("Patch", [(Op.A, URIRef("urn:" + "/" * 3_000_000), P, S, None)], 1)
    assert "(3,000,004 characters)" in html

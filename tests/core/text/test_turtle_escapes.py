"""Escapes in Turtle, wherever the pieces of the text begin."""

from __future__ import annotations

import pytest

from jelly_rdflib.core.text import TurtleEscapes

GOOD = [
    r":a\~b :a\-\_\.\!\$\&\'\(\)\*\+\,\;\=\/\?\#\@\% .",
    r'"\n\t\"\\" "" "\u0039" . :a\,b',
    r"'\n\'' '' :a\'",
    '"""a"b""c\\"\\"""" :a\\~',
    "'''a'b''c\\n\"''' \"'\" :a\\~",
    "# it's a \\u comment\r<urn:a\\u0039> <urn:#'\"> :a\\~",
    r'<<( <urn:s> :p "\n" )>> << :a\~ <urn:p> 1 >> <> :a\~',
    r'"\U0001F600 \u00e9 \uD7FF \ue000 \u0de0"',
    "'''a\n'b''\r\n''' 'a' \r\n \"b\" \"\"\"\n\"\"\"",
    "",
]
BAD = [
    (r":a|\u0039", 1),
    (r":a\~b :c\|n", 0),
    (r'"" :a\|"', 0),
    (r'"\\" :a\|\ ', 0),
    ('"""a\\"""" :a" """ :a\\|n', 0),
    ("'' '\\'' :a\\|t", 0),
    ("# '\n:a\\|b", 0),
    (r"<urn:'> <> <<( :a\|u", 0),
    (r'"\u00e9\uD|83D\uDE00"', 0),
    (r"'''\u0De0\ud|c00'''", 0),
    ('"a|\nb"', 0),
    ("'|\r'", 0),
    ('"""\n""" "\\n|\n"', 0),
]


def find(text: str, size: int) -> int:
    data, escapes = text.encode(), TurtleEscapes()
    for start in range(0, len(data), size):
        fault = escapes.find_fault(data[start : start + size])
        if fault >= 0:
            return start + fault
    return -1


@pytest.mark.parametrize("size", [1, 2, 3, 5, 999])
class TestPieces:
    @pytest.mark.parametrize("text", GOOD)
    def test_good(self, text: str, size: int) -> None:
        assert find(text, size) == -1

    @pytest.mark.parametrize(("text", "more"), BAD)
    def test_bad(self, text: str, more: int, size: int) -> None:
        """A bar stands where the fault is, or so many bytes before it."""
        assert find(text.replace("|", ""), size) == text.index("|") + more


def test_other_classes_are_refused() -> None:
    with pytest.raises(TypeError):
        TurtleEscapes().find_fault(None)  # type: ignore[arg-type]

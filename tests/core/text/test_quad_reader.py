"""N-Triples and N-Quads: rule by rule, against pyoxigraph, in pieces, and hostile."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from tests.formats.syntaxes import texts
from tests.formats.syntaxes.reference import assert_same, outcome
from tests.formats.syntaxes.support import LINES, literal, read
from tests.oracle.terms import DEFAULT_GRAPH, Plain
from tests.pieces import Pieces

S, P, O, G = (("iri", f"urn:{letter}") for letter in "spog")  # noqa: E741
B = ("bnode", "b")
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TRIPLE = "<urn:s> <urn:p> <urn:o> .\n"


def object_of(text: str, **arguments: Any) -> Plain:
    """Return the term that a text is, as an object."""
    [(s, p, o)] = read(f"<urn:s> <urn:p> {text} .\n", "n-triples", **arguments)
    assert (s, p) == (S, P)
    return o


def refuse(text: str | bytes, format: str = "n-triples", **arguments: Any) -> str:
    data = text.encode() if isinstance(text, str) else text
    _, error = outcome(data, format, **arguments)
    assert error is not None, text
    return f"{type(error).__name__}: {error}"


class TestDocument:
    """Rules [1], [2] and [7] of N-Triples: ``triple? (EOL triple)* EOL?``."""

    @pytest.mark.parametrize("at", [7, 15, 23])
    @pytest.mark.parametrize("end", ["\n", "\r", "#\n"])
    def test_a_statement_has_one_line(self, at: int, end: str) -> None:
        text = TRIPLE[:at] + end + TRIPLE[at:]
        assert "the line ends inside a statement" in refuse(text)

    @pytest.mark.parametrize("text", ["<urn:s> <urn:p> <urn:o>", "<urn:s> <urn:p>", "<urn:s", "_:"])
    def test_the_dot_must_be_there(self, text: str) -> None:
        refuse(text)
        refuse(text + "\n" + TRIPLE)

    def test_a_byte_order_mark_comes_first(self) -> None:
        mark = "\ufeff".encode()
        assert len(read(mark + TRIPLE.encode(), "n-triples")) == 1
        refuse(mark + mark + TRIPLE.encode())

    @pytest.mark.parametrize("text", [b"# \xff\n", b'<urn:s> <urn:p> "\xff" .', b"<\xc3\x28> ."])
    def test_it_is_utf_8(self, text: bytes) -> None:
        """pyoxigraph takes any bytes in a comment."""
        assert "UTF-8" in refuse(text)

    @pytest.mark.parametrize(
        "text",
        ["@prefix a: <urn:> .", "BASE <urn:>", 'VERSION "1.2"', "<urn:s> a <urn:o> .",
         "<urn:s> <urn:p> <urn:o>, <urn:o> .", "<urn:s> <urn:p> [] .", "a:b <urn:p> <urn:o> ."],
    )  # fmt: skip
    def test_it_is_no_turtle(self, text: str) -> None:
        for format in LINES:
            refuse(text, format)


class TestStatement:
    """Rules [2] to [5]: which terms may stand where."""

    def test_graphs(self) -> None:
        text = "<urn:s> <urn:p> <urn:o> <urn:g> .\n_:b<urn:p>_:b _:b.\n" + TRIPLE
        expected = [(S, P, O, G), (B, P, B, B), (S, P, O, DEFAULT_GRAPH)]
        assert read(text, "n-quads") == expected
        assert "expected the dot" in refuse(text)

    @pytest.mark.parametrize("subject", ['"x"', "<<( <urn:s> <urn:p> <urn:o> )>>", "'x'", "1"])
    def test_a_subject_is_an_iri_or_a_blank_node(self, subject: str) -> None:
        refuse(f"{subject} <urn:p> <urn:o> .")

    @pytest.mark.parametrize("predicate", ["_:b", '"x"', "<<( <urn:s> <urn:p> <urn:o> )>>", "a"])
    def test_a_predicate_is_an_iri(self, predicate: str) -> None:
        refuse(f"<urn:s> {predicate} <urn:o> .")

    @pytest.mark.parametrize("graph", ['"x"', "<<( <urn:s> <urn:p> <urn:o> )>>", "<urn:g> <urn:g>"])
    def test_a_graph_is_an_iri_or_a_blank_node(self, graph: str) -> None:
        refuse(f"<urn:s> <urn:p> <urn:o> {graph} .", "n-quads")

    def test_the_default_graph_of_jena_is_an_iri_as_any(self) -> None:
        [(*_, g)] = read("<urn:s> <urn:p> <urn:o> <urn:x-arq:DefaultGraph> .", "n-quads")
        assert g == ("iri", "urn:x-arq:DefaultGraph")

    @pytest.mark.parametrize(
        "text",
        ["<< <urn:s> <urn:p> <urn:o> >>", "<<( <urn:s> <urn:p> <urn:o> ) >>", "<<( )>>",
         "<<( <urn:s> <urn:p> <urn:o> <urn:g> )>>", "<<( <urn:s> _:p <urn:o> )>>",
         '<<( "s" <urn:p> <urn:o> )>>', "<<( <<( <urn:s> <urn:p> <urn:o> )>> <urn:p> <urn:o> )>>",
         "<<( <urn:s> <urn:p>\n<urn:o> )>>", "<<( <urn:s> <urn:p> <urn:o>", "<<("],
    )  # fmt: skip
    def test_what_is_no_quoted_triple(self, text: str) -> None:
        refuse(f"<urn:s> <urn:p> {text} .")


class TestIri:
    """Rule [8], IRIREF."""

    @pytest.mark.parametrize("text", ["", "a", "//a/b", ":a", "_:b", "é:a", "1:a"])
    def test_relative_ones(self, text: str) -> None:
        assert "is relative" in refuse(f"<urn:s> <urn:p> <{text}> .")
        assert "is relative" in refuse(f'<urn:s> <urn:p> "x"^^<{text}> .')
        assert object_of(f"<{text}>", strict=False) == ("iri", text)

    @pytest.mark.parametrize("text", ["urn:%4", "http://a:b/", "http://[::g]/", "urn:a#b#c"])
    def test_bad_ones(self, text: str) -> None:
        assert "this is no IRI (line 1, column 17, byte 16)" in refuse(
            f"<urn:s> <urn:p> <{text}> ."
        )
        assert object_of(f"<{text}>", strict=False) == ("iri", text)

    @pytest.mark.parametrize("character", '<"{}|^` \t\0\x7f\x80')
    def test_characters_that_are_not_allowed(self, character: str) -> None:
        refuse(f"<urn:s> <urn:p> <urn:{character}> .")
        refuse(f"<urn:s> <urn:p> <urn:\\u{ord(character):04x}> .")
        iri = ("iri", f"urn:{character}")
        assert object_of(f"<urn:{character}>", strict=False) == iri
        assert object_of(f"<urn:\\u{ord(character):04X}>", strict=False) == iri

    @given(
        st.lists(st.sampled_from([*"01afF:.:", "::", "1.2.3.4", "256", "12345", "01"]), max_size=15)
    )
    def test_addresses_of_version_6(self, parts: list[str]) -> None:
        address = "".join(parts)
        try:
            ipaddress.IPv6Address(address)
        except ValueError:
            refuse(f"<http://[{address}]/> <urn:p> <urn:o> .")
        else:
            assert object_of(f"<http://[{address}]/>") == ("iri", f"http://[{address}]/")


class TestLiteral:
    """Rules [6], [9] and [144s]."""

    @pytest.mark.parametrize(
        "text",
        [r'"\x"', r'"\u12"', r'"\U00110000"', r'"\uD800"', r'"\uD83D\uDE00"', '"a\nb"', '"a\rb"',
         '"a', '"""a"""', "'a'", '"\\', "1", "true"],
    )  # fmt: skip
    @pytest.mark.parametrize("strict", [True, False])
    def test_what_is_no_string(self, text: str, strict: bool) -> None:
        """If it is not strict, pyoxigraph takes line breaks and pairs of surrogates."""
        refuse(f"<urn:s> <urn:p> {text} .", strict=strict)

    @pytest.mark.parametrize("tag", ["en--ltr", "en--rtl", "en--xyz"])
    def test_a_direction_is_an_error(self, tag: str) -> None:
        for strict in (True, False):
            assert "direction" in refuse(f'<urn:s> <urn:p> "x"@{tag} .', strict=strict)

    @pytest.mark.parametrize("name", ["langString", "dirLangString"])
    def test_datatypes_of_literals_with_a_tag(self, name: str) -> None:
        assert "language tag" in refuse(f'<urn:s> <urn:p> "x"^^<{RDF}{name}> .')
        assert object_of(f'"x"^^<{RDF}{name}>', strict=False) == literal("x", None, RDF + name)


class TestBlankNode:
    """Rule [141s], without the colons that the test suite of the W3C refuses."""

    @pytest.mark.parametrize("label", ["", "-", ".a", "·", "a:", ":", "a:b", r"a\u0041", "a!"])
    def test_bad_ones(self, label: str) -> None:
        refuse(f"<urn:s> <urn:p> _:{label} .")
        refuse(f"_:{label} <urn:p> <urn:o> .")


FRAGMENTS = [
    *("<urn:s>", '"x"', "_:b", " ", ".", "\n", "\r", "<<(", ")>>", "@en", "@EN-gb", "^^", '"'),
    *("\\", "\\u0041", "\\n", "#", "\t", "'", "<", ">", ":", "-", "1", "a", "é", "_:", "\f", ".b"),
    *("<http://[::1]>", f"<{XSD}string>", "{", "|", "--ltr", "_", "(", ")", "%", "/", "?", "é"),
]


@st.composite
def damaged_lines(draw: st.DrawFn) -> str:
    """Lines with some characters replaced by others."""
    text = "".join(draw(st.lists(st.sampled_from(texts.LINES), min_size=1, max_size=3)))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        new = draw(st.sampled_from(["", *FRAGMENTS]))
        text = text[:at] + new + text[at + draw(st.integers(0, 2)) :]
    return text


damaged_texts = damaged_lines() | st.lists(st.sampled_from(FRAGMENTS), max_size=9).map("".join)


@given(damaged_texts, st.sampled_from(LINES), st.booleans())
def test_they_are_those_of_pyoxigraph(text: str, format: str, strict: bool) -> None:
    assert_same(text.encode(), format, strict=strict)


@given(damaged_texts, st.integers(1, 40), st.sampled_from(LINES), st.booleans())
def test_pieces_make_no_difference(text: str, size: int, format: str, strict: bool) -> None:
    data = text.encode()
    whole, error = outcome(data, format, strict=strict)
    found, other_error = outcome(Pieces(data, size), format, strict=strict)
    assert (found, str(other_error)) == (whole, str(error))


@given(
    damaged_texts,
    st.sampled_from([{"max_string_size": 6}, {"max_frame_size": 30}]),
    st.integers(1, 40),
)
def test_limits_in_pieces(text: str, limits: dict[str, int], size: int) -> None:
    """The same statements come before the fault; a line that is too long may hide another one."""
    data = text.encode()
    whole, whole_error = outcome(data, "n-quads", limits=jr.Limits(**limits))
    found, error = outcome(Pieces(data, size), "n-quads", limits=jr.Limits(**limits))
    assert found == whole
    assert (error is None) == (whole_error is None)


class TestHostile:
    @pytest.mark.parametrize("format", LINES)
    def test_deep_ones(self, format: str) -> None:
        for levels in (101, 200_000):
            deep = "<urn:s> <urn:p> " + "<<( <urn:s> <urn:p> " * levels + '"o"' + " )>>" * levels
            error = refuse(TRIPLE + deep + " .\n", format)
            assert "LimitError" in error
            assert "max_nesting_depth" in error

    @pytest.mark.parametrize(
        "start", ['<urn:s> <urn:p> "', "<urn:", "_:", "# ", '<urn:s> <urn:p> "x"@', "<urn:s> "]
    )
    @pytest.mark.parametrize("size", [1 << 18, 1000])
    def test_a_long_line(self, start: str, size: int) -> None:
        """Whatever it is that is long, the size of a line bounds it."""
        more = b" " if start.endswith("> ") else b"a"
        data = TRIPLE.encode() + start.encode() + more * 2_000_000
        limits = jr.Limits(max_frame_size=100_000)
        for source in (data, Pieces(data, size)):
            found, error = outcome(source, "n-triples", limits=limits)
            assert found == [(S, P, O)]
            assert isinstance(error, jr.LimitError)
            assert "row of more than 100000 bytes (limit max_frame_size)" in str(error)

    def test_a_long_line_in_small_pieces_takes_no_time(self) -> None:
        """Each byte is looked for a line's end once."""
        data = b'<urn:s> <urn:p> "' + b"x" * 6_000_000 + b'" .'
        [(_, _, o)] = jr.read_statements(Pieces(data, 4096), format="nt")
        assert len(o) == 6_000_000

    def test_long_strings(self) -> None:
        limits = jr.Limits(max_string_size=100)
        for text in ('"{}"', "<urn:{}>", "_:{}", '"x"@{}', '"x"^^<urn:{}>', '"\\n{}"'):
            line = f"<urn:s> <urn:p> {text.format('a' * 200)} ."
            assert "max_string_size" in refuse(line, limits=limits, strict=False)

"""Tests N-Triples and N-Quads: each rule, pyoxigraph's results, pieces, and hostile input."""

import ipaddress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jelly_rdflib as jr
from tests.formats.syntaxes import texts
from tests.formats.syntaxes.reference import assert_same, outcome
from tests.formats.syntaxes.support import LINES, read
from tests.pieces import Pieces

S, P, O = (("iri", f"urn:{letter}") for letter in "spo")  # noqa: E741
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TRIPLE = "<urn:s> <urn:p> <urn:o> .\n"


def refuse(text: str | bytes, format: str = "n-triples", **arguments: Any) -> str:
    data = text.encode() if isinstance(text, str) else text
    _, error = outcome(data, format, **arguments)
    assert error is not None, text
    return f"{type(error).__name__}: {error}"


def objects(*texts: str) -> list[str]:
    return [f"<urn:s> <urn:p> {text} ." for text in texts]


QUOTED = "<<( <urn:s> <urn:p> <urn:o> )>>"
BAD_IRIS = ["", "a", "//a/b", ":a", "_:b", "é:a", "1:a", "urn:%4", "http://a:b/", "http://[::g]/",
            "urn:a#b#c"]  # fmt: skip
BAD_IRIS += [f"urn:{character}" for character in '<"{}|^` \t\0\x7f\x80']
BAD_IRIS += [f"urn:\\u{ord(character):04x}" for character in '<"{}|^` \t\0\x7f\x80']
BAD_LABELS = ["", "-", ".a", "·", "a:", ":", "a:b", r"a\u0041", "a!"]
RULES: dict[str, list[str]] = {
    "a statement has one line": [
        *(TRIPLE[:at] + end + TRIPLE[at:] for at in (7, 15, 23) for end in ("\n", "\r", "#\n")),
        *("<urn:s> <urn:p> <urn:o>", "<urn:s> <urn:p>", "<urn:s", "_:"),
        *(f"{text}\n{TRIPLE}" for text in ("<urn:s> <urn:p> <urn:o>", "<urn:s> <urn:p>", "_:")),
    ],
    "it is not Turtle": [
        *("@prefix a: <urn:> .", "BASE <urn:>", "<urn:s> a <urn:o> .", "a:b <urn:p> <urn:o> ."),
        *objects("<urn:o>, <urn:o>", "[]", "1", "true", "'a'", '"""a"""'),
    ],
    "a byte order mark comes first": [f"\ufeff{TRIPLE}", f"\ufeff\ufeff{TRIPLE}"],
    "graphs": ["<urn:s> <urn:p> <urn:o> <urn:g> .\n_:b<urn:p>_:b _:b.\n" + TRIPLE],
    "a subject is an IRI or a blank node": [
        f"{subject} <urn:p> <urn:o> ." for subject in ('"x"', QUOTED, "'x'", "1")
    ],
    "a predicate is an IRI": [f"<urn:s> {p} <urn:o> ." for p in ("_:b", '"x"', QUOTED, "a")],
    "a graph is an IRI or a blank node": objects(
        '<urn:o> "x"', f"<urn:o> {QUOTED}", "<urn:o> <urn:g> <urn:g>"
    ),
    "quoted triples": objects(
        "<< <urn:s> <urn:p> <urn:o> >>", "<<( <urn:s> <urn:p> <urn:o> ) >>", "<<( )>>",
        "<<( <urn:s> <urn:p> <urn:o> <urn:g> )>>", "<<( <urn:s> _:p <urn:o> )>>",
        '<<( "s" <urn:p> <urn:o> )>>', f"<<( {QUOTED} <urn:p> <urn:o> )>>",
        "<<( <urn:s> <urn:p>\n<urn:o> )>>", "<<( <urn:s> <urn:p> <urn:o>", "<<(",
    ),
    "IRIs": objects(*(f"<{iri}>" for iri in BAD_IRIS), *(f'"x"^^<{iri}>' for iri in BAD_IRIS)),
    "literals": objects(
        r'"\x"', r'"\u12"', r'"\U00110000"', r'"\uD800"', '"a', '"\\',
        *(f'"x"@en--{direction}' for direction in ("ltr", "rtl", "xyz", "LTR", "", "rtl-b")),
        *(f'"x"^^<{RDF}{name}>' for name in ("langString", "dirLangString")),
    ),
    "labels": [
        *objects(*(f"_:{label}" for label in BAD_LABELS)),
        *(f"_:{label} <urn:p> <urn:o> ." for label in BAD_LABELS),
    ],
}  # fmt: skip


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("rule", RULES)
def test_rules_are_those_that_pyoxigraph_keeps(rule: str, strict: bool) -> None:
    for text in RULES[rule]:
        for format in LINES:
            assert_same(text.encode(), format, strict=strict)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TRIPLE[:15] + "\n" + TRIPLE[15:], "the line ends inside a statement"),
        ("<urn:s> <urn:p> <urn:o> <urn:g> .", "expected the dot"),
        *((text, "is relative") for text in objects("<a>", '"x"^^<a>')),
        (objects("<urn:%4>")[0], "this is not an IRI (line 1, column 17, byte 16)"),
        (objects('"x"@en--LTR')[0], "direction"),
        (objects(f'"x"^^<{RDF}langString>')[0], "language tag"),
    ],
)
def test_what_is_wrong_is_told(text: str, words: str) -> None:
    assert words in refuse(text)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("text", ['"a\nb"', '"a\rb"', r'"\uD83D\uDE00"'])
def test_what_pyoxigraph_takes_if_it_is_not_strict(text: str, strict: bool) -> None:
    refuse(objects(text)[0], strict=strict)


@pytest.mark.parametrize("text", [b"# \xff\n", b'<urn:s> <urn:p> "\xff" .', b"<\xc3\x28> ."])
def test_it_is_utf_8(text: bytes) -> None:
    """Invalid UTF-8 is refused, even in a comment, where pyoxigraph accepts any bytes."""
    assert "UTF-8" in refuse(text)


@given(st.lists(st.sampled_from([*"01afF:.:", "::", "1.2.3.4", "256", "12345", "01"]), max_size=15))
def test_addresses_of_version_6(parts: list[str]) -> None:
    address = "".join(parts)
    text = f"<http://[{address}]/> <urn:p> <urn:o> ."
    try:
        ipaddress.IPv6Address(address)
    except ValueError:
        refuse(text)
    else:
        assert read(text, "n-triples") == [(("iri", f"http://[{address}]/"), P, O)]


FRAGMENTS = [
    *("<urn:s>", '"x"', "_:b", " ", ".", "\n", "\r", "<<(", ")>>", "@en", "@EN-gb", "^^", '"'),
    *("\\", "\\u0041", "\\n", "#", "\t", "'", "<", ">", ":", "-", "1", "a", "é", "_:", "\f", ".b"),
    *("<http://[::1]>", f"<{XSD}string>", "{", "|", "--ltr", "_", "(", ")", "%", "/", "?", "é"),
]


@st.composite
def damaged_lines(draw: st.DrawFn) -> str:
    """Draw lines with some characters replaced by others."""
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
    """The statements before the fault are the same; a line that is too long may hide a fault."""
    data = text.encode()
    whole, whole_error = outcome(data, "n-quads", limits=jr.Limits(**limits))
    found, error = outcome(Pieces(data, size), "n-quads", limits=jr.Limits(**limits))
    assert found == whole
    assert (error is None) == (whole_error is None)


class TestHostile:
    @pytest.mark.parametrize(
        "start", ['<urn:s> <urn:p> "', "<urn:", "_:", "# ", '<urn:s> <urn:p> "x"@', "<urn:s> "]
    )
    @pytest.mark.parametrize("size", [1 << 18, 1000])
    def test_a_long_line(self, start: str, size: int) -> None:
        """The limit on the size of a line applies to any part of the line."""
        more = b" " if start.endswith("> ") else b"a"
        data = TRIPLE.encode() + start.encode() + more * 2_000_000
        limits = jr.Limits(max_frame_size=100_000)
        for source in (data, Pieces(data, size)):
            found, error = outcome(source, "n-triples", limits=limits)
            assert found == [(S, P, O)]
            assert isinstance(error, jr.LimitError)
            assert "row of more than 100000 bytes (limit max_frame_size)" in str(error)

    def test_a_long_line_in_small_pieces_takes_no_time(self) -> None:
        """The reader searches each byte only once for the end of the line."""
        data = b'<urn:s> <urn:p> "' + b"x" * 6_000_000 + b'" .'
        [(_, _, o)] = jr.read_statements(Pieces(data, 4096), format="nt")
        assert len(o) == 6_000_000

    def test_long_strings(self) -> None:
        limits = jr.Limits(max_string_size=100)
        for text in ('"{}"', "<urn:{}>", "_:{}", '"x"@{}', '"x"^^<urn:{}>', '"\\n{}"'):
            line = f"<urn:s> <urn:p> {text.format('a' * 200)} ."
            assert "max_string_size" in refuse(line, limits=limits, strict=False)

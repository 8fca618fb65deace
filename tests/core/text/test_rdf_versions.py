"""Tests RDF 1.2's VERSION in line formats and in Turtle, also with the W3C's tests."""

from pathlib import Path

import pytest

import jelly_rdflib as jr
from tests.pieces import Pieces

LINE = "<urn:s> <urn:p> <urn:o> ."
UNKNOWN = "unknown RDF version: it must be 1.1, 1.2 or 1.2-basic"
# The grammars of N-Triples and N-Quads require VERSION in capitals, on its own line, with a string
# in double quotes.
GOOD = [
    *(f'VERSION "{version}"' for version in ("1.1", "1.2", "1.2-basic")),
    *('VERSION"1.2"', ' \tVERSION\t "1.2" # why not', f'VERSION "1.1"\n\n{LINE}\r\nVERSION "1.2"'),
    f'# a comment\n\nVERSION "1.2"\n{LINE}\n{LINE}',
]
BAD = {
    'VERSION "1.3"': UNKNOWN,
    'VERSION ""': f"{UNKNOWN}|ends inside a",
    'VERSION "1.2 "': UNKNOWN,
    'VERSION "\\u0031.2"': UNKNOWN,
    "VERSION '1.2'": "expected a version of RDF",
    "VERSION 1.2": "expected a version of RDF",
    'VERSION """1.2"""': UNKNOWN,
    'VERSION\n"1.2"': "the line ends inside a statement",
    "VERSION": "ends inside a",
    'VERSION "1.2': "ends inside a|line break",
    'VERSION "1.2" .': "only one statement",
    f'VERSION "1.2" {LINE}': "only one statement",
    f'{LINE} VERSION "1.2"': "only one statement",
    'version "1.2"': "expected a term",
    'Version "1.2"': "expected a term",
    'VERSIONS "1.2"': "expected a version of RDF",
    '@version "1.2" .': "expected a term",
    "VER": "expected a term|ends inside a",
}


@pytest.mark.parametrize("format", ["n-triples", "n-quads"])
@pytest.mark.parametrize("size", [1, 3, 999])
class TestLines:
    @pytest.mark.parametrize("text", GOOD)
    def test_good(self, text: str, format: str, size: int) -> None:
        for end in ("", "\n", f"\n{LINE}"):
            found = list(jr.read_statements(Pieces((text + end).encode(), size), format=format))
            assert len(found) == (text + end).count(LINE)

    @pytest.mark.parametrize("text", BAD)
    def test_bad(self, text: str, format: str, size: int) -> None:
        for end in ("", f"\n{LINE}"):
            data = f"{LINE}\n{text}{end}".encode()
            with pytest.raises(jr.DecodeError, match=BAD[text]) as caught:
                list(jr.read_statements(Pieces(data, size), format=format))
            assert caught.value.line in (2, 3)


def test_a_limit_bounds_the_line() -> None:
    limits = jr.Limits(max_frame_size=100)
    for text in (" " * 200 + '"1.2"', '"' + "1" * 200 + '"'):
        data = Pieces(b"VERSION " + text.encode(), 50)
        with pytest.raises(jr.LimitError, match="max_frame_size"):
            list(jr.read_statements(data, format="n-triples", limits=limits))


@pytest.mark.parametrize("size", [1, 7, 999])
@pytest.mark.parametrize("format", ["turtle", "trig"])
class TestTurtle:
    def test_good(self, format: str, size: int) -> None:
        for version in ('VERSION "1.2"', "@version '1.2-basic' .", "version '1.1'"):
            data = f"{version}\n{LINE}\n{version} {LINE}".encode()
            assert len(list(jr.read_statements(Pieces(data, size), format=format))) == 2

    def test_bad(self, format: str, size: int) -> None:
        for version in ('VERSION "1.3"', "@version '2' .", 'VERSION """1.2"""', "@version 1.2 ."):
            data = f"{LINE}\n{version}\n{LINE}".encode()
            with pytest.raises(jr.DecodeError) as caught:
                list(jr.read_statements(Pieces(data, size), format=format))
            assert caught.value.line == 2
            if version[-2] == "3":
                assert caught.value.message == UNKNOWN


def test_it_is_no_rdf_patch() -> None:
    with pytest.raises(jr.DecodeError):
        list(jr.read_operations(b'VERSION "1.2"\n', format="rdf-patch"))


def test_the_first_bytes_of_a_text_may_be_a_version() -> None:
    with pytest.raises(jr.DecodeError, match="name its format"):
        list(jr.read_statements(b'VERSION "1.2"\n'))


def test_paths(tmp_path: Path) -> None:
    (path := tmp_path / "a.nt").write_text(f'VERSION "1.2"\n{LINE}')
    assert len(list(jr.read_statements(path))) == 1

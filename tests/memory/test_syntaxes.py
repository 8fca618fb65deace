"""Memory that is taken is given back: the parser is another library's, where no collector looks."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

import jelly_rdflib as jr
from tests.pieces import Pieces
from tests.support import assert_nothing_is_kept

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XML_START = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="urn:e#"><rdf:Description rdf:about="urn:s">'
XML_END = "</rdf:Description></rdf:RDF>"
TURTLE = "<urn:s> <urn:p> <urn:o> . "

# A text, and one that is wrong, of each syntax.
TEXTS = {
    "n-triples": (TURTLE, f"{TURTLE}<urn:s> . "),
    "n-quads": (TURTLE, f"{TURTLE}<urn:s> . "),
    "turtle": (TURTLE, f"{TURTLE}] "),
    "trig": (TURTLE, f"{TURTLE}] "),
    "n3": (TURTLE, f"{TURTLE}] "),
    "rdf-xml": (f"{XML_START}<e:p>x</e:p>{XML_END}", f"{XML_START}<e:p>x</e:q>{XML_END}"),
    "json-ld": (
        '[{"@id": "urn:s", "urn:p": "x"}]',
        '[{"@id": "urn:s", "urn:p": "x"}, {"@id": 5}]',
    ),
}


class BrokenFile:
    """A file that can't be read any further, and keeps the error."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._error = OSError("the disk is broken")

    def read(self, size: int) -> bytes:
        data, self._data = self._data, b""
        if not data:
            raise self._error
        return data


def read_all(source: Any, format: str) -> None:
    assert sum(map(len, jr.read_batches(source, format=format))) > 0


@pytest.mark.slow
@pytest.mark.parametrize("format", TEXTS)
@pytest.mark.parametrize(
    "make_source", [bytes, lambda data: Pieces(data, 7)], ids=["", "in pieces"]
)
def test_nothing_is_kept_of_what_is_refused(
    format: str, make_source: Callable[[bytes], Any]
) -> None:
    data = TEXTS[format][1].encode()

    def work() -> None:
        with pytest.raises(jr.DecodeError):
            read_all(make_source(data), format)

    assert_nothing_is_kept(work)


@pytest.mark.slow
def test_nothing_is_kept_if_nobody_reads_as_far_as_the_error() -> None:
    """The source has failed already: the parser is given more than it needs for a batch."""
    data = gzip.compress(b"<a:> <a:> <a:> .\n" * 1100)[:-4]
    assert len(next(jr.read_batches(data, format="turtle"))) < 1100
    with pytest.raises(jr.DecodeError, match="gzip"):
        read_all(data, "turtle")
    assert_nothing_is_kept(lambda: next(jr.read_batches(data, format="turtle")))


@pytest.mark.slow
@pytest.mark.parametrize("format", TEXTS)
def test_nothing_is_kept_of_what_breaks_off(format: str) -> None:
    text = TEXTS[format][0].encode()

    def work() -> None:
        with pytest.raises(OSError, match="the disk is broken"):
            read_all(BrokenFile(text[: len(text) // 2]), format)

    assert_nothing_is_kept(work)


class BrokenSink:
    """A file that can't be written any further, and keeps the error."""

    def __init__(self) -> None:
        self._error = OSError("the disk is full")

    def write(self, data: bytes) -> int:
        raise self._error


@pytest.mark.slow
@pytest.mark.parametrize("format", TEXTS)
def test_nothing_is_kept_of_what_can_not_be_written(format: str) -> None:
    [batch] = jr.read_batches(TURTLE.encode(), format="turtle")

    def work() -> None:
        with (
            pytest.raises(OSError, match="the disk is full"),
            jr.StatementWriter(BrokenSink(), format=format) as writer,
        ):
            writer.write_all(batch)

    assert_nothing_is_kept(work)

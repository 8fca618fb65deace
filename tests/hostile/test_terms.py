"""Tests long terms, for which some code stores or computes more than their text."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from rdflib.namespace import RDF, XSD

import jelly_rdflib as jr
from tests.hostile.support import read_hostile, write_pieces

LONG = 6_000_000


def add(o: bytes) -> bytes:
    return b"TX .\nA <urn:s> <urn:p> %b .\nTC .\n" % o


def repeated(start: bytes, part: bytes, size: int = LONG) -> bytes:
    return start + part * (size // len(part))


TAGS = {
    "subtags": repeated(b"a", b"-a"),
    "extensions": repeated(b"en", b"-a-bb"),
    "private subtags": repeated(b"x", b"-a"),
}


def many_tags() -> Iterable[bytes]:
    return (b"en-x-%d" % number + repeated(b"", b"-abc", 1_000_000) for number in range(150))


def write_as(format: str, path: Path, rows: Iterable[bytes]) -> Path:
    """Write rows of text in a format, one row at a time."""
    if format == "rdf-patch":
        return write_pieces(path, rows)
    with jr.PatchWriter(path, format=format) as writer:
        for text in rows:
            for batch in jr.read_batches(text, format="rdf-patch"):
                writer.write_all(batch)
    return path


@pytest.mark.parametrize(
    ("format", "kind"),
    [
        *(("rdf-patch", kind) for kind in TAGS),
        ("rdf-patch-thrift", "extensions"),
        ("jelly-patch", "extensions"),
    ],
)
def test_long_tags(format: str, kind: str, tmp_path: Path) -> None:
    path = write_as(format, tmp_path / "input", [add(b'"x"@' + TAGS[kind])])
    reports = read_hostile(["batches", "validate"], format, path)
    assert {report.error for report in reports.values()} == {None}
    # A tag must start with a letter, and frames of this size cause a warning.
    found = (kind == "subtags") + (format == "jelly-patch")
    assert reports["validate"].result == found, reports


def test_many_long_tags_checked(tmp_path: Path) -> None:
    path = write_pieces(tmp_path / "input", (add(b'"x"@' + tag) for tag in many_tags()))
    [report] = read_hostile(["validate"], "rdf-patch", path).values()
    assert (report.error, report.result) == (None, 0), report


def test_an_address_of_many_parts(tmp_path: Path) -> None:
    path = write_pieces(tmp_path / "input", [add(b"<http://[%b::]/>" % repeated(b"12", b":12"))])
    [report] = read_hostile(["validate"], "rdf-patch", path).values()
    assert (report.error, report.result) == (None, 1), report


@pytest.mark.slow
def test_booleans_that_are_none(tmp_path: Path) -> None:
    """Invalid booleans stay small, though rdflib warns about each and Python keeps its warnings."""
    rows = (
        add(b'"%d %b"^^<%b>' % (n, repeated(b"", b"x", 1_000_000), str(XSD.boolean).encode()))
        for n in range(300)
    )
    path = write_pieces(tmp_path / "input", rows)
    [report] = read_hostile(["operations"], "rdf-patch", path).values()
    # Each patch has three rows and an END.
    assert (report.error, report.result) == (None, 901), report


@pytest.mark.slow
def test_small_xml_literals(tmp_path: Path) -> None:
    """The term cache does not keep rdflib's trees of XML literals."""
    rows = (
        add(b'"%d%b"^^<%b>' % (n, b"<a b=''/>x" * 24, str(RDF.XMLLiteral).encode()))
        for n in range(12_500)
    )
    path = write_pieces(tmp_path / "input", rows)
    [report] = read_hostile(["operations"], "rdf-patch", path).values()
    assert (report.error, report.result) == (None, 37_501), report

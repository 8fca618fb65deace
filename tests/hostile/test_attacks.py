"""Tests hostile input that breaks no rule: it is read in bounded memory."""

from pathlib import Path

import pytest
from rdflib.namespace import RDF, XSD

import jelly_rdflib as jr
from benchmarks.reliability.curves import KINDS
from jelly_rdflib import Op
from tests.hostile.attacks import (
    ADD,
    ATTACKS,
    DATATYPE,
    HEADER,
    MIB,
    delimited,
    iri,
    patch_head,
    row,
)
from tests.hostile.support import read_hostile, write_pieces
from tests.oracle import build, wire

# Some attacks are only for plotting time, and others have a fixed size.
READ = [
    *((kind.attack, kind.use) for kind in KINDS),
    ("endless transaction", "patches"),
    ("numbers with exponents", "apply"),
    ("numbers with exponents", "parse"),
    ("empty graphs", "parse"),
    ("turtle long name", "pieces"),
    ("json long string", "pieces"),
]
SIZES = {
    "small patches": 1 << 14,
    "rings of blank nodes": 1 << 16,
    "star of blank nodes": 1 << 16,
    "long rows": 16 * MIB,
    "turtle long name": 2 * MIB,
    "json long string": 4 * MIB,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({name for name, _ in READ}))
def test_an_attack(name: str, tmp_path: Path) -> None:
    attack = ATTACKS[name]
    attack.write(tmp_path / "input", SIZES.get(name, MIB // 2))
    uses = [use for each, use in READ if each == name]
    for use, report in read_hostile(uses, attack.format, tmp_path / "input").items():
        # The input ends after a piece, inside a transaction.
        expected = "DecodeError" if name == "endless transaction" else None
        assert report.error == expected, report
        assert report.result > 0 or expected or use in ("parse", "validate")


def test_the_largest_frames_that_are_allowed(tmp_path: Path) -> None:
    """A frame with the maximum number of distinct terms, one per row, is read in bounded memory."""
    count = jr.Limits().max_frame_terms - 10
    rows = (row(ADD, wire.field(2, b"%x" % number)) for number in range(count))
    path = write_pieces(tmp_path / "input", [delimited(patch_head()), delimited(b"".join(rows))])
    reports = read_hostile(["batches", "validate", "operations"], "jelly-patch", path)
    assert [report.error for report in reports.values()] == [None, None, None]
    assert reports["operations"].result > count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("datatype", "text", "count"),
    [
        # The maximum numbers of the terms for which rdflib makes the largest objects.
        (XSD.duration, "P%dY2M3DT4H5M6.7S", jr.Limits().max_frame_terms // 2 - 10),
        (RDF.XMLLiteral, "%d", jr.Limits().max_xml_tags // 10),
        (RDF.XMLLiteral, "%d" + "<a/>" * (jr.Limits().max_xml_tags - 10), 1),
        (RDF.XMLLiteral, "<a b='%d'/>" + "<a b=''/>" * 60_000, 1),
        (XSD.dateTime, "2001-02-03T04:05:06.%06dZ", jr.Limits().max_frame_terms - 10),
    ],
)
def test_the_most_values_that_are_allowed(
    datatype: str, text: str, count: int, tmp_path: Path
) -> None:
    rows = (
        row(ADD, wire.field(11, wire.field(1, text.encode() % number) + wire.field(3, 2)))
        for number in range(count)
    )
    frame = row(DATATYPE, wire.field(2, str(datatype).encode())) + b"".join(rows)
    path = write_pieces(tmp_path / "input", [delimited(patch_head()), delimited(frame)])
    [report] = read_hostile(["operations"], "jelly-patch", path).values()
    assert report.error is None
    assert report.result == count + 2


def test_the_longest_strings_that_are_allowed(tmp_path: Path) -> None:
    """A long string is read, though a wide character makes Python use four bytes for each."""
    size = jr.Limits().max_string_size - 8
    rows = (
        row(ADD, wire.field(11, wire.field(1, "\U0001f600%d".encode() % number + b"x" * size)))
        for number in range(3)
    )
    frames = (delimited(each) for each in rows)
    path = write_pieces(tmp_path / "input", [delimited(patch_head()), *frames])
    reports = read_hostile(["batches", "operations", "text"], "jelly-patch", path)
    assert [report.error for report in reports.values()] == [None, None, None]


def test_a_frame_full_of_long_strings(tmp_path: Path) -> None:
    """A frame with the maximum amount of text, and a wide character in each string, is read."""
    size = jr.Limits().max_text_size // 4 - 100
    text = "\U0001f600".encode() + b"x" * size
    rows = (row(ADD, wire.field(11, wire.field(1, text + b"%d" % number))) for number in range(4))
    path = write_pieces(tmp_path / "input", [delimited(patch_head()), delimited(b"".join(rows))])
    [report] = read_hostile(["operations"], "jelly-patch", path).values()
    assert report.error is None


@pytest.mark.slow
def test_a_frame_full_of_faults(tmp_path: Path) -> None:
    """A frame with half a million repeated headers is validated in bounded memory."""
    header = row(HEADER, wire.field(1, b"id") + wire.field(2, iri(1, 1)))
    count = jr.Limits().max_frame_rows - 10
    path = write_pieces(tmp_path / "input", [delimited(patch_head()), delimited(header * count)])
    [report] = read_hostile(["validate"], "jelly-patch", path).values()
    assert report.error is None
    assert report.result >= count - 1


def test_numbers_with_exponents_stay_as_they_are() -> None:
    """Numbers keep their form, since rdflib's form of 1E999999999 would have a billion digits."""
    from decimal import Decimal

    for text, normal in (
        ("1E2", "100"),
        ("1E-3", "0.001"),
        ("01.50", "1.50"),
        ("1E99", "1" + "0" * 99),
        ("1E100", "1E100"),
        ("1e+999999999", "1e+999999999"),
        ("1E-999999999", "1E-999999999"),
        ("1E٩٩٩٩٩٩٩", "1E٩٩٩٩٩٩٩"),
        ("1E1_000_000", "1E1_000_000"),
    ):
        row_ = f'A <urn:s> <urn:p> "{text}"^^<http://www.w3.org/2001/XMLSchema#decimal> .'
        operation = next(jr.read_operations(row_.encode(), normalize=True))
        assert operation[0] == Op.A
        assert str(operation[3]) == normal
        assert operation[3].value == Decimal(text)


def test_an_error_shows_a_part_of_what_is_wrong() -> None:
    """An error about a subject that is a 6 MB literal shows only a part of the literal."""
    from rdflib import Dataset

    options = build.options(generalized_statements=True)
    subject = wire.field(3, wire.field(1, b"x" * 6_000_000))
    frame = build.frame(options, build.name("urn:p")) + row(
        ADD, subject + wire.field(5, wire.field(2, 1)) + wire.field(10, b"o")
    )
    with pytest.raises(jr.ApplyError) as caught:
        jr.apply(delimited(frame), Dataset())
    assert 100 < len(str(caught.value)) < 2000

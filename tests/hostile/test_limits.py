"""Tests for each limit that all uses refuse a file that exceeds it, in bounded memory."""

import dataclasses
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
import zstandard
from rdflib.namespace import RDF

import jelly_rdflib as jr
from tests.formats.syntaxes.support import ISOLATED
from tests.hostile.attacks import (
    ADD,
    ATTACKS,
    MIB,
    NAME,
    PREFIX,
    START,
    bomb,
    deep_triple,
    delimited,
    iri,
    packed,
    patch_head,
    row,
)
from tests.hostile.support import read_hostile, write_pieces
from tests.hostile.table import DEFAULTS, MESSAGES
from tests.oracle import build, wire

FEW = ("batches", "apply", "validate")
MOST = ("batches", "operations", "patches", "apply", "parse", "compact", "invert", "inspect")
ALL = (*MOST, "validate", "rewrite", "text")


@dataclass(frozen=True)
class Refused:
    """An input that exceeds a limit.

    Args:
        limit: The limit.
        name: The name of the input.
        pieces: Generates the pieces of the input.
        uses: The uses that refuse the input.
        format: The format of the input.
        limits: Limits other than the defaults.
    """

    limit: str
    name: str
    pieces: Callable[[], Iterable[bytes]]
    uses: tuple[str, ...] = FEW
    format: str = "jelly-patch"
    limits: dict[str, int] = field(default_factory=dict)


def options_with(**sizes: int) -> Callable[[], Iterable[bytes]]:
    return lambda: [build.stream([build.options(**sizes)])]


def one_frame(*rows: bytes) -> Iterable[bytes]:
    return [delimited(patch_head()), delimited(b"".join(rows))]


def xml_literal() -> Iterator[bytes]:
    datatype = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral"
    yield b'A <urn:s> <urn:p> "%s"^^<%s> .\n' % (b"<a b=''/>" * 100_000, datatype)


def string(size: int, letter: bytes = b"x") -> bytes:
    return letter * size


def too_many_rows() -> Iterable[bytes]:
    return one_frame(row(ADD) * (jr.Limits().max_frame_rows + 1))


def too_many_terms() -> Iterable[bytes]:
    return one_frame(
        *(row(ADD, wire.field(2, b"%x" % n)) for n in range(jr.Limits().max_frame_terms + 1))
    )


def concatenated_iri() -> Iterable[bytes]:
    """Yield an IRI of 10 MB, half of it from a prefix and half from a name."""
    return one_frame(
        row(PREFIX, wire.field(1, 2) + wire.field(2, string(5 * MIB))),
        row(NAME, wire.field(1, 2) + wire.field(2, string(5 * MIB))),
        row(ADD, wire.field(1, iri(2, 2))),
    )


def many_concatenated_iris() -> Iterable[bytes]:
    """Yield a prefix of 1 MB, and IRIs with this prefix that total 100 MB."""
    names = (row(NAME, wire.field(1, n) + wire.field(2, b"%d" % n)) for n in range(2, 102))
    uses = (row(ADD, wire.field(1, iri(2, n))) for n in range(2, 102))
    return one_frame(row(PREFIX, wire.field(1, 2) + wire.field(2, string(MIB))), *names, *uses)


def full_lookups() -> Iterator[bytes]:
    yield delimited(patch_head())
    for number in range(1, 40):
        yield delimited(row(NAME, wire.field(1, number) + wire.field(2, string(MIB))))


def iris_in_many_frames() -> Iterator[bytes]:
    """Yield a prefix of 200 KB, then frames of ten bytes, each with an IRI of this prefix."""
    yield delimited(patch_head())
    yield delimited(row(PREFIX, wire.field(1, 2) + wire.field(2, string(200_000))))
    yield from itertools.repeat(delimited(row(ADD, wire.field(1, iri(2, 1)))), 10_000)


def iris_in_a_transaction() -> Iterator[bytes]:
    """Yield one transaction of 20-byte frames that each expand to three IRIs of 20 KB."""
    yield delimited(patch_head())
    yield delimited(row(PREFIX, wire.field(1, 2) + wire.field(2, string(20_000))))
    for number in range(2, 1002):
        yield delimited(row(NAME, wire.field(1, number) + wire.field(2, b"%d" % number)))
    yield delimited(row(START))
    for number in range(10_000):
        terms = (iri(2, 2 + (number + step * 300) % 1000) for step in range(3))
        statement = zip((1, 5, 9), terms, strict=True)
        yield delimited(row(ADD, b"".join(wire.field(*each) for each in statement)))


def long_in(name: str) -> Callable[[], Iterable[bytes]]:
    def pieces() -> Iterable[bytes]:
        return [packed(b"".join(ATTACKS["ordinary patch"].up_to(MIB)), name)]

    return pieces


def up_to(name: str, size: int) -> Callable[[], Iterable[bytes]]:
    return lambda: ATTACKS[name].up_to(size)


REFUSED = [
    *(
        Refused(limit, f"options that ask for {size}", options_with(**{limit: size}), ALL[:1])
        for limit in ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")
        for size in (5000, (1 << 32) - 1)
    ),
    Refused("max_frame_size", "a length of 2 GB", lambda: [wire.varint(2 << 30)], ALL),
    Refused("max_frame_rows", "a frame of small rows", too_many_rows, ALL),
    Refused("max_frame_terms", "a frame of small terms", too_many_terms, ALL),
    Refused(
        "max_nesting_depth",
        "100,000 levels",
        lambda: one_frame(row(ADD, wire.field(12, deep_triple(100_000)))),
        ALL,
    ),
    Refused(
        "max_nesting_depth",
        "100,000 levels in text",
        lambda: [b"A <urn:s> <urn:p> " + b"<< <urn:s> <urn:p> " * 100_000 + b"1 >>" * 100_000],
        ("batches", "apply", "validate"),
        "rdf-patch",
    ),
    Refused(
        "max_string_size",
        "a literal",
        lambda: one_frame(row(ADD, wire.field(11, wire.field(1, string(9 * MIB))))),
        ALL,
    ),
    Refused("max_string_size", "an IRI of a prefix and a name", concatenated_iri, ALL),
    Refused(
        "max_string_size",
        "a literal in Thrift",
        # The row, its header, and the length of the header's key.
        lambda: [b"\x1c\x18" + wire.varint(9 * MIB), *[string(MIB)] * 9],
        ("batches", "apply", "validate"),
        "rdf-patch-thrift",
    ),
    Refused("max_xml_tags", "an XML literal", xml_literal, ("operations", "apply"), "rdf-patch"),
    Refused("max_text_size", "IRIs of one prefix", many_concatenated_iris, ALL),
    Refused("max_text_size", "lookups full of long names", full_lookups),
    Refused(
        "max_text_size",
        "headers of a patch",
        lambda: itertools.repeat(b'H a "b" .\n' * 10_000, 150),
        ("append", "concat"),
        "rdf-patch",
    ),
    Refused("max_expansion", "an IRI in many frames", iris_in_many_frames),
    Refused(
        "max_expansion", "IRIs in one transaction", iris_in_a_transaction, ("apply", "patches")
    ),
    *(
        Refused(
            "max_decompression_ratio", f"a bomb of {name}", partial(bomb, 200 * MIB, name), ALL[:4]
        )
        for name in ("gzip", "zstd")
    ),
    *(
        Refused(
            "max_decompressed_size",
            f"a stream in {name}",
            long_in(name),
            limits={"max_decompressed_size": 1 << 19},
        )
        for name in ("gzip", "zstd")
    ),
    Refused(
        "max_held_operations",
        "a transaction without end",
        up_to("endless transaction", 2 * MIB),
        ("apply", "parse", "patches", "compact"),
        limits={"max_held_operations": 50_000},
    ),
    Refused(
        "max_prefixes",
        "prefixes in one transaction",
        up_to("prefixes in one transaction", MIB),
        ("apply", "parse"),
    ),
    Refused("max_prefixes", "namespaces", up_to("namespaces", MIB), ("parse",), "jelly-rdf"),
    Refused(
        "max_prefixes",
        "prefixes in Turtle",
        up_to("turtle prefixes", 3 * MIB),
        ("batches",),
        "turtle",
    ),
    Refused(
        "max_frame_size",
        "a row of text without end",
        lambda: itertools.chain([b"A <urn:s>"], itertools.repeat(b"\n" * MIB, 20)),
        ("batches", "apply", "validate"),
        "rdf-patch",
    ),
    Refused(
        "max_parser_memory",
        "values in JSON-LD",
        lambda: itertools.chain([b'{"urn:p":[1'], itertools.repeat(b",1", 2_000_000), [b"]}"]),
        ("isolated",),
        "json-ld",
        {"max_parser_memory": 100 * MIB},
    ),
    Refused(
        "max_parser_seconds",
        "bases that grow",
        lambda: [b"@base <urn:a/> .\n", b"@base <bcdefghi/> .\n" * 50_000],
        ("isolated",),
        "turtle",
        {"max_parser_seconds": 1},
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [pytest.param(each, marks=ISOLATED if "isolated" in each.uses else ()) for each in REFUSED],
    ids=[f"{each.limit}-{each.name}" for each in REFUSED],
)
def test_a_limit(case: Refused, tmp_path: Path) -> None:
    path = write_pieces(tmp_path / "input", case.pieces())
    reports = read_hostile(case.uses, case.format, path, limits=case.limits)
    for use, report in reports.items():
        # Errors from rdflib's `parse` are also instances of rdflib's ParserError.
        expected = "ParserLimitError" if use == "parse" else "LimitError"
        assert report.error == expected, (use, report)
        assert f"limit {case.limit}" in report.message
        # The message must match the table in the documentation.
        assert MESSAGES[case.limit].search(report.message), report.message


def test_each_limit_has_a_case_and_a_row_in_the_documentation() -> None:
    defaults = dataclasses.asdict(jr.Limits())
    assert {case.limit for case in REFUSED} == defaults.keys()
    assert list(DEFAULTS.items()) == list(defaults.items())


@pytest.mark.parametrize(("name", "use"), [("gzip", "batches"), ("zstd", "bytes")])
def test_bombs_through_a_pipe_and_from_memory(name: str, use: str) -> None:
    [report] = read_hostile([use], "jelly-patch", bomb(200 * MIB, name)).values()
    assert report.error == "LimitError"
    assert "limit max_decompression_ratio" in report.message


def test_windows_of_zstd_that_are_read(tmp_path: Path) -> None:
    """The largest readable window, with the maximum amount of text in a frame."""
    content = b"".join(
        [
            delimited(patch_head()),
            *(delimited(row(ADD, wire.field(11, wire.field(1, os.urandom(1 << 20).hex().encode()))))
              for _ in range(12)),
            delimited(b"".join(
                row(ADD, wire.field(11, wire.field(1, b"%d" % n + string(MIB)))) for n in range(11)
            )),
        ]
    )  # fmt: skip
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=24)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    path = write_pieces(tmp_path / "input", [compressor.compress(content), compressor.flush()])
    [report] = read_hostile(["operations"], "jelly-patch", path).values()
    assert report.error is None, report


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "quoted", "tree", "graph"])
def test_what_is_kept_on_the_disk(kind: str) -> None:
    """Large statements are kept in a file on the disk, not in memory."""
    forms = {
        "text": f'"😀{"x" * MIB}"',
        "quoted": f'<< <urn:b> <urn:c> "{"x" * MIB}" >>',
        "tree": f'"{"<a/>" * 10_000}"^^<{RDF.XMLLiteral}>',
        "graph": f"<urn:o> <urn:{'x' * MIB}",
    }
    row = f"A <urn:s> <urn:p> {forms[kind]}".encode()
    end = b"%d> .\n" if kind == "graph" else b" <urn:g%d> .\n"
    for use in ("invert", "concat"):
        pieces = (row + end % number for number in range(60))
        [report] = read_hostile([use], "rdf-patch", pieces).values()
        assert report.error is None, report

"""Tests that readers and writers of each format release memory, also after errors."""

import gzip
import io
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.core.jelly import streams
from tests.core.jelly.formats import PATCH, RDF, in_row
from tests.core.jelly.statement_strategies import PHYSICAL_TYPES
from tests.core.text.test_text_reader import SAMPLE
from tests.core.thrift.oracle import rows_to_bytes
from tests.core.thrift.test_batch_reader import DATA
from tests.oracle import build, rdf_build
from tests.pieces import Chunks, Pieces
from tests.support import assert_nothing_is_kept, run

S, P = URIRef("urn:s"), URIRef("urn:p")
STATEMENTS = [
    (S, P, Literal("é", lang="fr")),
    (BNode("b"), P, Literal(1)),
    (S, P, Literal("x" * 500)),
]


@dataclass
class Form:
    """A format.

    Args:
        good: Valid streams.
        bad: Streams that are refused.
        limits: Limits that a valid stream exceeds.
        options: The options of each writer to test.
    """

    good: list[bytes]
    bad: list[bytes]
    limits: list[str] = field(default_factory=list)
    options: list[Any] = field(default_factory=lambda: [None])


def damaged(form: Any, build: Any, *more: bytes) -> list[bytes]:
    """Return bad Jelly streams; rows before the fault make readers allocate memory."""
    head = form.head()
    return [
        *more,
        head + b"\xff",
        build.delimited([head + in_row(2, b"\x1a\x03\x0a\x01x\x1a\x03\x0a\x01y" * 50)]),
        build.stream([build.options(max_name_table_size=5000)]),
    ]


RDF_STREAMS = [
    kind[each] for kind in (streams.SMALL, streams.REALISTIC) for each in streams.RDF_TYPES
]
NAMESPACE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XML_START = f'<rdf:RDF xmlns:rdf="{NAMESPACE}" xmlns:e="urn:e#"><rdf:Description rdf:about="urn:s">'
XML_END = "</rdf:Description></rdf:RDF>"
TURTLE = b"<urn:s> <urn:p> <urn:o> . "
LONG_ROW = rows_to_bytes([("H", "k", ("literal", "x" * 50_000, None, None))])

# The streams are made only once, since protobuf keeps some memory.
FORMS = {
    "jelly-patch": Form(
        [streams.PATCH_SMALL, streams.PATCH_REALISTIC, streams.PATCH_BARE],
        damaged(
            *(PATCH, build),
            *(streams.PATCH_REALISTIC[: len(streams.PATCH_REALISTIC) // 2],),
            *(streams.PATCH_SMALL[:-3],),
            build.delimited([PATCH.head() + in_row(2, b"\x12\x01s\x12\x01s\x2a\x02\x10\x07")]),
            build.stream(
                [build.options(rdf_star=True), build.header("k", build.triple("s", "p", "o"))]
            ),
        ),
        options=[jr.PatchOptions.small(frame_rows=2)],
    ),
    "jelly-rdf": Form(
        RDF_STREAMS,
        damaged(
            *(RDF, rdf_build),
            *(data[: len(data) // 2] for data in RDF_STREAMS),
            RDF.head() + b"\x7a\x05\x0a\x01k\x12\x05",
            rdf_build.delimited([RDF.head() + b"\x7a\x03\x0a\x01k" * 10 + in_row(2, b"")]),
            rdf_build.stream([rdf_build.options(stream_name=name * 100) for name in "xy"]),
        ),
        options=[
            jr.StreamOptions.small(physical_type=each, frame_rows=2, stream_name="x" * 100)
            for each in PHYSICAL_TYPES
        ],
    ),
    "rdf-patch": Form(
        [SAMPLE + b'A <s> <p> "%s" .\n' % (b"\\n" * 50_000)],
        [SAMPLE[:-5], SAMPLE[:200], b"B .", SAMPLE + b"\xff", b"A <s> <p> << <s> <p> ."],
        ["max_string_size", "max_text_size"],
    ),
    "rdf-patch-thrift": Form(
        [DATA + LONG_ROW],
        [DATA[:-5], DATA[:200], b"\x1e", DATA + b"\xff", b"\x2c\x1c" + b"\x9c\x1c" * 90],
        ["max_string_size", "max_text_size", "max_frame_size"],
    ),
    **{name: Form([TURTLE], [TURTLE + b"<urn:s> . "]) for name in ("n-triples", "n-quads")},
    **{name: Form([TURTLE], [TURTLE + b"] "]) for name in ("turtle", "trig", "n3")},
    "rdf-xml": Form(
        [f"{XML_START}<e:p>x</e:p>{XML_END}".encode()],
        [f"{XML_START}<e:p>x</e:q>{XML_END}".encode()],
    ),
    "json-ld": Form(
        [b'[{"@id": "urn:s", "urn:p": "x"}]'],
        [b'[{"@id": "urn:s", "urn:p": "x"}, {"@id": 5}]'],
    ),
}
HOLDS_CHANGES = ("jelly-patch", "rdf-patch", "rdf-patch-thrift")
SOURCES: list[Callable[[bytes], Any]] = [bytes, io.BytesIO, lambda data: Pieces(data, 9)]


def readers(name: str) -> list[Callable[..., Any]]:
    one_by_one = jr.read_operations if name in HOLDS_CHANGES else jr.read_statements
    return [jr.read_batches, one_by_one]  # type: ignore[list-item]


def read_all(name: str) -> None:
    for data in FORMS[name].good:
        for make in SOURCES[:2]:
            for read in readers(name):
                list(read(make(data), format=name))
        if name == "jelly-rdf":
            for frame in jr.read_frames(data):
                assert frame.namespaces is not frame.metadata
        if name in HOLDS_CHANGES:
            list(jr.read_patches(data, format=name))


def read_parts(name: str) -> None:
    for data in FORMS[name].good:
        for read in readers(name):
            next(read(io.BytesIO(data), format=name))
        batches = jr.read_batches(data, format=name)
        batch = next(batches)
        views = [memoryview(getattr(batch, each)) for each in ("ops", "s", "p", "o", "g")]
        list(batch.terms)
        repr(batch)
        del batch, batches
        assert len({len(view.tolist()) for view in views}) == 1


def read_bad(name: str) -> None:
    for data in FORMS[name].bad:
        for make in SOURCES:
            with pytest.raises(jr.DecodeError):
                list(readers(name)[1](make(data), format=name))
    for limit in FORMS[name].limits:
        with pytest.raises(jr.LimitError):
            list(jr.read_batches(FORMS[name].good[0], format=name, limits=jr.Limits(**{limit: 10})))


class Broken:
    """A file that fails after its data or when written to, always with the same error object."""

    def __init__(self, data: bytes = b"") -> None:
        self._data = data
        self._error = OSError("the disk is broken")

    def read(self, size: int) -> bytes:
        data, self._data = self._data, b""
        if not data:
            raise self._error
        return data

    def write(self, data: bytes) -> int:
        raise self._error


def read_what_breaks_off(name: str) -> None:
    data = FORMS[name].good[0]
    with pytest.raises(OSError, match="the disk is broken"):
        list(jr.read_batches(Broken(data[: len(data) // 2]), format=name))


def writers(name: str, file: Any) -> Iterator[Any]:
    make: Any = jr.PatchWriter if name in HOLDS_CHANGES else jr.StatementWriter
    for options in FORMS[name].options:
        yield make(file, format=name) if options is None else make(file, options)


def write_all(name: str) -> None:
    for writer in writers(name, io.BytesIO()):
        for statement in STATEMENTS:
            writer.add(*statement)
        if name == "jelly-rdf":
            writer.end_frame({"k": b"v" * 100})
        for batch in jr.read_batches(TURTLE, format="turtle"):
            writer.write_all(batch)
        writer.close()


QUOTED = jr.TripleTerm(BNode("a"), P, BNode("b"))


def write_bad(name: str) -> None:
    for writer in writers(name, io.BytesIO()):
        for g in (None, URIRef("urn:g")):
            for wrong in (5, Literal("\ud800"), jr.TripleTerm(QUOTED, P, 5)):
                with pytest.raises(jr.EncodeError):
                    writer.add(S, P, wrong, g)
        if name == "jelly-rdf":
            with pytest.raises(jr.EncodeError):
                writer.end_frame({"k" * 100: b"v" * 100, "l": "text"})
        if name in HOLDS_CHANGES:
            with pytest.raises(jr.EncodeError):
                writer.write((Op.TC,))
        writer.close()


def add_and_close(writer: Any) -> None:
    writer.add(*STATEMENTS[0])
    writer.close()


def write_to_what_breaks(name: str) -> None:
    for writer in writers(name, Broken()):
        with pytest.raises(OSError, match="the disk is broken"):
            add_and_close(writer)


WORKS = [
    *(read_all, read_parts, read_bad, read_what_breaks_off),
    *(write_all, write_bad, write_to_what_breaks),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("work", WORKS)
def test_nothing_is_kept(work: Callable[[str], None], name: str) -> None:
    assert_nothing_is_kept(lambda: work(name))


@pytest.mark.slow
def test_nothing_is_kept_if_nobody_reads_as_far_as_the_error() -> None:
    """Nothing is kept if the source fails after the part that is read."""
    data = gzip.compress(b"<a:> <a:> <a:> .\n" * 1100)[:-4]
    assert len(next(jr.read_batches(data, format="turtle"))) < 1100
    with pytest.raises(jr.DecodeError, match="gzip"):
        list(jr.read_batches(data, format="turtle"))
    assert_nothing_is_kept(lambda: next(jr.read_batches(data, format="turtle")))


# --- how much memory is used ---------------------------------------------------------------------


@pytest.mark.parametrize("reader", ["read_statements", "read_frames", "read_batches"])
def test_a_long_stream(reader: str) -> None:
    """A stream of 60 MB with 1 MB per frame and one open graph is read in bounded memory."""
    out = run(
        """
import jelly_rdflib as jr
from tests.oracle import rdf_build as b
from tests.pieces import Chunks

head = [b.options(physical_type=3), b.name("urn:p"), b.start(b.iri())]
rows = [b.spo("s", b.iri(0, 1), b.literal(f"{n}" + "x" * 5000)) for n in range(200)]
frame = b.delimited([b.frame(*rows, metadata={"k": b"v" * 1000})])
assert len(frame) > 1_000_000

before = peak()
count = sum(1 for _ in getattr(jr, sys.argv[1])(Chunks([b.stream(head)] + [frame] * 60)))
print(count, peak() - before)
""",
        reader,
    )
    count, grown = map(int, out.split())
    assert count == (60 * 200 if reader == "read_statements" else 61)
    assert grown < 32 << 20


def test_batches_of_thrift_need_no_more_memory_in_a_longer_input() -> None:
    def rows(count: int) -> Iterator[bytes]:
        """Yield rows, each with new terms."""
        for number in map(str, range(count)):
            yield rows_to_bytes([("H", number, ("literal", number * 50, None, None))])

    def peak(count: int) -> int:
        source = Chunks(rows(count))
        tracemalloc.start()
        try:
            found = sum(map(len, jr.read_batches(source, format="rdf-patch-thrift")))
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert found == count + 1
        return most

    assert peak(6_000) < peak(2_000) * 1.5

"""Generates hostile input of any size piece by piece, and ordinary input for comparison."""

import gzip
import io
import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any

import zstandard

import jelly_rdflib as jr
from tests.oracle import build, rdf_build
from tests.oracle.wire import LEN, field, tag, varint

MIB = 1 << 20
FRAME_ROWS = 512

# The rows of RdfPatchRow, by field number.
ADD, DELETE, PREFIX_ADD, PREFIX_DELETE, START, COMMIT, ABORT = range(2, 9)
NAME, PREFIX, DATATYPE, HEADER, PUNCTUATION = range(11, 16)


@dataclass(frozen=True)
class Attack:
    """A kind of input.

    Args:
        name: The name of the attack.
        format: The format of the input.
        pieces: The pieces of the input, often endless. The input may end after any piece.
        end: The bytes after the last piece.
    """

    name: str
    format: str
    pieces: Callable[[], Iterator[bytes]]
    end: bytes = b""

    def up_to(self, size: int) -> Iterator[bytes]:
        """Yield pieces up to a total of at least `size` bytes."""
        made = 0
        for piece in self.pieces():
            yield piece
            made += len(piece)
            if made >= size:
                break
        yield self.end

    def write(self, path: Path, size: int) -> int:
        """Write the input to a file; return its size."""
        with path.open("wb") as file:
            return sum(map(file.write, self.up_to(size)))


ATTACKS: dict[str, Attack] = {}


def attack(
    format: str, end: bytes = b""
) -> Callable[[Callable[[], Iterator[bytes]]], Callable[[], Iterator[bytes]]]:
    """Register a function that generates the pieces of an input."""

    def register(pieces: Callable[[], Iterator[bytes]]) -> Callable[[], Iterator[bytes]]:
        name = pieces.__name__.replace("_", " ")
        ATTACKS[name] = Attack(name, format, pieces, end)
        return pieces

    return register


def attack_by_rows(
    format: str, make_head: Callable[[], bytes], size: int = FRAME_ROWS
) -> Callable[[Callable[[], Iterator[bytes]]], Callable[[], Iterator[bytes]]]:
    """Register a function that generates rows, which are put into frames after a first frame."""

    def register(rows: Callable[[], Iterator[bytes]]) -> Callable[[], Iterator[bytes]]:
        attack(format)(wraps(rows)(lambda: frames(rows(), make_head(), size)))
        return rows

    return register


def delimited(content: bytes) -> bytes:
    return varint(len(content)) + content


def row(kind: int, content: bytes = b"") -> bytes:
    """Return a row of a frame, given the number of its kind."""
    return field(1, field(kind, content))


def patch_head(**options: int) -> bytes:
    """Return a bare frame of Jelly-Patch: options, the name urn:p, and a statement with <urn:p>."""
    options = {"max_name_table_size": 4000, "max_prefix_table_size": 150, **options}
    return build.frame(
        build.options(rdf_star=True, **options),
        build.name("urn:p"),
        build.prefix(""),
        build.datatype("http://www.w3.org/2001/XMLSchema#decimal"),
        build.add(build.iri(1, 1), build.iri(1, 1), build.iri(1, 1)),
    )


def frames(rows: Iterable[bytes], head: bytes, size: int = FRAME_ROWS) -> Iterator[bytes]:
    """Put rows, or groups of rows that must stay together, into frames."""
    yield delimited(head)
    iterator = iter(rows)
    while frame := b"".join(itertools.islice(iterator, size)):
        yield delimited(frame)


def iri(prefix: int, name: int) -> bytes:
    return field(1, prefix) + field(2, name)


# --- Jelly-Patch ------------------------------------------------------------------------------


@attack_by_rows("jelly-patch", patch_head, FRAME_ROWS // 12)
def ordinary_patch() -> Iterator[bytes]:
    """Yield transactions with runs of subjects, few predicates, and new literals."""
    yield row(PREFIX, field(2, b"http://example.org/things/"))
    for number in range(1, 100):
        yield row(NAME, field(1, number + 1) + field(2, b"property%d" % number))
    for number in itertools.count():
        name = 101 + number % 3800
        transaction = row(NAME, field(1, name) + field(2, b"thing-%d" % number)) + row(START)
        for predicate in range(2, 12):
            literal = field(1, b"the value %d of %d" % (predicate, number))
            quad = field(5, iri(2, predicate)) + field(11, literal)
            if predicate == 2:
                quad = field(1, iri(2, name)) + quad
            transaction += row(ADD if number % 4 else DELETE, quad)
        yield transaction + row(COMMIT)


@attack_by_rows("jelly-patch", patch_head)
def lookup_refills() -> Iterator[bytes]:
    """Yield entries that repeatedly replace the content of all lookups, and are hardly used."""
    for number in itertools.count():
        yield row(NAME, field(2, b"name number %d" % number) + field(1, number % 4000 + 1))
        yield row(PREFIX, field(1, number % 150 + 1) + field(2, b"urn:prefix:%d/" % number))
        yield row(DATATYPE, field(1, number % 16 + 1) + field(2, b"urn:datatype:%d" % number))
        if number % 8 == 0:
            yield row(ADD, field(1, iri(number % 150 + 1, number % 4000 + 1)))


@attack_by_rows("jelly-patch", patch_head)
def prefixes_under_names() -> Iterator[bytes]:
    """Yield a new prefix entry for each row, so that no IRI of the previous row can be reused."""
    for number in range(1, 200):
        yield row(NAME, field(1, number) + field(2, b"n" * 100 + b"%d" % number))
    for number in itertools.count():
        yield row(PREFIX, field(1, 1) + field(2, b"urn:%d/" % number))
        yield row(ADD, field(1, iri(1, number % 199 + 1)))


@attack_by_rows("jelly-patch", patch_head, 2)
def long_iris() -> Iterator[bytes]:
    """Yield short frames, each of which expands to an IRI of 10 KB."""
    yield row(PREFIX, field(1, 2) + field(2, b"urn:" + b"p" * 10_000))
    for number in itertools.count():
        yield row(NAME, field(1, number % 100 + 2) + field(2, b"%d" % number + b"." * 80))
        yield row(ADD, field(1, iri(2, number % 100 + 2)))


@attack("jelly-patch")
def empty_frames() -> Iterator[bytes]:
    yield delimited(patch_head(stream_type=build.PUNCTUATED))
    while True:
        yield bytes(1 << 12)


@attack("jelly-patch")
def options_rows() -> Iterator[bytes]:
    options = build.frame(build.options(stream_type=build.PUNCTUATED))
    yield from frames(itertools.repeat(options), options)


@attack("jelly-patch")
def small_frames() -> Iterator[bytes]:
    return frames(itertools.repeat(row(ADD)), patch_head(), 1)


@attack("jelly-patch")
def repeated_rows() -> Iterator[bytes]:
    """Yield statements of four bytes each."""
    return frames(itertools.repeat(row(ADD)), patch_head())


@attack("jelly-patch")
def distinct_labels() -> Iterator[bytes]:
    rows = (row(ADD, field(2, b"%x" % n) + field(10, b"o%x" % n)) for n in itertools.count())
    return frames(rows, patch_head())


@attack("jelly-patch")
def empty_transactions() -> Iterator[bytes]:
    return frames(itertools.repeat(row(START) + row(COMMIT)), patch_head(), FRAME_ROWS // 2)


@attack("jelly-patch")
def aborted_transactions() -> Iterator[bytes]:
    transaction = row(START) + row(ADD, field(2, b"b")) + row(ABORT)
    return frames(itertools.repeat(transaction), patch_head(), FRAME_ROWS // 3)


@attack("jelly-patch")
def empty_patches() -> Iterator[bytes]:
    head = patch_head(stream_type=build.PUNCTUATED)
    return frames(itertools.repeat(row(PUNCTUATION)), head)


@attack("jelly-patch")
def added_and_deleted() -> Iterator[bytes]:
    """Yield additions and deletions of one statement in a transaction that never ends."""
    rows = itertools.cycle([row(ADD, field(2, b"b")), row(DELETE)])
    return frames(rows, patch_head())


@attack("jelly-patch")
def endless_transaction() -> Iterator[bytes]:
    rows = (row(ADD, field(2, b"%x" % number)) for number in itertools.count())
    return frames(itertools.chain([row(START)], rows), patch_head())


@attack("jelly-patch")
def headers() -> Iterator[bytes]:
    header = row(HEADER, field(1, b"id") + field(2, iri(1, 1)))
    return frames(itertools.repeat(header), patch_head())


@attack_by_rows("jelly-patch", patch_head, FRAME_ROWS // 3)
def prefixes_in_transactions() -> Iterator[bytes]:
    """Yield bindings of a thousand prefixes, each in a separate transaction, repeatedly."""
    for number in itertools.count():
        prefix = field(1, b"p%d" % (number % 1000)) + field(2, iri(1, 1))
        yield row(START) + row(PREFIX_ADD, prefix) + row(COMMIT)


@attack_by_rows("jelly-patch", patch_head)
def prefixes_in_one_transaction() -> Iterator[bytes]:
    """Yield an endless series of new prefixes in one transaction."""
    for number in itertools.count():
        yield row(NAME, field(1, 2) + field(2, b"urn:%d#" % number))
        yield row(PREFIX_ADD, field(1, b"p%d" % number) + field(2, iri(1, 2)))


@attack("jelly-patch")
def new_graphs() -> Iterator[bytes]:
    """Yield transactions that each add a new graph, and are aborted."""

    def rows() -> Iterator[bytes]:
        for number in itertools.count():
            yield row(START) + row(ADD, field(14, b"g%d" % number)) + row(ABORT)

    head = build.frame(
        build.options(statement_type=build.QUADS),
        build.name("urn:p"),
        build.prefix(""),
        build.begin(),
        build.add(*[build.iri(1, 1)] * 4),
        build.abort(),
    )
    return frames(rows(), head)


@attack_by_rows("jelly-patch", lambda: patch_head(stream_type=build.PUNCTUATED), 3)
def small_patches() -> Iterator[bytes]:
    """Yield patches of two statements; every second patch deletes what the previous patch added."""
    for number in itertools.count():
        yield row(DELETE if number % 2 else ADD, field(2, b"a%d" % (number // 2)))
        yield row(DELETE if number % 2 else ADD, field(2, b"b%d" % (number // 2)))
        yield row(PUNCTUATION)


@attack("jelly-patch")
def nested_triples() -> Iterator[bytes]:
    """Yield quoted triples that are nested as deeply as the limit allows."""
    rows = (row(ADD, field(12, deep_triple(100, b"%d" % n))) for n in itertools.count())
    return frames(rows, patch_head())


@attack("jelly-patch")
def merged_fields() -> Iterator[bytes]:
    """Yield objects that are split into several fields, which protobuf merges."""
    literal = field(11, field(99, b"x" * 10)) * 50
    rows = (row(ADD, literal + field(11, field(1, b"%d" % n))) for n in itertools.count())
    return frames(rows, patch_head())


@attack_by_rows("jelly-patch", patch_head)
def bad_iris() -> Iterator[bytes]:
    """Yield a new relative IRI in each row."""
    for number in itertools.count():
        yield row(NAME, field(1, 2) + field(2, b"no scheme %d" % number))
        yield row(ADD, field(1, iri(1, 2)))


@attack_by_rows("jelly-patch", patch_head)
def numbers_with_exponents() -> Iterator[bytes]:
    """Yield decimal numbers whose normal form would have a billion digits."""
    for number in itertools.count():
        literal = field(1, b"%dE999999999" % number) + field(3, 1)
        yield row(ADD, field(11, literal))


def deep_triple(depth: int, label: bytes = b"b") -> bytes:
    """Return nested quoted triples as the content of an RdfTriple."""
    iris = field(1, iri(1, 1)) + field(5, iri(1, 1))
    content = iris + field(10, label)
    size = len(content)
    parts = [content]
    for _ in range(depth - 1):
        parts.append(iris + tag(12, LEN) + varint(size))
        size += len(parts[-1])
    return b"".join(reversed(parts))


# --- Jelly-RDF --------------------------------------------------------------------------------


def rdf_head(physical_type: int) -> bytes:
    return rdf_build.frame(
        rdf_build.options(physical_type=physical_type, version=2),
        rdf_build.name("urn:p"),
        rdf_build.prefix(""),
    )


@attack("jelly-rdf")
def ordinary_statements() -> Iterator[bytes]:
    rows = (
        field(1, field(2, field(2, b"s%d" % (n // 8)) + field(5, iri(1, 1)) + field(10, b"%d" % n)))
        for n in itertools.count()
    )
    return frames(rows, rdf_head(rdf_build.TRIPLES))


@attack("jelly-rdf")
def empty_graphs() -> Iterator[bytes]:
    """Yield empty graphs."""
    start = (field(1, field(4, field(2, b"g%d" % n)) + b"") for n in itertools.count())
    rows = (graph + field(1, field(5, b"")) for graph in start)
    return frames(rows, rdf_head(rdf_build.GRAPHS))


@attack("jelly-rdf")
def repeated_namespaces() -> Iterator[bytes]:
    """Yield the namespaces of a thousand prefixes repeatedly."""
    rows = (
        field(1, field(6, field(1, b"p%d" % (n % 1000)) + field(2, iri(1, 1))))
        for n in itertools.count()
    )
    return frames(rows, rdf_head(rdf_build.TRIPLES))


@attack_by_rows("jelly-rdf", lambda: rdf_head(rdf_build.TRIPLES))
def namespaces() -> Iterator[bytes]:
    """Yield an endless series of namespaces, each with its own prefix."""
    for number in itertools.count():
        yield field(1, field(9, field(1, 2) + field(2, b"urn:%d#" % number)))
        yield field(1, field(6, field(1, b"p%d" % number) + field(2, iri(1, 2))))


@attack("jelly-rdf")
def metadata() -> Iterator[bytes]:
    """Yield frames with only metadata, a thousand entries each."""
    yield delimited(rdf_head(rdf_build.TRIPLES))
    entries = b"".join(field(15, field(1, b"k%d" % n) + field(2, b"")) for n in range(1000))
    while True:
        yield delimited(entries)


# --- RDF Patch text ---------------------------------------------------------------------------


@attack("rdf-patch")
def ordinary_text() -> Iterator[bytes]:
    for number in itertools.count():
        yield (
            b"TX .\n"
            + b"".join(
                b'A <http://example.org/things/%d> <http://example.org/p%d> "value %d of %d" .\n'
                % (number, predicate, predicate, number)
                for predicate in range(10)
            )
            + b"TC .\n"
        )


@attack("rdf-patch")
def escapes() -> Iterator[bytes]:
    yield from itertools.repeat(b'A <urn:s> <urn:p> "%s" .\n' % (rb"\u00e9\n\"" * 500))


@attack("rdf-patch")
def long_rows() -> Iterator[bytes]:
    """Yield rows of 128 KiB each."""
    for number in itertools.count():
        text = b"text %d, " % number
        yield b'A <urn:s> <urn:p> """%s""" .\n' % (text * ((128 << 10) // len(text)))


@attack("rdf-patch")
def quoted_in_text() -> Iterator[bytes]:
    for number in itertools.count():
        triple = b"<urn:s> <urn:p> %d" % number
        for _ in range(99):
            triple = b"<urn:s> <urn:p> <<" + triple + b">>"
        yield b"A " + triple + b" .\n"


@attack("rdf-patch")
def bad_rows() -> Iterator[bytes]:
    """Yield rows with several kinds of faults."""
    yield from itertools.repeat(b'A <urn:s> "p> .\nA <urn:s <urn:p> .\nX .\nTC .\nA a b c .\n')


@attack("rdf-patch")
def quotes_without_end() -> Iterator[bytes]:
    """Yield lines that each start an unterminated string."""
    yield from itertools.repeat(b"A <urn:s> <urn:p> '''x\"\"\" .\n")


@attack("rdf-patch")
def prefixes_in_text() -> Iterator[bytes]:
    """Yield transactions that each bind one of a thousand prefixes to a new IRI."""
    for number in itertools.count():
        yield b"TX .\nPA p%d <urn:%d#> .\nTC .\n" % (number % 1000, number)


# --- RDF Patch in Thrift ----------------------------------------------------------------------


def thrift(text: bytes) -> bytes:
    """Return rows of RDF Patch text converted to Thrift."""
    file = io.BytesIO()
    with jr.PatchWriter(file, format="rdf-patch-thrift") as writer:
        for batch in jr.read_batches(text, format="rdf-patch"):
            writer.write_all(batch)
    return file.getvalue()


@attack("rdf-patch-thrift")
def ordinary_thrift() -> Iterator[bytes]:
    rows = b"".join(itertools.islice(ordinary_text(), 200))
    yield from itertools.repeat(thrift(rows))


@attack("rdf-patch-thrift")
def transactions_in_thrift() -> Iterator[bytes]:
    yield from itertools.repeat(thrift(b"TX .\nTC .\n" * 100))


# --- Other syntaxes ---------------------------------------------------------------------------


@attack("nquads")
def ordinary_n_quads() -> Iterator[bytes]:
    for number in itertools.count():
        yield b'<http://example.org/%d> <http://example.org/p> "value %d" .\n' % (
            number // 8,
            number,
        )


@attack("turtle")
def turtle_prefixes() -> Iterator[bytes]:
    """Yield an endless series of prefixes, with a statement after each."""
    for number in itertools.count():
        yield b"@prefix p%d: <urn:%d#> .\np%d:s p%d:p p%d:o .\n" % ((number,) * 5)


@attack("turtle")
def turtle_prefix_redefined() -> Iterator[bytes]:
    """Yield one prefix with a different IRI for each statement."""
    for number in itertools.count():
        yield b"@prefix p: <urn:%d#> .\np:s p:p p:o .\n" % number


@attack("turtle", end=b" .\n")
def turtle_long_name() -> Iterator[bytes]:
    yield b"@prefix p: <urn:p#> .\np:s p:p p:"
    yield from itertools.repeat(b"x" * 1024)


@attack("json-ld", end=b'"}')
def json_long_string() -> Iterator[bytes]:
    yield b'{"urn:p":"'
    yield from itertools.repeat(b"x" * 1024)


@attack("nquads")
def quoted_in_n_quads() -> Iterator[bytes]:
    """Yield quoted triples that are nested as deeply as the limit allows."""
    for number in itertools.count():
        object_ = b"<<( <urn:s> <urn:p> " * 99 + b'"%d"' % number + b" )>>" * 99
        yield b"<urn:s> <urn:p> " + object_ + b" <urn:g> .\n"


@attack("turtle")
def turtle_long_prefix() -> Iterator[bytes]:
    """Yield two-byte names, each of which expands to an IRI of 500 bytes."""
    yield b"@prefix p: <urn:%s> .\n" % (b"x" * 500)
    yield from itertools.repeat(b"<urn:s> <urn:p> " + b"p:,p:1," * 50 + b"p: .\n")


@attack("trig")
def trig_nested() -> Iterator[bytes]:
    """Yield graphs with blank nodes nested 500 levels deep."""
    yield b"@prefix p: <urn:p#> .\n"
    for number in itertools.count():
        yield b"p:%d { p:s p:p " % number + b"[ p:p " * 500 + b"1" + b" ]" * 500 + b" }\n"


XML_HEAD = b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="urn:p#">\n'


@attack("rdf-xml", end=b"</rdf:RDF>")
def xml_collections() -> Iterator[bytes]:
    """Yield collections of a thousand members, each of a few bytes."""
    yield XML_HEAD
    start = b'<rdf:Description><p:p rdf:parseType="Collection">'
    end = b"</p:p></rdf:Description>\n"
    yield from itertools.repeat(start + b"<rdf:Description/>" * 1000 + end)


@attack("json-ld", end=b"]")
def json_values() -> Iterator[bytes]:
    """Yield objects with 10,000 values of two bytes each."""
    yield b"[{}"
    yield from itertools.repeat(b',{"urn:p":[%s]}\n' % b",".join([b"1"] * 10_000))


@attack("nquads")
def rings_of_blank_nodes() -> Iterator[bytes]:
    """Yield rings of a hundred blank nodes that have no distinguishing statements."""
    for ring in itertools.count():
        for number in range(100):
            yield b"_:r%dn%d <urn:p> _:r%dn%d .\n" % (ring, number, ring, (number + 1) % 100)


@attack("nquads")
def star_of_blank_nodes() -> Iterator[bytes]:
    """Yield a blank node with neighbours that have no distinguishing statements."""
    return (b"_:center <urn:p> _:b%d .\n" % number for number in itertools.count())


# --- Compressed -------------------------------------------------------------------------------


def bomb(size: int, name: str) -> Iterator[bytes]:
    """Return frames that repeat a literal of 60 KB, compressed to a thousandth of their size.

    Args:
        size: The uncompressed size in bytes.
        name: gzip or zstd.
    """
    if name == "gzip":
        packer: Any = zlib.compressobj(9, zlib.DEFLATED, 31)
    else:
        packer = zstandard.ZstdCompressor().compressobj()
    yield packer.compress(delimited(patch_head()))
    frame = delimited(row(ADD, field(11, field(1, b"x" * 60_000))))
    for _ in range(size // len(frame)):
        yield packer.compress(frame)
    yield packer.flush()


def packed(content: bytes, name: str) -> bytes:
    """Return bytes compressed with gzip or zstd."""
    return gzip.compress(content) if name == "gzip" else zstandard.compress(content)


def in_members(name: str) -> Iterator[bytes]:
    """Return the ordinary patch in separately compressed members (zstd: frames) of 64 KiB."""
    content = b""
    for piece in ATTACKS["ordinary patch"].pieces():
        content += piece
        if len(content) >= 1 << 16:
            yield packed(content, name)
            content = b""


def empty_members(name: str) -> Iterator[bytes]:
    """Yield a small patch, then empty members."""
    yield packed(delimited(patch_head()), name)
    empty = packed(b"", name)
    while True:
        yield empty * 64


for _name, _parts in (("gzip", "members"), ("zstd", "frames")):
    for _title, _pieces in (
        (f"ordinary {_name} {_parts}", in_members),
        (f"empty {_name} {_parts}", empty_members),
    ):
        ATTACKS[_title] = Attack(_title, "jelly-patch", partial(_pieces, _name))

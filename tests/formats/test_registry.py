"""Tests finding formats, and reading and writing by format name."""

import gc
import gzip
import io
from pathlib import Path
from typing import Any

import pytest
import zstandard
from rdflib import Dataset, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.formats import FORMATS, Format, find_format, guess_by_name, guess_by_start
from tests.pieces import Trickle

S, P, O, G = URIRef("urn:s"), URIRef("urn:p"), Literal("o"), URIRef("urn:g")  # noqa: E741
OPERATIONS = [(Op.TX,), (Op.A, S, P, O, G), (Op.D, S, P, Literal(1), G), (Op.TC,)]
CHANGES = [format for format in FORMATS if format.holds_changes]


def name(format: Format) -> str:
    return format.name


def written(format: str) -> bytes:
    file = io.BytesIO()
    with jr.PatchWriter(file, format=format) as writer:
        writer.write_all(OPERATIONS)
    return file.getvalue()


@pytest.mark.parametrize("format", FORMATS, ids=name)
def test_it_is_found_by_everything_it_is_known_by(format: Format) -> None:
    for key in (*format.names, *format.extensions):
        assert find_format(key) is format
        assert find_format(key.upper()) is format


@pytest.mark.parametrize("format", CHANGES, ids=name)
class TestFormatsOfChanges:
    def test_what_is_written_is_read(self, format: Format) -> None:
        for key in (*format.names, *format.extensions):
            data = written(key)
            assert list(jr.read_operations(data, format=key)) == [*OPERATIONS, (Op.END,)]
            (patch,) = jr.read_patches(data, format=key)
            assert list(patch) == OPERATIONS
            operations = [op for batch in jr.read_batches(data, format=key) for op in batch]
            assert operations == [*OPERATIONS, (Op.END,)]
            dataset = Dataset()
            assert jr.apply(data, dataset, format=key).added == 1

    @pytest.mark.parametrize("compress", [bytes, gzip.compress, zstandard.compress])
    @pytest.mark.parametrize("make", [bytes, io.BytesIO, Trickle])
    def test_it_is_told_by_its_first_bytes(self, format: Format, make: Any, compress: Any) -> None:
        source = make(compress(written(format.name)))
        assert list(jr.read_operations(source)) == [*OPERATIONS, (Op.END,)]

    def test_it_is_told_by_a_name(self, format: Format, tmp_path: Path) -> None:
        for extension in format.extensions:
            path = tmp_path / f"x.{extension}"
            with jr.PatchWriter(path) as writer:
                writer.write_all(OPERATIONS)
            assert path.read_bytes() == written(format.name)
            assert list(jr.read_operations(path)) == [*OPERATIONS, (Op.END,)]
            assert guess_by_name(f"a/b.c/D.{extension.upper()}.gz") is format


def test_a_file_that_is_never_read_is_closed(tmp_path: Path) -> None:
    """An unclosed file causes a ResourceWarning, which pytest turns into an error."""
    path = tmp_path / "changes.dat"
    path.write_bytes(written("rdf-patch"))
    for call in (jr.read_operations, jr.read_patches, jr.read_batches):
        call(path)
        call(path).close()
    gc.collect()


@pytest.mark.parametrize(
    "text",
    [
        b"TX .", b"TB .", b"# comment", b"\xef\xbb\xbfH id <urn:x> .", b"\r\n\r\n  A <s> <p> <o> .",
        b"Z.", b'PA "a" "b" .', b"D\t<s> <p> <o> .", b"TC#", b"A<s><p><o>.",
    ],
)  # fmt: skip
def test_starts_of_texts(text: bytes) -> None:
    assert guess_by_start(text).name == "rdf-patch"


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00", b"\x0a\x0f\x0a\x0d", b"\x48\x0a\x0f\x0a", b"ABC", b"<s> <p> <o> .", b"{}"],
)
def test_starts_of_other_things(data: bytes) -> None:
    assert guess_by_start(data).name == "jelly-patch"


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("n-triples", "nt ntriples N-Triples application/n-triples"),
        ("n-quads", "nq nquads N-Quads application/n-quads"),
        ("turtle", "ttl turtle Turtle text/turtle text/turtle;charset=utf-8"),
        ("trig", "trig TriG application/trig"),
        ("n3", "n3 text/n3"),
        ("rdf-xml", "xml rdf/xml RDF/XML rdf owl application/rdf+xml"),
        ("json-ld", "json-ld JSON-LD jsonld json application/ld+json"),
        ("jelly-rdf", "jelly application/x-jelly-rdf"),
    ],
)
def test_names_of_syntaxes(name: str, keys: str) -> None:
    """The names and extensions of syntaxes are those of rdflib and of other programs."""
    for key in keys.split():
        assert find_format(key).name == name
        if key.isalnum() and key not in ("ntriples", "nquads", "turtle", "Turtle"):
            guessed = guess_by_name(f"a.b/x.{key}")
            assert guessed is None or guessed.name == name
    assert guess_by_name("x") is guess_by_name("x.gz") is guess_by_name("x.txt") is None


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"<?xml version", "rdf-xml"),
        (b"<rdf:RDF xmlns", "rdf-xml"),
        (b"\xef\xbb\xbf\n<!DOCTYPE rdf", "rdf-xml"),
        (b"<a\n", "rdf-xml"),
        (b'{"@context"', "json-ld"),
        (b" [\r\n  {\n", "json-ld"),
        (b"[]", "json-ld"),
        (b"@prefix : <", "trig"),
        (b"@base <", "trig"),
        (b"\xef\xbb\xbf\nPREFIX e", "trig"),
        (b"base <", "trig"),
        (b"", "jelly-rdf"),
        (b"\x1a\x0a\x0c\x0a", "jelly-rdf"),
        (b"{\x0a\x12\x0a", "jelly-rdf"),
        (b"<\x0a\x3a\x0a\x38", "jelly-rdf"),
        (b"\x0a\x0a", "jelly-rdf"),
    ],
)
def test_starts_of_statements(start: bytes, name: str) -> None:
    assert guess_by_start(start, holds_changes=False).name == name
    either = guess_by_start(start, holds_changes=None).name
    assert either == (name if name != "jelly-rdf" else "jelly-patch")


@pytest.mark.parametrize("start", [b"<urn:s> <urn:p> ", b"<> a", b"_:a ", b"@version", b"VERSION "])
def test_starts_that_do_not_tell(start: bytes) -> None:
    for holds_changes in (False, None):
        with pytest.raises(jr.DecodeError, match="N-Triples, N-Quads, Turtle, TriG or N3") as info:
            guess_by_start(start, holds_changes=holds_changes)
        assert info.value.offset == 0
    assert guess_by_start(start).name == "jelly-patch"


def test_an_unknown_format_is_an_error_that_names_the_known_ones() -> None:
    for call in (
        lambda: find_format("trix"),
        lambda: jr.read_operations(b"", format="trix"),
        lambda: jr.read_statements(b"", format="trix"),
        lambda: jr.read_batches(b"", format="trix"),
        lambda: jr.PatchWriter(io.BytesIO(), format="trix"),
        lambda: jr.StatementWriter(io.BytesIO(), format="trix"),
        lambda: jr.apply(b"", Dataset(), format="trix"),
    ):
        with pytest.raises(LookupError, match="jelly-patch"):
            call()


def test_a_format_of_statements_is_not_one_of_changes() -> None:
    for call in (
        lambda: jr.read_operations(b"", format="jelly-rdf"),
        lambda: jr.read_operations(b"", format="turtle"),
        lambda: jr.read_operations("x.ttl.gz"),
        lambda: jr.apply("x.nq", Dataset()),
        lambda: jr.PatchWriter(io.BytesIO(), format="jelly"),
        lambda: jr.PatchWriter(io.BytesIO(), format="turtle"),
        lambda: jr.PatchWriter("no-such-folder/x.jelly"),
        lambda: jr.PatchWriter("no-such-folder/x.trig"),
    ):
        with pytest.raises(LookupError, match="is for statements, not for changes"):
            call()


def test_a_format_of_changes_is_not_one_of_statements() -> None:
    for call in (
        lambda: jr.read_statements(b"", format="jelly-patch"),
        lambda: jr.read_statements("x.rdfp"),
        lambda: jr.StatementWriter(io.BytesIO(), format="rdf-patch"),
        lambda: jr.StatementWriter("no-such-folder/x.jellyp"),
    ):
        with pytest.raises(LookupError, match="is for changes, not for statements"):
            call()


def test_a_text_has_no_options(tmp_path: Path) -> None:
    path = tmp_path / "x.rdfp"
    path.write_bytes(b"precious")
    with pytest.raises(
        ValueError, match="options are for Jelly-Patch: the text of RDF Patch has none"
    ):
        jr.PatchWriter(path, jr.PatchOptions())
    with pytest.raises(ValueError, match="options are for Jelly-RDF: N-Quads has none"):
        jr.StatementWriter(path, jr.StreamOptions(), format="nquads")
    assert path.read_bytes() == b"precious"


@pytest.mark.parametrize(
    ("ending", "unpack"),
    [
        ("gz", gzip.decompress),
        ("zst", lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data)),
    ],
)
def test_a_name_says_that_it_is_compressed(ending: str, unpack: Any, tmp_path: Path) -> None:
    for format in CHANGES:
        path = tmp_path / f"x.{format.extensions[0]}.{ending}"
        for _ in range(2):
            with jr.PatchWriter(path) as writer:
                writer.write_all(OPERATIONS)
            data = path.read_bytes()
            assert unpack(data) == written(format.name)
            assert list(jr.read_operations(path)) == [*OPERATIONS, (Op.END,)]
        with jr.PatchWriter(path) as writer:
            writer.write_all(OPERATIONS)
        assert path.read_bytes() == data
    path = tmp_path / f"x.jelly.{ending}"
    with jr.StatementWriter(path) as statements:
        statements.add(S, P, O, G)
    assert list(jr.read_statements(unpack(path.read_bytes()))) == [(S, P, O, G)]
    assert list(jr.read_statements(path)) == [(S, P, O, G)]

"""Tests reading texts: the statements of each syntax, the positions of errors, and the sources."""

import gc
import gzip
import io
import os
import threading
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.formats.syntaxes import hashed_text
from tests.formats.syntaxes.support import (
    ALL,
    LINES,
    TEXTS_LIKE_TURTLE,
    attempt,
    literal,
    operations,
    read,
    write,
)
from tests.formats.syntaxes.texts import HEAD
from tests.pieces import Pieces, breaking

pytestmark = pytest.mark.usefixtures("isolated")

S, P, O, G = ("iri", "urn:s"), ("iri", "urn:p"), ("iri", "urn:o"), ("iri", "urn:g")  # noqa: E741
XSD = "http://www.w3.org/2001/XMLSchema#"

SAMPLES = {
    format: write([(S, P, O), (S, P, literal("é", "fr")), (("bnode", "b"), P, O)], format)
    for format in ALL
}

# Each text has three nodes without a label, and one with the label "kept".
NODES = {
    "turtle": "<urn:s> <urn:p> [], ( 'x' ), [ <urn:q> _:kept ] .",
    "trig": "[] { <urn:s> <urn:p> [] } <urn:g> { [] <urn:p> _:kept }",
    "n3": "<urn:s> <urn:p> [], ( 'x' ), [ <urn:q> _:kept ] .",
    "rdf-xml": HEAD
    + """<rdf:Description rdf:nodeID="kept"><ex:p rdf:parseType="Resource"><ex:q/></ex:p>
<ex:p rdf:parseType="Collection"><ex:T/></ex:p></rdf:Description></rdf:RDF>""",
    "json-ld": '{"@id": "_:kept", "urn:p": [{"@list": [1]}, {"urn:q": {"urn:r": 1}}]}',
}


def labels(source: Any, format: str) -> list[str]:
    """Return the labels of the blank nodes in the order of their first appearance."""
    found = (term for one in read(source, format) for term in one if term[0] == "bnode")
    return list(dict.fromkeys(label for _, label in found))


class TestTerms:
    """Each syntax yields the terms that the text contains."""

    def test_json_ld_has_directions_of_languages(self) -> None:
        text = """[
            {"@id": "urn:s", "urn:p": {"@value": "x", "@language": "ar", "@direction": "rtl"}},
            {"@id": "urn:s", "urn:p": {"@value": "y", "@direction": "ltr"}},
            {"@context": {"@direction": "rtl", "p": "urn:p"}, "@id": "urn:s", "p": ["z", 1]}
        ]"""
        with pytest.raises(jr.DecodeError, match="'x' with the base direction rtl"):
            read(text, "json-ld")
        found = [
            literal("x", "ar"),
            literal("y"),
            literal("z"),
            literal("1", None, f"{XSD}integer"),
        ]
        with pytest.warns(UserWarning, match="base directions of literals are left out"):
            without = read(text, "json-ld", directions="drop")
        assert [quad[:3] for quad in without] == [(S, P, o) for o in found]

    def test_a_formula_is_an_error(self) -> None:
        _, error = attempt("<urn:s> <urn:p> { <urn:a> <urn:b> <urn:c> } .", "n3")
        assert "formula" in str(error)
        assert "variables" in str(attempt("?x <urn:p> <urn:o> .", "n3")[1])


class TestBlankNodes:
    def test_nodes_without_a_label_get_one_of_their_own(self) -> None:
        """A generated label is unique to its file; two files share it only if they are equal."""
        text = "[] <urn:p> [], ( 'x' ), _:b ."
        found = [labels(text + "#" * i, "turtle") for i in range(3)]
        assert all("b" in each for each in found)
        # The label b is in all three files. Each file has three nodes without a label.
        assert len({label for each in found for label in each}) == 1 + 3 * 3

    @pytest.mark.parametrize("format", sorted(NODES))
    def test_they_are_the_same_in_each_reading(
        self, format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Memory, a file, a pipe, compressed data and small pieces result in the same labels."""
        monkeypatch.setattr(hashed_text, "_IN_MEMORY", 16)
        text = NODES[format].encode()
        expected = labels(text, format)
        assert len(expected) == 4
        assert "kept" in expected
        path = tmp_path / "text"
        path.write_bytes(text)
        packed = gzip.compress(text)
        with path.open("rb") as file:
            sources = [path, file, io.BytesIO(packed), packed]
            for source in (*sources, Pieces(text, 3), Pieces(packed, 3)):
                assert labels(source, format) == expected

    def test_a_file_object_is_hashed_from_where_it_is(self) -> None:
        text = b"[] <urn:p> <urn:o> ."
        file = io.BytesIO(b"something else" + text)
        file.seek(-len(text), 2)
        assert labels(file, "turtle") == labels(text, "turtle")

    @pytest.mark.parametrize("format", sorted(NODES))
    def test_a_label_that_looks_random_stays(self, format: str) -> None:
        """A label that pyoxigraph could generate is kept, wherever a piece of the text ends."""
        for label in ("c5f368f77354bc63b153aeed846b2cea", "deadbeefdeadbeef"):
            text = NODES[format].replace("kept", label)
            for space in (0, 15, 33):
                # The parser requests several KiB at a time.
                padding = 8192 - text.index(label) - space
                padded = text.replace("<", " " * padding + "<", 1)
                if format == "json-ld":
                    padded = " " * padding + text
                found = labels(padded, format)
                assert label in found
                assert len(found) == 4

    def test_labels_are_told_apart_whatever_the_parser_makes_up(self) -> None:
        """Generated labels are unique, even if pyoxigraph's labels have fewer than 32 digits."""
        found = labels("".join(f"[] <urn:p> {i} .\n" for i in range(500)), "turtle")
        start = found[0].removesuffix("1")
        assert found == [f"{start}{number}" for number in range(1, 501)]

    def test_an_error_behind_them_comes_behind_them(self) -> None:
        text = b"<urn:s> <urn:p> [] .\n" * 3000
        packed = gzip.compress(text)
        for make in (lambda: io.BytesIO(packed[:-9]), lambda: Pieces(packed[:-9], 100)):
            found, error = attempt(make(), "turtle")
            assert len(found) > 0
            assert "ends inside" in error.message

    def test_no_more_is_kept_of_a_pipe_than_the_limit_says(self) -> None:
        text = b"[] <urn:p> <urn:o> .\n" * 10_000
        limits = jr.Limits(max_decompressed_size=1000)
        with pytest.raises(jr.LimitError, match="limit max_decompressed_size"):
            list(jr.read_batches(Pieces(text, 100), format="turtle", limits=limits))
        assert len(list(jr.read_batches(io.BytesIO(text), format="turtle", limits=limits))) > 0


class TestPrefixes:
    def test_they_come_before_the_statements(self) -> None:
        for format, text in {
            "turtle": "@prefix ex: <http://e.org/> . ex:s ex:p ex:o .",
            "trig": "@prefix ex: <http://e.org/> . ex:s ex:p ex:o .",
            "n3": "@prefix ex: <http://e.org/> . ex:s ex:p ex:o .",
            "json-ld": '{"@context": {"ex": "http://e.org/"}, "@id": "ex:s", "ex:p": "x"}',
        }.items():
            found = operations(text, format)
            assert found[0] == ("PA", "ex", ("iri", "http://e.org/"), None)
            assert [operation[0] for operation in found[1:]] == ["A"]
        text = HEAD + '<rdf:Description rdf:about="urn:s"><ex:p xmlns="urn:">x</ex:p>'
        text += "</rdf:Description></rdf:RDF>"
        rdf = ("iri", "http://www.w3.org/1999/02/22-rdf-syntax-ns#")
        assert operations(text, "rdf-xml")[:2] == [
            ("PA", "ex", ("iri", "http://e.org/"), None),
            ("PA", "rdf", rdf, None),
        ]

    def test_later_ones_too(self) -> None:
        text = "".join(
            f"@prefix ex: <http://e.org/{i}/> . @prefix p{i}: <urn:> .\n"
            + "ex:s ex:p 'x' .\n" * 2000
            for i in range(3)
        )
        found = [operation for operation in operations(text, "turtle") if operation[0] == "PA"]
        assert [op[2][1] for op in found if op[1] == "ex"] == [
            f"http://e.org/{i}/" for i in range(3)
        ]
        assert {op[1] for op in found} == {"ex", "p0", "p1", "p2"}


class TestBase:
    def test_relative_iris(self) -> None:
        a = ("iri", "http://b.org/c/d")
        for format, text in {
            "turtle": "<d> <d> <d> .",
            "trig": "<d> <d> <d> .",
            "n3": "<d> <d> <d> .",
        }.items():
            assert read(text, format, base="http://b.org/c/")[0][:3] == (a, a, a)
            _, error = attempt(text, format)
            assert "relative" in str(error)
            assert "base" in str(error)
            assert (error.line, error.column) == (1, 1)
        text = HEAD + '<rdf:Description rdf:about="d"><ex:p>x</ex:p></rdf:Description></rdf:RDF>'
        assert read(text, "rdf-xml", base="http://b.org/c/")[0][0] == a
        assert "relative" in str(attempt(text, "rdf-xml")[1])
        text = '{"@id": "d", "urn:p": 1}'
        assert read(text, "json-ld", base="http://b.org/c/")[0][0] == a

    def test_bad_ones(self) -> None:
        with pytest.raises(ValueError, match="not an absolute IRI"):
            jr.read_statements(b"", format="turtle", base="x")
        for format in ("n-triples", "n-quads", "jelly-rdf"):
            for call in (jr.read_statements, jr.read_batches):
                with pytest.raises(ValueError, match="no relative IRIs"):
                    call(b"", format=format, base="urn:x")

    def test_a_file_is_not_left_open_by_a_bad_base(self, tmp_path: Path) -> None:
        """An unclosed file causes a ResourceWarning, which pytest turns into an error."""
        (tmp_path / "x.ttl").write_bytes(b"")
        with pytest.raises(ValueError, match="not an absolute IRI"):
            jr.read_statements(tmp_path / "x.ttl", base="x")
        gc.collect()


class TestStrict:
    TEXT = '<urn:s> <urn:p> <urn:a b>, "x"@nolanguagetag .'

    def test_bad_iris_and_tags_are_errors(self) -> None:
        assert "IRI" in str(attempt(self.TEXT, "turtle")[1])
        assert "subtag" in str(attempt('<urn:s> <urn:p> "x"@nolanguagetag .', "turtle")[1])

    def test_or_taken_as_they_are(self) -> None:
        assert read(self.TEXT, "turtle", strict=False) == [
            (S, P, ("iri", "urn:a b")),
            (S, P, literal("x", "nolanguagetag")),
        ]
        batches = jr.read_batches(self.TEXT.encode(), format="turtle", strict=False)
        assert [len(batch) for batch in batches] == [2]


class TestErrors:
    @pytest.mark.parametrize("format", ["n-quads", "turtle", "n3"])
    @pytest.mark.parametrize("make", [bytes, lambda data: Pieces(data, 7)])
    def test_they_have_a_place(self, format: str, make: Any, isolated: bool) -> None:
        text = "<urn:s> <urn:p> <urn:o> .\n" * 3000 + '<urn:s> <urn:p> "é\U0001f600", <a b> .\n'
        if format in LINES:
            text = text.replace('"é\U0001f600", ', "").replace(
                "<urn:p> <a", "<urn:é\U0001f600/pq> <a"
            )
        found, error = attempt(make(text.encode()), format)
        # The column counts characters, not bytes.
        assert (error.line, error.column) == (3001, 23)
        # The statements before the fault were read.
        assert [statement[:3] for statement in found[:3000]] == [(S, P, O)] * 3000
        assert f"line {error.line}, column {error.column}" in str(error)
        assert "Parser error" not in str(error)
        assert isolated or format in LINES or isinstance(error.__cause__, SyntaxError)

    def test_of_xml_about_where_they_are(self) -> None:
        for bad in ("</ex:q>", "&x;", "<ex:p rdf:about='a b'/>"):
            text = HEAD + '<rdf:Description rdf:about="urn:s">' + "<ex:p>x</ex:p>" * 10 + bad
            found, error = attempt(text, "rdf-xml")
            assert len(found) == 10
            assert f"after 10 statements, before byte {len(text)}" in str(error)

    def test_of_json(self) -> None:
        _, error = attempt('[{"@id": "urn:s",\n  "urn:p": 1,,}]', "json-ld")
        assert (error.line, error.column) == (2, 14)

    def test_nothing_is_loaded_from_elsewhere(self) -> None:
        text = '{"@context": "http://e.org/context", "@id": "urn:s"}'
        assert "nothing is loaded" in str(attempt(text, "json-ld")[1])
        text = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + HEAD
        text += '<rdf:Description rdf:about="urn:s"><ex:p>&a;</ex:p></rdf:Description></rdf:RDF>'
        assert attempt(text, "rdf-xml")[0] == []


class TestSources:
    @pytest.mark.parametrize("format", ALL)
    def test_by_name(self, format: str, tmp_path: Path) -> None:
        from jelly_rdflib.formats import find_format

        for extension in find_format(format).extensions:
            path = tmp_path / f"x.{extension}"
            with jr.StatementWriter(path) as writer:
                for s, p, o, *_ in jr.read_statements(SAMPLES[format], format=format):
                    writer.add(s, p, o)
            assert [tuple(map(str, one)) for one in jr.read_statements(path)] == [
                tuple(map(str, one)) for one in jr.read_statements(SAMPLES[format], format=format)
            ]
            assert sum(op == Op.A for batch in jr.read_batches(path) for op in batch.ops) == 3

    @pytest.mark.parametrize("format", ["n-quads", "turtle", "json-ld"])
    def test_byte_order_mark(self, format: str) -> None:
        data = b"\xef\xbb\xbf" + SAMPLES[format]
        for source in (data, io.BytesIO(data), Pieces(data), Pieces(data, 2), Pieces(data, 4)):
            assert read(source, format) == read(SAMPLES[format], format)
        for start in (b"\xef", b"\xef\xbb"):
            attempt(start, format)
        if format in TEXTS_LIKE_TURTLE:
            assert read(b"\xef\xbb\xbf", format) == []

    def test_files_are_closed(self, tmp_path: Path) -> None:
        """Files are closed at the end, on an error, by close(), and when the reader is deleted."""
        path = tmp_path / "x.nt"
        path.write_bytes(b"<urn:s> <urn:p> <urn:o> .\n" * 5000)
        opened = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else None
        for call in (jr.read_statements, jr.read_batches):
            list(call(path))
            reader = call(path)
            next(reader)
            reader.close()
            call(path)
            reader = call(path)
            next(reader)
            del reader
        path.write_bytes(b"x")
        with pytest.raises(jr.DecodeError):
            list(jr.read_statements(path))
        if opened is not None:
            assert len(os.listdir("/proc/self/fd")) == opened

    def test_what_the_source_raises_comes_through(self) -> None:
        for format in ALL:
            with pytest.raises(KeyError, match="mine"):
                list(jr.read_statements(breaking(KeyError("mine")), format=format))
        with pytest.raises(TypeError, match="text file"):
            jr.read_statements(io.StringIO(""), format="turtle")  # type: ignore[arg-type]
        with pytest.raises(jr.DecodeError, match="gzip"):
            list(jr.read_statements(gzip.compress(SAMPLES["turtle"])[:-9], format="turtle"))

    @pytest.mark.parametrize("format", ["n-triples", "n-quads"])
    def test_lines_are_not_kept_waiting(self, format: str) -> None:
        """A statement from a pipe is returned at once, even before another statement follows."""
        left, right = os.pipe()
        with os.fdopen(left, "rb") as file, os.fdopen(right, "wb", buffering=0) as pipe:
            reader = jr.read_statements(file, format=format)
            for count in (1, 3, 400):
                found: list[Any] = []
                pipe.write(b"<urn:s> <urn:p> <urn:o> .\n" * count + b"<urn:s> <ur")
                thread = threading.Thread(
                    target=lambda found=found, count=count: found.extend(
                        next(reader) for _ in range(count)
                    )
                )
                thread.start()
                thread.join(10)
                assert len(found) == count
                pipe.write(b"n:p> <urn:o> .\n")
                next(reader)
            pipe.close()
            assert list(reader) == []


def test_batches_are_of_some_size() -> None:
    line = b"<urn:s> <urn:p> <urn:o> <urn:g> .\n"
    sizes = [len(batch) for batch in jr.read_batches(line * 5000, format="nq")]
    assert sum(sizes) == 5000
    assert len(sizes) < 10
    # A batch of long statements contains fewer rows.
    long = b'<urn:s> <urn:p> "%s" .\n'
    data = b"".join(long % (b"%d" % i * 100_000) for i in range(10, 40))
    sizes = [len(batch) for batch in jr.read_batches(data, format="nq")]
    assert max(sizes) < 10
    assert sum(sizes) == 30

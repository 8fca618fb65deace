"""Tests writing: protobuf's classes parse what the package writes in both formats."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import XSD

import jelly_rdflib as jr
from tests.core.jelly.formats import GRAPHS, TRIPLES, Format, Rdf, all_types, formats, with_graphs
from tests.core.jelly.statement_support import few
from tests.economy import Economy
from tests.oracle import wire
from tests.oracle.term_producer import needs
from tests.oracle.terms import (
    DEFAULT_GRAPH,
    Plain,
    as_written,
    node,
    operation,
    plain,
    same_term,
    with_simple_strings,
)
from tests.strategies import ODD_IRIS, dice

EXAMPLE = "http://example.org/"
S, P, O, G = (URIRef(EXAMPLE + name) for name in "spog")  # noqa: E741
ANY = {"rdf_star": True, "generalized_statements": True}


def statements(f: Format, data: bytes) -> list[Plain]:
    """Return the operations that the reference decoder reads, without ends of patches."""
    return [op for op in f.all_said(data) if op != ("END",)]


class TestAgainstProtobuf:
    """The reference decoder can read what the package writes."""

    @formats
    @given(st.data(), st.sampled_from([1, 2, 5, 256]))
    def test_any_stream(self, f: Format, data: st.DataObject, frame_rows: int) -> None:
        stream = data.draw(f.flat_streams())
        options = f.options_for(stream, frame_rows=frame_rows)
        written = f.support.write(stream.operations, options)
        assert f.all_said(written) == as_written(stream.operations)

    @formats
    @given(st.data())
    def test_bare_frames(self, f: Format, data: st.DataObject) -> None:
        stream = data.draw(f.single_streams())
        options = f.options_for(stream, delimited=False, frame_rows=2)
        for written in (
            f.write_stream(stream, delimited=False, frame_rows=2),
            f.support.write(stream.operations, options),
        ):
            assert wire.looks_bare(written)
            assert f.all_said(written) == as_written(stream.operations)

    @formats
    @pytest.mark.parametrize("frame_rows", [1, 3, 256])
    def test_lengths_can_be_left_out(self, f: Format, frame_rows: int) -> None:
        """Without length prefixes, the content and the ends of frames stay the same."""
        file, bare = io.BytesIO(), list[bytes]()
        for sink in (file, SimpleNamespace(write=bare.append)):
            with f.writer(sink, frame_rows=frame_rows) as writer:
                if sink is not file:
                    writer.encoder.leave_lengths_out()
                for number in range(1000):
                    writer.add(S, P, Literal(number))
        assert bare == wire.split(file.getvalue())

    @formats
    @given(st.data())
    def test_the_options_row_is_the_first(self, f: Format, data: st.DataObject) -> None:
        stream = data.draw(f.streams())
        first, *others = f.rows(f.write_stream(stream))
        expected = {**stream.options, "version": f.options_for(stream).version}
        assert first.options == type(first.options)(**expected)
        assert all(row.WhichOneof("row") != "options" for row in others)

    @formats
    @few
    @given(st.data())
    def test_canonical_protobuf(self, f: Format, data: st.DataObject) -> None:
        """Fields are in order, without defaults, and varints are shortest: canonical protobuf."""
        for part in wire.split(f.write_stream(data.draw(f.streams()))):
            message = f.decoder.parse(part)
            canonical = message.SerializeToString(deterministic=True)
            if len(getattr(message, "metadata", ())) > 1:
                # A protobuf map has no order.
                assert sorted(canonical) == sorted(part)
            else:
                assert canonical == part


class TestEconomy:
    """The writer uses zero ids and repeated terms wherever possible."""

    @formats
    @given(st.data())
    def test_any_stream(self, f: Format, data: st.DataObject) -> None:
        stream = data.draw(f.streams())
        economy = Economy(is_tight=stream.options["max_prefix_table_size"] < 16)
        reference = f.decoder.Reference()
        for row in f.rows(f.write_stream(stream)):
            economy.check(row, f.written_row(reference, row))

    @formats
    def test_iris_are_split_where_jelly_jvm_splits_them(self, f: Format) -> None:
        """IRIs are split after the first `#` that follows the scheme, or else the last `/`."""
        texts = [text for text in ODD_IRIS if text != DEFAULT_GRAPH[1]]
        rows = f.rows(f.write([("A", ("bnode", "s"), ("iri", text), plain(O), None)
                               for text in texts]))  # fmt: skip
        prefixes = {row.prefix.value for row in rows if row.HasField("prefix")}
        names = [row.name.value for row in rows if row.HasField("name")]
        cuts = []
        for text in [*texts, str(O)]:
            at = text.find("#", 8) + 1 or text.rfind("/") + 1
            cuts.append((text[:at], text[at:]))
        assert set(names) == {name for _, name in cuts}
        assert prefixes - {""} == {prefix for prefix, _ in cuts} - {""}
        assert len(names) == len(set(names))


class TestTightLookups:
    """Rows may need as many entries as fit in a lookup, or more."""

    def tight(self, prefixes: int = 1, datatypes: int = 1) -> dict[str, Any]:
        return {
            "max_name_table_size": 8,
            "max_prefix_table_size": prefixes,
            "max_datatype_table_size": datatypes,
            **ANY,
        }

    @all_types
    def test_nine_names_in_a_row_are_refused(self, f: Format) -> None:
        n = [("iri", f"urn:{i}") for i in range(12)]
        inner = ("triple", n[6], n[7], n[8])
        full = ("A", ("triple", *n[:3]), n[3], ("triple", n[4], n[5], inner), None)
        with pytest.raises(jr.EncodeError, match="max_name_table_size"):
            f.write([full], **self.tight())

    @with_graphs
    def test_two_datatypes_in_a_row(self, f: Format) -> None:
        a, c = ("literal", "x", None, "urn:a"), ("literal", "x", None, "urn:c")
        operations: list[Plain] = [("A", a, c, a, c), ("A", a, a, a, a), ("A", c, c, c, c)]
        if f.type != GRAPHS:
            with pytest.raises(jr.EncodeError, match="max_datatype_table_size"):
                f.write(operations, **self.tight())
        assert statements(f, f.write(operations, **self.tight(1, 2))) == operations

    @formats
    @given(st.data(), st.sampled_from([(0, 0), (1, 1), (2, 2)]))
    def test_what_can_be_expressed_is_written(
        self, f: Format, data: st.DataObject, sizes: tuple[int, int]
    ) -> None:
        stream = data.draw(f.streams())
        expected = as_written(stream.operations)
        if sizes[1] == 0:
            expected = [with_simple_strings(op) for op in expected]
        names, datatypes = needs(expected)
        tight = self.tight(*sizes)
        del tight["rdf_star"], tight["generalized_statements"]
        try:
            written = f.write_stream(stream, **tight)
        except jr.EncodeError:
            assert names > 8 or datatypes > sizes[1]
        else:
            # A single row may need more entries than fit, but repeated terms may save some of them.
            assert f.all_said(written) == expected


NEW = [URIRef(f"urn:new/{letter}") for letter in "spog"]
WRONG: tuple[Any, ...] = (
    (S, P, 5, G),
    (S, P, "text", G),
    (S, P, None, G),
    (None, P, O, G),
    (Literal("l"), P, O, G),
    (NEW[0], BNode("p"), O, G),
    (*NEW[:2], Literal("\ud800"), G),
    (*NEW[:2], O, Literal("g")),
    (*NEW[:2], O, jr.TripleTerm(S, P, O)),
    (*NEW[:2], jr.TripleTerm(S, P, O), G),
    (*NEW[:2], O, 5),
    (*NEW[:2], O, BNode("\udfff")),
    (*NEW[:2], 5, NEW[3]),
    (BNode("\udfff"), P, O, G),
    (URIRef("\udc80"), P, O, G),
)
"""Quads that can't be written."""


class TestRefusals:
    """Input that can't be written raises `EncodeError` and leaves nothing in the stream."""

    @all_types
    @pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
    def test_the_stream_goes_on_as_if_it_had_not_been_tried(self, f: Format, wrong: Any) -> None:
        # A triple has three terms, unless the fault is its graph.
        size = 3 if f.type == TRIPLES and wrong[:3] != (*NEW[:2], O) else 4
        one, other = ((*terms[:3], terms[3] if f.graph else None) for terms in ((S, P, O, G), NEW))
        files = io.BytesIO(), io.BytesIO()
        with f.writer(files[0]) as writer, f.writer(files[1]) as good_writer:
            for good in (None, one, other, one, None):
                if good is not None:
                    writer.add(*good)
                    good_writer.add(*good)
                with pytest.raises(jr.EncodeError):
                    writer.add(*wrong[:size])
        said = [f.statement(op) for op in statements(f, files[0].getvalue())]
        assert said == [tuple(map(plain, filter(None, quad))) for quad in (one, other, one)]
        assert f.statements(files[0].getvalue()) == f.statements(files[1].getvalue())

    @formats
    @few
    @given(st.data(), dice)
    def test_any_stream_with_refusals_in_between(
        self, f: Format, data: st.DataObject, rng: random.Random
    ) -> None:
        stream = data.draw(f.flat_streams())
        file = io.BytesIO()
        options = f.options_for(stream, frame_rows=rng.choice([1, 3, 512]))
        with f.Writer(file, options) as writer:
            for op in stream.operations:
                if op[0] == "A" and rng.random() < 0.5:
                    wrong = [None if term is None else node(term) for term in op[1:]]
                    wrong[rng.randrange(len(wrong))] = object()
                    with pytest.raises(jr.EncodeError):
                        writer.add(*wrong)
                if isinstance(f, Rdf):
                    f.support.put(writer, op)
                else:
                    writer.write(operation(op))
        assert f.all_said(file.getvalue()) == as_written(stream.operations)


class TestFrames:
    @all_types
    @pytest.mark.parametrize("frame_rows", [1, 2, 10, 512])
    def test_frames_are_closed_by_rows(self, f: Format, frame_rows: int) -> None:
        graph = DEFAULT_GRAPH if isinstance(f, Rdf) and f.graph else None
        operations = [("A", ("iri", f"urn:{n}"), plain(P), plain(O), graph) for n in range(1000)]
        data = f.write(operations, frame_rows=frame_rows)
        counts = [len(message.rows) for message in f.messages(data)]
        # The entries of a row are in the row's frame, and so are the end and the start of its
        # graph. A statement here has 4 IRIs, so it needs at most 8 entries.
        more = 9 if f.type != GRAPHS else 11
        assert all(frame_rows <= count < frame_rows + more for count in counts[:-1])
        assert counts[-1] <= frame_rows + more
        assert statements(f, data) == operations

    @formats
    def test_the_default_of_rows(self, f: Format) -> None:
        """protocol.md: by default a frame has 512 rows in Jelly-Patch, and 256 in Jelly-RDF."""
        data = f.write([("A", ("bnode", str(n)), *map(plain, (P, O)), None) for n in range(2000)])
        counts = [len(message.rows) for message in f.messages(data)]
        default = 256 if f.Options is jr.StreamOptions else 512
        assert default <= counts[0] <= default + 10
        assert counts[1] == default

    @all_types
    def test_frames_are_closed_by_bytes(self, f: Format) -> None:
        operations = [
            ("A", ("bnode", "x" * 90 + str(n)), *map(plain, (P, O)), None) for n in range(100)
        ]
        data = f.write(operations, frame_bytes=1000, frame_rows=10_000)
        sizes = list(map(len, wire.split(data)))
        assert len(sizes) > 5
        assert all(1000 <= size < 1150 for size in sizes[:-1])

    @formats
    def test_each_frame_is_written_in_one_piece(self, f: Format) -> None:
        """The file never receives a part of a frame."""
        pieces: list[bytes] = []
        with f.writer(RawFile(lambda data: pieces.append(data) or len(data)), frame_rows=3) as w:
            for n in range(20):
                w.add(BNode(str(n)), P, O)
        assert len(pieces) > 3
        for piece in pieces:
            assert len(wire.split(piece)) == 1

    @formats
    @pytest.mark.parametrize(
        "wrap", [lambda file: file, lambda file: SimpleNamespace(write=file.write)]
    )
    def test_a_file_that_takes_only_a_part_at_a_time(
        self, f: Format, wrap: Callable[[RawFile], Any]
    ) -> None:
        pieces: list[bytes] = []
        file = RawFile(lambda data: pieces.append(data[:3]) or min(3, len(data)))
        with f.writer(wrap(file)) as writer:
            writer.add(S, P, O)
        assert len(f.nodes(b"".join(pieces))) == 1

    @formats
    @pytest.mark.parametrize(("taken", "error"), [(0, OSError), (None, BlockingIOError)])
    def test_a_file_that_takes_no_more(
        self, f: Format, taken: int | None, error: type[OSError]
    ) -> None:
        for answers, message in (([3], "3 of"), ([], "0 of")):
            file = RawFile(lambda _, answers=answers: answers.pop() if answers else taken)
            with (
                pytest.raises(error, match=f"accepted (only )?{message}"),
                f.writer(file) as writer,
            ):
                writer.add(S, P, O)

    @formats
    def test_writing_after_close_is_refused(self, f: Format) -> None:
        writer = f.writer(io.BytesIO())
        writer.add(S, P, O)
        writer.close()
        with pytest.raises(jr.EncodeError):
            writer.add(S, P, O)
        writer.close()

    @formats
    def test_a_second_close_does_nothing(self, f: Format) -> None:
        """A second close after an error of the file also does nothing."""
        file = FlushedFile()
        writer = f.writer(file)
        writer.close()
        assert file.flushes == 1
        writer.close()
        assert file.flushes == 1
        writer = f.writer(file)
        writer.add(S, P, O)
        file.close()
        with pytest.raises(ValueError, match="closed file"):
            writer.close()
        flushes = file.flushes
        writer.close()
        assert file.flushes == flushes


class FlushedFile(io.BytesIO):
    """A file that counts how often it is flushed."""

    flushes = 0

    def flush(self) -> None:
        self.flushes += 1


class RawFile(io.RawIOBase):
    """A raw file that passes its writes to a function and returns the function's results."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int | None:
        return self.answer(bytes(data))


@formats
class TestDestinations:
    def test_a_file_stays_open_and_is_flushed(self, f: Format, tmp_path: Path) -> None:
        path = tmp_path / "x"
        with path.open("wb") as file:
            with f.writer(file) as writer:
                writer.add(S, P, O)
            assert not file.closed
            assert len(f.nodes(path)) == 1
            file.write(b"")

    @pytest.mark.parametrize("make", [str, Path])
    def test_a_path_is_opened_and_closed(self, f: Format, tmp_path: Path, make: Any) -> None:
        path = tmp_path / f"é.{f.extension}"
        path.write_bytes(b"what was there")
        with f.writer(make(path)) as writer:
            writer.add(S, P, O)
        assert len(f.nodes(path)) == 1

    def test_a_path_is_closed_after_an_exception(self, f: Format, tmp_path: Path) -> None:
        path = tmp_path / ("x.jellyp" if f.Writer is jr.PatchWriter else "x.jelly")
        with pytest.raises(KeyError), f.writer(path) as writer:  # noqa: PT012
            writer.add(S, P, O)
            raise KeyError("x")
        assert len(f.nodes(path)) == 1

    @pytest.mark.parametrize("destination", [None, 5, object(), b"path"])
    def test_what_can_not_be_written_to_is_a_type_error(self, f: Format, destination: Any) -> None:
        with pytest.raises(TypeError):
            f.Writer(destination)

    def test_a_text_file_is_an_error(self, f: Format, tmp_path: Path) -> None:
        with pytest.raises(TypeError, match="binary"):
            f.Writer(io.StringIO())
        with (tmp_path / "x").open("w") as file, pytest.raises(TypeError, match="binary"):
            f.Writer(file)

    def test_wrong_options_leave_a_file_as_it_is(self, f: Format, tmp_path: Path) -> None:
        path = tmp_path / ("x.jellyp" if f.Writer is jr.PatchWriter else "x.jelly")
        path.write_bytes(b"precious")
        other = jr.PatchOptions if f.Options is jr.StreamOptions else jr.StreamOptions
        for wrong in ({f.type_field: 1}, other()):
            with pytest.raises(TypeError, match=f.Options.__name__):
                f.Writer(path, wrong)
        assert path.read_bytes() == b"precious"

    def test_an_error_of_the_file_goes_through_and_ends_the_stream(self, f: Format) -> None:
        class Full(io.BytesIO):
            is_full = False

            def write(self, data: Any) -> int:
                if self.is_full:
                    raise OSError("disk full")
                return super().write(data)

        file = Full()
        writer = f.writer(file, frame_rows=1)
        with pytest.raises(OSError, match="disk full"), writer:  # noqa: PT012
            writer.add(S, P, O)
            whole = file.getvalue()
            file.is_full = True
            try:
                writer.add(O, P, S)
            finally:
                file.is_full = False
        # The lost frame contained lookup entries, so no frame may follow.
        assert file.getvalue() == whole
        with pytest.raises(jr.EncodeError):
            writer.add(S, P, O)


class TestRoundTrips:
    @all_types
    def test_what_is_read_can_be_written(self, f: Format) -> None:
        data = f.write([("A", *map(plain, (S, P, O)), f.graph and plain(G))] * 3)
        file = io.BytesIO()
        with f.writer(file) as writer:
            for item in f.readers[0](data):
                writer.write(item)
        assert file.getvalue() == data

    @all_types
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (Literal("x"), Literal("x", datatype=XSD.string)),
            (Literal("x"), Literal("x", lang="en")),
            (Literal("x", lang="en"), Literal("x", lang="EN")),
            (Literal("x", lang="en"), Literal("x", lang="en-GB")),
            (Literal("1", datatype=XSD.integer), Literal("1", datatype=XSD.int)),
            (Literal("x", datatype=URIRef("")), Literal("x")),
            (URIRef("x"), BNode("x")),
            (URIRef("x"), Literal("x")),
            (BNode("x"), Literal("x")),
            (URIRef(""), BNode("")),
            (URIRef("\u00e9"), URIRef("e\u0301")),
            (Literal("a\x00b"), Literal("a\x00c")),
            (Literal(""), Literal("\x00")),
            (URIRef("x"), DATASET_DEFAULT_GRAPH_ID),
            (jr.TripleTerm(S, P, Literal("x")), jr.TripleTerm(S, P, Literal("x", lang="en"))),
        ],
    )
    def test_terms_that_look_alike_stay_apart(self, f: Format, one: Any, other: Any) -> None:
        """The writer never repeats a term, or graph, that is merely similar to the next one."""
        file = io.BytesIO()
        order = (one, other, one, other)
        is_graph = f.type != TRIPLES and not isinstance(one, jr.TripleTerm)
        with f.writer(file, **ANY) as writer:
            for term in order:
                writer.add(term, P, term, term if is_graph else None)
        for (s, _, o, *graph), term in zip(f.nodes(file.getvalue()), order, strict=True):
            for each in (s, o, *(graph if is_graph else ())):
                wanted = None if each is None and term == DATASET_DEFAULT_GRAPH_ID else term
                assert same_term(each, wanted), (each, term)

    @with_graphs
    def test_subclasses_of_rdflibs_terms(self, f: Format) -> None:
        """A namespace's term, or one of a str subclass, is written like the term that it equals."""

        class Special(URIRef):
            pass

        class Blank(BNode):
            pass

        file = io.BytesIO()
        with f.writer(file) as writer:
            writer.add(Special("urn:s"), XSD.integer, Blank("b"), Special("urn:g"))
            writer.add(URIRef("urn:s"), URIRef(str(XSD.integer)), BNode("b"), URIRef("urn:g"))
        first, second = f.nodes(file.getvalue())
        assert first == second
        assert list(map(type, first)) == [URIRef, URIRef, BNode, URIRef]

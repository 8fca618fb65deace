"""Writing: what the package writes, parsed with protobuf's classes."""

from __future__ import annotations

import gc
import io
import socket
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import XSD, Namespace

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests import strategies
from tests.economy import Economy
from tests.oracle import decoder, producer, wire
from tests.oracle import schema as pb
from tests.oracle.build import FRAME, QUADS
from tests.oracle.terms import (
    DEFAULT_GRAPH,
    Plain,
    node,
    operation,
    plain,
    plain_operation,
    same_term,
    with_simple_strings,
)
from tests.strategies import Stream
from tests.support import options_of, read, write

STREAM_TYPES = ["FRAME", "FLAT", "PUNCTUATED"]
STATEMENT_TYPES = ["TRIPLES", "QUADS"]

EXAMPLE = "http://example.org/"
S_PLAIN: Plain = ("iri", "urn:s")
S, P, O, G = (URIRef(EXAMPLE + name) for name in "spog")  # noqa: E741


def as_written(stream: Stream) -> list[Plain]:
    """The stream's operations as its nodes have them: rdflib's constructors change some."""
    return [plain_operation(operation(op)) for op in stream.operations]


def messages(data: bytes) -> list[Any]:
    return [pb.RdfPatchFrame.FromString(part) for part in wire.split(data)]


def rows(data: bytes) -> list[Any]:
    return [row for message in messages(data) for row in message.rows]


class TestAgainstProtobuf:
    """What the package writes, the reference decoder reads."""

    @given(strategies.streams(), st.sampled_from([1, 2, 5, 512]))
    def test_any_stream(self, stream: Stream, frame_rows: int) -> None:
        data = write(stream.operations, options_of(stream.options, frame_rows=frame_rows))
        assert decoder.read(data) == as_written(stream)

    @given(strategies.streams())
    def test_frames_one_by_one(self, stream: Stream) -> None:
        encoder = jr.PatchEncoder(options_of(stream.options))
        reference = decoder.Reference()
        got = []
        for patch in stream.patches:
            operations = [operation(op) for op in patch]
            if stream.options["stream_type"] != FRAME:
                half = len(operations) // 2
                got += reference.frame(decoder.parse(encoder.encode_frame(operations[:half])))
                operations = operations[half:]
                operations.append((Op.END,))
            got += reference.frame(decoder.parse(encoder.encode_frame(operations)))
        assert got + reference.finish() == as_written(stream)

    @given(strategies.streams(one_patch=True))
    def test_bare_frames(self, stream: Stream) -> None:
        data = write(stream.operations, options_of(stream.options, delimited=False, frame_rows=2))
        assert wire.looks_bare(data)
        reference = decoder.Reference()
        assert reference.frame(decoder.parse(data)) + reference.finish() == as_written(stream)

    @given(strategies.streams())
    def test_the_options_row_is_the_first(self, stream: Stream) -> None:
        data = write(stream.operations, options_of(stream.options))
        first, *others = rows(data)
        assert first.WhichOneof("row") == "options"
        for field, value in stream.options.items():
            assert getattr(first.options, field) == value
        assert all(row.WhichOneof("row") != "options" for row in others)

    @given(strategies.streams())
    def test_the_methods_write_what_tuples_write(self, stream: Stream) -> None:
        file = io.BytesIO()
        with jr.PatchWriter(file, options_of(stream.options)) as writer:
            methods = {
                Op.H: writer.header,
                Op.TX: writer.begin,
                Op.TC: writer.commit,
                Op.TA: writer.abort,
                Op.PA: writer.add_prefix,
                Op.PD: writer.delete_prefix,
                Op.A: writer.add,
                Op.D: writer.delete,
                Op.END: writer.end_patch,
            }
            for plain_op in stream.operations:
                code, *arguments = operation(plain_op)
                methods[code](*arguments)
        assert file.getvalue() == write(stream.operations, options_of(stream.options))

    @given(strategies.streams())
    def test_canonical_protobuf(self, stream: Stream) -> None:
        """Fields in order, no defaults, shortest varints: as protobuf's classes write it."""
        for part in wire.split(write(stream.operations, options_of(stream.options))):
            message = decoder.parse(part)
            assert message.SerializeToString(deterministic=True) == part


class TestEconomy:
    """Zero ids and repeated terms are used whenever they apply."""

    @given(strategies.streams())
    def test_any_stream(self, stream: Stream) -> None:
        data = write(stream.operations, options_of(stream.options))
        economy = Economy(is_tight=stream.options["max_prefix_table_size"] < 16)
        reference = decoder.Reference()
        for row in rows(data):
            written = reference._row(row)
            economy.check(row, written[0] if written else None)

    def test_iris_are_split_where_jelly_jvm_splits_them(self) -> None:
        """After the first `#` behind a scheme or, failing that, the last `/`."""
        texts = [term for term in strategies.ODD_IRIS if term != DEFAULT_GRAPH[1]]
        data = write([("H", "", ("iri", text)) for text in texts])
        prefixes: dict[int, str] = {}
        names: dict[int, str] = {}
        for row in rows(data):
            kind = row.WhichOneof("row")
            if kind == "prefix":
                prefixes[len(prefixes) + 1] = row.prefix.value
            elif kind == "name":
                names[len(names) + 1] = row.name.value
        cuts = []
        for text in texts:
            at = text.find("#", 8) + 1 or text.rfind("/") + 1
            cuts.append((text[:at], text[at:]))
        assert set(names.values()) == {name for _, name in cuts}
        assert set(prefixes.values()) - {""} == {prefix for prefix, _ in cuts} - {""}

    def test_without_a_prefix_lookup_names_are_whole_iris(self) -> None:
        options = jr.PatchOptions(max_prefix_table_size=0)
        data = write([("H", "", plain(S)), ("H", "", plain(P))], options)
        assert [row.name.value for row in rows(data) if row.HasField("name")] == [str(S), str(P)]

    def test_the_least_recently_used_entry_goes(self) -> None:
        """protocol.md: the producer keeps each lookup least-recently-used."""
        options = jr.PatchOptions(max_name_table_size=8, max_prefix_table_size=0)

        def names(order: str) -> list[tuple[int, str]]:
            data = write([("H", "", ("iri", letter)) for letter in order], options)
            entries, last = [], 0
            for row in rows(data):
                if row.HasField("name"):
                    last = row.name.id or last + 1
                    entries.append((last, row.name.value))
            return entries[8:]

        assert names("abcdefgh") == []
        assert names("abcdefghi") == [(1, "i")]
        assert names("abcdefghai") == [(2, "i")]
        assert names("abcdefghabcdijk") == [(5, "i"), (6, "j"), (7, "k")]
        assert names("abcdefghhgfedcbai") == [(8, "i")]
        assert names("abcdefghaiaja") == [(2, "i"), (3, "j")]
        assert names("abcdefghijklmnopa") == [
            *enumerate("ijklmnop", start=1), (1, "a"),
        ]  # fmt: skip

    @pytest.mark.parametrize("kind", ["prefix", "datatype"])
    def test_the_least_recently_used_goes_in_every_lookup(self, kind: str) -> None:
        options = jr.PatchOptions(max_prefix_table_size=3, max_datatype_table_size=3)
        values: list[Plain] = [
            ("iri", f"{x}/n") if kind == "prefix" else ("literal", "x", None, f"{x}/")
            for x in "abcabd"
        ]
        data = write([("H", "", value) for value in values], options)
        entries, last = [], 0
        for row in rows(data):
            if row.HasField(kind):
                entry = getattr(row, kind)
                last = entry.id or last + 1
                entries.append((last, entry.value))
        assert entries == [(1, "a/"), (2, "b/"), (3, "c/"), (3, "d/")]

    def test_real_data_is_smaller_than_text(self) -> None:
        patch = [
            (
                "A",
                ("iri", f"{EXAMPLE}item/{n}"),
                plain(P),
                ("literal", str(n), None, XSD.integer),
                G,
            )
            for n in range(1000)
        ]
        operations = [(*op[:4], plain(G)) for op in patch]
        text = sum(
            len(f'A <{EXAMPLE}item/{op[1]}> <{P}> "{op[3][1]}" <{G}> .') for op in operations
        )
        assert len(write(operations)) < text / 5


class TestTightLookups:
    """Rows that need as many entries as a lookup has, or more."""

    def tight(self, **sizes: int) -> jr.PatchOptions:
        return jr.PatchOptions(
            max_name_table_size=8,
            max_prefix_table_size=sizes.get("prefixes", 1),
            max_datatype_table_size=sizes.get("datatypes", 1),
            rdf_star=True,
            generalized_statements=True,
        )

    @pytest.mark.parametrize("prefixes", [0, 1, 2, 3, 4])
    def test_four_prefixes_in_a_row(self, prefixes: int) -> None:
        """A row that has more prefixes than the lookup is written all the same."""
        iris = [("iri", f"urn:{n}/{n}") for n in range(4)]
        same = ("iri", "urn:0/x")
        operations = [("A", *iris), ("A", same, *iris[1:]), ("A", *reversed(iris)), ("A", *iris)]
        data = write(operations, self.tight(prefixes=prefixes))
        assert decoder.read(data) == [*operations, ("END",)]

    def test_eight_names_in_a_row(self) -> None:
        n = [("iri", f"urn:{i}") for i in range(12)]
        full = ("A", ("triple", *n[:3]), n[3], ("triple", *n[4:7]), n[7])
        data = write([("H", "", n[9]), full, ("H", "", n[9]), full], self.tight())
        assert decoder.read(data) == [("H", "", n[9]), full, ("H", "", n[9]), full, ("END",)]

    def test_nine_names_in_a_row_are_refused(self) -> None:
        n = [("iri", f"urn:{i}") for i in range(12)]
        inner = ("triple", n[6], n[7], n[8])
        full = ("A", ("triple", *n[:3]), n[3], ("triple", n[4], n[5], inner), n[9])
        with pytest.raises(jr.EncodeError, match="max_name_table_size"):
            write([full], self.tight())

    def test_xsd_string_without_datatypes_is_a_simple_literal(self) -> None:
        """RDF 1.1: they are one term; of no other datatype that may be said."""
        options = jr.PatchOptions(max_datatype_table_size=0)
        typed = ("A", S_PLAIN, S_PLAIN, ("literal", "x", None, str(XSD.string)), DEFAULT_GRAPH)
        assert decoder.read(write([typed], options)) == [with_simple_strings(typed), ("END",)]
        assert decoder.read(write([typed])) == [typed, ("END",)]
        with pytest.raises(jr.EncodeError, match="max_datatype_table_size"):
            write(
                [("A", S_PLAIN, S_PLAIN, ("literal", "1", None, "urn:d"), DEFAULT_GRAPH)], options
            )

    def test_two_datatypes_in_a_row(self) -> None:
        a, c = ("literal", "x", None, "urn:a"), ("literal", "x", None, "urn:c")
        operations: list[Plain] = [("A", a, c, a, c), ("A", a, a, a, a), ("A", c, c, c, c)]
        with pytest.raises(jr.EncodeError, match="max_datatype_table_size"):
            write(operations, self.tight())
        data = write(operations, self.tight(datatypes=2))
        assert decoder.read(data) == [*operations, ("END",)]

    @given(strategies.streams(), st.sampled_from([(0, 0), (1, 1), (2, 2)]))
    def test_what_can_be_expressed_is_written(self, stream: Stream, sizes: tuple[int, int]) -> None:
        options = {
            **stream.options,
            "max_name_table_size": 8,
            "max_prefix_table_size": sizes[0],
            "max_datatype_table_size": sizes[1],
        }
        expected = as_written(stream)
        if sizes[1] == 0:
            expected = [with_simple_strings(op) for op in expected]
        names, datatypes = producer.needs(expected)
        try:
            data = write(stream.operations, options_of(options))
        except jr.EncodeError:
            assert names > 8 or datatypes > sizes[1]
        else:
            # a row may need more at once by itself, but have them as repeated terms
            assert decoder.read(data) == expected


class TestRefusals:
    """What can't be written raises `EncodeError`, and the stream is as if it had not been tried."""

    WRONG: tuple[Any, ...] = (
        (Op.A, S, P, 5, G),
        (Op.A, S, P, "text", G),
        (Op.A, S, P, None, G),
        (Op.A, None, P, O, G),
        (Op.A, Literal("l"), P, O, G),
        (Op.A, URIRef("urn:new/s"), BNode("p"), O, G),
        (Op.A, URIRef("urn:new/s"), URIRef("urn:new/p"), Literal("\ud800"), G),
        (Op.A, URIRef("urn:new/s"), URIRef("urn:new/p"), O, Literal("g")),
        (Op.D, URIRef("urn:new/s"), URIRef("urn:new/p"), jr.TripleTerm(S, P, O), G),
        (Op.D, BNode("\udfff"), P, O, G),
        (Op.D, URIRef("\udc80"), P, O, G),
        (Op.H, 5, S),
        (Op.H, "id", None),
        (Op.H, "id", "text"),
        (Op.H, "\ud800", S),
        (Op.PA, "ex", None, G),
        (Op.PA, "ex", Literal("x"), G),
        (Op.PA, "ex", BNode("x"), G),
        (Op.PA, None, S, G),
        (Op.PA, "ex", URIRef("urn:new/x"), jr.TripleTerm(S, P, O)),
        (Op.PA, "ex", URIRef("urn:new/x"), 5),
        (Op.PD, "ex", 5, G),
        (Op.A, S, P, O),
        (Op.A, S, P, O, G, G),
        (Op.TX, S),
        (Op.H, "id"),
        (Op.END, S),
        (Op.TC,),
        (Op.TA,),
        (0,),
        (10,),
        ("A", S, P, O, G),
        (None,),
        (),
        [Op.TX],
        None,
        5,
    )

    @pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_the_stream_goes_on_as_if_it_had_not_been_tried(
        self, stream_type: str, wrong: Any
    ) -> None:
        one = (Op.A, S, P, O, G)
        other = (Op.D, URIRef("urn:new/s"), URIRef("urn:new/p"), URIRef("urn:new/x"), G)
        file = io.BytesIO()
        options = jr.PatchOptions(stream_type=stream_type)
        with jr.PatchWriter(file, options) as writer:
            for good in (None, one, other, one, None):
                if good is not None:
                    writer.write(good)
                with pytest.raises(jr.EncodeError):
                    writer.write(wrong)
        expected = [plain_operation(op) for op in (one, other, one)]
        assert decoder.read(file.getvalue()) == [*expected, ("END",)]

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_a_refused_operation_leaves_no_patch_behind(self, stream_type: str) -> None:
        file = io.BytesIO()
        with jr.PatchWriter(file, jr.PatchOptions(stream_type=stream_type)) as writer:
            writer.header("id", S)
            if stream_type != "FLAT":
                writer.end_patch()
            with pytest.raises(jr.EncodeError):
                writer.add(URIRef("urn:new/s"), URIRef("urn:new/p"), Literal("\ud800"))
        assert decoder.read(file.getvalue()) == [("H", "id", plain(S)), ("END",)]

    @given(strategies.streams(), strategies.dice)
    def test_any_stream_with_refusals_in_between(self, stream: Stream, rng: Any) -> None:
        file = io.BytesIO()
        options = options_of(stream.options, frame_rows=rng.choice([1, 3, 512]))
        with jr.PatchWriter(file, options) as writer:
            for plain_op in stream.operations:
                code, *terms = operation(plain_op)
                if terms and rng.random() < 0.5:
                    wrong = list(terms)
                    wrong[rng.randrange(len(terms))] = object()
                    with pytest.raises(jr.EncodeError):
                        writer.write((code, *wrong))
                writer.write((code, *terms))
        assert decoder.read(file.getvalue()) == as_written(stream)

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_refusals_of_encode_frame_keep_what_came_before(self, stream_type: str) -> None:
        encoder = jr.PatchEncoder(jr.PatchOptions(stream_type=stream_type))
        good = (Op.H, "id", S)
        with pytest.raises(jr.EncodeError):
            encoder.encode_frame([good, (Op.H, "id", 5), good])
        reference = decoder.Reference()
        got = reference.frame(decoder.parse(encoder.encode_frame([good])))
        got += reference.finish()
        assert got == [plain_operation(good)] * 2 + [("END",)]

    @pytest.mark.parametrize("statement_type", STATEMENT_TYPES)
    def test_a_graph_only_in_quads(self, statement_type: str) -> None:
        with jr.PatchWriter(io.BytesIO(), jr.PatchOptions(statement_type=statement_type)) as writer:
            writer.add(S, P, O)
            writer.delete(S, P, O, None)
            writer.add_prefix("ex", S)
            writer.delete_prefix("ex")
            for graph in (G, BNode("g"), DATASET_DEFAULT_GRAPH_ID):
                if statement_type == "TRIPLES":
                    with pytest.raises(jr.EncodeError):
                        writer.add(S, P, O, graph)
                    with pytest.raises(jr.EncodeError):
                        writer.delete_prefix("ex", None, graph)
                else:
                    writer.add(S, P, O, graph)
                    writer.delete_prefix("ex", None, graph)


class TestPatches:
    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_a_stream_of_nothing(self, stream_type: str) -> None:
        data = write([], jr.PatchOptions(stream_type=stream_type))
        expected = [] if stream_type == "PUNCTUATED" else [("END",)]
        assert read(data) == decoder.read(data) == expected

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_the_last_patch_need_not_be_ended(self, stream_type: str) -> None:
        data = write([("H", "id", plain(S))], jr.PatchOptions(stream_type=stream_type))
        assert decoder.read(data) == [("H", "id", plain(S)), ("END",)]

    @pytest.mark.parametrize("stream_type", ["FRAME", "PUNCTUATED"])
    def test_empty_patches(self, stream_type: str) -> None:
        operations: list[Plain] = [("END",), ("H", "id", plain(S)), ("END",), ("END",), ("END",)]
        data = write(operations, jr.PatchOptions(stream_type=stream_type))
        assert decoder.read(data) == operations

    def test_a_flat_stream_is_one_patch(self) -> None:
        file = io.BytesIO()
        with jr.PatchWriter(file, jr.PatchOptions(stream_type="FLAT")) as writer:
            writer.header("id", S)
            writer.end_patch()
            for wrong in (
                lambda: writer.header("id", S),
                lambda: writer.add(S, P, O),
                lambda: writer.begin(),
                lambda: writer.add_prefix("ex", S),
                lambda: writer.end_patch(),
                lambda: writer.write((Op.D, S, P, O, None)),
            ):
                with pytest.raises(jr.EncodeError):
                    wrong()
        assert decoder.read(file.getvalue()) == [("H", "id", plain(S)), ("END",)]

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_a_block_left_by_an_exception_aborts_its_transaction(self, stream_type: str) -> None:
        file = io.BytesIO()
        with (  # noqa: PT012
            pytest.raises(KeyError),
            jr.PatchWriter(file, jr.PatchOptions(stream_type=stream_type)) as writer,
        ):
            writer.header("id", S)
            writer.begin()
            writer.add(S, P, O)
            raise KeyError("x")
        codes = [op[0] for op in decoder.read(file.getvalue())]
        assert codes == ["H", "TX", "A", "TA", "END"]

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_a_block_left_by_an_exception_outside_a_transaction(self, stream_type: str) -> None:
        file = io.BytesIO()
        with (  # noqa: PT012
            pytest.raises(KeyError),
            jr.PatchWriter(file, jr.PatchOptions(stream_type=stream_type)) as writer,
        ):
            writer.begin()
            writer.commit()
            writer.header("id", S)
            raise KeyError("x")
        codes = [op[0] for op in decoder.read(file.getvalue())]
        assert codes == ["TX", "TC", "H", "END"]

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_a_block_that_ends_inside_a_transaction_aborts_it_and_says_so(
        self, stream_type: str
    ) -> None:
        file = io.BytesIO()
        with (  # noqa: PT012
            pytest.raises(jr.EncodeError, match="transaction"),
            jr.PatchWriter(file, jr.PatchOptions(stream_type=stream_type)) as writer,
        ):
            writer.begin()
            writer.add(S, P, O)
        assert [op[0] for op in decoder.read(file.getvalue())] == ["TX", "A", "TA", "END"]

    def test_an_encode_error_that_leaves_the_block_aborts_too(self) -> None:
        file = io.BytesIO()
        with pytest.raises(jr.EncodeError), jr.PatchWriter(file) as writer:  # noqa: PT012
            writer.begin()
            writer.add(S, P, O)
            writer.add(S, BNode(), O)
        assert [op[0] for op in decoder.read(file.getvalue())] == ["TX", "A", "TA", "END"]

    def test_what_is_read_can_be_written(self) -> None:
        """Operations of a reader are a writer's input, whole patches too."""
        data = write([("H", "id", plain(S)), ("END",), ("A", *map(plain, (S, P, O, G))), ("END",)])
        file = io.BytesIO()
        with jr.PatchWriter(file) as writer:
            for op in jr.read_operations(data):
                writer.write(op)
        assert file.getvalue() == data

    def test_writing_after_close_is_refused(self) -> None:
        writer = jr.PatchWriter(io.BytesIO())
        writer.header("id", S)
        writer.close()
        with pytest.raises(jr.EncodeError):
            writer.header("id", S)
        with pytest.raises(jr.EncodeError):
            writer.begin()
        writer.close()


class TestFrames:
    @pytest.mark.parametrize("stream_type", ["FLAT", "PUNCTUATED"])
    @pytest.mark.parametrize("frame_rows", [1, 2, 10, 512])
    def test_frames_are_closed_by_rows(self, stream_type: str, frame_rows: int) -> None:
        operations = [
            ("A", ("iri", f"urn:{n}"), plain(P), plain(O), DEFAULT_GRAPH) for n in range(1000)
        ]
        data = write(operations, jr.PatchOptions(stream_type=stream_type, frame_rows=frame_rows))
        counts = [len(message.rows) for message in messages(data)]
        # the entries of a row stand in its frame: a statement here has 4 IRIs, so 8 entries at most
        assert all(frame_rows <= count < frame_rows + 9 for count in counts[:-1])
        assert counts[-1] <= frame_rows + 9
        assert decoder.read(data) == [*operations, ("END",)]

    def test_the_default_is_512_rows(self) -> None:
        """protocol.md: frame size: 512 rows by default for patches."""
        data = write([("A", ("bnode", str(n)), *map(plain, (P, O, G))) for n in range(2000)])
        counts = [len(message.rows) for message in messages(data)]
        assert 512 <= counts[0] <= 520
        assert counts[1] == 512

    def test_frames_are_closed_by_bytes(self) -> None:
        options = jr.PatchOptions(frame_bytes=1000, frame_rows=10_000)
        data = write(
            [("A", ("bnode", "x" * 90 + str(n)), *map(plain, (P, O, G))) for n in range(100)],
            options,
        )
        sizes = list(map(len, wire.split(data)))
        assert len(sizes) > 5
        assert all(1000 <= size < 1150 for size in sizes[:-1])

    def test_each_frame_is_written_in_one_piece(self) -> None:
        """No frame is half written."""

        class Recorder(io.RawIOBase):
            pieces: list[bytes] = []  # noqa: RUF012

            def writable(self) -> bool:
                return True

            def write(self, data: Any) -> int:
                self.pieces.append(bytes(data))
                return len(data)

        recorder = Recorder()
        with jr.PatchWriter(recorder, jr.PatchOptions(frame_rows=3)) as writer:
            for n in range(20):
                writer.add(BNode(str(n)), P, O)
        assert len(recorder.pieces) > 3
        for piece in recorder.pieces:
            assert len(wire.split(piece)) == 1

    def test_a_file_that_takes_only_a_part_at_a_time(self) -> None:
        class Slow(io.RawIOBase):
            data = b""

            def writable(self) -> bool:
                return True

            def write(self, data: Any) -> int:
                self.data += bytes(data[:3])
                return min(3, len(data))

        slow = Slow()
        with jr.PatchWriter(slow) as writer:
            writer.add(S, P, O)
        assert len(read(slow.data)) == 2

    @pytest.mark.parametrize(("taken", "error"), [(0, OSError), (None, BlockingIOError)])
    def test_a_file_that_takes_no_more(self, taken: int | None, error: type[OSError]) -> None:
        class Stuck(io.RawIOBase):
            calls = 0

            def writable(self) -> bool:
                return True

            def write(self, data: Any) -> int | None:
                self.calls += 1
                return 3 if self.calls == 1 else taken

        with pytest.raises(error, match="took 3 of"), jr.PatchWriter(Stuck()) as writer:
            writer.add(S, P, O)
        with pytest.raises(error, match="took 0 of"), jr.PatchWriter(Stuck()) as writer:  # noqa: PT012
            writer._destination._file.calls = 1
            writer.add(S, P, O)

    def test_a_bare_frame_in_frame_takes_one_patch(self) -> None:
        options = jr.PatchOptions(stream_type="FRAME", delimited=False)
        with jr.PatchWriter(io.BytesIO(), options) as writer:
            writer.header("id", S)
            writer.end_patch()
            with pytest.raises(jr.EncodeError):
                writer.header("id", S)


class TestDestinations:
    def test_a_file_stays_open_and_is_flushed(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        with path.open("wb") as file:
            with jr.PatchWriter(file) as writer:
                writer.add(S, P, O)
            assert not file.closed
            assert len(read(path)) == 2
            file.write(b"")

    @pytest.mark.parametrize("make", [str, Path])
    def test_a_path_is_opened_and_closed(self, tmp_path: Path, make: Any) -> None:
        path = tmp_path / "é.jellyp"
        path.write_bytes(b"what was there")
        with jr.PatchWriter(make(path)) as writer:
            writer.add(S, P, O)
        del writer
        gc.collect()
        assert len(read(path)) == 2
        path.unlink()

    def test_a_path_is_closed_after_an_exception(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        with pytest.raises(KeyError), jr.PatchWriter(path) as writer:  # noqa: PT012
            writer.begin()
            raise KeyError("x")
        assert [op[0] for op in read(path)] == ["TX", "TA", "END"]

    def test_a_socket(self) -> None:
        left, right = socket.socketpair()
        with left, right:
            with left.makefile("wb") as file, jr.PatchWriter(file) as writer:
                writer.add(S, P, O)
            left.shutdown(socket.SHUT_WR)
            assert len(read(right.makefile("rb"))) == 2

    def test_an_object_with_write_alone(self) -> None:
        class Sink:
            data = b""

            def write(self, data: bytes) -> None:
                self.data += data

        sink = Sink()
        with jr.PatchWriter(sink) as writer:
            writer.add(S, P, O)
        assert len(read(sink.data)) == 2

    @pytest.mark.parametrize("destination", [None, 5, object(), b"path"])
    def test_what_can_not_be_written_to_is_a_type_error(self, destination: Any) -> None:
        with pytest.raises(TypeError):
            jr.PatchWriter(destination)

    def test_a_text_file_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(TypeError, match="binary"):
            jr.PatchWriter(io.StringIO())
        with (tmp_path / "x").open("w") as file, pytest.raises(TypeError, match="binary"):
            jr.PatchWriter(file)

    def test_wrong_options_leave_a_file_as_it_is(self, tmp_path: Path) -> None:
        path = tmp_path / "x.jellyp"
        path.write_bytes(b"precious")
        wrong: Any = {"stream_type": "FLAT"}
        with pytest.raises(TypeError, match="PatchOptions"):
            jr.PatchWriter(path, wrong)
        assert path.read_bytes() == b"precious"

    def test_a_namespace_is_an_iri(self) -> None:
        """As where rdflib itself takes the IRI of a prefix."""
        file = io.BytesIO()
        with jr.PatchWriter(file) as writer:
            writer.add_prefix("a", Namespace(EXAMPLE))
            writer.add_prefix("b", EXAMPLE)
            writer.delete_prefix("c", Namespace(EXAMPLE))
            for wrong in (BNode("b"), Literal("l"), 5):
                with pytest.raises(jr.EncodeError):
                    writer.add_prefix("e", wrong)  # type: ignore[arg-type]
        iris = [op[2] for op in read(file.getvalue())[:-1]]
        assert iris == [("iri", EXAMPLE)] * 3

    def test_an_error_of_the_file_goes_through_and_ends_the_stream(self) -> None:
        class Full(io.BytesIO):
            is_full = False

            def write(self, data: Any) -> int:
                if self.is_full:
                    raise OSError("disk full")
                return super().write(data)

        file = Full()
        writer = jr.PatchWriter(file, jr.PatchOptions(frame_rows=1))
        with pytest.raises(OSError, match="disk full"), writer:  # noqa: PT012
            writer.add(S, P, O)
            whole = file.getvalue()
            file.is_full = True
            try:
                writer.add(O, P, S)
            finally:
                file.is_full = False
        # a frame was lost with the entries in it: none may follow
        assert file.getvalue() == whole
        with pytest.raises(jr.EncodeError):
            writer.add(S, P, O)


class TestRoundTrips:
    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    @pytest.mark.parametrize("statement_type", STATEMENT_TYPES)
    @given(data=st.data())
    def test_any_stream(self, stream_type: str, statement_type: str, data: st.DataObject) -> None:
        stream = data.draw(
            strategies.streams(
                stream_type=jr.PatchStreamType(stream_type).value,
                statement_type=jr.PatchStatementType(statement_type).value,
            )
        )
        written = write(stream.operations, options_of(stream.options))
        assert read(written) == as_written(stream)
        assert [
            [plain_operation(op) for op in patch]
            for patch in jr.read_patches(written, normalize=False)
        ] == Stream(stream.options, as_written(stream)).patches

    @pytest.mark.parametrize("preset", [jr.PatchOptions.small, jr.PatchOptions.big])
    @given(stream=strategies.streams(statement_type=QUADS))
    def test_presets(self, preset: Any, stream: Stream) -> None:
        options = preset(
            stream_type=stream.options["stream_type"], rdf_star=True, generalized_statements=True
        )
        assert read(write(stream.operations, options)) == as_written(stream)

    def test_typed_literals_stay_what_they_are(self) -> None:
        """A literal read normalizing equals the one that was written, if that was normal too."""
        nodes = [node(term, None) for term in strategies.TYPED_LITERALS]
        file = io.BytesIO()
        options = jr.PatchOptions(max_datatype_table_size=200, statement_type="TRIPLES")
        with jr.PatchWriter(file, options) as writer:
            for one in nodes:
                writer.add(S, P, one)
        got = [op[3] for op in jr.read_operations(file.getvalue()) if op[0] is Op.A]
        for one, other in zip(nodes, got, strict=True):
            again = Literal(str(one), datatype=one.datatype)
            assert same_term(other, again), (one, other)

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
            (jr.TripleTerm(S, P, Literal("x")), jr.TripleTerm(S, P, Literal("x", lang="en"))),
        ],
    )
    def test_terms_that_look_alike_stay_apart(self, one: Any, other: Any) -> None:
        """They follow each other in the same place, so a repeated term would be wrong."""
        file = io.BytesIO()
        options = jr.PatchOptions(rdf_star=True, generalized_statements=True)
        with jr.PatchWriter(file, options) as writer:
            for term in (one, other, one, other):
                writer.add(term, P, term, S)
        got = list(jr.read_operations(file.getvalue()))[:-1]
        for op, term in zip(got, (one, other, one, other), strict=True):
            assert same_term(op[1], term), (op[1], term)
            assert same_term(op[3], term), (op[3], term)

    def test_subclasses_of_rdflibs_terms(self) -> None:
        """A namespace's term or a str subclass is written as the term it stands for."""

        class Special(URIRef):
            pass

        class Blank(BNode):
            pass

        file = io.BytesIO()
        with jr.PatchWriter(file) as writer:
            writer.add(Special("urn:s"), XSD.integer, Blank("b"), Special("urn:g"))
            writer.add(URIRef("urn:s"), URIRef(str(XSD.integer)), BNode("b"), URIRef("urn:g"))
        first, second, _ = jr.read_operations(file.getvalue())
        assert first == second
        assert list(map(type, first[1:])) == [URIRef, URIRef, BNode, URIRef]

    def test_a_literal_of_a_python_value(self) -> None:
        values = [1, 1.5, True, "x", Decimal("1.50"), date(2024, 2, 29)]
        data = write([("H", "", plain(Literal(value))) for value in values])
        got = [op[2] for op in jr.read_operations(data) if op[0] is Op.H]
        assert [one.toPython() for one in got[:3]] == values[:3]
        for one, value in zip(got, values, strict=True):
            literal = Literal(value)
            assert same_term(one, Literal(str(literal), datatype=literal.datatype))

    def test_many_terms(self) -> None:
        """Lookups of the big preset are run through many times over."""
        operations = [
            (
                "A" if n % 3 else "D",
                ("iri", f"http://example.org/{n % 211}/{n * 7919 % 9973}"),
                ("iri", f"http://example.org/p#{n % 17}"),
                ("literal", str(n), None, f"urn:d/{n * 31 % 97}")
                if n % 2
                else ("bnode", f"b{n % 5}"),
                ("iri", f"http://example.org/g/{n // 1000}"),
            )
            for n in range(20_000)
        ]
        for options in (jr.PatchOptions(), jr.PatchOptions.small(frame_rows=100)):
            data = write(operations, options)
            assert read(data) == [*operations, ("END",)]
            kinds = Counter(row.WhichOneof("row") for row in rows(data))
            assert kinds["name"] > options.max_name_table_size
            assert kinds["prefix"] > options.max_prefix_table_size
            assert kinds["datatype"] > options.max_datatype_table_size

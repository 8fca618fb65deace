"""Tests writing patches; `tests.core.jelly` tests behaviour that Jelly-RDF shares."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import Namespace

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests import strategies
from tests.core.jelly.formats import PATCH
from tests.oracle import decoder
from tests.oracle.build import FRAME
from tests.oracle.terms import (
    Plain,
    as_written,
    operation,
    plain,
    plain_operation,
)
from tests.strategies import Stream
from tests.support import options_of, read, write

STREAM_TYPES = ["FRAME", "FLAT", "PUNCTUATED"]
STATEMENT_TYPES = ["TRIPLES", "QUADS"]

EXAMPLE = "http://example.org/"
S_PLAIN: Plain = ("iri", "urn:s")
S, P, O, G = (URIRef(EXAMPLE + name) for name in "spog")  # noqa: E741


class TestAgainstProtobuf:
    """Tests that the reference decoder reads the package's output."""

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
        assert got + reference.finish() == as_written(stream.operations)

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


def names_set(data: bytes) -> list[tuple[int, str]]:
    """Return the ids and values of the name entries, in order."""
    entries, last = [], 0
    for row in PATCH.rows(data):
        if row.HasField("name"):
            last = row.name.id or last + 1
            entries.append((last, row.name.value))
    return entries


class TestEconomy:
    """Tests that the writer uses zero ids and repeated terms wherever possible."""

    # The writer keeps more than 48 entries in order in another way.
    @pytest.mark.parametrize("size", [8, 60])
    @given(data=st.data())
    def test_entries_go_as_in_a_dict_that_is_kept_in_order(self, size: int, data: Any) -> None:
        names = st.integers(0, 2 * size).map(str)
        quads = data.draw(st.lists(st.tuples(names, names, names, names), max_size=100))
        options = jr.PatchOptions(max_name_table_size=size, max_prefix_table_size=0)
        held: dict[str, int] = {}
        expected: list[tuple[int, str]] = []
        last: Any = (None,) * 4
        for quad in quads:
            for name, before in zip(quad, last, strict=True):
                if name == before:
                    continue
                if name not in held:
                    id = len(held) + 1 if len(held) < size else held.pop(next(iter(held)))
                    expected.append((id, name))
                    held[name] = id
                # The newest entry is at the end.
                held[name] = held.pop(name)
            last = quad
        operations: list[Plain] = [("A", *(("iri", name) for name in quad)) for quad in quads]
        assert names_set(write(operations, options)) == expected

    @pytest.mark.parametrize("kind", ["prefix", "datatype"])
    def test_the_least_recently_used_goes_in_every_lookup(self, kind: str) -> None:
        options = jr.PatchOptions(max_prefix_table_size=3, max_datatype_table_size=3)
        values: list[Plain] = [
            ("iri", f"{x}/n") if kind == "prefix" else ("literal", "x", None, f"{x}/")
            for x in "abcabd"
        ]
        data = write([("H", "", value) for value in values], options)
        entries, last = [], 0
        for row in PATCH.rows(data):
            if row.HasField(kind):
                entry = getattr(row, kind)
                last = entry.id or last + 1
                entries.append((last, entry.value))
        assert entries == [(1, "a/"), (2, "b/"), (3, "c/"), (3, "d/")]


class TestRefusals:
    """Tests that invalid operations raise `EncodeError` and leave the stream unchanged."""

    WRONG: tuple[Any, ...] = (
        (Op.D, S, P, 5, G),
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

    @pytest.mark.parametrize("make", [list, tuple, iter])
    @pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 200])
    def test_of_many_those_before_are_written(self, count: int, make: Any) -> None:
        good = [(Op.A, URIRef(f"urn:s{n}"), P, O, G) for n in range(count + 9)]
        # The encoder finds the first fault when it encodes the row, and the second fault when it
        # reads the row.
        given = [*good[:count], (Op.TC,), *good[count:], (Op.A, S, P, 5, G)]
        file = io.BytesIO()
        with jr.PatchWriter(file) as writer:
            with pytest.raises(jr.EncodeError, match="no transaction to end"):
                writer.write_all(make(given))
            writer.write_all(make(good[count:]))
            with pytest.raises(jr.EncodeError, match="5 of type int is not an RDF term"):
                writer.write_all(make([*good, (Op.A, S, P, 5, G), (Op.TC,)]))
        expected = [plain_operation(each) for each in (*good, *good)]
        assert decoder.read(file.getvalue()) == [*expected, ("END",)]

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
            writer.add(S, P, O, DATASET_DEFAULT_GRAPH_ID)
            writer.delete_prefix("ex", None, DATASET_DEFAULT_GRAPH_ID)
            for graph in (G, BNode("g")):
                if statement_type == "TRIPLES":
                    with pytest.raises(jr.EncodeError):
                        writer.add(S, P, O, graph)
                    with pytest.raises(jr.EncodeError):
                        writer.delete_prefix("ex", None, graph)
                else:
                    writer.add(S, P, O, graph)
                    writer.delete_prefix("ex", None, graph)


class TestPatches:
    def test_what_may_not_come_here_is_said(self) -> None:
        with jr.PatchWriter(io.BytesIO()) as writer:
            with pytest.raises(jr.EncodeError, match="there is no transaction to end: begin"):
                writer.commit()
            writer.begin()
            with pytest.raises(jr.EncodeError, match="a transaction starts inside a transaction"):
                writer.begin()
            with pytest.raises(jr.EncodeError, match="the patch ends inside a transaction: commit"):
                writer.end_patch()
            writer.commit()

    @pytest.mark.parametrize("stream_type", STREAM_TYPES)
    def test_a_stream_of_nothing(self, stream_type: str) -> None:
        data = write([], jr.PatchOptions(stream_type=stream_type))
        expected = [] if stream_type == "PUNCTUATED" else [("END",)]
        assert read(data) == decoder.read(data) == expected

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


class TestFrames:
    def test_a_bare_frame_in_frame_takes_one_patch(self) -> None:
        options = jr.PatchOptions(stream_type="FRAME", delimited=False)
        with jr.PatchWriter(io.BytesIO(), options) as writer:
            writer.header("id", S)
            writer.end_patch()
            with pytest.raises(jr.EncodeError):
                writer.header("id", S)


class TestDestinations:
    def test_a_namespace_is_an_iri(self) -> None:
        """The IRI of a prefix may be a str or a Namespace, as in rdflib itself."""
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

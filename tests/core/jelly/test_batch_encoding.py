"""Tests that writing batches produces the same bytes as writing their operations one by one."""

import io
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.core.batch import BatchBuilder
from jelly_rdflib.core.jelly_encoder import PatchFrameEncoder, StatementFrameEncoder
from jelly_rdflib.nodes import NODE_TYPES, make_node_factory
from jelly_rdflib.nodes.conversion import OperationSink, StatementSink
from tests import strategies
from tests.core.jelly import statement_strategies as rdf_strategies
from tests.core.jelly.formats import RDF, Format, Rdf, formats
from tests.core.jelly.statement_support import few
from tests.oracle.build import FRAME
from tests.oracle.build import QUADS as PATCH_QUADS
from tests.strategies import dice
from tests.support import options_of, write

S, P = URIRef("http://example.org/s"), URIRef("http://example.org/p")
SIZES = [(8, 0, 0), (8, 1, 1), (9, 2, 1), (16, 3, 2), (128, 16, 16), (4000, 150, 32)]
"""Sizes of the writer's lookups, starting with the smallest allowed sizes."""

lookups = st.sampled_from(SIZES).map(
    lambda sizes: {
        "max_name_table_size": sizes[0],
        "max_prefix_table_size": sizes[1],
        "max_datatype_table_size": sizes[2],
    }
)
term_kinds = st.fixed_dictionaries(
    {"rdf_star": st.booleans(), "generalized_statements": st.booleans()}
)


Error = tuple[type, str] | None


def attempt(call: Callable[[], object]) -> Error:
    """Return the type and message of the EncodeError that `call` raises, or None."""
    try:
        call()
    except jr.EncodeError as error:
        return type(error), str(error)
    return None


class Written:
    """Writes with an encoder of statements or of changes, and stores the bytes and errors."""

    def __init__(self, options: Any) -> None:
        self.pieces: list[bytes] = []
        self.errors: list[Error] = []
        self.is_patch = isinstance(options, jr.PatchOptions)
        kind = PatchFrameEncoder if self.is_patch else StatementFrameEncoder
        self.encoder: Any = kind(NODE_TYPES, options, self.pieces.append)
        sink = OperationSink if self.is_patch else StatementSink
        self.sink: Any = sink(NODE_TYPES, self.encoder)

    def batch(self, batch: jr.Batch) -> None:
        self.attempt(lambda: self.sink.write_all(batch))

    def one_by_one(self, batch: jr.Batch) -> None:
        put = self.sink.write if self.is_patch else self.put_statement
        self.attempt(lambda: [put(operation) for operation in batch])

    def put_statement(self, operation: Any) -> None:
        if operation[0] == Op.A:
            self.sink.add(*operation[1:])
        elif operation[0] != Op.PA:
            raise jr.EncodeError(
                f"Jelly-RDF is for statements: it can't express {operation[0].name}"
            )
        elif self.encoder.options.namespace_declarations:
            self.sink.add_namespace(*operation[1:3])

    def attempt(self, call: Callable[[], object]) -> None:
        self.errors.append(attempt(call))

    def finish(self) -> tuple[bytes, list[Error]]:
        self.attempt(self.encoder.finish)
        return b"".join(self.pieces), self.errors


def assert_same(batches: Iterable[jr.Batch], options: Any, random: Any) -> None:
    """Check that batches, alone or mixed with operations, are written like single operations."""
    whole, mixed, single = Written(options), Written(options), Written(options)
    for batch in batches:
        whole.batch(batch)
        random.choice([mixed.batch, mixed.one_by_one])(batch)
        single.one_by_one(batch)
        if not single.is_patch and options.is_grouped:
            for each in (whole, mixed, single):
                each.attempt(each.encoder.end_frame)
    expected = single.finish()
    assert whole.finish() == expected
    assert mixed.finish() == expected


def assert_same_frames(pairs: Iterable[tuple[jr.Batch, Any]], encoders: tuple[Any, Any]) -> None:
    """Check that encoding a batch gives the same frame, or error, as encoding its tuples."""
    for pair in pairs:
        results = []
        for encoder, items in zip(encoders, pair, strict=True):
            frames: list[bytes] = []
            error = attempt(lambda e=encoder, i=items, f=frames: f.append(e.encode_frame(i)))
            results.append((frames, error))
        assert results[0] == results[1]


def batches_of(f: Format, stream: Any) -> list[jr.Batch]:
    """Return the batches of `stream`, with its namespaces."""
    if isinstance(f, Rdf):
        stream.options["version"] = 2
        data = f.write_stream(stream, namespace_declarations=True)
        return list(jr.read_batches(data, strict=False))
    return list(jr.read_batches(f.write_stream(stream, frame_rows=4)))


class TestAnyStream:
    @formats
    @few
    @given(st.data(), lookups, st.sampled_from([1, 3, 512]), st.booleans(), dice)
    def test_with_any_lookups(
        self, f: Format, data: st.DataObject, sizes: Any, rows: int, delimited: bool, random: Any
    ) -> None:
        """If the lookups are too small, the batch fails where the single operations fail."""
        stream = data.draw(f.streams())
        batches = batches_of(f, stream)
        more = {"namespace_declarations": random.random() < 0.5} if isinstance(f, Rdf) else {}
        fields = {**stream.options, **sizes, **more}
        options = f.support.options_of(fields, frame_rows=rows, delimited=delimited)
        assert_same(batches, options, random)

    @formats
    @few
    @given(st.data(), lookups, term_kinds, dice)
    def test_with_options_that_may_not_do(
        self, f: Format, data: st.DataObject, sizes: Any, kinds: Any, random: Any
    ) -> None:
        stream = data.draw(f.streams())
        batches = batches_of(f, stream)
        fields = {**stream.options, **sizes, **kinds}
        if isinstance(f, Rdf):
            fields |= {"physical_type": random.choice([1, 2, 3]), "logical_type": 0}
        else:
            fields |= {"statement_type": random.choice([1, 2])}
            fields |= {"stream_type": random.choice(["FRAME", "FLAT", "PUNCTUATED"])}
        assert_same(batches, f.support.options_of(fields, frame_rows=3), random)

    @few
    @given(strategies.streams(stream_type=FRAME), lookups)
    def test_patches_one_by_one(self, stream: Any, sizes: Any) -> None:
        data = write(stream.operations, options_of(stream.options))
        options = options_of({**stream.options, **sizes})
        pairs = ((batch, list(batch)) for batch in jr.read_batches(data))
        assert_same_frames(pairs, (jr.PatchEncoder(options), jr.PatchEncoder(options)))

    @few
    @given(rdf_strategies.streams(logical="grouped"), lookups, term_kinds)
    def test_graphs_one_by_one(self, stream: Any, sizes: Any, kinds: Any) -> None:
        """A graph that fails is rolled back in the same way as without batches."""
        data = RDF.write_stream(stream)
        # Version 1 has no namespaces, but a batch would write them.
        options = RDF.support.options_of({**stream.options, **sizes, **kinds, "version": 1})
        frames = jr.read_frames(data, strict=False, normalize=False)
        pairs = ((frame.batch, list(frame)) for frame in frames)
        assert_same_frames(pairs, (jr.StatementEncoder(options), jr.StatementEncoder(options)))

    @few
    @given(strategies.streams(statement_type=PATCH_QUADS), lookups, dice)
    def test_batches_of_text(self, stream: Any, sizes: Any, random: Any) -> None:
        """The text reader numbers the terms of its tables in a different order."""
        file = io.BytesIO()
        data = write(stream.operations, options_of(stream.options))
        with jr.PatchWriter(file, format="rdf-patch") as writer:
            # Text can't represent all operations.
            attempt(lambda: [writer.write_all(batch) for batch in jr.read_batches(data)])
            attempt(writer.abort)
        batches = list(jr.read_batches(file.getvalue(), format="rdf-patch"))
        fields = {**stream.options, **sizes, "stream_type": "PUNCTUATED"}
        assert_same(batches, options_of(fields), random)

    @few
    @given(dice, st.sampled_from(SIZES[:4]))
    def test_long_streams_with_much_eviction(self, random: Any, sizes: Any) -> None:
        iris = [URIRef(f"http://{n % 5}.example/{n}") for n in range(30)]
        objects = [*iris, BNode("b"), *(Literal(n, datatype=f"urn:d{n % 4}") for n in range(9))]
        operations = [
            (Op.A, random.choice(iris), random.choice(iris), random.choice(objects), None)
            for _ in range(300)
        ]
        frames = jr.PatchEncoder().encode_frame(operations)
        names, prefixes, datatypes = sizes
        options = jr.PatchOptions(
            max_name_table_size=names,
            max_prefix_table_size=prefixes,
            max_datatype_table_size=max(datatypes, 1),
            frame_rows=50,
        )
        assert_same(list(jr.read_batches(frames)) * 2, options, random)

    @few
    @given(strategies.streams(), dice)
    def test_changes_are_no_statements(self, stream: Any, random: Any) -> None:
        data = write(stream.operations, options_of(stream.options))
        options = jr.StreamOptions(rdf_star=True, generalized_statements=True)
        assert_same(list(jr.read_batches(data)), options, random)


def make_builder() -> BatchBuilder:
    return BatchBuilder(make_node_factory(False), jr.Limits())


class TestOddBatches:
    """A builder can make batches that no reader makes."""

    @pytest.mark.parametrize("kind", ["QUADS", "TRIPLES"])
    @few
    @given(
        rows=st.lists(
            st.tuples(
                st.sampled_from([Op.A, Op.D, Op.H, Op.PA, Op.PD, Op.TX, Op.TC]),
                *[st.integers(0, 8)] * 4,
            ),
            max_size=6,
        ),
        kinds=term_kinds,
        random=dice,
    )
    def test_any_term_anywhere(self, kind: str, rows: Any, kinds: Any, random: Any) -> None:
        """A missing term, a string or the default graph is written like its node."""
        batches = []
        for row in rows:
            builder = make_builder()
            iri = builder.iri("urn:a/i")
            numbers = [
                0,
                iri,
                builder.blank_node("b"),
                builder.literal("l", datatype="urn:d"),
                builder.literal("l", language="en"),
                builder.literal("l", datatype="http://www.w3.org/2001/XMLSchema#string"),
                builder.string("name"),
                builder.triple(iri, iri, iri),
                builder.iri(str(DATASET_DEFAULT_GRAPH_ID)),
            ]
            builder.add_row(row[0], *(numbers[n] for n in row[1:]))
            batches.append(builder.drain(has_graphs=True))
        options = jr.PatchOptions(
            statement_type=kind, max_datatype_table_size=random.choice([0, 8]), **kinds
        )
        assert_same(batches, options, random)

    def test_the_default_graph_is_one_whatever_a_batch_has_for_it(self) -> None:
        builder = make_builder()
        p = builder.iri("urn:p")
        for g in (0, builder.default_graph(), builder.iri(str(DATASET_DEFAULT_GRAPH_ID)), p, 0):
            builder.add_row(Op.A, p, p, p, g)
        batch = builder.drain(has_graphs=True)
        assert_same([batch, batch], jr.PatchOptions(), Random(1))
        for physical_type in ("QUADS", "GRAPHS"):
            options = jr.StreamOptions(physical_type=physical_type)
            assert_same([batch, batch], options, Random(2))


def batch_of(operations: Any) -> jr.Batch:
    return next(iter(jr.read_batches(jr.PatchEncoder().encode_frame(operations))))


def test_lexical_forms_are_written_to_the_letter() -> None:
    """The encoder writes the lexical form as read, even if the batch's nodes normalize it."""
    number = Literal("01", datatype="http://www.w3.org/2001/XMLSchema#integer", normalize=False)
    frame = jr.PatchEncoder().encode_frame([(Op.A, S, P, number, None)])
    batch = next(iter(jr.read_batches(frame, normalize=True)))
    assert str(next(iter(batch))[3]) == "1"
    assert jr.PatchEncoder().encode_frame(batch) == frame


def test_a_repeated_term_of_an_earlier_batch_is_not_written_again() -> None:
    encoder, source = (jr.PatchEncoder(jr.PatchOptions(rdf_star=True)) for _ in range(2))
    data = source.encode_frame([(Op.A, S, P, jr.TripleTerm(S, P, Literal("o")), None)])
    batch = next(iter(jr.read_batches(data)))
    encoder.encode_frame(batch)
    header = batch_of([(Op.H, "id", S)])
    encoder.encode_frame(header)
    assert len(encoder.encode_frame(batch)) == 4
    assert len(encoder.encode_frame(list(batch))) == 4
    assert len(encoder.encode_frame(batch)) == 4


def test_batch_of_no_reader() -> None:
    encoder: Any = PatchFrameEncoder(NODE_TYPES, jr.PatchOptions())
    for wrong in (None, [], jr.Batch.__new__(jr.Batch)):
        with pytest.raises(TypeError):
            encoder.write_batch(wrong)

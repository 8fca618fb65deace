"""Tests reading Jelly-RDF alone; `test_read` tests both formats."""

import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from rdflib import BNode, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from tests.core.jelly import statement_strategies as strategies
from tests.core.jelly.formats import RDF_GRAPHS
from tests.core.jelly.statement_strategies import PHYSICAL_TYPES, Stream
from tests.core.jelly.statement_support import (
    few,
    plain_frame,
    plain_operations,
    plain_statement,
    statements,
)
from tests.core.jelly.streams import REALISTIC
from tests.oracle import rdf_build as b
from tests.oracle import rdf_decoder, rdf_producer
from tests.oracle.rdf_build import DATASETS, GRAPHS, QUADS, TRIPLES
from tests.oracle.rdf_decoder import Frame
from tests.oracle.terms import DEFAULT_GRAPH, Plain, plain
from tests.strategies import dice


def spelled(stream: Stream, rng: random.Random) -> bytes:
    """Return `stream` as a foreign producer might write it."""
    return rdf_producer.spelled(rdf_producer.messages(stream.frames, stream.options, rng), rng)


@few
@given(strategies.streams(), dice)
def test_batches_and_statements_say_what_frames_do(stream: Stream, rng: random.Random) -> None:
    data = spelled(stream, rng)
    assert statements(data) == stream.statements
    batches = list(jr.read_batches(data))
    got = [Frame(plain_operations(x), x.metadata) for x in batches]
    assert got == rdf_decoder.read(data)
    for batch in batches:
        assert len(batch) == len(memoryview(batch.ops))
        if stream.options["physical_type"] == TRIPLES:
            assert not any(memoryview(batch.g))


def dataset_of(frame: Frame) -> Counter[Plain]:
    """Return the distinct statements of `frame`."""
    return Counter(set(frame.statements))


def plain_graph(graph: Any) -> Counter[Plain]:
    """Return the statements of an rdflib Graph or Dataset."""
    if type(graph) is Graph:
        return Counter(plain_statement(triple) for triple in graph)
    assert type(graph) is Dataset
    return Counter(
        (*map(plain, triple), DEFAULT_GRAPH if g is None else plain(g))
        for *triple, g in graph.quads()
    )


P, EX = URIRef("urn:p"), URIRef("http://example.org/")


def grouped(physical_type: int, logical_type: int, **options: Any) -> bytes:
    """Return a stream of frames with two, zero and one statements; the first has a namespace."""
    head = [
        b.options(physical_type=physical_type, logical_type=logical_type, version=2, **options),
        b.name("urn:p"),
        b.name(str(EX)),
        b.namespace("ex", b.iri(0, 2)),
    ]
    use = b.iri(0, 1)
    if physical_type == TRIPLES:
        return b.stream([*head, b.spo("a", use, "b"), b.spo("b")], [], [b.spo("c")])
    if physical_type == QUADS:
        first = [b.spog("a", use, "b", "g"), b.spog("b", g=b.default_graph())]
        return b.stream([*head, *first], [], [b.spog("c", g="g")])
    first = [b.start("g"), b.spo("a", use, "b"), b.end(), b.start(b.default_graph()), b.spo("b")]
    return b.stream([*head, *first, b.end()], [], [b.start("g"), b.spo("c"), b.end()])


class TestStrictness:
    """Each reader refuses incompatible types, unless `strict` is False."""

    DATA = b.stream([b.options(physical_type=TRIPLES, logical_type=DATASETS)])

    @pytest.mark.parametrize("call", [jr.read_statements, jr.read_frames, jr.read_batches])
    def test_strict_is_the_default(self, call: Any) -> None:
        with pytest.raises(jr.DecodeError, match="logical type DATASETS"):
            list(call(self.DATA))
        with pytest.warns(UserWarning, match="logical type DATASETS"):
            list(call(self.DATA, strict=False))

    @pytest.mark.parametrize("logical_type", [10, 20, 1000])
    def test_subtypes_of_unspecified_are_not_flat(self, logical_type: int) -> None:
        data = b.stream([b.options(physical_type=TRIPLES, logical_type=logical_type)])
        assert [len(graph) for graph in jr.read_graphs(data)] == [0]


class TestGraphs:
    """`read_graphs` returns a Graph or a Dataset for each frame."""

    @pytest.mark.parametrize("physical_type", PHYSICAL_TYPES)
    def test_namespaces_are_bound(self, physical_type: int) -> None:
        first, second, _ = jr.read_graphs(grouped(physical_type, 0))
        assert dict(first.namespaces())["ex"] == EX
        assert "ex" not in dict(second.namespaces())

    @pytest.mark.parametrize(
        ("physical_type", "logical_type"),
        [(TRIPLES, 1), (TRIPLES, 11), (QUADS, 2), (GRAPHS, 2), (GRAPHS, 12)],
    )
    def test_flat_streams_are_refused_or_warned_about(
        self, physical_type: int, logical_type: int
    ) -> None:
        data = grouped(physical_type, logical_type)
        with pytest.raises(jr.DecodeError, match="read_statements") as caught:
            list(jr.read_graphs(data))
        assert (caught.value.offset, caught.value.frame) == (0, 1)
        with pytest.warns(UserWarning, match="flat|FLAT"):
            assert len(list(jr.read_graphs(data, strict=False))) == 3

    @few
    @given(strategies.streams(logical="grouped", rdf_1_1=True), dice)
    def test_any_stream(self, stream: Stream, rng: random.Random) -> None:
        # rdflib's Dataset turns an empty name into a blank node.
        assume(all(statement[3:] != (("iri", ""),) for statement in stream.statements))
        assume(all(statement[3:] != (("bnode", ""),) for statement in stream.statements))
        data = spelled(stream, rng)
        graphs = list(jr.read_graphs(data, normalize=False))
        expected = [dataset_of(frame) for frame in rdf_decoder.read(data)]
        assert [plain_graph(graph) for graph in graphs] == expected

    def test_what_a_graph_can_not_hold_is_a_clear_error(self) -> None:
        quoted = b.triple("s", b.iri(0, 1), "o")
        for row in (b.spo(quoted, b.iri(0, 1), "o"), b.spo(b.literal("l"), b.iri(0, 1), "o")):
            options = b.options(rdf_star=True, generalized_statements=True, logical_type=3)
            data = b.stream([options, b.name("urn:p"), row])
            with pytest.raises(jr.JellyError, match=r"read_(statements|frames)"):
                list(jr.read_graphs(data))


READERS: list[Callable[..., Any]] = [
    jr.read_statements,
    jr.read_frames,
    jr.read_graphs,
    jr.read_batches,
]


class TestIteration:
    @pytest.mark.parametrize("call", READERS)
    def test_close(self, call: Any, tmp_path: Path) -> None:
        """An unclosed file causes a ResourceWarning, which pytest turns into an error."""
        path = tmp_path / "x.jelly"
        path.write_bytes(grouped(QUADS, DATASETS))
        reader = call(path)
        next(reader)
        reader.close()
        assert list(reader) == []
        reader.close()

    @pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="no /proc")
    def test_a_refused_stream_is_closed(self, tmp_path: Path) -> None:
        path = tmp_path / "x.jelly"
        path.write_bytes(REALISTIC[RDF_GRAPHS])
        opened = len(os.listdir("/proc/self/fd"))
        reader = jr.read_graphs(path)
        with pytest.raises(jr.DecodeError, match="flat"):
            next(reader)
        assert len(os.listdir("/proc/self/fd")) <= opened


class TestFrame:
    def test_its_parts(self) -> None:
        head = [b.options(version=2), b.name("urn:p")]
        rows = [b.namespace("ex", b.iri()), b.spo("s", b.iri(0, 1), b.literal("x"))]
        data = b.delimited([b.frame(*head, *rows, metadata={"k": b"v"})])
        (frame,) = jr.read_frames(data)
        assert frame.statements == [(BNode("s"), P, Literal("x"))]
        assert frame.namespaces == [("ex", P)]
        assert frame.metadata == {"k": b"v"}
        assert list(frame) == list(frame) == frame.statements
        assert len(frame) == 1
        assert type(frame.batch) is jr.Batch
        assert len(frame.batch) == 2
        assert repr(frame) == "<Frame: 1 statement, 1 namespace>"

    def test_a_frame_outlives_its_reader(self) -> None:
        data = REALISTIC[RDF_GRAPHS]
        frames = list(jr.read_frames(bytearray(data), normalize=False))
        assert list(map(plain_frame, frames)) == rdf_decoder.read(data)


class TestDecoder:
    def test_limits_normalize_and_strict(self) -> None:
        frame = b.frame(b.options(logical_type=DATASETS), b.name("urn:p"))
        with pytest.raises(jr.DecodeError, match="logical"):
            jr.StatementDecoder().decode_frame(frame)
        with pytest.warns(UserWarning, match="logical"):
            jr.StatementDecoder(strict=False).decode_frame(frame)
        with pytest.raises(jr.LimitError):
            jr.StatementDecoder(jr.Limits(max_name_table_size=15)).decode_frame(
                b.frame(b.options())
            )
        head = b.options(), b.name("urn:p"), b.datatype("http://www.w3.org/2001/XMLSchema#int")
        frame = b.frame(*head, b.spo("s", b.iri(), b.literal("01", None, 1)))
        for normalize, lex in ((None, "1"), (False, "01")):
            ((_, _, o),) = jr.StatementDecoder(normalize=normalize).decode_frame(frame)
            assert str(o) == lex


def test_a_failure_after_a_warning_does_not_use_its_text() -> None:
    """The text of a frame's warning is freed when a later frame fails; fuzzing found this fault."""
    data = bytes.fromhex(
        "220a130a1110031801200148800150025802700d7802f9ffffff0fd56cf0cac3bc7fe3330a260a1b0a0861"
        "2073747265616d10011801200148800150025802700d7802fdffffff0f4c5282a00a05520308ff010a024a00"
    )
    report = jr.inspect(data)
    assert report.error is not None
    assert report.error.message == "options that differ from the first options of the stream"

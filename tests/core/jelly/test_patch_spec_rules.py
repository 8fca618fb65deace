"""Tests rules of Jelly-Patch alone; each test is named after its rule and cites the section.

The cases of the conformance suite show what a consumer reads and refuses, and what a producer must
follow; `tests/conformance/patch` runs them. These tests check the rest: how the package decides
what a rule leaves open, and what its writer refuses to write. "Patch: …" cites Jelly-Patch; other
sections are those of its base, Jelly-RDF. "Rulings" are later decisions on both. The rules that
both formats share are in `test_spec_rules`.
"""

import io
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.core.jelly.formats import G, S
from tests.oracle import build as b
from tests.oracle import wire
from tests.oracle.build import FLAT, FRAME, PUNCTUATED, QUADS, TRIPLES
from tests.oracle.terms import Plain
from tests.support import read, refuse

END: Plain = ("END",)


def rows(*content: Any, **options: Any) -> bytes:
    """Return a stream of one frame: options, a name entry "urn:p" (id 1), then the content."""
    return b.stream([b.options(**options), b.name("urn:p"), *content])


def statement(s: Any = "s", o: Any = "o", g: Any = None) -> Any:
    """Return an addition whose predicate is name 1."""
    return b.add(s, b.iri(0, 1), o, g)


class TestRepeatedTerms:
    """Patch and RDF: the section "Repeated terms"."""

    def test_a_namespace_of_quads_before_any_graph_may_have_none(self) -> None:
        """Patch: Namespaces: MUST be set, unless repeated. Jelly-JVM sets none; we accept that."""
        namespaces = [b.prefix_add("ex", b.iri(0, 1)), b.prefix_delete("ex")]
        data = rows(*namespaces, statement("s", g="g"), *namespaces, statement_type=QUADS)
        graphs = [op[-1] for op in read(data)[:-1]]
        assert graphs == [None, None, G, G, G]

    def test_a_namespace_without_a_graph_is_no_graph_to_repeat(self) -> None:
        """Patch: Namespaces: a statement does not repeat a graph that was not set."""
        refuse(
            rows(b.prefix_add("ex", b.iri(0, 1)), statement("s"), statement_type=QUADS), row=True
        )


class TestTransactions:
    @pytest.mark.parametrize("stream_type", ["FRAME", "FLAT", "PUNCTUATED"])
    def test_the_writer_writes_only_whole_transactions(self, stream_type: str) -> None:
        """Patch: Transactions: only TX … TC and TX … TA.

        Rulings: both ends are in one RDF Patch.
        """
        file = io.BytesIO()
        with jr.PatchWriter(file, jr.PatchOptions(stream_type=stream_type)) as writer:
            for end in (writer.commit, writer.abort):
                for wrong in (writer.commit, writer.abort):
                    with pytest.raises(jr.EncodeError):
                        wrong()
                writer.begin()
                for wrong in (writer.begin, writer.end_patch, lambda: writer.write((Op.END,))):
                    with pytest.raises(jr.EncodeError):
                        wrong()
                end()
        assert read(file.getvalue()) == [("TX",), ("TC",), ("TX",), ("TA",), END]


class TestDelimiting:
    """Patch: Delimited variant. In protocol.md: streams are delimited or bare."""

    def test_a_delimited_frame_of_ten_bytes(self) -> None:
        """protocol.md: a stream is delimited when byte 1 is 0x0A and byte 2 is not."""
        options = wire.field(1, TRIPLES) + wire.field(2, FLAT) + wire.field(9, 8)
        data = b.delimited([wire.field(1, wire.field(1, options))])
        assert data[:2] == b"\x0a\x0a"
        # The stream is read as delimited, and lacks a version.
        assert "version" in refuse(data, row=True).message

    @pytest.mark.parametrize("stream_type", [FRAME, FLAT, PUNCTUATED])
    def test_leading_empty_frames_mean_delimited(self, stream_type: int) -> None:
        """protocol.md: leading empty frames (0x00) mean delimited; options are the first row."""
        data = b"\x00\x00" + b.stream([b.options(stream_type=stream_type), b.header("id", "s")])
        operations = read(data)
        if stream_type == FRAME:
            # The specification does not say whether frames before the options are patches.
            operations = operations[-2:]
        assert operations == [("H", "id", S), END]

    def test_65536_empty_frames_may_come_first(self) -> None:
        """Decided: this number is limited, so that a file of zeros raises an error."""
        data = b.stream([b.options(stream_type=FLAT), b.header("id", "s")])
        assert read(bytes(1 << 16) + data) == [("H", "id", S), END]
        assert refuse(bytes((1 << 16) + 1) + data).rule == "options-first"

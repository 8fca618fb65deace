"""Bad input of Jelly-RDF alone; what both formats refuse is in `test_bad_input`."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest
from hypothesis import given

import jelly_rdflib as jr
from tests.core.jelly import statement_strategies as strategies
from tests.core.jelly.formats import RDF, RDF_GRAPHS, RDF_QUADS, Format, in_row
from tests.core.jelly.statement_strategies import Stream
from tests.core.jelly.statement_support import (
    assert_same_outcome,
    few,
    plain_frame,
    read,
    refuse,
)
from tests.core.jelly.streams import RDF_TYPES, SMALL, damage
from tests.oracle import rdf_build as b
from tests.oracle import rdf_decoder, rdf_producer, wire
from tests.oracle import schema as pb
from tests.oracle.rdf_build import DATASETS, TRIPLES
from tests.strategies import dice
from tests.support import assert_position

HEAD, GRAPHS_HEAD = RDF.head(), RDF_GRAPHS.head()


class TestOptions:
    """Options that are not there, or that make no sense."""

    @pytest.mark.parametrize("f", RDF_TYPES, ids=repr)
    def test_without_them(self, f: Format) -> None:
        first, *others = f.messages(SMALL[f])
        rows = list(first.rows)
        for message in (rows[1:], rows[2:], rows[1:2] + rows[:1] + rows[2:]):
            data = b.delimited([b.frame(*message), *(x.SerializeToString() for x in others)])
            assert refuse(data, after=[]).frame == 0
        refuse(b.delimited(x.SerializeToString() for x in others), after=[])

    def test_every_field_left_out(self) -> None:
        fields = {
            "physical_type": TRIPLES, "max_name_table_size": 8, "max_prefix_table_size": 8,
            "max_datatype_table_size": 8, "version": 1,
        }  # fmt: skip
        for left_out in fields:
            options = pb.RdfStreamOptions(**{k: v for k, v in fields.items() if k != left_out})
            data = b.stream([pb.RdfStreamRow(options=options)])
            if left_out in ("max_prefix_table_size", "max_datatype_table_size"):
                assert len(read(data)) == 1
            else:
                refuse(data, row=True)

    @pytest.mark.parametrize("value", [5, 9, 10, 2**31, 2**32 - 1, -1, 2**63])
    def test_logical_types_of_no_known_base(self, value: int) -> None:
        """Read or refused; nothing else."""
        options = b.options().options.SerializeToString() + wire.field(14, value)
        for strict in (True, False):
            assert_same_outcome(b.delimited([in_row(1, options)]), strict=strict)


class TestGraphRules:
    """Graphs that are not opened and closed as they must."""

    P = b.iri(0, 1)

    @pytest.mark.parametrize(
        "rows",
        [
            [b.spo("s", P, "o")],
            [b.end()],
            [b.start("g"), b.start("g")],
            [b.start("g"), b.end(), b.end()],
            [b.start("g"), b.end(), b.spo("s", P, "o")],
            [b.start()],
            [b.start("g"), b.end(), b.start()],
            [b.start(b.literal("l"))],
            [b.start(b.iri(0, 2))],
            [b.start(b.iri(2, 1))],
            [b.spog("s", P, "o", "g")],
            [b.start("g"), b.spog("s", P, "o", "g")],
            [b.start("g"), b.spo("s", P)],
        ],
    )
    def test_in_one_frame_and_in_several(self, rows: list[Any]) -> None:
        assert assert_same_outcome(GRAPHS_HEAD + b.frame(*rows))
        error = refuse(b.delimited([GRAPHS_HEAD + b.frame(*rows)]), row=True)
        assert (error.frame, error.row) == (0, 3 + len(rows))
        error = refuse(b.delimited([GRAPHS_HEAD, *(b.frame(row) for row in rows)]), row=True)
        assert (error.frame, error.row) == (len(rows), 0)

    @pytest.mark.parametrize("f", [RDF, RDF_QUADS], ids=repr)
    @pytest.mark.parametrize("row", [b.start("g"), b.end(), b.start(b.default_graph())])
    def test_in_other_types(self, f: Format, row: Any) -> None:
        refuse(b.delimited([f.head() + b.frame(row)]), row=True)


class TestUnused:
    """Values that mean nothing, as another member of their oneof comes after them."""

    def test_metadata_that_is_overwritten(self) -> None:
        good = wire.field(15, wire.field(1, b"k"))
        for bad in (b"\x0a\x01\xff\x0a\x01k", b"\x0a\x01k\x12\x05", b"\x0a\x01k\x08\x01"):
            refuse(b.delimited([HEAD + wire.field(15, bad) + good]))


class TestBombs:
    """Small input that stands for much."""

    def test_metadata_over_and_over(self) -> None:
        """The same key many times is one entry."""
        entry = wire.field(15, wire.field(1, b"k") + wire.field(2, b"x" * 100))
        (frame,) = jr.read_frames(b.delimited([HEAD + entry * 50_000]))
        assert frame.metadata == {"k": b"x" * 100}


class TestErrors:
    """What an error says."""

    def test_an_inconsistent_logical_type_has_a_position(self) -> None:
        error = refuse(b"\x00" + b.stream([b.options(logical_type=DATASETS)]), row=True)
        assert (error.frame, error.row) == (1, 0)
        assert "logical type" in error.message
        assert "at all" not in error.message

    def test_an_inconsistent_logical_type_is_called_by_its_name(self) -> None:
        message = refuse(b.stream([b.options(logical_type=DATASETS)])).message
        assert "DATASETS" in message
        assert "TRIPLES" in message

    def test_a_flat_stream_is_refused_with_a_position(self) -> None:
        data = b.stream([b.options(logical_type=1)])
        with pytest.raises(jr.DecodeError, match="read_statements") as caught:
            list(jr.read_graphs(data))
        assert_position(caught.value, len(data))


class TestAnyReader:
    """Damage that reaches all readers, and the package's other format."""

    def outcome(self, call: Any, data: bytes) -> Any:
        try:
            with warnings.catch_warnings():
                # batches have no strict mode
                warnings.simplefilter("ignore", UserWarning)
                list(call(data, normalize=False))
        except jr.DecodeError as error:
            assert_position(error, len(data))
            return (error.message, error.offset, error.frame, error.row)
        return None

    @few
    @given(strategies.streams(), dice)
    def test_all_readers_agree(self, stream: Stream, rng: random.Random) -> None:
        messages = rdf_producer.messages(stream.frames, stream.options, rng)
        data = bytearray(rdf_producer.spelled(messages, rng))
        damage(data, rng)
        readers = (jr.read_frames, jr.read_statements, jr.read_batches)
        outcomes = [self.outcome(call, bytes(data)) for call in readers]
        assert outcomes[0] == outcomes[1]
        if outcomes[0] is not None and "logical" in outcomes[0][0]:
            return
        assert (outcomes[0] is None) == (outcomes[2] is None)

    @few
    @given(strategies.streams(), dice)
    def test_graphs_too(self, stream: Stream, rng: random.Random) -> None:
        messages = rdf_producer.messages(stream.frames, stream.options, rng)
        data = bytearray(rdf_producer.spelled(messages, rng))
        damage(data, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                list(jr.read_graphs(bytes(data), strict=False))
            except jr.DecodeError as error:
                assert_position(error, len(data))
            except jr.JellyError:
                # what rdflib can't hold
                assert b"\x18" in data or b"\x20" in data

    @few
    @given(strategies.streams(), dice)
    def test_readers_of_patches_refuse(self, stream: Stream, rng: random.Random) -> None:
        messages = rdf_producer.messages(stream.frames, stream.options, rng)
        data = rdf_producer.spelled(messages, rng)
        with pytest.raises(jr.DecodeError) as caught:
            list(jr.read_operations(data))
        assert_position(caught.value, len(data))

    def test_a_decoder_gives_what_readers_give(self) -> None:
        for data in (SMALL[f] for f in RDF_TYPES):
            package = jr.StatementDecoder(normalize=False)
            got = [plain_frame(package.decode_frame(part)) for part in wire.split(data)]
            package.finish()
            assert got == rdf_decoder.read(data)

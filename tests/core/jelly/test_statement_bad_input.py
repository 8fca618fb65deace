"""Bad input of Jelly-RDF alone; what both formats refuse is in `test_bad_input`."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest
from hypothesis import given

import jelly_rdflib as jr
from tests.core.jelly import statement_strategies as strategies
from tests.core.jelly.formats import in_row
from tests.core.jelly.statement_strategies import Stream
from tests.core.jelly.statement_support import (
    assert_same_outcome,
    few,
)
from tests.core.jelly.streams import damage
from tests.oracle import rdf_build as b
from tests.oracle import rdf_producer, wire
from tests.strategies import dice
from tests.support import assert_position


class TestOptions:
    """Options that are not there, or that make no sense."""

    @pytest.mark.parametrize("value", [5, 9, 10, 2**31, 2**32 - 1, -1, 2**63])
    def test_logical_types_of_no_known_base(self, value: int) -> None:
        """Read or refused; nothing else."""
        options = b.options().options.SerializeToString() + wire.field(14, value)
        for strict in (True, False):
            assert_same_outcome(b.delimited([in_row(1, options)]), strict=strict)


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

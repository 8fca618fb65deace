"""Tests that input with a fault leaves the target in the last state committed before the fault.

The input is unreadable, truncated, or damaged.
"""

import io
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.graph.apply import apply
from tests.faults.no_memory import encoded
from tests.faults.scenario import TARGETS, Scenario, state_of

TARGET_NAMES = ["Memory", "of a third party"]
WAYS = [("Memory", format) for format in ("jelly-patch", "rdf-patch", "rdf-patch-thrift")]
# A file returns this many bytes at a time.
SOME = 64


class FailingFile(io.RawIOBase):
    """Returns a few bytes at a time, and fails on one of the reads."""

    def __init__(self, data: bytes, turn: int) -> None:
        self.file = io.BytesIO(data)
        self.turn = turn
        self.reads = 0

    def read(self, size: int = -1) -> bytes:
        self.reads += 1
        if self.reads - 1 == self.turn:
            raise OSError(5, "Input/output error")
        return self.file.read(min(size, SOME) if size >= 0 else SOME)

    def readable(self) -> bool:
        return True


def committed_states(before: Any, operations: list[jr.Operation]) -> list[set[Any]]:
    """Return the committed statements after each operation: a short model, without a store.

    The last element is for the end of the input, which commits the operations outside transactions.
    """
    committed = set(before)
    now = set(committed)
    is_open = False
    states = [committed]
    for op, *terms in operations:
        if op in (Op.A, Op.D):
            s, p, o, g = terms
            (now.add if op == Op.A else now.discard)((s, p, o, g or DATASET_DEFAULT_GRAPH_ID))
        elif op in (Op.TX, Op.TC, Op.END):
            committed = set(now)
            is_open = op == Op.TX
        elif op == Op.TA:
            now = set(committed)
            is_open = False
        states.append(committed)
    return [*states, committed if is_open else now]


def checked(scenario: Scenario, make_source: Callable[[], Any], format: str) -> bool:
    """Apply a faulty source, compare with the model, and return whether an error was raised."""
    operations: list[jr.Operation] = []
    fault: Exception | None = None
    try:
        operations.extend(jr.read_operations(make_source(), format=format))
    except (jr.DecodeError, OSError) as error:
        fault = error
    with scenario.make() as target:
        scenario.prepare(target)
        states = committed_states(state_of(target)["statements"], operations)
        caught: Exception | None = None
        try:
            apply(make_source(), target, format=format)
        except (jr.JellyError, OSError) as error:
            caught = error
        found = state_of(target)["statements"]
        if isinstance(caught, jr.ApplyError):
            # The damage made a patch that can't be applied; the model can't tell how far it was
            # read.
            assert found in states
        else:
            assert (caught is None) == (fault is None), (caught, fault)
            assert found == states[-1 if fault is None else -2]
        return caught is not None


def damaged(data: bytes) -> Iterator[bytes]:
    """Yield copies of `data`, each with one byte changed to a random value."""
    chance = random.Random(1)
    for place in range(0, len(data), 3):
        yield data[:place] + bytes([data[place] ^ chance.randrange(1, 256)]) + data[place + 1 :]


@pytest.mark.parametrize("name", TARGET_NAMES)
def test_a_file_that_fails_at_each_read(name: str) -> None:
    scenario = Scenario(TARGETS[name])
    data = encoded(scenario.operations)
    turn = 0
    while checked(scenario, partial(FailingFile, data, turn), "jelly-patch"):
        turn += 1
    assert turn > len(data) / SOME


@pytest.mark.parametrize(("name", "format"), WAYS)
def test_input_that_is_cut_off(name: str, format: str) -> None:
    scenario = Scenario(TARGETS[name])
    data = encoded(scenario.operations, format)
    cut = (data[:size] for size in range(0, len(data), 3))
    assert sum(checked(scenario, partial(bytes, piece), format) for piece in cut) > 10


@pytest.mark.parametrize(("name", "format"), WAYS)
def test_input_with_a_byte_damaged(name: str, format: str) -> None:
    scenario = Scenario(TARGETS[name])
    copies = damaged(encoded(scenario.operations, format))
    assert sum(checked(scenario, partial(bytes, copy), format) for copy in copies) > 40

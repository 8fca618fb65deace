"""Tests Ctrl+C at the end of a recording, wherever Python checks for signals."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset, Literal, URIRef

import jelly_rdflib
from jelly_rdflib import record
from tests.faults.injection import interrupted_at
from tests.graph.stores.at_hand import exact_state

S, G = URIRef("urn:s"), URIRef("urn:g")
FILES = tuple(
    str(Path(jelly_rdflib.__file__).parent / name)
    for name in ("recording", "graph/stores/prefixes.py")
)


class StoppedError(Exception):
    pass


def change(dataset: Dataset) -> None:
    dataset.bind("x", S)
    dataset.bind("y", S)
    dataset.add((S, S, Literal("new")))
    dataset.remove((S, S, Literal("old")))
    dataset.graph(G).add((S, S, S))


def block(dataset: Dataset, has_failed: bool) -> Iterator[Any]:
    """Yield the recorder at the point where interrupts start."""
    with record(dataset) as recorder:
        change(dataset)
        yield recorder
        if has_failed:
            raise StoppedError


def inner_block(dataset: Dataset, has_failed: bool) -> Iterator[Any]:
    with record(dataset) as recorder, recorder.transaction():
        change(dataset)
        yield recorder
        if has_failed:
            raise StoppedError


def twice(dataset: Dataset, has_failed: bool) -> Iterator[Any]:
    """Record in two nested recordings; the outer one records the rollback of the inner one."""
    with record(dataset):
        yield from block(dataset, has_failed)


def run(work: Iterator[Any], turn: int) -> tuple[Any, bool, type[BaseException] | None]:
    """Run `work`, interrupt it after it yields, and return whether that was possible.

    The result also includes the recorder, and the class of the exception.
    """
    recorder = next(work)
    places, error = interrupted_at(turn, lambda: next(work, None), FILES)
    return recorder, places > turn, error and type(error)


def make(store: str) -> Dataset:
    dataset = Dataset(store)
    dataset.add((S, S, Literal("old")))
    dataset.bind("y", URIRef("urn:y"))
    return dataset


@pytest.mark.parametrize("store", ["default", "Oxigraph"])
@pytest.mark.parametrize("work", [block, inner_block, twice])
def test_what_an_exception_leaves_is_undone(
    work: Callable[[Dataset, bool], Iterator[Any]], store: str
) -> None:
    turn, is_hit = 0, True
    while is_hit:
        dataset = make(store)
        before = exact_state(dataset)
        recorder, is_hit, error = run(work(dataset, True), turn)
        assert error is (KeyboardInterrupt if is_hit else StoppedError), turn
        assert exact_state(dataset) == before, turn
        assert len(recorder.patch) == 0, turn
        assert recorder.aborted >= 1
        # The interrupted recording has ended, so the dataset can be recorded again.
        with record(dataset) as again:
            dataset.add((S, S, S))
        assert len(again.patch) == 3
        turn += 1
    assert turn > 10


@pytest.mark.parametrize("store", ["default", "Oxigraph"])
@pytest.mark.parametrize("work", [block, inner_block])
def test_what_is_committed_is_recorded_or_undone(
    work: Callable[[Dataset, bool], Iterator[Any]], store: str
) -> None:
    changed = make(store)
    change(changed)
    after = exact_state(changed)
    outcomes = set()
    turn, is_hit = 0, True
    while is_hit:
        dataset = make(store)
        before = exact_state(dataset)
        recorder, is_hit, error = run(work(dataset, False), turn)
        assert error is (KeyboardInterrupt if is_hit else None), turn
        found = exact_state(dataset)
        is_recorded = len(recorder.patch) > 0
        # If the interrupt comes just after the patch was passed on, the changes are rolled back,
        # although they are recorded: see docs/patch-log.md.
        assert found in ((before, after) if is_recorded else (before,)), turn
        outcomes.add((is_recorded, found == after))
        turn += 1
    assert outcomes >= {(False, False), (True, True)}

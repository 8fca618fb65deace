"""Ctrl+C where a recording ends: it comes where a Python function starts or returns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from rdflib import Dataset, Literal, URIRef

from jelly_rdflib import record
from jelly_rdflib.graph.stores import prefixes
from jelly_rdflib.recording import sinks, transactions
from tests.graph.stores.at_hand import exact_state

S, G = URIRef("urn:s"), URIRef("urn:g")
FILES = {sys.modules["jelly_rdflib.recording.record"].__file__} | {
    module.__file__ for module in (sinks, transactions, prefixes)
}


class StoppedError(Exception):
    pass


def change(dataset: Dataset) -> None:
    dataset.bind("x", S)
    dataset.bind("y", S)
    dataset.add((S, S, Literal("new")))
    dataset.remove((S, S, Literal("old")))
    dataset.graph(G).add((S, S, S))


def block(dataset: Dataset, has_failed: bool) -> Iterator[Any]:
    """Yield the recorder where the interrupts begin."""
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
    """The outer recording is told of what the inner one undoes."""
    with record(dataset):
        yield from block(dataset, has_failed)


@contextmanager
def interrupted(turn: int) -> Iterator[list[str]]:
    """Interrupt at a turn, and say where it was."""
    count = -1
    where: list[str] = []

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename not in FILES:
            return None
        if event in ("call", "return"):
            count += 1
            if count == turn:
                where.append(f"{event} of {frame.f_code.co_name}")
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        yield where
    finally:
        sys.settrace(None)


def run(work: Iterator[Any], turn: int) -> tuple[Any, list[str], type[BaseException] | None]:
    """Run a work, interrupted from where it yields."""
    recorder = next(work)
    error = None
    with interrupted(turn) as where:
        try:
            next(work, None)
        except BaseException as caught:
            error = type(caught)
    return recorder, where, error


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
    turn = 0
    where = ["anywhere"]
    while where:
        dataset = make(store)
        before = exact_state(dataset)
        recorder, where, error = run(work(dataset, True), turn)
        assert error is (KeyboardInterrupt if where else StoppedError), where
        assert exact_state(dataset) == before, where
        assert len(recorder.patch) == 0, where
        assert recorder.aborted >= 1
        # Nobody records any more.
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
    turn = 0
    where = ["anywhere"]
    while where:
        dataset = make(store)
        before = exact_state(dataset)
        recorder, where, error = run(work(dataset, False), turn)
        assert error is (KeyboardInterrupt if where else None), where
        found = exact_state(dataset)
        assert found in (before, after), where
        is_recorded = len(recorder.patch) > 0
        # Just after it was handed over, it is undone though it is recorded: docs/patch-log.md.
        is_known = where in (["return of commit"], ["call of close"], ["return of close"])
        assert is_recorded == (found == after) or (is_recorded and is_known), where
        outcomes.add(is_recorded)
        turn += 1
    assert outcomes == {False, True}

"""Tests foreign stores that yield values other than triples: errors are raised, no crash."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from rdflib import Dataset, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.graph.stores.native import find_tap
from tests.faults.targets import ForeignStore

S, P = URIRef("urn:s"), URIRef("urn:p")
ONE, TWO = (S, P, Literal(1)), (S, P, Literal(2))


class OddStore(ForeignStore):
    """A store that applies a function to each triple that it yields."""

    shape: Callable[[Any], Any] = staticmethod(lambda triple: triple)

    def triples(self, triple: Any, context: Any = None) -> Iterator[Any]:
        for found, graphs in super().triples(triple, context):
            yield self.shape(found), graphs


class Short(tuple[Any, ...]):
    """A tuple that claims to be longer than its content."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        return S

    def __len__(self) -> int:
        return 3


ERRORS = (ValueError, TypeError, IndexError, jr.JellyError)

WORKS: dict[str, Callable[[Dataset], object]] = {
    "a pattern": lambda dataset: dataset.default_graph.remove((S, None, None)),
    "a triple": lambda dataset: dataset.default_graph.remove(ONE),
    "an add": lambda dataset: dataset.default_graph.add(ONE),
    "several": lambda dataset: dataset.default_graph.addN([(*TWO, dataset.default_graph)]),
    "apply": lambda dataset: jr.apply([(Op.D, *ONE, None), (Op.A, *ONE, None)], dataset),
}


def make(shape: Callable[[Any], Any]) -> Dataset:
    store = OddStore()
    dataset = Dataset(store)
    for triple in (ONE, TWO):
        dataset.default_graph.add(triple)
    store.shape = shape
    return dataset


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_lists_are_triples(work: Callable[[Dataset], object]) -> None:
    dataset = make(list)
    with suppress(ZeroDivisionError), jr.record(dataset):
        work(dataset)
        raise ZeroDivisionError
    assert set(map(tuple, dataset.default_graph)) == {ONE, TWO}


@pytest.mark.parametrize(
    "shape",
    [lambda triple: triple[:1], lambda triple: Short(triple[:1]), lambda _: (), lambda _: None],
    ids=["short", "a subclass", "empty", "nothing"],
)
@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_no_triples(work: Callable[[Dataset], object], shape: Callable[[Any], Any]) -> None:
    dataset = make(shape)
    for is_undone in (False, True):
        with suppress(*ERRORS, ZeroDivisionError), jr.record(dataset):
            work(dataset)
            assert not is_undone or 1 / 0
    # In any case the process still runs, and the store is usable again.
    assert "add" not in vars(dataset.store)


@pytest.mark.parametrize("changes", [[()], [(True, ())], [None]])
def test_changes_that_are_none(changes: Any) -> None:
    dataset = Dataset()
    with jr.record(dataset):
        tap = find_tap(dataset.store)
        with pytest.raises(ERRORS):
            tap.tell_made(changes, [])

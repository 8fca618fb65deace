"""What works on a store is let go of at once, and does not wait for the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from rdflib import Dataset, Graph, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.faults.targets import ForeignStore

S = URIRef("urn:s")
CHANGE = (Op.A, S, S, S, None)


@pytest.fixture(autouse=True, scope="module")
def uncollected() -> Iterator[None]:
    gc.collect()
    # What there is already is not looked through again and again.
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


def apply(dataset: Dataset) -> None:
    jr.apply([(Op.PA, "x", S, None), CHANGE], dataset)


def abort(dataset: Dataset) -> None:
    jr.apply([(Op.TX,), (Op.PA, "x", S, None), CHANGE, (Op.TA,)], dataset)


def parse(dataset: Dataset) -> None:
    data = jr.PatchEncoder().encode_frame([CHANGE])
    dataset.parse(data=data, format="jelly-patch")


def record(dataset: Dataset) -> None:
    with jr.record(dataset):
        dataset.bind("x", S)
        dataset.add((S, S, S))


def undo_recorded(dataset: Dataset) -> None:
    with suppress(KeyError), jr.record(dataset):
        dataset.add((S, S, S))
        raise KeyError


@pytest.mark.parametrize("make", [Dataset, lambda: Dataset("Oxigraph"), lambda: Dataset(FOREIGN)])
@pytest.mark.parametrize("work", [apply, abort, parse, record, undo_recorded])
def test_nothing_waits_for_the_collector(
    make: Callable[[], Dataset], work: Callable[[Dataset], None]
) -> None:
    gc.collect()
    work(make())
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    left = [each for each in gc.garbage if is_ours(each)]
    gc.garbage.clear()
    assert left == []


FOREIGN = ForeignStore()


def is_ours(found: Any) -> bool:
    """Is it of this package, and no part of the data?"""
    kind = type(found)
    is_data = isinstance(found, Graph) or kind.__name__ == "_Tree"
    return kind.__module__.startswith("jelly_rdflib") and not is_data

"""Tests that objects using a store are released at once, without the garbage collector."""

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from rdflib import BNode, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.algebra.strategies import write
from tests.faults.targets import ForeignStore, OtherMemory
from tests.support import assert_nothing_is_kept

S = URIRef("urn:s")
CHANGE = (Op.A, S, S, S, None)


@pytest.fixture(autouse=True, scope="module")
def uncollected() -> Iterator[None]:
    gc.collect()
    # Spare the collector from visiting existing objects each time.
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
    """Return whether an object belongs to this package and is not part of the data."""
    kind = type(found)
    is_data = isinstance(found, Graph) or kind.__name__ == "_Tree"
    return kind.__module__.startswith("jelly_rdflib") and not is_data


# --- what is released in the end -----------------------------------------------------------------

PATCH: list[Any] = [
    (Op.TX,),
    (Op.PA, "ex", URIRef("urn:ex#"), None),
    *((Op.A, URIRef(f"urn:s{n}"), S, Literal(str(n)), None) for n in range(40)),
    (Op.A, BNode("b"), S, Literal(1), URIRef("urn:g")),
    (Op.D, URIRef("urn:s7"), S, Literal("7"), None),
]
REFUSED = (Op.A, Literal("no subject"), S, BNode("b"), None)
APPLIED = write([*PATCH, (Op.TC,)], frame_rows=50)


def apply_all() -> None:
    for end in (Op.TC, Op.TA):
        for target in (Dataset(), Dataset(OtherMemory())):
            jr.apply([*PATCH, (end,)], target)
            jr.apply(APPLIED, target)


def apply_bad() -> None:
    for target in (Dataset(), Dataset(OtherMemory())):
        for wrong in ([*PATCH, REFUSED, (Op.TC,)], [*PATCH, (Op.TX,)]):
            with pytest.raises(jr.ApplyError):
                jr.apply(wrong, target)
        with pytest.raises(jr.DecodeError):
            jr.apply(APPLIED[:-4], target)
        with pytest.raises(jr.LimitError):
            jr.apply(APPLIED, target, limits=jr.Limits(max_held_operations=9))


def record_all() -> None:
    target = Dataset()
    with jr.record(target) as recorder:
        jr.apply(APPLIED, target)
        target.remove((None, S, None, None))
        with suppress(ZeroDivisionError), recorder.transaction():
            target.add((S, S, Literal(2)))
            raise ZeroDivisionError
    list(recorder.patch)


@pytest.mark.slow
@pytest.mark.parametrize("work", [apply_all, apply_bad, record_all])
def test_nothing_is_kept(work: Callable[[], None]) -> None:
    assert_nothing_is_kept(work)

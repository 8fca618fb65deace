"""Tests that a store error, or Ctrl-C, leaves the target in the state of the last commit."""

import gc
import random
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from rdflib import Dataset, Graph, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.graph.apply import apply
from tests.faults.campaign import (
    at_each_call,
    at_each_place,
    at_each_request,
    twice,
)
from tests.faults.injection import OUR_PYTHON, Fuse
from tests.faults.no_memory import encoded
from tests.faults.scenario import BEFORE, TARGETS, G, Scenario, add, delete, prefix_added, state_of
from tests.faults.targets import ForeignStore, OtherMemory, endpoint_store
from tests.support import run

# The fast paths for Memory and JellyStore call no store methods, so this list lacks them.
CALLED = [
    *("another Memory", "SimpleMemory", "AuditableStore around Memory", "transactional"),
    *("Oxigraph in memory", "Oxigraph on disk", "of a third party"),
]
# An interrupt may stop a method of rdflib's Memory store halfway: see docs/reliability.md.
WHOLE = [
    *("Memory", "Memory, a Graph", "Jelly", "Oxigraph in memory", "AuditableStore around Oxigraph"),
    *("transactional", "of a third party"),
]


ONE_TRANSACTION = [
    *((Op.TX,), add(10), delete(1), prefix_added("new", "urn:new#"), (Op.TC,)),
    (Op.H, "after", Literal("it")),
]


@pytest.mark.parametrize("name", CALLED)
def test_a_fault_at_each_call_of_the_store(name: str) -> None:
    tally = at_each_call(TARGETS[name], stride=3 if name != "Oxigraph on disk" else 11)
    assert tally.injected > 5
    assert tally.told == 0 or name == "of a third party"


@pytest.mark.parametrize("name", [name for name in CALLED if name != "Oxigraph on disk"])
def test_another_fault_while_the_first_is_undone(name: str) -> None:
    """Even if a store fails once more, all changes are rolled back."""
    # The package calls fewer methods of Oxigraph's store.
    tally = twice(TARGETS[name], stride=3 if name.startswith("Oxigraph") else 11)
    assert tally.injected > 5


# rdflib does not close the response when an endpoint responds with an error.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_fault_at_each_request_to_an_endpoint() -> None:
    tally = at_each_request(endpoint_store, stride=9)
    assert tally.injected > 5
    gc.collect()


# If a trace function is set, Python 3.10 keeps the locals of a frame in a dict that can't be
# cleared. So an iterator of graphs stays alive, and pyoxigraph waits for it (docs/reliability.md).
traced = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            sys.version_info < (3, 11) and "Oxigraph" in name,
            reason="of a traced frame 3.10 keeps the locals",
        ),
    )
    for name in WHOLE
]


@pytest.mark.parametrize("name", traced)
def test_an_interrupt_at_each_place(name: str) -> None:
    tally = at_each_place(TARGETS[name], stride=41 if name.startswith("Memory") else 149)
    assert tally.injected >= 5


@pytest.mark.parametrize("name", traced)
def test_an_interrupt_at_every_place_of_ours(name: str) -> None:
    """The points next to a commit are few, so samples of all points could miss them."""
    tally = at_each_place(TARGETS[name], within=OUR_PYTHON, operations=ONE_TRANSACTION)
    assert tally.injected > 20


MANY: list[jr.Operation] = [
    operation
    for number in range(4)
    for operation in (
        (Op.TX,),
        *((add, add, delete)[n % 3](n - n % 3 + number, G, URIRef(f"urn:{n % 40}"))
          for n in range(100)),
        prefix_added(f"p{number}", f"urn:p{number}#"),
        (Op.TA,) if number == 2 else (Op.TC,),
    )
]  # fmt: skip


def record_all(data: bytes, target: Graph) -> None:
    with jr.record(target, []):
        apply(data, target)


def interrupted_after(seconds: float, work: Callable[[], object]) -> bool:
    """Do `work`, interrupt it after `seconds` unless 0, and return whether it was interrupted."""
    is_interrupted = False
    # The garbage collector would swallow an exception in its callback.
    gc.disable()
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        work()
    except KeyboardInterrupt:
        is_interrupted = True
    try:
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        # The signal arrived at the last moment.
        is_interrupted = True
    gc.enable()
    return is_interrupted


@pytest.mark.parametrize("work", [apply, record_all])
@pytest.mark.parametrize("name", ["Memory", "Oxigraph in memory"])
def test_an_interrupt_by_a_signal(name: str, work: Any) -> None:
    """Ctrl-C may come wherever Python checks for signals, including compiled code."""
    scenario = Scenario(TARGETS[name], operations=MANY)
    states = scenario.states if work is apply else [scenario.states[0], scenario.states[-1]]
    data = encoded(scenario.operations)
    chance, whole, count = random.Random(1), 0.0, 0
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for turn in range(160):
            with scenario.make() as target:
                scenario.prepare(target)
                start = time.perf_counter()
                # The first run takes longer than the others.
                seconds = chance.uniform(1e-6, whole) if turn > 1 else 0.0
                caught = interrupted_after(seconds, partial(work, data, target))
                whole = whole if caught else time.perf_counter() - start
                state = state_of(target)
                assert state in states if caught else state == states[-1]
                apply(data, target)
            count += caught
            if count == 8:
                break
    finally:
        signal.signal(signal.SIGALRM, handler)
    assert count == 8


@pytest.mark.skipif(
    sys.version_info >= (3, 12),
    reason="without memory for a function CPython frees its code, which is still in use",
)
@pytest.mark.parametrize(
    ("work", "target", "stride", "least"),
    [
        ("read Jelly-Patch", "Memory", 3, 40),
        ("read text", "Memory", 3, 40),
        ("write Jelly-Patch", "Memory", 3, 30),
        ("write on", "Memory", 1, 10),
        ("apply", "Memory", 11, 40),
        ("apply", "Jelly", 7, 16),
        ("record", "Jelly", 13, 10),
        ("apply", "of a third party", 73, 10),
    ],
)
def test_no_memory_for_an_allocation(work: str, target: str, stride: int, least: int) -> None:
    pytest.importorskip("_testcapi")
    out = run(
        "import sys; from tests.faults.no_memory import main; "
        f"sys.argv = ['', {work!r}, {target!r}, '{stride}']; main()"
    )
    assert int(out.split()[0]) >= least


# --- what can't be undone ------------------------------------------------------------------------


class AppendOnly(OtherMemory):
    """A store that refuses to remove statements."""

    def remove(self, *_: object) -> None:
        raise PermissionError("append only")


def test_a_store_that_never_undoes_is_told_of() -> None:
    dataset = Dataset(AppendOnly())
    with pytest.raises(jr.RollbackError, match=r"can't be restored .*\(append only\)") as caught:
        apply([(Op.TX,), *BEFORE[:1], (Op.TX,)], dataset)
    assert isinstance(caught.value.__cause__, PermissionError)
    chain: list[str] = []
    error: BaseException | None = caught.value
    while error is not None:
        chain.append(str(error))
        error = error.__context__
    assert "transaction starts inside a transaction" in chain


def test_what_the_store_does_undo_is_undone_all_the_same() -> None:
    class Stubborn(OtherMemory):
        def remove(self, triple: object, context: object = None) -> None:
            if "1" in repr(triple):
                raise PermissionError
            super().remove(triple, context)  # type: ignore[arg-type]

    dataset = Dataset(Stubborn())
    statements = [(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(str(n)), None) for n in range(3)]
    with pytest.raises(jr.RollbackError, match="PermissionError"):
        apply([(Op.TX,), *statements, (Op.TA,)], dataset)
    assert {str(o) for _, _, o in dataset.default_graph} == {"1"}


def test_a_store_that_always_interrupts_does_not_go_on_forever() -> None:
    class Interrupting(OtherMemory):
        def remove(self, *_: object) -> None:
            raise KeyboardInterrupt

    with pytest.raises(jr.RollbackError, match="was interrupted 1000 times"):
        apply([(Op.TX,), *BEFORE[:1], (Op.TA,)], Dataset(Interrupting()))


def test_prefixes_that_can_not_be_unbound_are_told_of() -> None:
    """An error reports a new prefix that rdflib has no method to unbind."""
    dataset = Dataset(ForeignStore())
    _ = dataset.namespace_manager
    before = state_of(dataset)
    fuse = Fuse(2)
    bind = dataset.store.bind
    dataset.store.bind = lambda *args, **more: fuse.call(bind, *args, **more)
    prefixes = [prefix_added(f"new{n}", f"urn:{n}#") for n in range(4)]
    with pytest.raises(jr.RollbackError, match=r"can't unbind the prefix '(before|new0)'"):
        apply([*BEFORE, *prefixes], dataset)
    state = state_of(dataset)
    assert state["statements"] == before["statements"]
    assert state["prefixes"].keys() - before["prefixes"].keys() == {"before", "new0"}


def test_an_endpoint_that_is_not_asked_again_is_refused() -> None:
    store = SPARQLUpdateStore("urn:q", "urn:u", autocommit=False, dirty_reads=True)
    with pytest.raises(jr.ApplyError, match="does not see what it has changed"):
        apply(BEFORE, Dataset(store))

"""Tests what other threads may do and see while changes are applied to a store."""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import ApplyError, Op
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.operations import Operation
from tests.faults.no_memory import encoded
from tests.faults.targets import ForeignStore, OtherMemory

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")
TX, TC, TA = (Op.TX,), (Op.TC,), (Op.TA,)

DATASETS: dict[str, Callable[[], Dataset]] = {
    "memory": Dataset,
    "memory, the general way": lambda: Dataset(OtherMemory()),
    "Oxigraph": lambda: Dataset("Oxigraph"),
    "of a third party": lambda: Dataset(ForeignStore()),
}


@pytest.fixture(params=DATASETS)
def dataset(request: pytest.FixtureRequest) -> Dataset:
    return DATASETS[request.param]()


def add(o: int) -> Operation:
    return (Op.A, S, P, Literal(str(o)), G)


def objects(dataset: Dataset) -> set[str]:
    return {str(o) for o in dataset.graph(G).objects()}


# --- two threads at a time -----------------------------------------------------------------------


def test_another_thread_may_not_apply_to_the_same_store(dataset: Dataset) -> None:
    has_started, may_go_on = threading.Event(), threading.Event()

    def slow() -> Iterator[Operation]:
        yield from [TX, add(1)]
        has_started.set()
        assert may_go_on.wait(60)
        yield from [add(2), TC]

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(apply, slow(), dataset)
        assert has_started.wait(60)
        for target in (dataset, dataset.default_graph, Graph(dataset.store, G)):
            with pytest.raises(ApplyError, match="are being applied to this store already"):
                apply([(*add(3)[:4], None)], target)
            with pytest.raises(ApplyError, match="are being applied to this store already"):
                apply([(*add(3)[:4], None)], target, atomic=False)
        apply([add(3)], Dataset())
        may_go_on.set()
        assert first.result().added == 2
    assert objects(dataset) == {"1", "2"}
    apply([add(3)], dataset)
    assert objects(dataset) == {"1", "2", "3"}


def test_what_yields_operations_may_not_apply_to_the_same_store(dataset: Dataset) -> None:
    def operations() -> Iterator[Operation]:
        yield from [TX, add(1)]
        apply([add(2)], dataset)

    with pytest.raises(ApplyError, match="by the iterable of these operations"):
        apply(operations(), dataset)
    assert objects(dataset) == set()
    apply([add(2)], dataset)
    assert objects(dataset) == {"2"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit])
def test_the_store_is_free_after_an_exception(dataset: Dataset, error: type[BaseException]) -> None:
    def operations() -> Iterator[Operation]:
        yield add(1)
        raise error

    for _ in range(2):
        with pytest.raises(error):
            apply(operations(), dataset)
    before = set(vars(Dataset(type(dataset.store)()).store))
    assert set(vars(dataset.store)) <= before | {"_store"}


def test_many_threads_that_try_do_no_harm(dataset: Dataset) -> None:
    """Only one of several simultaneous applies runs; each is applied completely or not at all."""
    patches = [
        encoded([TX, *(add(100 * n + m) for m in range(50)), TC, TX, add(-n), TA])
        for n in range(1, 9)
    ]

    def work(patch: bytes) -> bool:
        try:
            apply(patch, dataset)
        except ApplyError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(work, patches))
    assert any(done)
    expected = {str(100 * n + m) for n in range(1, 9) if done[n - 1] for m in range(50)}
    assert objects(dataset) == expected


def test_threads_at_a_new_oxigraph() -> None:
    """Oxigraph's store is made when it is first used; no other thread makes a second one."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for _ in range(40):
            test_many_threads_that_try_do_no_harm(Dataset("Oxigraph"))
    finally:
        sys.setswitchinterval(interval)


# --- threads that take turns with a JellyStore -------------------------------------------------


def test_threads_that_parse_into_a_jelly_store_take_turns(tmp_path: Path) -> None:
    dataset = Dataset("Jelly")
    lines = {n: "".join(f"<urn:s> <urn:p> '{n} {m}' .\n" for m in range(2000)) for n in range(8)}
    for n, text in lines.items():
        (tmp_path / f"{n}.nt").write_text(text.replace("'", '"'))

    def work(n: int) -> None:
        if n % 2:
            dataset.parse(tmp_path / f"{n}.nt")
        elif n % 4:
            dataset.parse(data=lines[n], format="turtle")
        else:
            apply([(Op.A, S, P, Literal(f"{n} {m}"), None) for m in range(2000)], dataset)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [*lines] * 3))
    assert len(dataset) == 8 * 2000


def parse_at_once(texts: list[str], format: str) -> Dataset:
    """Parse each text in its own thread, all at the same time, into one store."""
    dataset = Dataset("Jelly")
    start = threading.Barrier(len(texts))

    def work(text: str) -> None:
        start.wait()
        dataset.parse(data=text, format=format)

    with ThreadPoolExecutor(len(texts)) as pool:
        list(pool.map(work, texts))
    return dataset


def test_threads_that_parse_a_str_take_turns() -> None:
    texts = ["".join(f'<urn:s> <urn:p> "{n} {m}" .\n' for m in range(5000)) for n in range(4)]
    assert len(parse_at_once(texts, "nt")) == 4 * 5000


def test_threads_that_parse_one_text_into_an_empty_store_share_no_nodes() -> None:
    dataset = parse_at_once(["[] <urn:p> 1 ."] * 4, "turtle")
    assert len(dataset) == 4


def test_a_jelly_store_refuses_where_a_turn_could_last_forever() -> None:
    """The first call waits for the second, or both are in the same thread."""
    dataset = Dataset("Jelly")
    has_started, may_go_on = threading.Event(), threading.Event()

    def slow() -> Iterator[Operation]:
        yield add(1)
        has_started.set()
        assert may_go_on.wait(60)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(apply, slow(), dataset)
        assert has_started.wait(60)
        with pytest.raises(ApplyError, match="are being applied to this store already"):
            apply([add(2)], dataset)
        may_go_on.set()
        assert first.result().added == 1

    class Nested(URIRef):
        def __hash__(self) -> int:
            apply([add(3)], dataset)
            return super().__hash__()

    with pytest.raises(ApplyError, match="are being applied to this store already"):
        apply([(Op.A, S, P, Literal("x"), Nested("urn:g"))], dataset)
    apply([add(4)], dataset)
    assert objects(dataset) == {"1", "4"}


# --- readers -------------------------------------------------------------------------------------


def test_what_is_not_committed_is_seen(dataset: Dataset) -> None:
    """The store is changed in place, so a reader sees part of the transaction."""
    seen: list[set[str]] = []

    def operations() -> Iterator[Operation]:
        for operation in (TX, add(1), add(2), TC, TX, add(3), TA):
            yield operation
            seen.append(objects(dataset))

    apply(operations(), dataset)
    assert seen[:3] == [set(), {"1"}, {"1", "2"}]
    # A reader also saw changes that were undone later.
    assert seen[-2:] == [{"1", "2", "3"}, {"1", "2"}]


def look(dataset: Dataset, seen: set[str]) -> None:
    """Search for statements with each kind of pattern, and record the statements and errors."""
    patterns: list[Any] = [
        (None, None, None),
        (S, None, None),
        (None, P, None),
        (None, None, Literal("1")),
        (S, P, None),
        (S, P, Literal("1")),
    ]
    for graph in (dataset.default_graph, dataset.graph(G)):
        for pattern in patterns:
            try:
                seen.update(str(o) for _, _, o in graph.triples(pattern))
            except (RuntimeError, KeyError, AttributeError) as error:  # noqa: PERF203
                # Iteration over a dict or set that changes at the same time raises this error.
                seen.add(type(error).__name__)


@pytest.mark.parametrize("name", ["memory", "Oxigraph"])
def test_readers_do_no_harm(name: str) -> None:
    """Readers cause no crash or incomplete result; afterwards they all read the same."""
    dataset = DATASETS[name]()
    apply([add(-1)], dataset)
    committed = {str(n) for n in range(300)}
    patch = encoded(
        [
            *(TX, *(add(n) for n in range(300)), TC),
            *(TX, *(add(n) for n in range(1000, 1300)), TA),
            *(TX, *((Op.D, *add(n)[1:]) for n in range(300)), TC),
        ]
    )
    seen: set[str] = set()
    is_over = False

    def read() -> None:
        while not is_over:
            look(dataset, seen)

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            for _ in range(5 if name == "memory" else 2):
                apply(patch, dataset)
                assert objects(dataset) == {"-1"}
        finally:
            is_over = True
        for reader in readers:
            reader.result()
    errors = {"RuntimeError", "KeyError", "AttributeError"}
    allowed = {"-1"} | committed | {str(n) for n in range(1000, 1300)} | errors
    assert seen <= allowed
    assert "-1" in seen
    apply([(Op.D, *add(-1)[1:])], dataset)
    assert len(dataset) == 0
    assert len(jr.diff(Dataset(), dataset)) == 0

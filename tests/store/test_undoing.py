"""Tests that an undone transaction leaves no statements, terms or graphs in the store."""

import random
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from rdflib import XSD, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")
TX, TC, TA = (jr.Op.TX,), (jr.Op.TC,), (jr.Op.TA,)
# A statement that no store can contain.
REFUSED = (jr.Op.A, Literal("x"), P, P, None)


@pytest.fixture(params=["in memory", "in a file", "recorded"])
def dataset(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Dataset]:
    dataset = Dataset(store="Jelly")
    with ExitStack() as stack:
        if request.param == "in a file":
            dataset.open(str(tmp_path / "data.jelly"), create=True)
            stack.callback(dataset.close)
        if request.param == "recorded":
            stack.enter_context(jr.record(dataset, Forgetful()))
        dataset.graph(G).add((S, P, Literal("kept", lang="en")))
        dataset.commit()
        yield dataset


class Forgetful:
    """A log that accepts patches but stores none."""

    def append(self, patch: jr.Patch) -> None:
        pass


def sizes(dataset: Dataset) -> dict[str, int]:
    found: dict[str, int] = dataset.store.quads.sizes()
    return found


def refuse(dataset: Dataset, number: int, wrap: Callable[[Any], Any]) -> None:
    """Apply a patch with a large literal, which ends with an operation that can't be applied."""
    literal = Literal(f"{number} {'x' * 100_000}")
    large = (jr.Op.A, S, P, literal, URIRef(f"urn:graph:{number}"))
    with pytest.raises(jr.ApplyError):
        jr.apply(wrap([TX, large, REFUSED, TC]), dataset)
    # A recorded iterator keeps all operations until the commit.
    dataset.commit()


def roll_back(dataset: Dataset, number: int, _: object) -> None:
    graph = dataset.graph(URIRef(f"urn:graph:{number}"))
    graph.add((S, P, Literal("x" * 100_000, lang=f"en-{number}")))
    graph.add((S, P, Literal("KEPT", lang=f"EN-{number}")))
    dataset.graph(G).add((S, P, Literal("kept", lang="EN")))
    dataset.rollback()


def list_graph(dataset: Dataset, number: int, _: object) -> None:
    dataset.graph(URIRef(f"urn:graph:{number}"))
    dataset.rollback()


@pytest.mark.parametrize("wrap", [list, iter], ids=["a list", "an iterator"])
@pytest.mark.parametrize("undo", [refuse, roll_back, list_graph])
def test_undone_transactions_leave_no_terms_and_no_graphs(
    dataset: Dataset, undo: Callable[..., None], wrap: Callable[[Any], Any]
) -> None:
    undo(dataset, 0, wrap)
    before = sizes(dataset)
    listed = len(list(dataset.store.contexts()))
    tracemalloc.start()
    try:
        for number in range(20):
            undo(dataset, number, wrap)
        start = tracemalloc.get_traced_memory()[0]
        for number in range(20, 150):
            undo(dataset, number, wrap)
        more = tracemalloc.get_traced_memory()[0] - start
    finally:
        tracemalloc.stop()
    if undo is refuse and wrap is iter:
        # Other threads may have changed a recorded store, so operations are undone one by one. Then
        # at most a megabyte of terms is kept, in twice as much memory.
        assert sizes(dataset)["terms"] < before["terms"] + 25
        assert more < 2_000_000
    else:
        assert sizes(dataset) == before
        assert more < 100_000
    assert len(list(dataset.store.contexts())) == listed
    assert [str(o) for _, _, o, _ in dataset.quads()] == ["kept"]


def test_terms_that_a_reader_uses_stay_and_go_later() -> None:
    dataset = Dataset(store="Jelly")
    dataset.graph(G).add((S, P, Literal("kept")))
    dataset.commit()
    readers = []
    for number in range(60):
        graph = dataset.graph(URIRef(f"urn:graph:{number}"))
        graph.add((S, P, Literal(f"{number} {'x' * 100_000}")))
        readers.append(dataset.quads())
        first = next(readers[-1])
        dataset.rollback()
        dataset.graph(G).add((S, P, Literal("other")))
        dataset.rollback()
        assert {str(q[2])[:2].strip() for q in [first, *readers[-1]]} == {"ke", str(number)}
    # The store keeps at most a megabyte of terms.
    assert sizes(dataset)["terms"] < 30
    assert [str(o) for _, _, o, _ in dataset.quads()] == ["kept"]


def test_numbers_of_undone_terms_are_used_for_others() -> None:
    """No cached number, node or graph of an undone term is used for a new term."""
    dataset = Dataset(store="Jelly")
    for number in range(20):
        name, node = URIRef(f"urn:graph:{number}"), Literal(f"{number}", lang=f"en-{number}")
        own = Graph(dataset.store, name, base=f"urn:base:{number}")
        own.add((S, P, node))
        [(triple, graphs)] = dataset.store.triples((None, None, None))
        assert triple == (S, P, node)
        assert list(graphs) == [own]
        [found] = [each for each in dataset.store.contexts() if each.identifier == name]
        assert found.base == f"urn:base:{number}"
        dataset.rollback()
        assert dataset.store.quads.sizes()["quads"] == 0
        assert name not in {each.identifier for each in dataset.store.contexts()}


@pytest.mark.parametrize("wrap", [list, jr.Patch], ids=["operations", "a batch"])
def test_transaction_after_an_undone_one_has_the_same_terms(wrap: Callable[[Any], Any]) -> None:
    """The transactions are in one batch, for which the store caches the numbers of terms."""
    g, h = URIRef("urn:new"), URIRef("urn:newer")
    one, two = Literal("one", lang="EN"), Literal("two", datatype=URIRef("urn:type"))
    operations = [
        *[TX, (jr.Op.A, S, P, two, h), (jr.Op.A, S, P, one, g), TA],
        *[TX, (jr.Op.A, S, P, one, h), (jr.Op.D, S, P, two, h), TC],
        *[TX, (jr.Op.A, S, P, two, g), TA],
        *[TX, (jr.Op.A, S, P, two, g), TC],
    ]
    dataset = Dataset(store="Jelly")
    jr.apply(wrap(operations), dataset)
    assert {(o, c) for _, _, o, c in dataset.quads()} == {(one, h), (two, g)}


def same(literal: Any, graph: Any) -> tuple[Any, ...]:
    """Return the properties that are the same for all spellings of a literal in a graph."""
    datatype = None if literal.datatype == XSD.string else literal.datatype
    return str(literal), (literal.language or "").lower(), datatype, graph


@pytest.mark.parametrize("seed", range(8))
def test_any_order_of_changes_undoing_and_reading(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    dataset = Dataset(store="Jelly")
    if seed % 2:
        dataset.open(str(tmp_path / "data.jelly"), create=True)
    committed: set[Any] = set()
    pending: set[Any] = set()
    readers: list[tuple[Iterator[Any], set[Any]]] = []

    def made() -> tuple[Any, URIRef]:
        number = dice.randrange(40)
        tag = f"en-{number % 5}"
        kinds: list[dict[str, Any]] = [{"lang": tag}, {"lang": tag.upper()}]
        kinds += [{}, {"datatype": XSD.string}, {"datatype": URIRef(f"urn:t{number % 3}")}]
        return Literal(f"{number}", **dice.choice(kinds)), URIRef(f"urn:g{number % 7}")

    def apply(ends: list[Any]) -> None:
        for end in ends:
            after, operations = set(pending), []
            for _ in range(dice.randrange(1, 30)):
                o, g = made()
                is_add = dice.random() < 0.6
                operations.append((jr.Op.A if is_add else jr.Op.D, S, P, o, g))
                after = after | {same(o, g)} if is_add else after - {same(o, g)}
            if end is REFUSED:
                with pytest.raises(jr.ApplyError):
                    jr.apply(dice.choice([list, iter])([TX, *operations, REFUSED]), dataset)
            else:
                jr.apply([TX, *operations, end], dataset)
            if end is TC:
                pending.clear()
                pending.update(after)
        committed.clear()
        committed.update(pending)

    for _ in range(150):
        match dice.randrange(8):
            case 0 | 1 | 2:
                o, g = made()
                dataset.graph(g).add((S, P, o))
                pending.add(same(o, g))
            case 3:
                o, g = made()
                dataset.graph(g).remove((S, P, o))
                pending.discard(same(o, g))
            case 4:
                dataset.commit()
                committed = set(pending)
            case 5:
                dataset.rollback()
                pending = set(committed)
            case 6:
                apply(dice.choices([TC, TA, REFUSED], k=dice.randrange(1, 4)))
            case 7:
                if len(readers) > 1:
                    reader, then = readers.pop(dice.randrange(len(readers)))
                    assert {same(o, g) for _, _, o, g in reader} <= then
                else:
                    readers.append((dataset.quads(), set(pending)))
                    with suppress(StopIteration):
                        next(readers[-1][0])
        assert {same(o, g) for _, _, o, g in dataset.quads()} == pending
    readers.clear()
    dataset.rollback()
    assert {same(o, g) for _, _, o, g in dataset.quads()} == committed


def test_spellings_that_no_quad_has_go() -> None:
    dataset = Dataset(store="Jelly")
    text = "x" * 100_000
    dataset.add((S, P, Literal(text, lang="abcdef")))
    dataset.commit()
    tags = map("".join, product(*zip("abcdef", "ABCDEF", strict=True)))
    for tag in tags:
        # The store already has this statement.
        dataset.add((S, P, Literal(text, lang=tag)))
        dataset.commit()
    # The store keeps about a megabyte of the 64.
    assert sizes(dataset)["terms"] < 40
    assert [o.language for o in dataset.objects()] == ["abcdef"]


def test_long_terms_of_deleted_quads_go() -> None:
    dataset = Dataset(store="Jelly")
    for number in range(150):
        dataset.graph(G).set((S, P, Literal(f"{number} {'x' * 100_000}")))
        dataset.commit()
    # The store keeps at most a megabyte of the fifteen.
    assert sizes(dataset)["terms"] < 30
    assert [str(o)[:3] for o in dataset.graph(G).objects()] == ["149"]


def test_a_long_term_that_others_use_is_seldom_looked_for() -> None:
    """The store is rewritten in vain only a few times, not after each deletion."""
    dataset = Dataset(store="Jelly")
    graph, text = dataset.graph(G), Literal("x" * 2_000_000)
    subjects = [URIRef(f"urn:s:{number}") for number in range(500)]
    for s in subjects:
        graph.add((s, P, text))
    dataset.commit()
    rows = [sizes(dataset)["rows"]]
    for s in subjects[1:]:
        graph.remove((s, P, text))
        dataset.commit()
        rows.append(sizes(dataset)["rows"])
    assert 5 < sum(before > after for before, after in pairwise(rows)) < 12

"""Tests that the work is at most proportional to the input, by counting calls."""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from types import SimpleNamespace
from typing import Any

import pytest
import rdflib.namespace
from rdflib import Dataset, Graph, Literal, URIRef
from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.memory import Memory, SimpleMemory

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.algebra import spool
from jelly_rdflib.algebra.headers import JoinedHeaders
from jelly_rdflib.algebra.sources import operation_at
from jelly_rdflib.graph.stores import prefixes
from tests.faults.targets import OtherMemory

S, P = URIRef("urn:s"), URIRef("urn:p")
FEW, MANY = 200, 1600


class Counted:
    """Counts the calls of a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        self.calls += 1
        return self.function(*arguments, **keywords)


def assert_linear(work: Callable[[int], int]) -> None:
    """Check that an input eight times as large needs at most about eight times the work."""
    few, many = work(FEW), work(MANY)
    assert many <= few * (MANY // FEW) * 1.1 + 100, (few, many)


def test_prefixes_in_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A transaction does not rebuild rdflib's namespace tree."""

    def work(count: int) -> int:
        insert = Counted(rdflib.namespace.insert_trie)
        monkeypatch.setattr(prefixes, "insert_trie", insert)
        monkeypatch.setattr(rdflib.namespace, "insert_trie", insert)
        text = "".join(f"TX . PA p{n} <urn:{n}#> . TC . " for n in range(count))
        dataset = Dataset()
        jr.apply(text.encode(), dataset)
        calls = insert.calls
        assert dataset.namespace_manager.qname("urn:7#x") == "p7:x"
        monkeypatch.undo()
        return calls

    assert_linear(work)
    assert work(MANY) < MANY


class Key(str):
    """A header key that counts its comparisons."""

    looks = 0
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        Key.looks += 1
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        Key.looks += 1
        return str.__ne__(self, other)

    __hash__ = str.__hash__


def test_headers_of_many_patches() -> None:
    def work(count: int) -> int:
        Key.looks = 0
        headers = JoinedHeaders()
        for number in range(count):
            headers.add(Key("id"), Literal(number))
            headers.add(Key(f"key {number}"), Literal("value"))
            headers.end_patch()
        assert len(headers.operations()) == count + 1
        return Key.looks

    assert_linear(work)


@pytest.mark.parametrize("row", ['H key "v" .', "PA p <urn:o> .", "PD p ."])
def test_a_row_by_itself_looks_at_its_own_terms_only(row: str) -> None:
    """A single row does not iterate over all terms of its batch."""
    text = f"{row}\n" + "".join(f"A <urn:{n}> <urn:p> <urn:o> .\n" for n in range(100))
    batch = next(jr.read_batches(text.encode()))
    looked_at = []

    class Terms:
        def __getitem__(self, number: int) -> Any:
            looked_at.append(number)
            return batch.terms[number]

    stand_in: Any = SimpleNamespace(
        ops=batch.ops, s=batch.s, p=batch.p, o=batch.o, g=batch.g, terms=Terms()
    )
    assert operation_at(stand_in, 0) == next(iter(batch))
    assert len(looked_at) <= 3


def test_aborted_transactions_behind_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Truncating a spool does not iterate over the remaining operations."""
    kept = [(Op.A, S, P, Literal(n), None) for n in range(5000)]

    def work(count: int) -> int:
        loads = Counted(spool.load_batch)
        monkeypatch.setattr(spool, "load_batch", loads)
        aborted = [(Op.TX,), (Op.A, S, P, Literal("x"), None), (Op.TA,)] * count
        data = jr.Patch([*kept, *aborted]).serialize(options=jr.PatchOptions(frame_rows=1))
        assert len(list(jr.invert(data))) == len(kept) + 1
        monkeypatch.undo()
        return loads.calls - len(kept)

    assert_linear(work)


class Text(Literal):
    """A literal that counts its comparisons."""

    compared = 0
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        Text.compared += 1
        return Literal.__eq__(self, other)

    __hash__ = Literal.__hash__


def colliding(number: int) -> Literal:
    """Return a literal whose hash in rdflib is 0 for every number."""
    return Text(f"urn:{number}", datatype=URIRef(f"urn:{number}"))


def test_literals_made_to_collide_in_rdflibs_hash() -> None:
    assert hash(colliding(1)) == hash(colliding(2))

    def in_headers(count: int) -> int:
        Text.compared = 0
        headers = JoinedHeaders()
        for number in range(count):
            headers.add("key", colliding(number))
            headers.end_patch()
        return Text.compared

    def in_effects(count: int) -> int:
        Text.compared = 0
        operations = [(Op.A, S, P, colliding(number), None) for number in range(count)]
        assert len(list(jr.effective(operations, Dataset()))) == count
        return Text.compared

    def in_quoted_triples(count: int) -> int:
        hashes = {hash(jr.TripleTerm(S, P, colliding(number))) for number in range(count)}
        return count - len(hashes)

    assert_linear(in_headers)
    assert_linear(in_effects)
    assert in_quoted_triples(MANY) == 0


# --- undoing -------------------------------------------------------------------------------------


class Calls(OtherMemory):
    """A store that counts the triples, graphs and prefixes that it yields."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def triples(self, *arguments: Any, **more: Any) -> Any:
        for found in super().triples(*arguments, **more):
            self.steps += 1
            yield found

    def contexts(self, *arguments: Any, **more: Any) -> Any:
        for found in super().contexts(*arguments, **more):
            self.steps += 1
            yield found

    def namespaces(self) -> Any:
        for found in super().namespaces():
            self.steps += 1
            yield found


@pytest.mark.parametrize("is_recorded", [False, True])
def test_an_aborted_transaction_for_each_new_graph(is_recorded: bool) -> None:
    def work(count: int) -> int:
        dataset = Dataset(Calls())
        operations: list[Any] = []
        for number in range(count):
            for end in (Op.TC, Op.TA):
                graph = URIRef(f"urn:{number}{end.name}")
                operations += [(Op.TX,), (Op.A, graph, P, Literal("x"), graph), (end,)]
        if is_recorded:
            with jr.record(dataset) as recorder:
                for start in range(0, len(operations), 6):
                    jr.apply(operations[start : start + 3], dataset)
                    with suppress(KeyError), recorder.transaction():
                        dataset.add(operations[start + 4][1:])
                        raise KeyError
        else:
            jr.apply(operations, dataset)
        assert len(list(Memory.contexts(dataset.store))) == count
        return dataset.store.steps

    assert_linear(work)


def test_a_recorded_transaction_for_each_prefix() -> None:
    def work(count: int) -> int:
        dataset = Dataset(Calls())
        with jr.record(dataset) as recorder:
            for number in range(count):
                with suppress(KeyError), recorder.transaction():
                    dataset.store.bind(f"p{number}", URIRef(f"urn:{number}#"))
                    if number % 2:
                        raise KeyError
                with recorder.transaction():
                    jr.apply([(Op.PA, f"q{number}", f"urn:q{number}#", None)], dataset)
        assert len([prefix for prefix, _ in dataset.namespaces() if prefix[1:].isdigit()]) == (
            count + (count + 1) // 2
        )
        return dataset.store.steps

    assert_linear(work)


@pytest.mark.parametrize("is_recorded", [False, True])
def test_undoing_literals_made_to_collide_on_oxigraph(is_recorded: bool) -> None:
    def work(count: int) -> int:
        dataset = Dataset("Oxigraph")
        literals = [colliding(number) for number in range(count)]
        Text.compared = 0
        with suppress(KeyError):
            if is_recorded:
                with jr.record(dataset):
                    dataset.addN((S, P, o, dataset.default_graph) for o in literals)
                    raise KeyError
            else:
                jr.apply([(Op.TX,), *((Op.A, S, P, o, None) for o in literals), (Op.TA,)], dataset)
        assert len(dataset) == 0
        return Text.compared

    assert_linear(work)


@pytest.mark.parametrize("make", [OtherMemory, SimpleMemory, lambda: AuditableStore(Memory())])
@pytest.mark.parametrize("is_recorded", [False, True])
def test_literals_made_to_collide_are_refused_by_stores_in_memory(
    make: Callable[[], Any], is_recorded: bool
) -> None:
    """In-memory stores refuse colliding literals, whose dicts would need quadratic time."""
    operations = [(Op.A, S, P, colliding(number), None) for number in range(1000)]
    graph = Graph(make())
    recordings = [jr.record(graph) for _ in range(2 * is_recorded)]
    if graph.store.transaction_aware:
        del recordings[1:]
    with ExitStack() as stack:
        stack.enter_context(
            pytest.raises(jr.LimitError, match="200 different terms have the same hash")
        )
        for recording in recordings:
            stack.enter_context(recording)
        jr.apply(operations, graph)
    assert len(graph) == 0

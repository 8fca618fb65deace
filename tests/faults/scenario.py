"""Patches to inject faults into, and the states that a target may be in after a fault."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from rdflib import BNode, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph
from rdflib.plugins.stores.sparqlstore import SPARQLStore

from jelly_rdflib import Op, RollbackError
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.graph.stores.prefixes import PrefixMap, open_prefixes
from jelly_rdflib.operations import Operation
from tests.faults.targets import oxigraph_on_disk
from tests.graph.stores.at_hand import AT_HAND, MORE

MakeTarget = Callable[[], AbstractContextManager[Graph]]
TARGETS: dict[str, MakeTarget] = {
    **{each.name: each.make for each in (*AT_HAND, *MORE)},
    # A test has several of these stores open at once.
    "Oxigraph on disk": oxigraph_on_disk,
}

S, P, D = URIRef("urn:s"), URIRef("urn:p"), DATASET_DEFAULT_GRAPH_ID
G, H, NEW = URIRef("urn:g"), URIRef("urn:h"), URIRef("urn:new")
TX, TC, TA, END = (Op.TX,), (Op.TC,), (Op.TA,), (Op.END,)


def add(o: Any, g: Any = D, s: Any = S) -> Operation:
    return (Op.A, s, P, o if not isinstance(o, int) else Literal(str(o)), g)


def delete(o: Any, g: Any = D, s: Any = S) -> Operation:
    return (Op.D, *add(o, g, s)[1:])


def prefix_added(prefix: str, iri: str) -> Operation:
    return (Op.PA, prefix, URIRef(iri), None)


def prefix_deleted(prefix: str) -> Operation:
    return (Op.PD, prefix, None, None)


BEFORE = [add(1), add(2, G), add(2, H), add(3, H), prefix_added("before", "urn:before#")]
OPERATIONS = [
    *(TX, add(10), add(11, G), delete(1), TC),
    # This transaction changes existing statements, including the last one of a graph, statements
    # that it deletes and adds again, and new graphs.
    *(TX, add(1), delete(1), add(1), add(7), delete(2, G), delete(11, G), add(3, H), delete(3, H)),
    *(add(3, H), add(4, NEW), add(5, BNode("new")), delete(5, BNode("new"))),
    prefix_added("before", "urn:other#"),
    *(prefix_added("new", "urn:before#"), prefix_deleted("rdfs"), TC),
    *(TX, delete(10), add(8, NEW), delete(4, NEW), prefix_added("gone", "urn:gone#"), TA),
    # These operations are outside any transaction.
    *(add(9), add(1, H), delete(10), END),
    *(TX, add(12, s=BNode("b")), delete(3, H), prefix_added("last", "urn:last#"), TC),
]
"""Committed transactions, an aborted one, and operations outside any transaction."""


def can_unbind(target: Graph) -> bool:
    """Return whether the store can unbind prefixes; rdflib has no method for this."""
    return isinstance(open_prefixes(target.store), PrefixMap)


def state_of(target: Graph) -> dict[str, Any]:
    """Return the visible state; check that all ways to read it agree."""
    store = target.store
    if isinstance(store, SPARQLStore):
        at_the_endpoint = target.endpoint.store
        return {
            "statements": set(at_the_endpoint),
            "graphs": set(at_the_endpoint.named_graphs()),
            "prefixes": dict(store.namespaces()),
        }
    # rdflib binds its own prefixes when the namespace manager is made, so it must exist before the
    # comparison.
    _ = target.namespace_manager
    statements = set()
    for triple, contexts in store.triples((None, None, None), None):
        names = {context.identifier for context in contexts if isinstance(context, Graph)}
        statements.update((*triple, name) for name in names or {None})
    for name in {name for *_, name in statements if name is not None}:
        graph = Graph(store, name)
        triples = {quad[:3] for quad in statements if quad[3] == name}
        for place in range(3):
            for term in {triple[place] for triple in triples}:
                pattern = tuple(term if n == place else None for n in range(3))
                found = {triple for triple, _ in store.triples(pattern, graph)}
                assert found == {triple for triple in triples if triple[place] == term}
        assert {triple for triple, _ in store.triples((None, None, None), graph)} == triples
        assert store.__len__(context=graph) == len(triples)
    listed = store.contexts() if store.context_aware else ()
    return {
        "statements": statements,
        "graphs": {each.identifier if isinstance(each, Graph) else each for each in listed},
        "prefixes": dict(store.namespaces()),
        "iris": {iri: store.prefix(iri) for _, iri in store.namespaces()},
    }


class Scenario:
    """Operations for a kind of target, and the target's content initially and after each commit.

    Args:
        make: Makes an empty target.
        before: The operations that create the target's initial content.
        operations: The operations to apply.
    """

    def __init__(
        self,
        make: MakeTarget,
        before: Iterable[Operation] = BEFORE,
        operations: Iterable[Operation] = OPERATIONS,
    ) -> None:
        self.make = make
        self.committed = 0
        with make() as target:
            self._before = self._fitting(before, target)
            self.operations = self._fitting(operations, target)
            self.prepare(target)
            self.states = [state_of(target)]
            apply(self._watched(lambda: self.states.append(state_of(target))), target)
        # For each number of commits that an interrupted target may have: its state after all
        # operations are applied again.
        self._finals: dict[int, dict[str, Any]] = {}

    def _fitting(self, operations: Iterable[Operation], target: Graph) -> list[Operation]:
        """Return the operations that a kind of target supports."""
        fitting = list(operations)
        if not isinstance(target, ConjunctiveGraph):
            fitting = [op for op in fitting if len(op) < 5 or op[4] in (D, None)]
        if not can_unbind(target):
            fitting = [op for op in fitting if op[0] != Op.PD]
        if isinstance(target.store, SPARQLStore):
            # The blank nodes of an endpoint are different each time. Also, each operation needs a
            # request, so there must be few operations.
            fitting = [op for op in fitting if not any(isinstance(term, BNode) for term in op)]
        return fitting

    def prepare(self, target: Graph) -> None:
        """Fill an empty target with its initial content."""
        # rdflib binds its prefixes when the namespace manager is made.
        _ = target.namespace_manager
        apply(self._before, target)

    def run(self, target: Graph) -> None:
        """Apply the operations to a prepared target."""
        self.committed = 0
        apply(self._watched(lambda: None), target)

    def _watched(self, after_commit: Callable[[], None]) -> Iterator[Operation]:
        """Yield the operations, and count a commit when the operation after it is requested."""
        for operation in self.operations:
            yield operation
            if operation in (TC, END):
                self.committed += 1
                after_commit()

    def check(self, target: Graph, error: BaseException) -> None:
        """Check that a target is in the state of the last commit, and that it is still usable.

        Args:
            target: The target that the operations were applied to.
            error: The exception of `apply`.
        """
        state = state_of(target)
        if isinstance(error, RollbackError) and not can_unbind(target):
            # The error is correct: rdflib has no way to unbind a prefix of this store.
            expected = self.states[self.committed]
            assert state["prefixes"].items() > expected["prefixes"].items()
            assert {**state, "prefixes": 0, "iris": 0} == {**expected, "prefixes": 0, "iris": 0}
            return
        # The next transaction may have been committed when the exception was raised.
        possible = range(self.committed, min(self.committed + 2, len(self.states)))
        reached = [n for n in possible if self.states[n] == state]
        assert reached, _differences(state, self.states[self.committed])
        self.run(target)
        state, expected = state_of(target), self._final(reached[-1])
        assert state == expected, _differences(state, expected)

    def _final(self, reached: int) -> dict[str, Any]:
        if reached not in self._finals:
            with self.make() as target:
                self.prepare(target)
                ends = [n + 1 for n, op in enumerate(self.operations) if op in (TC, END)]
                apply(self.operations[: [0, *ends][reached]], target)
                state = state_of(target)
                assert state == self.states[reached], _differences(state, self.states[reached])
                apply(self.operations, target)
                self._finals[reached] = state_of(target)
        return self._finals[reached]


def _differences(state: dict[str, Any], expected: dict[str, Any]) -> str:
    lines = []
    for name, value in state.items():
        there = set(value.items()) if isinstance(value, dict) else value
        wanted = expected[name]
        wanted = set(wanted.items()) if isinstance(wanted, dict) else wanted
        lines.append(f"{name}: too much {there - wanted}, missing {wanted - there}")
    return "\n".join(lines)

"""Stores to record, and checks of a recording."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from rdflib import Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph
from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.store import Store

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.faults.targets import OtherMemory, OtherOxigraph, TransactionalStore

S, P, O = URIRef("urn:s"), URIRef("urn:p"), Literal("o")  # noqa: E741
G, H = URIRef("urn:g"), URIRef("urn:h")
T = TypeVar("T")
TX, TC = (Op.TX,), (Op.TC,)


DATASETS: dict[str, Callable[[], Dataset]] = {
    "memory": Dataset,
    "memory, all graphs as default": lambda: Dataset(default_union=True),
    "another memory": lambda: Dataset(OtherMemory()),
    "jelly": lambda: Dataset("Jelly"),
    "oxigraph": lambda: Dataset("Oxigraph"),
    "another oxigraph": lambda: Dataset(OtherOxigraph()),
    "transactional": lambda: Dataset(TransactionalStore()),
}

GRAPHS: dict[str, Callable[[], Graph]] = {
    "memory": Graph,
    "a graph of a dataset": lambda: Dataset().graph(G),
    "a default graph": lambda: Dataset().default_graph,
    "another memory": lambda: Graph(OtherMemory()),
    "simple memory": lambda: Graph(SimpleMemory()),
    "jelly": lambda: Graph("Jelly"),
    "oxigraph": lambda: Graph("Oxigraph"),
    "auditable": lambda: Graph(AuditableStore(Memory())),
    "auditable simple memory": lambda: Graph(AuditableStore(SimpleMemory())),
    "transactional": lambda: Graph(TransactionalStore()),
}


class Failure(Exception):
    """Raised to end the block of a recording."""


@contextmanager
def left(context: AbstractContextManager[T], error: type[BaseException] = Failure) -> Iterator[T]:
    """Enter a context, and leave it with an exception, which is caught here."""
    try:
        with context as entered:
            yield entered
            raise error
    except error:
        return


def aborted(target: Graph, *writer: Any, **arguments: Any) -> AbstractContextManager[jr.Recorder]:
    """Record in a block, and leave it with an exception."""
    return left(jr.record(target, *writer, **arguments))


def add(o: Any = O, g: Any = None, s: Any = S) -> jr.Operation:
    return (Op.A, s, P, o if not isinstance(o, int) else Literal(o), g)


def delete(o: Any = O, g: Any = None, s: Any = S) -> jr.Operation:
    return (Op.D, *add(o, g, s)[1:])


def is_hooked(store: Store) -> bool:
    """Return whether any method of the store was replaced."""
    return any(callable(getattr(type(store), name, None)) for name in vars(store))


def statements(graph: Graph) -> set[Any]:
    """Return the quads of a graph as a recording names them, with None for the default graph."""
    if not isinstance(graph, ConjunctiveGraph):
        return {(*triple, None) for triple in graph}
    names = {DATASET_DEFAULT_GRAPH_ID, None}
    if type(graph) is ConjunctiveGraph:
        names.add(graph.default_context.identifier)
    quads = graph.quads((None, None, None, None))
    found = ((s, p, o, g.identifier if isinstance(g, Graph) else g) for s, p, o, g in quads)
    return {(s, p, o, None if g in names else g) for s, p, o, g in found}


def assert_effective(
    operations: Iterable[jr.Operation],
    before: tuple[set[Any], dict[str, Any]],
    after: tuple[set[Any], dict[str, Any]],
) -> None:
    """Check that each operation has an effect, and that they lead from one state to the other.

    Args:
        operations: The recorded operations.
        before, after: The statements and prefixes of each state.
    """
    found, prefixes = set(before[0]), dict(before[1])
    for operation in operations:
        op, *terms = operation
        if op == Op.A:
            assert tuple(terms) not in found, operation
            found.add(tuple(terms))
        elif op == Op.D:
            assert tuple(terms) in found, operation
            found.remove(tuple(terms))
        elif op == Op.PA:
            prefix, iri, graph = terms
            assert prefix not in prefixes, operation
            assert type(iri) is URIRef
            assert graph is None
            prefixes[prefix] = iri
        elif op == Op.PD:
            prefix, iri, graph = terms
            assert prefixes.get(prefix) == iri, operation
            assert graph is None
            del prefixes[prefix]
        else:
            assert op in (Op.TX, Op.TC)
    assert found == after[0]
    assert prefixes == after[1]


def copy_of(graph: Graph, make: Callable[[], Graph]) -> Graph:
    """Return another graph or dataset with the same statements and prefixes."""
    copy = make()
    jr.diff(copy, graph).apply(copy)
    return copy

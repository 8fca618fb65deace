"""The contents of an rdflib graph or dataset, graph by graph, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, TypeAlias

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, Graph, QuotedGraph
from rdflib.term import Literal, Node, URIRef

from jelly_rdflib.core.batch import BatchSource
from jelly_rdflib.errors import PatchError
from jelly_rdflib.graph.stores.native import open_view
from jelly_rdflib.graph.stores.sorted_batches import StoreBatches
from jelly_rdflib.graph.stores.target import check_target, get_default_graph
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import ChangeOp, Op, Operation
from jelly_rdflib.store.jelly_store import JellyStore

_Triple: TypeAlias = tuple[Node, Node, Node]


class Contents:
    """The statements of a graph or dataset, by their graphs.

    A Graph is its own default graph, even if it belongs to a Dataset.

    Attributes:
        is_dataset: Whether it has named graphs.
        graphs: The graphs by their names; the default graph's name is rdflib's
            ``DATASET_DEFAULT_GRAPH_ID``. Formulas of N3 are left out.
    """

    def __init__(self, graph: Graph) -> None:
        check_target(graph, PatchError, is_changed=False)
        self.is_dataset = isinstance(graph, ConjunctiveGraph)
        default = get_default_graph(graph) if isinstance(graph, ConjunctiveGraph) else graph
        self._view = open_view(graph.store)
        self.graphs: dict[Node, Graph] = {DATASET_DEFAULT_GRAPH_ID: default}
        if self.is_dataset:
            # Don't use `graphs()`, which makes the store list the default graph.
            contexts: Iterator[Any] = graph.store.contexts()
            for context in contexts:
                # Some stores yield graphs, others the names of graphs.
                name = context.identifier if isinstance(context, Graph) else context
                if name != default.identifier and not isinstance(context, QuotedGraph):
                    self._add(name, Graph(graph.store, name))

    def _add(self, name: Node, graph: Graph) -> None:
        if name in self.graphs and any(True for _ in graph):
            raise PatchError(
                f"the default graph of this ConjunctiveGraph differs from <{name}>, which the"
                " store has too: give a Dataset of the store"
            )
        self.graphs.setdefault(name, graph)

    def batches(self, op: ChangeOp = Op.A) -> BatchSource:
        """Iterate over batches of all statements, sorted; default-graph rows have no graph."""
        default = self.graphs[DATASET_DEFAULT_GRAPH_ID]
        if type(default.store) is JellyStore:
            quads, name = default.store.quads, default.identifier
            return StoreBatches(quads, name, only_default=not self.is_dataset, op=op)
        return NodeBatches(NODE_TYPES, self._operations(op), has_graphs=self.is_dataset)

    def _operations(self, op: ChangeOp) -> Iterator[Operation]:
        for name in sort_names(self.graphs):
            g = None if name == DATASET_DEFAULT_GRAPH_ID else name
            for s, p, o in sort_triples(self.triples(name)):
                yield op, s, p, o, g

    def triples(self, name: Node) -> Iterator[_Triple]:
        """Iterate over the triples of a graph; an unknown graph is empty."""
        triples = self._triple_set(name)
        if triples is not None:
            # Make a copy, so that the graph may change during the iteration, as in other stores.
            return iter(tuple(triples))
        graph = self.graphs[name]
        return (triple for triple, _ in graph.store.triples((None, None, None), graph))

    def missing_batches(self, other: Contents, op: Op) -> BatchSource | None:
        """Iterate over batches of the statements that ``other`` lacks, sorted.

        Return None if a store is not a `JellyStore`, since then nodes must be compared.
        """
        default, other_default = (each.graphs[DATASET_DEFAULT_GRAPH_ID] for each in (self, other))
        if type(default.store) is not JellyStore or type(other_default.store) is not JellyStore:
            return None
        return StoreBatches(
            default.store.quads,
            default.identifier,
            only_default=not self.is_dataset,
            op=op,
            has_graphs=self.is_dataset or other.is_dataset,
            without=(
                other_default.store.quads,
                other_default.identifier,
                not other.is_dataset,
            ),
        )

    def missing(self, other: Contents) -> Iterator[tuple[Node, _Triple]]:
        """Iterate over the triples that ``other`` has in no spelling, each with its graph."""
        batches = self.missing_batches(other, Op.A)
        if batches is not None:
            for operation in chain.from_iterable(batches):
                if operation[0] == Op.A:
                    _, s, p, o, g = operation
                    yield DATASET_DEFAULT_GRAPH_ID if g is None else g, (s, p, o)
            return
        for name in self.graphs:
            for triple in self._missing_in(other, name):
                yield name, triple

    def _missing_in(self, other: Contents, name: Node) -> Iterator[_Triple]:
        ours, theirs = self._triple_set(name), other._triple_set(name)
        if ours is not None and theirs is not None:
            # Comparing the sets of two stores is much faster than looking up each triple. But the
            # sets distinguish some spellings of literals.
            for triple in ours - theirs:
                if not isinstance(triple[2], Literal) or not other.has(triple, name):
                    yield triple
            return
        # Don't make a set of all triples, which may be many.
        for triple in self.triples(name):
            if not other.has(triple, name):
                yield triple

    def _triple_set(self, name: Node) -> AbstractSet[_Triple] | None:
        graph = self.graphs.get(name)
        return frozenset() if graph is None else self._view.triple_set(graph)

    def has(self, triple: _Triple, name: Node) -> bool:
        """Return whether a graph has a triple, in any spelling."""
        graph = self.graphs.get(name)
        return graph is not None and self._view.has(triple, graph)


def sort_names(names: Iterable[Node]) -> list[Node]:
    """Sort the names of graphs: the default graph, then IRIs, then blank nodes; by code points."""
    return sorted(
        names, key=lambda name: (name != DATASET_DEFAULT_GRAPH_ID, _rank(name), str(name))
    )


def sort_triples(triples: Iterable[_Triple]) -> list[_Triple]:
    """Sort by subject, predicate and object: each by its kind, then by code points.

    Literals are sorted by lexical form, then language, then datatype. Unlike a store's order, this
    is the same in each process. Triples with the same subject are adjacent, so they encode well.
    """
    return sorted(triples, key=_triple_key)


def _triple_key(triple: _Triple) -> tuple[object, ...]:
    # Compare a flat tuple of plain strings: rdflib's own comparison is Python code.
    s, p, o = triple
    if isinstance(o, Literal):
        last = (2, str(o), o.language or "", str(o.datatype or ""))
    else:
        last = (_rank(o), str(o), "", "")
    return (_rank(s), str(s), _rank(p), str(p), *last)


def _rank(node: Node) -> int:
    return 0 if isinstance(node, URIRef) else 1

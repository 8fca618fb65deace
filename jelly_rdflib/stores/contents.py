"""What is in a graph or dataset of rdflib, graph by graph and in a settled order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from rdflib.graph import (
    DATASET_DEFAULT_GRAPH_ID,
    ConjunctiveGraph,
    Graph,
    QuotedGraph,
    ReadOnlyGraphAggregate,
)
from rdflib.term import Literal, Node, URIRef

from jelly_rdflib.stores.target import get_default_graph

__all__ = ["Contents", "sort_triples"]

_Triple: TypeAlias = tuple[Node, Node, Node]


class Contents:
    """The statements of a graph or dataset, by their graphs.

    Args:
        graph: A Graph, Dataset or ConjunctiveGraph. A Graph is its own default graph, and so is
            one that belongs to a Dataset.

    Attributes:
        is_dataset: Whether it has named graphs.
        graphs: The graphs by their names; the default graph's is rdflib's
            ``DATASET_DEFAULT_GRAPH_ID``. Formulas of N3 are not among them.

    Raises:
        TypeError: It is none of these.

    Examples:
        >>> from rdflib import Dataset
        >>> dataset = Dataset()
        >>> _ = dataset.graph("urn:g").add((URIRef("urn:s"), URIRef("urn:p"), Literal(1)))
        >>> [str(name) for name in Contents(dataset).graphs]
        ['urn:x-rdflib:default', 'urn:g']
    """

    def __init__(self, graph: Graph) -> None:
        given: object = graph
        if not isinstance(given, Graph) or isinstance(given, ReadOnlyGraphAggregate):
            raise TypeError(f"a Graph or Dataset of rdflib is wanted, not {type(given).__name__}")
        self.is_dataset = isinstance(graph, ConjunctiveGraph)
        self.graphs: dict[Node, Graph] = {DATASET_DEFAULT_GRAPH_ID: graph}
        if isinstance(graph, ConjunctiveGraph):
            default = get_default_graph(graph)
            self.graphs[DATASET_DEFAULT_GRAPH_ID] = default
            # Not `graphs()`: that has the store list the default graph if it did not.
            contexts: Iterator[Any] = graph.store.contexts()
            for context in contexts:
                # Some stores yield graphs, some their names.
                name = context.identifier if isinstance(context, Graph) else context
                if name != default.identifier and not isinstance(context, QuotedGraph):
                    self.graphs[name] = Graph(graph.store, name)

    def names(self) -> list[Node]:
        """Return the graphs' names: the default graph's, IRIs, blank nodes; by code points."""
        default, *others = self.graphs
        return [default, *sorted(others, key=lambda name: (_rank(name), str(name)))]

    def triples(self, name: Node) -> Iterator[_Triple]:
        """Iterate over the triples of a graph; there are none in one that is not there."""
        graph = self.graphs.get(name)
        if graph is None:
            return
        for triple, _ in graph.store.triples((None, None, None), graph):
            yield triple

    def has(self, triple: _Triple, name: Node) -> bool:
        """Is the triple in the graph?"""
        graph = self.graphs.get(name)
        if graph is None:
            return False
        return next(iter(graph.store.triples(triple, graph)), None) is not None


def sort_triples(triples: Iterable[_Triple]) -> list[_Triple]:
    """Sort by subject, predicate and object: each by its kind, then by code points.

    Literals come by lexical form, then language, then datatype. The order is the same in each
    process, as that of a store is not, and puts equal subjects together, which encodes well.

    Examples:
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> [str(o) for _, _, o in sort_triples([(s, p, Literal("a")), (s, p, URIRef("urn:o"))])]
        ['urn:o', 'a']
    """
    return sorted(triples, key=_triple_key)


def _triple_key(triple: _Triple) -> tuple[object, ...]:
    # One flat tuple of plain strings: rdflib's own comparison is Python code.
    s, p, o = triple
    if isinstance(o, Literal):
        last = (2, str(o), o.language or "", str(o.datatype or ""))
    else:
        last = (_rank(o), str(o), "", "")
    return (_rank(s), str(s), _rank(p), str(p), *last)


def _rank(node: Node) -> int:
    return 0 if isinstance(node, URIRef) else 1

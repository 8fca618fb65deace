"""The target of changes: a store, and the graphs that a user's Graph or Dataset covers."""

from __future__ import annotations

from rdflib.graph import (
    DATASET_DEFAULT_GRAPH_ID,
    ConjunctiveGraph,
    Graph,
    QuotedGraph,
    ReadOnlyGraphAggregate,
)
from rdflib.namespace import NamespaceManager
from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from rdflib.store import Store
from rdflib.term import IdentifiedNode

from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import ApplyError, JellyError


def get_default_graph(dataset: ConjunctiveGraph) -> Graph:
    """Return the default graph of a dataset, under its name in this version of rdflib."""
    name = "default_graph" if hasattr(dataset, "default_graph") else "default_context"
    graph: Graph = getattr(dataset, name)
    return graph


def get_inner(store: Store) -> Store:
    """Return the store inside one of rdflib's wrappers, or the store itself."""
    while isinstance(store, AuditableStore):
        store = store.store
    return store


def check_target(graph: Graph, error: type[JellyError], *, is_changed: bool) -> None:
    """Check that a graph or dataset can be read and, if ``is_changed``, written.

    If its store is not open, or is read-only, raise an error of type ``error``.
    """
    given: object = graph
    refused = (ReadOnlyGraphAggregate, QuotedGraph) if is_changed else ReadOnlyGraphAggregate
    if not isinstance(given, Graph) or isinstance(given, refused):
        raise TypeError(f"give an rdflib Graph or Dataset, not {type(given).__name__}")
    store = get_inner(graph.store)
    name = type(store).__name__
    # BerkeleyDB's store has `is_open`, SQLAlchemy's has `engine`.
    is_open = getattr(store, "is_open", None)
    if (callable(is_open) and not is_open()) or getattr(store, "engine", name) is None:
        raise error(f"the store ({name}) is not open: call open() of the graph or the store")
    is_endpoint = isinstance(store, SPARQLStore) and not isinstance(store, SPARQLUpdateStore)
    if is_changed and is_endpoint:
        raise error(f"the store ({name}) is read-only: use a SPARQLUpdateStore")


class Target:
    """A graph or dataset to apply changes to.

    `rdflib.Dataset.parse` passes the default graph, not the dataset, to a plugin. So a graph with
    that graph's name, in a store that has graphs, stands for the whole dataset.

    ``is_dataset`` is True if it has named graphs.
    """

    def __init__(self, graph: Graph) -> None:
        check_target(graph, ApplyError, is_changed=True)
        self._graph = graph
        self.store: Store = graph.store
        if isinstance(graph, ConjunctiveGraph):
            self.is_dataset = True
            self._default = get_default_graph(graph)
        else:
            self.is_dataset = (
                self.store.graph_aware and graph.identifier == DATASET_DEFAULT_GRAPH_ID
            )
            self._default = graph

    @property
    def namespace_manager(self) -> NamespaceManager:
        """The namespace manager of the graph.

        When it is first asked for, rdflib makes it, and binds its own set of prefixes in the store.
        """
        return self._graph.namespace_manager

    def context(self, g: IdentifiedNode | None) -> Graph:
        """Return the graph for a graph term, in the form that a store's methods expect."""
        if g is None or g == DATASET_DEFAULT_GRAPH_ID:
            return self._default
        if not self.is_dataset:
            raise ApplyError(
                f"a Graph has no named graphs, so a statement in the graph {show(g)} can't be "
                f"applied to it; a Dataset can hold it"
            )
        # Pass the manager: the graph would make its own, which restores rdflib's prefixes.
        return Graph(self.store, g, namespace_manager=self.namespace_manager)

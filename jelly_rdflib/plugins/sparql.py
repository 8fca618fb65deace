"""SPARQL on a `JellyStore`: rdflib's engine hands over the basic graph patterns.

rdflib finds `evaluate` by the entry point ``rdf.plugins.sparqleval``, and asks it about each part
of each query, whatever the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rdflib.graph import Dataset, Graph
from rdflib.paths import Path
from rdflib.plugins.sparql.sparql import Bindings, FrozenBindings
from rdflib.term import BNode, Node, Variable

from jelly_rdflib.graph.stores.target import get_default_graph

_STORE = "jelly_rdflib.store.jelly_store"


def evaluate(ctx: Any, part: Any) -> Iterator[FrozenBindings]:
    """Return the solutions of a basic graph pattern (SPARQL 1.1, section 18.3).

    Args:
        ctx: rdflib's context of the query.
        part: A part of the query's algebra.

    Raises:
        NotImplementedError: rdflib is to evaluate the part: it is another one, or of another
            store, or of all graphs together, or has a path.
    """
    if part.name != "BGP" or not part.triples:
        raise NotImplementedError
    graph = ctx.graph
    store: Any = graph.store
    # The module of the store is not loaded for a query of another store.
    if type(store).__module__ != _STORE:
        raise NotImplementedError
    if type(graph) is Dataset and not graph.default_union:
        graph = get_default_graph(graph)
    if type(graph) is not Graph:
        raise NotImplementedError
    numbers: dict[Node, int] = {}
    patterns = []
    for triple in part.triples:
        pattern: list[Any] = []
        for term in triple:
            bound = ctx[term]
            if isinstance(bound, Path):
                raise NotImplementedError
            # In SPARQL a blank node is a variable, too.
            if bound is None and isinstance(term, (Variable, BNode)):
                bound = numbers.setdefault(term, len(numbers))
            pattern.append(bound)
        patterns.append(pattern)
    return _solutions(ctx, list(numbers), store.quads.join(patterns, graph, len(numbers)))


def _solutions(
    ctx: Any, variables: list[Node], found: Iterable[tuple[Node, ...]]
) -> Iterator[FrozenBindings]:
    """Yield solutions as rdflib has them: each has a context of its own, whose graph may change."""
    # What their constructors set, without the copies that these make.
    outer, state = dict(ctx.bindings), ctx.__dict__
    kind: Any = type(ctx)
    for nodes in found:
        values = dict(zip(variables, nodes, strict=True))
        bindings: Any = Bindings.__new__(Bindings)
        bindings._d, bindings.outer = {**outer, **values} if outer else values, None
        own: Any = kind.__new__(kind)
        own.__dict__.update(state)
        own.bindings = bindings
        solution: Any = FrozenBindings.__new__(FrozenBindings)
        solution._d, solution._hash, solution.ctx = bindings._d, None, own
        yield solution

"""SPARQL on a `JellyStore`: rdflib's engine passes the basic graph patterns to this module.

rdflib finds `evaluate` through the entry point ``rdf.plugins.sparqleval``, and calls it for each
part of each query, for any store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rdflib.graph import Dataset, Graph
from rdflib.paths import Path
from rdflib.term import BNode, Literal, Node, Variable

from jelly_rdflib.graph.stores.target import get_default_graph

if TYPE_CHECKING:
    # While rdflib's engine is being imported, it loads this module, so only functions here can
    # import the engine.
    from rdflib.plugins.sparql.sparql import FrozenBindings

_STORE = "jelly_rdflib.store.jelly_store"


def evaluate(ctx: Any, part: Any) -> Iterator[FrozenBindings]:
    """Return the solutions of a basic graph pattern (SPARQL 1.1, section 18.3), or their counts.

    Args:
        ctx: rdflib's context of the query.
        part: A part of the query's algebra.

    Raises:
        NotImplementedError: rdflib must evaluate the part: it isn't a basic graph pattern, or is
            about another store or all graphs together, or has a property path.
    """
    if part.name == "BGP":
        pattern = _pattern_of(ctx, part)
        return _solutions(ctx, list(pattern.variables), pattern.join(_graph_of(ctx.graph)))
    if part.name == "AggregateJoin":
        return iter(_counts(ctx, part))
    raise NotImplementedError


@dataclass(frozen=True)
class _Pattern:
    """A basic graph pattern."""

    triples: list[list[Any]]
    variables: dict[Node, int]

    def join(self, graph: Graph) -> Iterator[tuple[Node, ...]]:
        """Iterate over the solutions, each with the terms of the variables."""
        store: Any = graph.store
        found: Iterator[tuple[Node, ...]]
        found = store.quads.join(self.triples, graph, len(self.variables))
        return found

    def count(self, graph: Graph, groups: list[int]) -> dict[tuple[Node, ...], int]:
        """Count the solutions, grouped by the terms of some variables."""
        store: Any = graph.store
        counts: dict[tuple[Node, ...], int]
        counts = store.quads.count_solutions(self.triples, graph, len(self.variables), groups)
        return counts


def _pattern_of(ctx: Any, part: Any) -> _Pattern:
    if not part.triples:
        raise NotImplementedError
    # Check the store first, since most graphs are in other stores.
    _graph_of(ctx.graph)
    variables: dict[Node, int] = {}
    triples = []
    for triple in part.triples:
        terms: list[Any] = []
        for term in triple:
            bound = ctx[term]
            # In SPARQL a blank node is a variable, too.
            if bound is None and isinstance(term, (Variable, BNode)):
                bound = variables.setdefault(term, len(variables))
            elif isinstance(bound, Path) or not isinstance(bound, Node):
                raise NotImplementedError
            terms.append(bound)
        triples.append(terms)
    return _Pattern(triples, variables)


def _graph_of(graph: Any) -> Graph:
    """Return the single graph that the query is about."""
    if type(graph.store).__module__ == _STORE:
        if type(graph) is Dataset and not graph.default_union:
            graph = get_default_graph(graph)
        if type(graph) is Graph:
            return graph
    raise NotImplementedError


def _solutions(
    ctx: Any, variables: list[Node], found: Iterable[tuple[Node, ...]]
) -> Iterator[FrozenBindings]:
    """Yield solutions in rdflib's form; each has its own context, since its graph may change."""
    from rdflib.plugins.sparql.sparql import Bindings, FrozenBindings  # noqa: PLC0415

    # Make the objects and set their attributes here, since their constructors would copy the
    # bindings.
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


def _counts(ctx: Any, part: Any) -> list[FrozenBindings]:
    """Return how many solutions a basic graph pattern has, grouped by some of its variables.

    The pattern may be about one graph, or about each named graph. Each aggregate must be a COUNT
    of all or of a variable, without DISTINCT, or must return one of the variables of GROUP BY.
    """
    from rdflib.plugins.sparql.sparql import FrozenBindings  # noqa: PLC0415

    inner = part.p.p
    term = inner.term if inner.name == "Graph" else None
    pattern = inner if term is None else inner.p
    if pattern.name != "BGP":
        raise NotImplementedError
    found = _pattern_of(ctx, pattern)
    groups = list(part.p.expr or ())
    # Check the type first, since other expressions can't be hashed.
    if term in found.variables or not all(
        isinstance(each, Variable) and each in found.variables for each in groups
    ):
        raise NotImplementedError
    for each in part.A:
        is_count = each.name == "Aggregate_Count" and not each.distinct
        is_variable = isinstance(each.vars, Variable) and each.vars in found.variables
        # rdflib turns a selected variable of GROUP BY into a SAMPLE.
        is_group = each.name == "Aggregate_Sample" and is_variable and each.vars in groups
        if not (is_group or (is_count and (is_variable or each.vars == "*"))):
            raise NotImplementedError
    counts: Counter[tuple[Node, ...]] = Counter()
    for graph in [ctx.graph] if term is None else _named_graphs(ctx, term):
        numbers = [found.variables[each] for each in groups]
        counts.update(found.count(_graph_of(graph), numbers))
    if part.p.expr is None and not counts:
        counts[()] = 0
    made = []
    for nodes, count in counts.items():
        values = dict(zip(groups, nodes, strict=True))
        made.append(
            FrozenBindings(
                ctx,
                {
                    each.res: Literal(count)
                    if each.name == "Aggregate_Count"
                    else values[each.vars]
                    for each in part.A
                },
            )
        )
    # If there are no groups, return one solution without bindings, as rdflib does.
    return made or [FrozenBindings(ctx)]


def _named_graphs(ctx: Any, term: Any) -> list[Graph]:
    """Return the graphs that ``GRAPH`` with this term refers to."""
    name = ctx[term]
    if name is not None:
        return [Graph(ctx.dataset.store, name)]
    default = get_default_graph(ctx.dataset)
    # Ask the store, since the name of the dataset's own method depends on the version of rdflib.
    return [graph for graph in default.store.contexts() if graph != default]

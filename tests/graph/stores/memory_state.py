"""All that rdflib's Memory store keeps, in a form that shows order, and each node exactly."""

from __future__ import annotations

from typing import Any

from rdflib.graph import ConjunctiveGraph, Graph
from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.memory import Memory, SimpleMemory

DICTS = ("spo", "pos", "osp", "tripleContexts")


def ordered(value: Any) -> Any:
    """Return dicts as lists of their items, so that == sees the order; nodes by their repr.

    Literals that differ in the case of a language tag are equal to rdflib.
    """
    if isinstance(value, dict):
        return [(ordered(key), ordered(item)) for key, item in value.items()]
    if isinstance(value, tuple):
        return tuple(map(ordered, value))
    return repr(value)


def private(store: Memory, name: str) -> Any:
    """Return what the store keeps under a private name."""
    return getattr(store, f"_Memory__{name}")


def full_state(store: Memory) -> dict[str, Any]:
    """Return all that the store keeps of statements, the order of its dicts included."""
    state = {name: ordered(private(store, name)) for name in DICTS}
    state["contextTriples"] = {
        key: {ordered(triple) for triple in triples}
        for key, triples in private(store, "contextTriples").items()
    }
    state["all_contexts"] = {graph.identifier for graph in private(store, "all_contexts")}
    state["context_obj_map"] = {
        key: (type(graph), graph.identifier)
        for key, graph in private(store, "context_obj_map").items()
    }
    state["defaultContexts"] = ordered(private(store, "defaultContexts"))
    return state


def exact_state(graph: Graph) -> dict[str, Any]:
    """Return all that can be seen of a graph's store, with each term as its iteration spells it.

    Of rdflib's Memory and SimpleMemory, also as each of their indexes spells it.
    """
    _ = graph.namespace_manager
    store = graph.store
    anything = (None, None, None)
    listed = list(store.contexts()) if store.context_aware else []
    names = [each if isinstance(each, Graph) else Graph(store, each) for each in listed]
    places: list[Graph | None] = [None, *names]
    if store.context_aware and not isinstance(graph, ConjunctiveGraph):
        places.append(graph)
    found: set[Any] = set()
    for place in places:
        name = None if place is None else repr(place.identifier)
        triples = [triple for triple, _ in store.triples(anything, place)]
        found.update((name, *map(spelled, triple)) for triple in triples)
        for number in range(3):
            # Not a set of terms: which of two equal ones it keeps depends on their order.
            for term in {spelled(triple[number]): triple[number] for triple in triples}.values():
                pattern = tuple(term if n == number else None for n in range(3))
                for triple, _ in store.triples(pattern, place):
                    rest = (*triple[:number], None, *triple[number + 1 :])
                    found.add((name, number, spelled(term), *map(spelled, rest)))
    state = {
        "statements": found,
        "graphs": sorted({repr(each.identifier) for each in names}),
        "prefixes": sorted(store.namespaces()),
        "iris": sorted((str(iri), store.prefix(iri)) for _, iri in store.namespaces()),
    }
    while isinstance(store, AuditableStore):
        store = store.store
    if isinstance(store, Memory):
        for name in ("contextTriples", "tripleContexts"):
            state[name] = sorted(
                repr((key, sorted(map(repr, value)))) for key, value in private(store, name).items()
            )
    if isinstance(store, Memory | SimpleMemory):
        cls = Memory if isinstance(store, Memory) else SimpleMemory
        spo = getattr(store, f"_{cls.__name__}__spo")
        state["spo"] = sorted(
            repr((s, p, spelled(o))) for s, rest in spo.items() for p in rest for o in rest[p]
        )
    return state


def spelled(term: Any) -> tuple[str, str]:
    """Return the class of a term, and all that its equals may differ in."""
    return type(term).__name__, repr(term)


def visible_state(graph: Graph) -> dict[str, Any]:
    """Return all that can be seen of a graph's store: statements, graphs and prefixes."""
    # rdflib binds its own prefixes when this is made; so let it be made before the comparison.
    _ = graph.namespace_manager
    store = graph.store
    statements = set()
    for triple, contexts in store.triples((None, None, None), None):
        names = {context.identifier for context in contexts if isinstance(context, Graph)}
        statements.update((*triple, name) for name in names or {None})
    listed = {
        context.identifier if isinstance(context, Graph) else context
        for context in (store.contexts() if store.context_aware else ())
    }
    return {
        "statements": statements,
        "graphs": listed,
        "prefixes": dict(store.namespaces()),
        "iris": {iri: store.prefix(iri) for _, iri in store.namespaces()},
    }

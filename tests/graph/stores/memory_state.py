"""Returns the content of rdflib's Memory store in a form that shows order and exact nodes."""

from typing import Any

from rdflib.plugins.stores.memory import Memory

DICTS = ("spo", "pos", "osp", "tripleContexts")


def ordered(value: Any) -> Any:
    """Return dicts as lists of their items, which are ordered, and nodes as their repr.

    In rdflib, literals that differ only in the case of a language tag are equal.
    """
    if isinstance(value, dict):
        return [(ordered(key), ordered(item)) for key, item in value.items()]
    if isinstance(value, tuple):
        return tuple(map(ordered, value))
    return repr(value)


def private(store: Memory, name: str) -> Any:
    """Return a private attribute of the store."""
    return getattr(store, f"_Memory__{name}")


def full_state(store: Memory) -> dict[str, Any]:
    """Return everything that the store keeps about statements, including the order of its dicts."""
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

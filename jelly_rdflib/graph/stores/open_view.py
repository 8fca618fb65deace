"""Choosing how to see what a store holds."""

from __future__ import annotations

from rdflib.store import Store

from jelly_rdflib.graph.stores.native import MemoryView, View, can_view_memory


def open_view(store: Store) -> View:
    """Return the fastest view of a store."""
    if can_view_memory(store):
        return MemoryView(store)
    if type(store).__module__.partition(".")[0] == "oxrdflib":
        # Where there is such a store, the packages that this needs are installed.
        from jelly_rdflib.graph.stores.oxigraph_view import OxigraphView, can_view_oxigraph

        if can_view_oxigraph(store):
            return OxigraphView(store)
    return View(store)

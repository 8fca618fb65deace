"""Choosing how to see what changes in a store."""

from __future__ import annotations

from rdflib.store import Store

from jelly_rdflib.recording import memory_tap
from jelly_rdflib.recording.tap import Tap

__all__ = ["open_tap"]


def open_tap(store: Store) -> Tap:
    """Return a tap for a store that has none.

    Examples:
        >>> from rdflib import Graph
        >>> type(open_tap(Graph().store)).__name__
        'MemoryTap'
    """
    if memory_tap.can_use(store):
        return memory_tap.MemoryTap(store)
    if type(store).__module__.partition(".")[0] == "oxrdflib":
        # Where there is such a store, the packages that this needs are installed.
        from jelly_rdflib.recording import oxigraph_tap

        if oxigraph_tap.can_use(store):
            return oxigraph_tap.OxigraphTap(store)
    return Tap(store)

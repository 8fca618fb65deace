"""SPARQL Update, registered under the name of rdflib's own plugin."""

from __future__ import annotations

from typing import Any

import rdflib.plugins.sparql as engine
from rdflib.plugins.sparql.processor import SPARQLUpdateProcessor

from jelly_rdflib.graph.stores.native import find_tap
from jelly_rdflib.graph.update import parse_update, run_update
from jelly_rdflib.store.jelly_store import JellyStore


class Updates(SPARQLUpdateProcessor):
    """Runs updates of recorded stores and of a `JellyStore`; rdflib runs all other updates.

    ``LOAD``, ``SERVICE`` and the default graph follow the settings of ``rdflib.plugins.sparql``.
    """

    def update(self, strOrQuery: Any, initBindings: Any = None, initNs: Any = None) -> None:
        """Run an update, given as a string or as prepared by rdflib."""
        store = self.graph.store
        is_ours = type(store) is JellyStore
        if not is_ours and find_tap(store) is None:
            super().update(strOrQuery, initBindings, initNs)
            return
        if isinstance(strOrQuery, str):
            operations = parse_update(strOrQuery, initNs or {})
        else:
            operations = strOrQuery.algebra
        is_union = engine.SPARQL_DEFAULT_GRAPH_UNION
        run_update(
            self.graph,
            operations,
            values=initBindings,
            network=engine.SPARQL_LOAD_GRAPHS,
            union=is_union,
            # Data that rdflib can't insert must not go to some other graph, recorded or not.
            default=self.graph if is_union and not is_ours else None,
        )

"""SPARQL Update of a `JellyStore`, under rdflib's own name."""

from __future__ import annotations

from typing import Any

import rdflib.plugins.sparql as engine
from rdflib.plugins.sparql.processor import SPARQLUpdateProcessor

from jelly_rdflib.graph.update import parse_update, run_update
from jelly_rdflib.store.jelly_store import JellyStore


class StoreUpdates(SPARQLUpdateProcessor):
    """Runs updates on a graph or dataset of a `JellyStore`; rdflib runs those of other stores.

    ``LOAD``, ``SERVICE`` and the default graph follow the settings of ``rdflib.plugins.sparql``.
    """

    def update(
        self,
        strOrQuery: Any,
        initBindings: Any = None,
        initNs: Any = None,
    ) -> None:
        """Run an update, which is a text or was prepared by rdflib."""
        if type(self.graph.store) is not JellyStore:
            super().update(strOrQuery, initBindings, initNs)
            return
        if isinstance(strOrQuery, str):
            operations = parse_update(strOrQuery, initNs or {})
        else:
            operations = strOrQuery.algebra
        run_update(
            self.graph,
            operations,
            values=initBindings,
            network=engine.SPARQL_LOAD_GRAPHS,
            union=engine.SPARQL_DEFAULT_GRAPH_UNION,
        )

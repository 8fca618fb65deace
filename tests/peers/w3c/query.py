"""Runs SPARQL 1.0 and 1.1 queries, which must have the same results on both stores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import rdflib.plugins.sparql as engine
from rdflib import BNode, Dataset, Graph, Namespace, URIRef
from rdflib.compare import to_canonical_graph
from rdflib.term import Node

import jelly_rdflib as jr
from tests.peers.outcomes import Known, Outcome
from tests.peers.w3c.manifest import MF, entries, has_type, path_of

QT = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")

_SPELLINGS = "the store has spellings of a literal as one term, as RDF 1.1 does"
KNOWN = [
    Known("query/expr-builtin/lang-case-insensitive-eq: *", _SPELLINGS),
    Known("query/open-world/open-eq-*: *", _SPELLINGS),
]


def run(folder: Path) -> Iterator[Outcome]:
    """Run each query on both stores: on the default graph alone, and on the union of graphs."""
    for name, manifest, test in entries(folder):
        action = manifest.value(test, MF.action)
        query = None if action is None else manifest.value(action, QT.query)
        if query is None or not has_type(manifest, test, "QueryEvaluationTest"):
            continue
        for is_union in (False, True):
            asked = "all graphs" if is_union else "graphs"
            difference = _difference(manifest, action, path_of(query), is_union=is_union)
            yield Outcome(f"query/{name}: JellyStore, {asked}", difference)


def _difference(manifest: Graph, action: Any, query: Path, *, is_union: bool) -> str | None:
    """Return the difference between the two stores' answers, or None."""
    quads = list(_quads(manifest, action))
    known = {term for quad in quads for term in quad[:3] if isinstance(term, BNode)}
    answers = []
    # Queries must not use a network.
    engine.SPARQL_LOAD_GRAPHS, engine.SPARQL_DEFAULT_GRAPH_UNION = False, is_union
    try:
        for store in ("Memory", jr.JellyStore()):
            dataset = Dataset(store=store, default_union=is_union)
            for s, p, o, graph in quads:
                dataset.graph(graph).add((s, p, o))
            try:
                result = dataset.query(query.read_text(), base=query.as_uri())
                answers.append(_answer(result, known))
            except Exception as error:  # The error may have any type.
                answers.append(type(error))
    finally:
        engine.SPARQL_LOAD_GRAPHS = engine.SPARQL_DEFAULT_GRAPH_UNION = True
    return None if answers[0] == answers[1] else f"{answers[1]} instead of {answers[0]}"


def _answer(result: Any, known: Iterable[Node]) -> Any:
    """Return a comparable answer: solutions without order, and new blank nodes without labels."""
    if result.type == "CONSTRUCT":
        return sorted(to_canonical_graph(result.graph))
    if result.type == "ASK":
        return result.askAnswer
    return Counter(
        tuple(
            "new" if isinstance(term, BNode) and term not in known else term and term.n3()
            for term in row
        )
        for row in result
    )


def _quads(manifest: Graph, action: Node) -> Iterator[tuple[Node, Node, Node, URIRef]]:
    for kind in (QT.data, QT.graphData):
        for file in manifest.objects(action, kind):
            path = path_of(file)
            name = path.as_uri() if kind == QT.graphData else "urn:x-rdflib:default"
            graph = Graph(store="Memory").parse(path, publicID=path.as_uri())
            for s, p, o in graph:
                yield s, p, o, URIRef(name)

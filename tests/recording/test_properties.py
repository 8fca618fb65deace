"""Tests random changes: a recording has exactly the effective ones that were not aborted."""

import io
from contextlib import nullcontext, suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oxrdflib import OxigraphStore
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import ConjunctiveGraph
from rdflib.namespace import XSD
from rdflib.plugins.sparql import prepareUpdate

import jelly_rdflib as jr
from jelly_rdflib import JellyStore, Op
from tests.graph.stores.at_hand import exact_state
from tests.recording.support import (
    DATASETS,
    GRAPHS,
    G,
    H,
    assert_effective,
    copy_of,
    is_hooked,
    left,
    statements,
)

# Few terms, so that statements repeat. New objects are made, so equal terms are not identical.
NODES = st.sampled_from(["urn:a", "urn:b"]).map(URIRef) | st.just("b").map(BNode)
OBJECTS = NODES | st.builds(
    lambda text, more: Literal(text, **more),
    st.sampled_from(["x", "1", "01", "urn:a"]),
    st.sampled_from([{}, {"lang": "en"}, {"lang": "EN"}, {"datatype": XSD.integer}]),
)
NAMES = st.sampled_from([None, G, H]).map(lambda g: g and URIRef(str(g)))
TRIPLES = st.tuples(NODES, st.just("urn:p").map(URIRef), OBJECTS)
QUADS = st.tuples(TRIPLES, NAMES)
PATTERNS = st.tuples(st.none() | NODES, st.none() | st.just(URIRef("urn:p")), st.none() | OBJECTS)
PREFIXES = st.sampled_from(["a", "b", ""])
IRIS = st.sampled_from(["http://a/", "http://b/"])
UPDATES = [
    "DELETE { ?s ?p ?o } INSERT { ?o ?p ?s } WHERE { ?s ?p ?o FILTER(!isLiteral(?o)) }",
    "INSERT { ?s <urn:q> 1, 'x', 'x'@en } WHERE { ?s ?p ?o }",
    "DELETE WHERE { ?s <urn:q> ?o }",
]
# rdflib needs much time to parse them, so they are prepared once.
PREPARED = {update: prepareUpdate(update) for update in UPDATES}
TURTLE = st.sampled_from(
    [
        "@prefix a: <http://a/> . <urn:a> <urn:p> <urn:b>, 1, 'x', 'x'@en .",
        "@prefix b: <http://a/> . @prefix : <http://b/> . <urn:b> <urn:p> _:x .",
    ]
)

CHANGES = st.one_of(
    st.tuples(st.just("add"), QUADS),
    st.tuples(st.just("add"), QUADS),
    st.tuples(st.just("addN"), st.lists(QUADS, max_size=4)),
    st.tuples(st.just("remove"), PATTERNS, NAMES),
    st.tuples(st.just("remove from all"), PATTERNS),
    st.tuples(st.just("-="), st.lists(TRIPLES, max_size=3), NAMES),
    st.tuples(st.just("set"), TRIPLES, NAMES),
    st.tuples(st.just("graph"), NAMES),
    st.tuples(st.just("remove_graph"), NAMES),
    # With replace=True and override=False, rdflib's stores bind two prefixes to an IRI.
    st.tuples(st.just("bind"), PREFIXES, IRIS, st.sampled_from([(1, 0), (1, 1), (0, 0)])),
    st.tuples(st.just("update"), st.sampled_from(UPDATES), st.booleans()),
    st.tuples(st.just("parse"), TURTLE),
    st.tuples(st.just("read")),
    st.tuples(st.just("many"), NAMES),
    st.tuples(
        st.just("apply"),
        st.lists(
            st.tuples(st.sampled_from([Op.A, Op.D]), QUADS).map(lambda op: (op[0], *op[1]))
            | st.tuples(st.just(Op.PA), PREFIXES, IRIS)
            | st.tuples(st.just(Op.PD), PREFIXES),
            max_size=5,
        ),
        st.sampled_from([Op.TC, Op.TA]),
    ),
)
STEPS = st.lists(CHANGES, max_size=6)
# Groups of changes, whether each is a transaction, and whether an exception ends it.
BLOCKS = st.lists(st.tuples(STEPS, st.booleans(), st.booleans()), max_size=4)


def perform(target: Graph, change: Any) -> None:
    """Make a change; if the target is a single graph, ignore the change's graph."""
    kind, *arguments = change
    dataset = target if isinstance(target, Dataset) else None

    def graph(name: URIRef | None) -> Graph:
        if dataset is None:
            return target
        return dataset.default_graph if name is None else dataset.get_context(name)

    if kind == "add":
        ((triple, name),) = arguments
        graph(name).add(triple)
    elif kind == "addN":
        (quads,) = arguments
        target.addN((*triple, graph(name)) for triple, name in quads)
        if dataset is None:
            # These quads name another graph, so `addN` ignores them.
            target.addN((*triple, Graph()) for triple, _ in quads)
    elif kind == "remove":
        pattern, name = arguments
        graph(name).remove(pattern)
    elif kind == "remove from all":
        target.remove(arguments[0])
    elif kind == "-=":
        triples, name = arguments
        some = graph(name)
        some -= triples
    elif kind == "set":
        triple, name = arguments
        graph(name).set(triple)
    elif kind == "graph" and dataset is not None:
        dataset.graph(arguments[0])
    elif kind == "remove_graph" and dataset is not None:
        dataset.remove_graph(graph(arguments[0]))
    elif kind == "bind":
        prefix, iri, (override, replace) = arguments
        target.bind(prefix, iri, override=bool(override), replace=bool(replace))
    elif kind == "update":
        update, use_store_provided = arguments
        if use_store_provided and isinstance(target.store, OxigraphStore):
            target.update(update)
            return
        # rdflib changes the store while iterating over it, which SimpleMemory can't do.
        with suppress(RuntimeError):
            target.update(PREPARED[update], use_store_provided=False)
    elif kind == "parse":
        target.parse(data=arguments[0], format="turtle")
    elif kind == "read" and isinstance(target.store, JellyStore):
        # Keep the reader open: its result must not change.
        triples = target.store.triples((None, None, None))
        next(triples, None)
        vars(target).setdefault("readers", []).append(triples)
    elif kind == "many" and isinstance(target.store, JellyStore):
        # Add so many rows that the store sorts them into runs, and later drops whole runs.
        p = URIRef("urn:p")
        target.addN((URIRef(f"urn:{n}"), p, Literal(n), graph(arguments[0])) for n in range(900))
        graph(arguments[0]).remove((None, p, Literal(7)))
    elif kind == "apply":
        operations, end = arguments
        jr.apply([(Op.TX,), *(as_operation(each, dataset) for each in operations), (end,)], target)


def as_operation(change: Any, dataset: Dataset | None) -> jr.Operation:
    op, *terms = change
    if op in (Op.A, Op.D):
        triple, name = terms
        return (op, *triple, name if dataset is not None else None)
    return (op, *terms, None) if op == Op.PA else (op, *terms, None, None)


def facts(target: Graph) -> tuple[set[Any], dict[str, Any]]:
    return statements(target), dict(target.namespaces())


def as_recorded(target: Graph, patch: Any) -> list[jr.Operation]:
    """Return operations with their graphs named as in a recording."""
    default = target.default_graph.identifier if isinstance(target, ConjunctiveGraph) else None
    return [
        tuple(None if term is not None and term == default else term for term in operation)
        for operation in patch
    ]


@pytest.mark.parametrize("name", DATASETS)
@settings(max_examples=20)
@given(start=STEPS, blocks=BLOCKS)
def test_dataset(name: str, start: Any, blocks: Any) -> None:
    check(DATASETS[name], start, blocks)


@pytest.mark.parametrize("name", GRAPHS)
@settings(max_examples=20)
@given(start=STEPS, blocks=BLOCKS)
def test_graph(name: str, start: Any, blocks: Any) -> None:
    check(GRAPHS[name], start, blocks)


def check(make: Any, start: Any, blocks: Any) -> None:
    target = make()
    for change in start:
        perform(target, change)
    before = facts(target)
    copy = copy_of(target, make)
    file = io.BytesIO()
    patches: list[jr.Patch] = []
    with jr.record(target, patches) as recorder:
        # A second recording at the same time, if the store allows it.
        other = jr.record(target, file) if not target.store.transaction_aware else nullcontext()
        with other:
            for changes, is_transaction, is_left in blocks:
                if not is_transaction:
                    for change in changes:
                        perform(target, change)
                    continue
                # An open transaction is committed when the next one starts.
                with recorder.transaction():
                    pass
                as_it_was = exact_state(target)
                count = len(patches)
                if is_left:
                    with left(recorder.transaction()):
                        for change in changes:
                            perform(target, change)
                    assert exact_state(target) == as_it_was
                    assert len(patches) == count
                else:
                    with recorder.transaction():
                        for change in changes:
                            perform(target, change)
    assert not is_hooked(target.store)
    after = facts(target)
    recorded = [operation for patch in patches for operation in patch]
    assert_effective(recorded, before, after)
    assert recorder.added == sum(operation[0] == Op.A for operation in recorded)
    assert recorder.deleted == sum(operation[0] == Op.D for operation in recorded)
    for patch in patches:
        result = patch.apply(copy)
        assert result.added + result.deleted == sum(op[0] in (Op.A, Op.D) for op in patch)
    assert facts(copy) == after
    if file.getvalue():
        streamed = list(jr.read_operations(file.getvalue(), normalize=False))[:-1]
        assert_effective(as_recorded(target, streamed), before, after)

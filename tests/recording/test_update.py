"""Tests that each kind of SPARQL update is recorded, whether rdflib or the store runs it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rdflib.plugins.sparql
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.plugins.sparql import prepareUpdate
from rdflib.plugins.sparql.processor import processUpdate
from rdflib.plugins.stores.memory import Memory
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore

import jelly_rdflib as jr
from tests.faults.targets import Endpoint
from tests.graph.stores.at_hand import exact_state
from tests.recording.support import (
    DATASETS,
    TC,
    TX,
    Failure,
    G,
    H,
    O,
    P,
    S,
    aborted,
    add,
    assert_effective,
    copy_of,
    delete,
    is_hooked,
    statements,
)


class NativeStore(Memory):
    """A store that runs updates itself, through its own methods."""

    def update(
        self, update: Any, initNs: Any, initBindings: Any, queryGraph: Any, **options: Any
    ) -> None:
        if update == "fail halfway":
            self.add((S, P, Literal("half")), Graph(self, G))
            raise Failure
        processUpdate(Dataset(self), update, initBindings, initNs)


MAKERS: dict[str, Callable[[], Dataset]] = {
    **{name: DATASETS[name] for name in ("memory", "oxigraph", "another oxigraph")},
    "native": lambda: Dataset(NativeStore()),
}


@pytest.fixture(params=MAKERS)
def make(request: pytest.FixtureRequest) -> Callable[[], Dataset]:
    return MAKERS[request.param]


@pytest.fixture(params=[True, False], ids=["by the store", "by rdflib"])
def use_store_provided(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(autouse=True)
def _default_graph_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # Otherwise rdflib can't insert data into the default graph of a Dataset, and clears all graphs
    # in place of the default graph.
    monkeypatch.setattr(rdflib.plugins.sparql, "SPARQL_DEFAULT_GRAPH_UNION", False)


def start(dataset: Dataset) -> None:
    for g, name in ((dataset.default_graph, "1"), (G, "1"), (G, "2"), (H, "3")):
        dataset.add((S, P, URIRef(f"urn:{name}"), g))


def recorded(make: Callable[[], Dataset], update: Any, **arguments: Any) -> set[Any]:
    """Record an update, check the recording, and return the changes."""
    dataset = make()
    start(dataset)
    copy = copy_of(dataset, make)
    before = statements(dataset), dict(dataset.namespaces())
    with jr.record(dataset) as recorder:
        dataset.update(update, **arguments)
    after = statements(dataset), dict(dataset.namespaces())
    assert_effective(recorder.patch, before, after)
    assert not is_hooked(dataset.store)
    recorder.patch.apply(copy)
    assert statements(copy) == after[0]
    return before[0] ^ after[0]


# Updates, and the number of statements that each of them changes.
UPDATES: dict[str, tuple[str, int]] = {
    "insert data": (
        "INSERT DATA { <urn:s> <urn:p> <urn:1>, <urn:4> "
        "GRAPH <urn:g> { <urn:s> <urn:p> <urn:4> } }",
        2,
    ),
    "delete data": (
        "DELETE DATA { <urn:s> <urn:p> <urn:1>, <urn:9> "
        "GRAPH <urn:g> { <urn:s> <urn:p> <urn:1> } }",
        2,
    ),
    "delete where": ("DELETE WHERE { GRAPH <urn:h> { ?s ?p ?o } }", 1),
    "delete and insert": (
        "DELETE { GRAPH <urn:g> { ?s ?p ?o } } INSERT { ?s ?p ?o . ?s ?p <urn:5> }"
        " WHERE { GRAPH <urn:g> { ?s ?p ?o } }",
        4,
    ),
    "with": (
        "WITH <urn:g> DELETE { ?s ?p <urn:1> } INSERT { ?s ?p <urn:6> } WHERE { ?s ?p <urn:1> }",
        2,
    ),
    "clear all": ("CLEAR ALL", 4),
    "add": ("ADD <urn:g> TO <urn:h>", 2),
    "copy": ("COPY <urn:g> TO <urn:h>", 3),
    "move": ("MOVE <urn:g> TO <urn:h>", 5),
    "several": ("CLEAR GRAPH <urn:h> ; ADD <urn:h> TO <urn:g>", 1),
    "nothing": ("DELETE { ?s ?p ?o } WHERE { ?s ?p <urn:9> }", 0),
}


@pytest.mark.parametrize("name", UPDATES)
def test_kinds_of_updates(make: Callable[[], Dataset], use_store_provided: bool, name: str) -> None:
    update, count = UPDATES[name]
    assert len(recorded(make, update, use_store_provided=use_store_provided)) == count


@pytest.mark.parametrize("name", ["oxigraph", "another oxigraph"])
def test_create(name: str) -> None:
    # rdflib has no CREATE. An empty graph is not recorded, but is undone with the rest.
    assert recorded(MAKERS[name], "CREATE GRAPH <urn:new>") == set()
    dataset = MAKERS[name]()
    start(dataset)
    before = exact_state(dataset)
    with aborted(dataset):
        dataset.update("CREATE GRAPH <urn:new> ; DROP GRAPH <urn:g>")
        assert exact_state(dataset) != before
    assert exact_state(dataset) == before


@pytest.mark.parametrize("name", ["memory", "oxigraph"])
def test_load(name: str, tmp_path: Path) -> None:
    path = tmp_path / "data.ttl"
    path.write_text("<urn:s> <urn:p> <urn:1>, <urn:7> .")
    update = f"LOAD <{path.as_uri()}> INTO GRAPH <urn:g>"
    assert recorded(MAKERS[name], update, use_store_provided=False) == {(S, P, URIRef("urn:7"), G)}


def test_bindings_and_prepared_updates(make: Callable[[], Dataset]) -> None:
    update = "INSERT { ?s <urn:p> ?o } WHERE { GRAPH <urn:h> { ?s <urn:p> ?o } }"
    three = (S, P, URIRef("urn:3"), None)
    assert recorded(make, prepareUpdate(update), use_store_provided=False) == {three}
    # Oxigraph's own update does not accept bindings, so rdflib runs this one.
    assert recorded(make, update, initBindings={"o": three[2]}) == {three}


@pytest.mark.parametrize("name", ["oxigraph", "native"])
def test_update_of_one_graph(name: str) -> None:
    dataset = MAKERS[name]()
    start(dataset)
    with jr.record(dataset.graph(G)) as recorder:
        dataset.update(
            "INSERT DATA { <urn:s> <urn:p> <urn:8> GRAPH <urn:g> { <urn:s> <urn:p> <urn:8> } }"
        )
    assert list(recorder.patch) == [TX, add(URIRef("urn:8")), TC]
    with jr.record(dataset.graph(G)) as recorder:
        dataset.graph(G).update("DELETE WHERE { ?s ?p <urn:8> }", use_store_provided=False)
    assert list(recorder.patch) == [TX, delete(URIRef("urn:8")), TC]


def test_failed_update_of_a_store_is_recorded_as_far_as_it_came() -> None:
    dataset = Dataset(NativeStore())
    with jr.record(dataset) as recorder:
        with pytest.raises(Failure):
            dataset.update("fail halfway")
        with pytest.raises(Exception, match="Expected"):
            dataset.update("this is no SPARQL")
    assert list(recorder.patch) == [TX, add(Literal("half"), G), TC]


def test_failed_update_is_undone(make: Callable[[], Dataset]) -> None:
    dataset = make()
    start(dataset)
    before = exact_state(dataset)
    with pytest.raises(Exception, match="such"), jr.record(dataset):
        dataset.update(
            "DELETE WHERE { ?s ?p ?o } ; LOAD <file:///there/is/no/such.ttl>",
            use_store_provided=False,
        )
    assert exact_state(dataset) == before


def test_quoted_triples_of_oxigraph_are_recorded_and_undone() -> None:
    dataset = Dataset("Oxigraph")
    update = "INSERT DATA { <urn:s> <urn:p> <<( <urn:s> <urn:p> 'o' )>> }"
    with aborted(dataset):
        dataset.update(update)
        assert len(dataset.store._inner) == 1
    assert len(dataset.store._inner) == 0
    with jr.record(dataset) as recorder:
        dataset.update(update)
    ((_, _, _, o, _),) = list(recorder.patch)[1:-1]
    assert isinstance(o, jr.TripleTerm)
    with aborted(dataset):
        dataset.update("CLEAR ALL")
        assert len(dataset.store._inner) == 0
    assert len(dataset.store._inner) == 1


# --- a SPARQL endpoint ---------------------------------------------------------------------------


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    served = Endpoint()
    yield served
    served.close()


def open_store(endpoint: Endpoint, **more: Any) -> SPARQLUpdateStore:
    return SPARQLUpdateStore(endpoint.url, endpoint.url, returnFormat="json", **more)


def test_changes_of_a_sparql_endpoint(endpoint: Endpoint) -> None:
    dataset = Dataset(open_store(endpoint))
    one = URIRef("urn:1")
    with jr.record(dataset) as recorder:
        dataset.get_context(G).add((S, P, O))
        dataset.get_context(G).add((S, P, O))
        dataset.get_context(G).addN([(S, P, one, dataset.get_context(G))])
        dataset.default_graph.add((S, P, one))
        dataset.get_context(G).remove((S, P, one))
        dataset.remove_graph(G)
        dataset.remove_graph(dataset.default_graph)
    changes = [add(O, G), add(one, G), add(one), delete(one, G), delete(O, G), delete(one)]
    assert list(recorder.patch) == [TX, *changes, TC]
    graph = dataset.get_context(G)
    graph.add((S, P, O))
    with aborted(dataset):
        graph.set((S, P, one))
        dataset.graph(H).add((S, P, O))
        dataset.default_graph.add((S, P, O))
        assert set(graph) == {(S, P, one)}
    assert set(graph) == {(S, P, O)}
    assert set(dataset.store.contexts()) == {G}
    assert len(dataset.default_graph) == 0


def test_update_of_a_sparql_endpoint(endpoint: Endpoint) -> None:
    graph = Graph(open_store(endpoint), identifier=G)
    update = "INSERT DATA { <urn:s> <urn:p> 'o' }"
    with jr.record(graph) as recorder:
        with pytest.raises(jr.RecordError, match="use_store_provided=False"):
            graph.update(update)
        graph.update(update, use_store_provided=False)
    assert list(recorder.patch) == [TX, add(), TC]


def test_blank_nodes_of_a_sparql_endpoint_are_refused(endpoint: Endpoint) -> None:
    store = open_store(endpoint)
    graph = Graph(store, identifier=G)
    store.update("INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> [] } }")
    with jr.record(graph) as recorder:
        with pytest.raises(jr.RecordError, match="labels of blank nodes"):
            graph.remove((S, None, None))
        with pytest.raises(Exception, match="does not support BNodes"):
            graph.add((BNode(), P, O))
    assert list(recorder.patch) == []
    assert len(graph) == 1


def test_sparql_endpoint_must_commit_by_itself(endpoint: Endpoint) -> None:
    graph = Graph(open_store(endpoint, autocommit=False))
    with pytest.raises(jr.RecordError, match="autocommit=True"), jr.record(graph):
        pass


@pytest.mark.parametrize("update", ["INSERT DATA { <urn:s> <urn:p> 1 }", "ADD <urn:g> TO DEFAULT"])
def test_what_rdflib_can_not_insert(update: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """rdflib fails here even without a recording, unless it is set to follow SPARQL."""
    monkeypatch.setattr(rdflib.plugins.sparql, "SPARQL_DEFAULT_GRAPH_UNION", True)
    dataset = Dataset()
    dataset.graph(G).add((S, P, O))
    with pytest.raises(ValueError, match="expected 4, got 3"):
        dataset.update(update)
    refusal = pytest.raises(jr.RecordError, match="SPARQL_DEFAULT_GRAPH_UNION = False")
    with refusal, jr.record(dataset):
        dataset.update(update)
    assert len(dataset.default_graph) == 0

"""Tests SPARQL Update where rdflib's own implementation gives different results."""

from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.plugins.sparql import prepareUpdate

import jelly_rdflib as jr
from jelly_rdflib.graph.update import parse_update, run_update

S, P, G, H = (URIRef(f"urn:{name}") for name in "spgh")
OUT = URIRef("urn:out")


@pytest.fixture(params=["Jelly", "Memory"])
def dataset(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    dataset = Dataset(store=request.param)
    dataset.add((S, P, Literal("default")))
    dataset.graph(G).add((S, P, Literal("g")))
    dataset.graph(H).add((S, P, Literal("h")))

    def parse(self: Graph, source: Any, **settings: Any) -> None:
        pytest.fail(f"{source} is loaded")

    monkeypatch.setattr(Graph, "parse", parse)
    return dataset


def run(dataset: Graph, text: str, **settings: Any) -> None:
    options = {"network": True, "union": False, **settings}
    run_update(dataset, parse_update(text, {}), **options)


def texts(dataset: Dataset, graph: URIRef = OUT) -> list[str]:
    return sorted(str(o) for o in dataset.graph(graph).objects())


@pytest.mark.parametrize(
    ("clauses", "pattern", "found"),
    [
        ("USING <urn:g>", "?s ?p ?o", ["g"]),
        ("USING <urn:g> USING <urn:h>", "?s ?p ?o", ["g", "h"]),
        ("USING <urn:none>", "?s ?p ?o", []),
        ("USING NAMED <urn:h>", "GRAPH ?any { ?s ?p ?o }", ["h"]),
        ("USING NAMED <urn:h>", "?s ?p ?o", []),
        ("USING <urn:g> USING NAMED <urn:h>", "{ ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } }", "gh"),
        ("USING <urn:g>", "GRAPH ?any { ?s ?p ?o }", []),
        ("USING <urn:g>", "GRAPH <urn:h> { ?s ?p ?o }", []),
        ("", "?s ?p ?o", ["default"]),
        ("", "GRAPH ?any { ?s ?p ?o }", ["g", "h"]),
    ],
)
def test_using_names_graphs_of_the_dataset(
    dataset: Dataset, clauses: str, pattern: str, found: Any
) -> None:
    run(dataset, f"INSERT {{ GRAPH <urn:out> {{ ?s ?p ?o }} }} {clauses} WHERE {{ {pattern} }}")
    assert texts(dataset) == list(found)


def test_with_is_what_changes_where_using_says_what_is_found(dataset: Dataset) -> None:
    run(dataset, "WITH <urn:out> INSERT { ?s ?p ?o } USING <urn:g> WHERE { ?s ?p ?o }")
    run(dataset, "WITH <urn:h> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }")
    assert [texts(dataset), texts(dataset, H), len(dataset.default_graph)] == [["g"], [], 1]


def test_what_is_recorded_is_so_updated_by_rdflib_too(dataset: Dataset) -> None:
    with jr.record(dataset) as recorder:
        dataset.update("INSERT { GRAPH <urn:out> { ?s ?p ?o } } USING <urn:g> WHERE { ?s ?p ?o }")
        dataset.update(prepareUpdate("INSERT DATA { GRAPH <urn:out> { _:b0 <urn:p> 1 } }"))
    assert texts(dataset) == ["1", "g"]
    assert URIRef("urn:s") in (made := {operation[1] for operation in list(recorder.patch)[1:-1]})
    assert BNode("b0") not in made


@pytest.mark.parametrize("dataset", ["Jelly"], indirect=True)
def test_a_jelly_store_need_not_be_recorded(dataset: Dataset) -> None:
    dataset.update("INSERT { GRAPH <urn:out> { ?s ?p ?o } } USING <urn:g> WHERE { ?s ?p ?o }")
    assert texts(dataset) == ["g"]


def test_a_blank_node_of_an_update_is_a_new_one(dataset: Dataset) -> None:
    theirs = BNode("b0")
    dataset.add((theirs, P, Literal("theirs")))
    text = """
        INSERT DATA { _:b0 <urn:p> "one" GRAPH <urn:out> { _:b0 <urn:p> "two" } } ;
        INSERT DATA { _:b0 <urn:p> "three" . [] <urn:p> "four" }
    """
    run(dataset, text)
    nodes = {str(o): s for s, _, o, _ in dataset.quads() if isinstance(s, BNode)}
    assert nodes.pop("theirs") == theirs
    assert nodes["one"] == nodes["two"] == nodes["three"] != nodes["four"]
    assert theirs not in nodes.values()
    run(dataset, text)
    assert len({s for s, _, _, _ in dataset.quads() if isinstance(s, BNode)}) == 5


def test_each_solution_has_a_blank_node_of_its_own(dataset: Dataset) -> None:
    run(
        dataset,
        "INSERT { _:x <urn:p> ?o GRAPH <urn:out> { _:x <urn:q> ?o } }"
        " WHERE { GRAPH ?any { ?s <urn:p> ?o } }",
    )
    made = [(o, s) for s, _, o in dataset.default_graph if isinstance(s, BNode)]
    assert len(set(made)) == len({s for _, s in made}) == 2
    assert sorted(made) == sorted((o, s) for s, _, o in dataset.graph(OUT))


def test_a_blank_node_of_a_pattern_is_a_variable(dataset: Dataset) -> None:
    run(dataset, "INSERT { GRAPH <urn:out> { <urn:s> <urn:p> ?o } } WHERE { _:b0 <urn:p> ?o }")
    assert texts(dataset) == ["default"]


def test_all_is_deleted_before_anything_is_inserted(dataset: Dataset) -> None:
    pair = [URIRef("urn:a"), URIRef("urn:b")]
    for one, other in (pair, pair[::-1]):
        dataset.graph(OUT).add((one, P, other))
    before = set(dataset.graph(OUT))
    run(dataset, "WITH <urn:out> DELETE { ?a ?p ?b } INSERT { ?b ?p ?a } WHERE { ?a ?p ?b }")
    assert set(dataset.graph(OUT)) == before


def test_delete_where_finds_in_every_graph(dataset: Dataset) -> None:
    run(dataset, "DELETE WHERE { ?s ?p 'default' GRAPH ?g { ?s ?p 'g' } }")
    assert [str(o) for _, _, o, _ in dataset.quads()] == ["h"]


def test_what_is_no_rdf_is_left_out(dataset: Dataset) -> None:
    run(
        dataset,
        "INSERT { ?o ?p 1 . ?s ?o 1 . ?s ?none 1 . GRAPH ?o { ?s ?p 1 } GRAPH ?none { ?s ?p 1 }"
        " GRAPH <urn:out> { ?s ?p 1 } } WHERE { ?s ?p ?o }",
    )
    assert len(list(dataset.quads())) == 4
    assert texts(dataset) == ["1"]


@pytest.mark.parametrize(
    "text",
    [
        "DELETE DATA { _:b0 <urn:p> 1 }",
        "DELETE DATA { GRAPH <urn:g> { <urn:s> <urn:p> [] } }",
        "DELETE WHERE { _:b0 ?p ?o }",
        "DELETE { _:b0 ?p ?o } WHERE { ?s ?p ?o }",
        "CLEAR ALL ; WITH <urn:g> DELETE { ?s ?p [] } INSERT { ?s ?p 1 } WHERE { ?s ?p ?o }",
    ],
)
def test_blank_nodes_in_what_is_deleted(dataset: Dataset, text: str) -> None:
    before = set(dataset.quads())
    with pytest.raises(jr.ApplyError, match="SPARQL allows no blank nodes in statements to delete"):
        run(dataset, text)
    assert set(dataset.quads()) == before


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("CLEAR ALL ; LOAD <urn:elsewhere>", "LOAD <urn:elsewhere>"),
        ("LOAD <urn:elsewhere> INTO GRAPH <urn:g>", "LOAD <urn:elsewhere>"),
        ("INSERT { ?s ?p 1 } WHERE { SERVICE <urn:there> { ?s ?p ?o } }", "SERVICE <urn:there>"),
        (
            "INSERT { ?s ?p 1 } WHERE { ?s ?p ?o FILTER NOT EXISTS {"
            " SERVICE SILENT ?o { ?s ?p ?o } } }",
            "SERVICE \\?o",
        ),
    ],
)
def test_nothing_is_read_from_elsewhere(dataset: Dataset, text: str, what: str) -> None:
    before = set(dataset.quads())
    with pytest.raises(jr.ApplyError, match=f"{what} reads from elsewhere"):
        run(dataset, text, network=False)
    assert set(dataset.quads()) == before


def test_a_silent_load_that_may_not_has_succeeded(dataset: Dataset) -> None:
    run(dataset, "LOAD SILENT <urn:elsewhere> ; CLEAR GRAPH <urn:g>", network=False)
    assert len(list(dataset.quads())) == 2


def test_load_reads_what_it_may(tmp_path: Path) -> None:
    place = tmp_path / "more.ttl"
    place.write_text("<urn:s> <urn:p> [ <urn:p> 'more' ] .")
    dataset = Dataset(store="Jelly")
    run(dataset, f"LOAD <{place.as_uri()}> INTO GRAPH <urn:g> ; LOAD <{place.as_uri()}>")
    assert texts(dataset, G)[-1] == "more"
    assert len(dataset.default_graph) == 2


def test_create(dataset: Dataset) -> None:
    run(dataset, "CREATE GRAPH <urn:out> ; CREATE SILENT GRAPH <urn:g>")
    with pytest.raises(jr.ApplyError, match="the graph <urn:g> exists already"):
        run(dataset, "CREATE GRAPH <urn:g>")
    assert len(list(dataset.quads())) == 3

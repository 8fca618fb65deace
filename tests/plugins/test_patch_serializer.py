"""Tests that serializing with rdflib writes a patch that adds, removes or changes statements."""

import io
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import SKOS, XSD
from rdflib.plugins.stores.memory import SimpleMemory

import jelly_rdflib as jr
from jelly_rdflib import EncodeError, Op, PatchOptions
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.patch.diff import diff
from jelly_rdflib.plugins import register

register()

S, P, O, G = URIRef("urn:s"), URIRef("urn:p"), Literal("o"), URIRef("urn:g")  # noqa: E741
DEFAULT = DATASET_DEFAULT_GRAPH_ID
ID = URIRef("urn:uuid:1")


def make_dataset() -> Dataset:
    dataset = Dataset()
    dataset.bind("x", "urn:x#")
    for statement in ((S, P, O, DEFAULT), (S, P, O, G), (BNode("a"), P, BNode("b"), BNode("g"))):
        dataset.add(statement)
    return dataset


def make_graph() -> Graph:
    graph = Graph(bind_namespaces="none")
    graph.bind("x", "urn:x#")
    graph.add((S, P, O))
    return graph


def serialize(graph: Graph, **arguments: Any) -> list[Any]:
    """Return the operations, without rdflib's own prefixes."""
    data = graph.serialize(format="jelly-patch", encoding="utf-8", **arguments)
    own = {prefix for prefix, _ in Graph().namespaces()}
    return [
        op for op in jr.read_operations(data) if op[0] not in (Op.PA, Op.PD) or op[1] not in own
    ]


def test_dataset() -> None:
    assert serialize(make_dataset(), header_id=str(ID)) == [
        (Op.H, "id", ID),
        (Op.TX,),
        (Op.PA, "x", URIRef("urn:x#"), None),
        (Op.A, S, P, O, None),
        (Op.A, S, P, O, G),
        (Op.A, BNode("a"), P, BNode("b"), BNode("g")),
        (Op.TC,),
        (Op.END,),
    ]


def test_graph() -> None:
    assert serialize(make_graph(), header_id=ID, header_prev="urn:uuid:0") == [
        (Op.H, "id", ID),
        (Op.H, "prev", URIRef("urn:uuid:0")),
        (Op.TX,),
        (Op.PA, "x", URIRef("urn:x#"), None),
        (Op.A, S, P, O, None),
        (Op.TC,),
        (Op.END,),
    ]
    assert serialize(Graph(SimpleMemory(), bind_namespaces="none"))[1:] == [
        (Op.TX,),
        (Op.TC,),
        (Op.END,),
    ]


@pytest.mark.parametrize("store", ["default", "Jelly"])
def test_of_rdflibs_own_prefixes_only_those_in_use_are_written(store: str) -> None:
    dataset = Dataset(store=store)
    dataset.bind("x", "urn:x#")
    dataset.add((S, SKOS.notation, Literal("2020-01-01", datatype=XSD.date)))
    data = dataset.serialize(format="jelly-patch", encoding="utf-8")
    assert [(op[0].name, op[1]) for op in jr.read_operations(data) if len(op) == 4] == [
        ("PA", "x"),
        ("PA", "skos"),
        ("PA", "xsd"),
    ]
    assert dict(Dataset().parse(data=data, format="jelly-patch").namespaces()) == dict(
        dataset.namespaces()
    )


def test_remove() -> None:
    assert serialize(make_graph(), operation="remove")[1:] == [
        (Op.TX,),
        (Op.D, S, P, O, None),
        (Op.TC,),
        (Op.END,),
    ]


def test_to_remove_statements_leaves_all_prefixes() -> None:
    dataset = make_dataset()
    before = dict(dataset.namespaces())
    text = dataset.serialize(format="rdf-patch", operation="remove")
    dataset.parse(data=text, format="rdf-patch")
    assert len(dataset) == 0
    assert dict(dataset.namespaces()) == before


@pytest.mark.parametrize("target", [make_dataset, Dataset, make_graph, Graph])
@pytest.mark.parametrize("source", [make_dataset, make_graph])
def test_target(source: Any, target: Any) -> None:
    graph, goal = source(), target()
    data = graph.serialize(format="jelly-patch", encoding="utf-8", target=goal, header_id=ID)
    is_quads = isinstance(graph, Dataset) or isinstance(goal, Dataset)
    copy = Dataset() if is_quads else Graph()
    diff(copy, graph).apply(copy)
    result = apply(data, copy)
    assert len(diff(copy, goal)) == 0
    assert (result.patches, result.committed) == (1, 1)
    reader = jr.read_operations(data)
    codes = [op[0] for op in reader]
    assert codes[:2] == [Op.H, Op.TX]
    assert codes[-2:] == [Op.TC, Op.END]
    assert reader.options.statement_type.name == ("QUADS" if is_quads else "TRIPLES")


def test_header_id_is_new_each_time() -> None:
    ids = {serialize(make_graph())[0] for _ in range(3)}
    assert len(ids) == 3
    assert all(op[:2] == (Op.H, "id") and op[2].startswith("uuid:") for op in ids)


def test_options() -> None:
    graph = make_graph()
    options = PatchOptions.small(stream_type="FRAME", statement_type="QUADS")
    data = graph.serialize(format="jelly-patch", encoding="utf-8", options=options)
    reader = jr.read_operations(data)
    assert [op[4] for op in reader if op[0] == Op.A] == [None]
    assert reader.options.statement_type.name == "QUADS"
    assert reader.options.max_name_table_size == 128
    with pytest.raises(EncodeError, match="QUADS"):
        serialize(make_dataset(), options=PatchOptions(statement_type="TRIPLES"))
    graph.add((S, BNode("p"), O))
    with pytest.raises(EncodeError, match="generalized"):
        serialize(graph)
    options = PatchOptions(statement_type="TRIPLES", generalized_statements=True)
    assert (Op.A, S, BNode("p"), O, None) in serialize(graph, options=options)


def test_destinations(tmp_path: Path) -> None:
    graph = make_graph()
    expected = serialize(graph, header_id=ID)
    file = io.BytesIO()
    assert graph.serialize(file, format="jelly-patch", header_id=ID) is graph
    assert not file.closed
    assert list(jr.read_operations(file.getvalue())) == expected
    for destination in (tmp_path / "a.jellyp", str(tmp_path / "b.jellyp")):
        graph.serialize(destination, format="jelly-patch", header_id=ID)
        assert list(jr.read_operations(destination)) == expected
    for encoding in ("utf-8", "latin-1", "binary"):
        data = graph.serialize(format="jelly-patch", encoding=encoding, header_id=ID)
        assert list(jr.read_operations(data)) == expected
    assert serialize(graph, header_id=ID, base="urn:base") == expected


def test_text_is_refused() -> None:
    for graph in (make_graph(), make_dataset()):
        with pytest.raises(TypeError, match="encoding='utf-8'"):
            graph.serialize(format="jelly-patch")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"operation": "change"}, ValueError),
        ({"operation": "add", "target": Graph()}, ValueError),
        ({"target": "graph"}, TypeError),
        ({"colour": "blue"}, TypeError),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        serialize(make_graph(), **arguments)

"""Tests parsing and serializing with a `JellyStore`, using rdflib's own format names."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.compare import isomorphic
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph

import jelly_rdflib as jr
from jelly_rdflib.plugins.store import StoreParser, StoreSerializer

TURTLE = """
@prefix ex: <http://example.org/> .
@base <http://example.org/base/> .
<a> ex:p "é\U0001f600\\n", 01, true, 1.50, "x"@en-gb, [ ex:q ( 1 2 ) ], _:b .
_:b ex:p <b#c> .
"""
TRIG = TURTLE + "ex:g { _:b ex:p _:c . } { ex:s ex:p ex:o } _:g { ex:s ex:p _:b }"
TRIPLES = """
<urn:s> <urn:p> "a\\u00e9\\"" .
# a comment
_:b <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:s> <urn:p> _:b .
"""
QUADS = TRIPLES + '_:b <urn:p> "x"@en <urn:g> .\n<urn:s> <urn:p> _:b _:g .\n'
TEXTS = {
    **dict.fromkeys(("nt", "ntriples", "nt11", "application/n-triples"), TRIPLES),
    **dict.fromkeys(("nquads", "application/n-quads"), QUADS),
    **dict.fromkeys(("turtle", "ttl", "text/turtle"), TURTLE),
    **dict.fromkeys(("trig", "application/trig"), TRIG),
}
HAS_GRAPHS = {name: text in (QUADS, TRIG) for name, text in TEXTS.items()}


def union(dataset: Graph) -> Graph:
    """Return the quads of a dataset as triples, so that two datasets can be compared."""
    if not isinstance(dataset, Dataset):
        return dataset
    graph = Graph()
    for s, p, o, g in dataset.quads():
        if g != DATASET_DEFAULT_GRAPH_ID and g is not None:
            node = BNode()
            for name, term in zip("spog", (s, p, o, g), strict=True):
                graph.add((node, URIRef(f"urn:{name}"), term))
        else:
            graph.add((s, p, o))
    return graph


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record which functions of this package are called."""
    calls: list[str] = []
    for cls, name in ((StoreParser, "apply_statements"), (StoreSerializer, "write_graph")):
        module = __import__(cls.__module__, fromlist=[""])
        function = getattr(module, name)

        def noted(*args: Any, _function: Any = function, _name: str = name, **kw: Any) -> Any:
            calls.append(_name)
            return _function(*args, **kw)

        monkeypatch.setattr(module, name, noted)
    return calls


@pytest.mark.parametrize("format", TEXTS)
def test_contents_are_those_of_other_stores(format: str, calls: list[str]) -> None:
    kind = Dataset if HAS_GRAPHS[format] else Graph
    ours, theirs = kind(store="Jelly"), kind(store="default")
    for graph in (ours, theirs):
        graph.parse(data=TEXTS[format], format=format)
    assert calls == ["apply_statements"]
    assert len(ours) > 0
    assert isomorphic(union(ours), union(theirs))
    assert set(ours.namespaces()) == set(theirs.namespaces())


@pytest.mark.parametrize("format", ["nt", "nquads", "turtle", "trig"])
def test_every_kind_of_source(format: str, tmp_path: Path) -> None:
    text = TEXTS[format]
    path = tmp_path / "x"
    path.write_bytes(text.encode())
    for source in (
        {"data": text},
        {"data": text.encode()},
        {"source": str(path)},
        {"source": path},
        {"location": str(path)},
        {"source": io.BytesIO(text.encode())},
        {"source": io.StringIO(text)},
    ):
        ours, theirs = Dataset(store="Jelly"), Dataset()
        ours.parse(**source, format=format)  # type: ignore[arg-type]
        theirs.parse(data=text, format=format)
        assert isomorphic(union(ours), union(theirs))


@pytest.mark.parametrize("format", ["nt", "turtle"])
def test_blank_nodes_of_two_texts_are_not_the_same(format: str) -> None:
    graph = Graph(store="Jelly")
    text = "_:b <urn:p> <urn:o> ."
    graph.parse(data=text, format=format)
    graph.parse(data=text, format=format)
    assert len(graph) == 2
    assert BNode("b") not in set(graph.subjects())


@pytest.mark.parametrize("format", ["nt", "nquads", "turtle", "trig"])
def test_error_leaves_nothing(format: str) -> None:
    dataset = Dataset(store="Jelly")
    dataset.add((URIRef("urn:s"), URIRef("urn:p"), Literal("kept")))
    before = set(dataset.quads())
    with pytest.raises(jr.DecodeError):
        dataset.parse(data=TEXTS[format] * 200 + "<urn:s> oh no", format=format)
    assert set(dataset.quads()) == before


def test_limits_can_be_given() -> None:
    text = f'<urn:s> <urn:p> "{"x" * 2000}" .'
    graph = Graph(store="Jelly")
    with pytest.raises(jr.LimitError, match="max_string_size"):
        graph.parse(data=text, format="nt", limits=jr.Limits(max_string_size=1000))
    assert len(graph) == 0
    with pytest.raises(ValueError, match="only for a JellyStore"):
        Graph().parse(data=text, format="nt", limits=jr.Limits())


def test_what_ours_have_not_is_done_by_rdflib(calls: list[str]) -> None:
    # A plain Graph can't hold quads, and only rdflib's parser has the argument.
    Graph(store="Jelly").parse(data=QUADS, format="nquads")
    nodes = {"b": BNode("known")}
    graph = Graph(store="Jelly").parse(data=TRIPLES, format="nt", bnode_context=nodes)
    assert BNode("known") in set(graph.objects())
    with pytest.warns(UserWarning, match="always uses UTF-8"):
        graph.serialize(format="nt", encoding="ascii")
    Graph().parse(data=TRIPLES, format="nt").serialize(format="nt")
    assert calls == []


@pytest.mark.parametrize("format", ["nt", "ntriples", "nquads", "application/n-quads"])
def test_texts_are_written(format: str, tmp_path: Path, calls: list[str]) -> None:
    kind = Dataset if HAS_GRAPHS[format] else Graph
    graph = kind(store="Jelly").parse(data=TEXTS[format], format=format)
    text = graph.serialize(format=format)
    graph.serialize(str(tmp_path / "x"), format=format)
    assert calls == ["apply_statements", "write_graph", "write_graph"]
    assert (tmp_path / "x").read_text("utf-8") == text
    again = kind().parse(data=text, format=format)
    assert isomorphic(union(again), union(graph))
    assert text.splitlines() == sorted(set(text.splitlines()), key=text.splitlines().index)


def test_rdflib_keeps_its_own_until_there_is_a_jelly_store() -> None:
    code = """
import rdflib.plugin, jelly_rdflib
from rdflib import Graph
from rdflib.parser import Parser
from rdflib.serializer import Serializer
def modules():
    return {rdflib.plugin.get(name, kind).__module__.partition(".")[0]
            for name, kind in (("nt", Parser), ("turtle", Parser), ("nquads", Serializer))}
Graph().parse(data="<urn:s> <urn:p> <urn:o> .", format="nt")
print(modules())
Graph(store="Jelly")
print(modules())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["{'rdflib'}", "{'jelly_rdflib'}"]


@pytest.mark.parametrize("first", ["jelly_rdflib.plugins.sparql", "rdflib.plugins.sparql"])
def test_the_hook_of_sparql_and_rdflibs_engine_are_imported_in_any_order(first: str) -> None:
    code = f"""
import {first}
from rdflib import Graph
print(len(Graph(store="Jelly").query("SELECT * {{ ?s ?p ?o }}")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


@pytest.mark.parametrize("format", ["turtle", "trig"])
@pytest.mark.parametrize(
    ("between", "bound"),
    [("", []), ("many", [("a", "urn:0")]), ("", [("z", "urn:2")]), ("many", [("a", "urn:1")])],
)
def test_redeclared_prefixes_end_as_with_memory(
    format: str, between: str, bound: list[tuple[str, str]]
) -> None:
    if between == "many":
        # There are more statements than the reader returns at once.
        between = "".join(f"<urn:s> <urn:p> {number} .\n" for number in range(2_000))
    text = f"@prefix a: <urn:1> .\n{between}\n@prefix a: <urn:2> .\na:s a:p a:o ."
    ends = []
    for store in ("Jelly", "Memory"):
        dataset = Dataset(store=store)
        for prefix, iri in bound:
            dataset.bind(prefix, iri)
        dataset.parse(data=text, format=format)
        ends.append(dict(dataset.namespaces()))
    assert ends[0] == ends[1]


NAMED = "<urn:s> <urn:p> <urn:o> <urn:g> .\n"
LISTINGS: dict[str, Any] = {
    "n-quads": lambda dataset: dataset.parse(data=NAMED, format="nquads"),
    "no n-quads": lambda dataset: dataset.parse(data="", format="nquads"),
    "trig": lambda dataset: dataset.parse(data="<urn:g> {} <urn:h> {[] a []}", format="trig"),
    "turtle": lambda dataset: dataset.parse(data="", format="turtle"),
    "n3": lambda dataset: dataset.parse(data="", format="n3"),
    "added and removed": lambda dataset: dataset.update(
        "INSERT DATA { GRAPH <urn:g> { <urn:s> a 1 } }; DELETE WHERE { GRAPH ?g { ?s ?p ?o } }"
    ),
    "dropped": lambda dataset: dataset.update(
        "INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> 1 } }; DROP GRAPH <urn:g>"
    ),
    "cleared": lambda dataset: dataset.update(
        "INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> 1 } }; CLEAR ALL"
    ),
    "asked for": lambda dataset: dataset.get_context(URIRef("urn:g")),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("change", LISTINGS.values(), ids=LISTINGS)
@pytest.mark.parametrize("cls", [Dataset, ConjunctiveGraph])
def test_the_same_graphs_are_listed_as_by_memory(cls: Any, change: Any) -> None:
    listed = []
    for name in ("Jelly", "Memory"):
        dataset = cls(name, BNode("default") if cls is ConjunctiveGraph else None)
        change(dataset)
        listed.append([{g.identifier for g in s.contexts()} for s in (dataset, dataset.store)])
    assert listed[0] == listed[1]


FORMATS = ["nt", "nquads", "turtle", "trig"]


def empty(format: str, store: str = "Jelly") -> Graph:
    return Dataset(store=store) if HAS_GRAPHS[format] else Graph(store=store)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("iri", ["http://x/a b", "urn:a\\u0020b", "urn:a`b", "urn:\x01"])
@pytest.mark.parametrize("line", ["{} <urn:p> 'o'", "<urn:s> <urn:p> 'o'^^{}"])
def test_what_is_no_iri_is_refused(format: str, iri: str, line: str) -> None:
    graph = empty(format)
    text = "<urn:s> <urn:p> 1 .\n" if format in ("turtle", "trig") else ""
    with pytest.raises(jr.DecodeError, match=r"IRI|allowed in <>"):
        graph.parse(data=text + line.format(f"<{iri}>").replace("'", '"') + " .", format=format)
    assert len(graph) == 0


@pytest.mark.parametrize("format", ["turtle", "trig"])
@pytest.mark.parametrize("what", ["prefix", "base"])
def test_what_is_no_iri_of_a_declaration_is_refused(format: str, what: str) -> None:
    text = {
        "prefix": "@prefix : <urn:a b> . <urn:s> <urn:p> 1 .",
        "base": "@base <urn:a b/> . <> a <c> .",
    }
    with pytest.raises(jr.DecodeError, match="is not an IRI"):
        empty(format).parse(data=text[what], format=format)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "iri", ["http://x/[a]", "http://x/%zz", "http://x:y/", "urn:a#b#c", "urn:\ue000", "urn:\x7f"]
)
def test_what_the_grammar_has_is_read_as_rdflib_reads_it(format: str, iri: str) -> None:
    found = []
    for store in ("Jelly", "Memory"):
        graph = empty(format, store)
        graph.parse(data=f'<{iri}> <urn:p> "o"@en-x .', format=format)
        found.append(graph.value(predicate=URIRef("urn:p"), object=Literal("o", lang="en-x")))
    assert found == [URIRef(iri)] * 2


@pytest.mark.parametrize("format", ["turtle", "trig"])
@pytest.mark.parametrize("escape", ["u0039", "a", " "])
@pytest.mark.parametrize("name", [":a{}", "<urn:s> :b{}c", "_:a{}"])
def test_an_escape_that_no_name_has_is_refused(format: str, escape: str, name: str) -> None:
    text = f"@prefix : <urn:> .\n{name.format(chr(92) + escape)} :p :o , :o2 ."
    with pytest.raises(jr.DecodeError, match="escape") as caught:
        empty(format).parse(data=text, format=format)
    assert (caught.value.line, caught.value.offset) == (2, text.index(chr(92)) + 1)


@pytest.mark.parametrize(("format", "is_file"), [("nt", False), ("nquads", True)])
@pytest.mark.parametrize("iri", ["a", "", "urn:\x01", "urn:a b"])
def test_an_iri_that_our_writer_refuses_is_written_as_by_rdflib(
    format: str, iri: str, is_file: bool, tmp_path: Path
) -> None:
    """rdflib raises an error or writes the IRI; text that our writer has written is removed."""
    made: list[object] = []
    for store in ("Memory", "Jelly"):
        graph = empty(format, store)
        for each in (URIRef("urn:a"), URIRef(iri), URIRef("urn:b")):
            graph.add((URIRef("urn:s"), URIRef("urn:p"), each))
        place = tmp_path / store if is_file else Pipe()
        try:
            graph.serialize(place, format=format, encoding="utf-8")
        except Exception as error:
            made.append(str(error))
        else:
            data = place.read_bytes() if isinstance(place, Path) else place.getvalue()
            made.append(b"\n".join(sorted(data.split(b"\n"))))
    assert made[0] == made[1]


class Pipe(io.BytesIO):
    """A file that can't be truncated."""

    def seekable(self) -> bool:
        return False


def test_a_pipe_gets_all_of_the_text() -> None:
    graph = Graph(store="Jelly").parse(data=TRIPLES, format="nt")
    pipe = Pipe()
    graph.serialize(pipe, format="nt")
    assert pipe.getvalue() == graph.serialize(format="nt", encoding="utf-8")

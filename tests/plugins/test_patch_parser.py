"""Tests that parsing Jelly-Patch with rdflib applies the patch."""

import codecs
import io
from pathlib import Path
from typing import Any

import pytest
import rdflib.util
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.parser import InputSource

import jelly_rdflib as jr
from jelly_rdflib import ApplyError, DecodeError, Op
from jelly_rdflib.formats import find_format
from jelly_rdflib.plugins import register
from jelly_rdflib.plugins.calls import get_bytes
from tests.support import encode

register()

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")
FORMATS = ("jelly-patch", "application/x-jelly-rdf-patch")


def encoded(*operations: Any, **options: Any) -> bytes:
    return encode(operations, **options)


QUADS = encoded(
    (Op.TX,),
    (Op.PA, "x", URIRef("urn:x#"), None),
    (Op.A, S, P, BNode("b"), G),
    (Op.A, S, P, Literal("default", lang="en"), None),
    (Op.TC,),
)
TRIPLES = encoded((Op.A, S, P, Literal("o"), None), statement_type="TRIPLES")


def quads(dataset: Dataset) -> set[Any]:
    return set(dataset.quads())


ALL_QUADS = {(S, P, BNode("b"), G), (S, P, Literal("default", lang="en"), DATASET_DEFAULT_GRAPH_ID)}


@pytest.mark.parametrize("name", FORMATS)
def test_every_kind_of_source(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.patch"
    path.write_bytes(QUADS)
    with path.open("rb") as file, path.open("rb") as other_file:
        for source in (
            {"data": QUADS},
            {"source": str(path)},
            {"source": path},
            {"location": path.as_uri()},
            {"source": file},
            {"file": other_file},
            {"source": io.BytesIO(QUADS)},
        ):
            dataset = Dataset()
            assert dataset.parse(**source, format=name) is dataset
            assert quads(dataset) == ALL_QUADS
            assert dataset.store.namespace("x") == URIRef("urn:x#")


@pytest.mark.parametrize(
    ("name", "extension"), [("rdf-patch", "rdfp"), ("application/rdf-patch+thrift", "rdfpb")]
)
def test_other_formats_of_changes(name: str, extension: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{extension}"
    dataset = Dataset().parse(data=QUADS, format="jelly-patch")
    dataset.serialize(path, format=name)
    copy = Dataset().parse(path)
    assert (quads(copy), copy.store.namespace("x")) == (ALL_QUADS, URIRef("urn:x#"))
    with pytest.raises(DecodeError):
        copy.parse(data=path.read_bytes()[:-3], format=name)
    assert quads(copy) == ALL_QUADS
    dataset.serialize(path, format=name, operation="remove")
    assert quads(copy.parse(path)) == set()


def test_thrift_is_binary() -> None:
    with pytest.raises(TypeError, match="RDF Patch in Thrift is binary"):
        Graph().serialize(format="rdf-patch-thrift")
    with pytest.raises(TypeError, match="RDF Patch in Thrift is binary"):
        Graph().parse(data="TX .", format="rdf-patch-thrift")


def test_is_guessed_from_the_file_name(tmp_path: Path) -> None:
    assert rdflib.util.guess_format("a/b.jellyp") == "jelly-patch"
    path = tmp_path / "x.jellyp"
    path.write_bytes(QUADS)
    dataset = Dataset()
    dataset.parse(path)
    dataset.parse(str(path))
    assert quads(dataset) == ALL_QUADS


def test_arguments() -> None:
    one = Literal(
        "01", datatype=URIRef("http://www.w3.org/2001/XMLSchema#integer"), normalize=False
    )
    data = encoded((Op.A, S, P, one, None))
    for normalize, text in ((None, "1"), (False, "01")):
        dataset = Dataset().parse(data=data, format="jelly-patch", normalize=normalize)
        assert [str(o) for _, _, o, _ in dataset.quads()] == [text]
    with pytest.raises(jr.LimitError):
        Dataset().parse(data=data, format="jelly-patch", limits=jr.Limits(max_name_table_size=8))
    aborted = encoded((Op.TX,), (Op.A, S, P, one, None), (Op.TA,))
    assert len(Dataset().parse(data=aborted, format="jelly-patch")) == 0
    with pytest.raises(ApplyError, match="atomic=False"):
        Dataset().parse(data=aborted, format="jelly-patch", atomic=False)
    with pytest.raises(TypeError, match="colour"):
        Dataset().parse(data=data, format="jelly-patch", colour="blue")


@pytest.mark.parametrize("is_asked_before", [False, True])
def test_prefixes_that_rdflib_binds_itself(is_asked_before: bool) -> None:
    data = encoded((Op.PD, "brick", None, None), (Op.PA, "s", URIRef("https://schema.org/"), None))
    dataset = Dataset()
    if is_asked_before:
        assert "schema" in dict(dataset.namespace_manager.namespaces())
    dataset.parse(data=data, format="jelly-patch")
    prefixes = dict(dataset.namespaces())
    assert prefixes["s"] == URIRef("https://schema.org/")
    assert prefixes.keys().isdisjoint({"brick", "schema"})


def test_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jellyp"
    path.write_text("TX .")
    for source in ({"data": "TX ."}, {"source": io.StringIO("TX .")}):
        with pytest.raises(TypeError, match="binary"):
            Dataset().parse(**source, format="jelly-patch")
    with pytest.raises(TypeError, match="Jelly-Patch is binary"):
        Dataset().parse(only_characters("TX ."), format="jelly-patch")

    with pytest.raises(TypeError, match="Jelly-Patch is binary"):
        Dataset().parse(InputSource("urn:x"), format="jelly-patch")


def only_characters(text: Any) -> InputSource:
    source = InputSource()
    source.setCharacterStream(io.StringIO(text) if isinstance(text, str) else text)
    return source


def test_text_is_taken_where_the_format_is_text() -> None:
    text = "A <urn:s> <urn:p> 'é' ."
    latin = io.BytesIO(text.encode("latin-1"))
    for source in (
        *(only_characters(text), io.StringIO(text), io.BytesIO(text.encode())),
        only_characters(io.TextIOWrapper(latin, encoding="latin-1")),
        only_characters(codecs.getreader("utf-8")(io.BytesIO(text.encode()))),
    ):
        dataset = Dataset().parse(source, format="rdf-patch")
        assert quads(dataset) == {(S, P, Literal("é"), DATASET_DEFAULT_GRAPH_ID)}


def test_text_is_encoded_in_pieces_of_any_size() -> None:
    text = "€é𝄞a" * 9
    for size in (1, 2, 3, 100):
        for stream in (
            io.StringIO(text),
            codecs.getreader("utf-8")(io.BytesIO(text.encode())),
            codecs.getreader("utf-8-sig")(io.BytesIO(text.encode("utf-8-sig"))),
            codecs.getreader("utf-16")(io.BytesIO(text.encode("utf-16"))),
        ):
            read = get_bytes(only_characters(stream), find_format("rdf-patch")).read
            pieces = list(iter(lambda read=read, size=size: read(size), b""))
            assert b"".join(pieces).decode() == text
            assert max(map(len, pieces)) <= size


def test_a_text_file_over_a_binary_one(tmp_path: Path) -> None:
    path = tmp_path / "x.jellyp"
    path.write_bytes(QUADS)
    with path.open(encoding="latin-1") as file:
        assert quads(Dataset().parse(file, format="jelly-patch")) == ALL_QUADS

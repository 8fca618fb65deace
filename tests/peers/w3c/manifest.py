"""Reads the W3C's manifests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rdflib import RDF, Graph, Namespace, URIRef
from rdflib.term import Node

__all__ = ["MF", "entries", "has_type", "path_of"]

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")


def entries(folder: Path) -> Iterator[tuple[str, Graph, Node]]:
    """Yield the name, manifest and node of each test in the manifests below a folder."""
    for path in sorted(folder.rglob("manifest.ttl")):
        # rdflib's parser reads the manifest, since our own parser is under test.
        manifest = Graph(store="Memory").parse(path, format="turtle", publicID=path.as_uri())
        for test in sorted(set(manifest.subjects(MF.action)), key=str):
            name = str(test).replace("#", "/").rsplit("/", 1)[-1]
            yield (path.parent.relative_to(folder) / name).as_posix(), manifest, test


def path_of(iri: Node | None) -> Path:
    """Return the path of the file that an IRI in a manifest names."""
    assert isinstance(iri, URIRef)
    return Path(unquote(urlsplit(iri).path))


def has_type(manifest: Graph, test: Node, kind: str) -> bool:
    """Return whether a test has a type with this local name, in any vocabulary."""
    types = (str(each).rsplit("#", 1)[-1] for each in manifest.objects(test, RDF.type))
    return kind in types

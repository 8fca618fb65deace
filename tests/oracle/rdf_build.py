"""Builds Jelly-RDF rows, frames and streams with short functions."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.oracle import schema as pb
from tests.oracle.build import delimited, iri, literal, quad, set_term, triple  # noqa: F401

TRIPLES, QUADS, GRAPHS = 1, 2, 3
UNSPECIFIED, FLAT_TRIPLES, FLAT_QUADS, GRAPHS_OF_TRIPLES, DATASETS = range(5)


def options(**changes: Any) -> Any:
    """Return an options row: TRIPLES, no logical type, lookups of 16 entries, and ``changes``."""
    fields: dict[str, Any] = {
        "physical_type": TRIPLES,
        "max_name_table_size": 16,
        "max_prefix_table_size": 16,
        "max_datatype_table_size": 16,
        "version": 1,
    }
    return pb.RdfStreamRow(options=pb.RdfStreamOptions(**{**fields, **changes}))


def name(value: str, id: int = 0) -> Any:
    return pb.RdfStreamRow(name=pb.RdfNameEntry(id=id, value=value))


def prefix(value: str, id: int = 0) -> Any:
    return pb.RdfStreamRow(prefix=pb.RdfPrefixEntry(id=id, value=value))


def datatype(value: str, id: int = 0) -> Any:
    return pb.RdfStreamRow(datatype=pb.RdfDatatypeEntry(id=id, value=value))


def default_graph() -> Any:
    return pb.RdfDefaultGraph()


def spo(s: Any = None, p: Any = None, o: Any = None) -> Any:
    """Return a triple row; a str is a blank node, and None omits the term."""
    return pb.RdfStreamRow(triple=triple(s, p, o))


def spog(s: Any = None, p: Any = None, o: Any = None, g: Any = None) -> Any:
    """Return a quad row."""
    return pb.RdfStreamRow(quad=quad(s, p, o, g))


def start(g: Any = None) -> Any:
    """Return the row that starts a graph."""
    message = pb.RdfGraphStart()
    set_term(message, "g", g)
    return pb.RdfStreamRow(graph_start=message)


def end() -> Any:
    """Return the row that ends a graph."""
    return pb.RdfStreamRow(graph_end={})


def namespace(name: str, value: Any = None) -> Any:
    message = pb.RdfNamespaceDeclaration(name=name)
    if value is not None:
        message.value.CopyFrom(value)
        message.value.SetInParent()
    return pb.RdfStreamRow(namespace=message)


def frame(*rows: Any, metadata: Mapping[str, bytes] | None = None) -> bytes:
    """Return the bytes of one frame, without a length prefix."""
    return bytes(pb.RdfStreamFrame(rows=rows, metadata=metadata or {}).SerializeToString())


def stream(*frames: Iterable[Any]) -> bytes:
    """Return a delimited stream of frames, each a list of rows."""
    return delimited(frame(*rows) for rows in frames)

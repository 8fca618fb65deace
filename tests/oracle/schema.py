"""Protobuf's classes for ``proto/*.proto``: those in the suite, and those in all other files."""

from pathlib import Path
from typing import Any

from conformance import schema as suite
from conformance.schema import (
    RdfDatatypeEntry,
    RdfDefaultGraph,
    RdfIri,
    RdfLiteral,
    RdfNameEntry,
    RdfPatchFrame,
    RdfPatchHeader,
    RdfPatchNamespace,
    RdfPatchOptions,
    RdfPatchRow,
    RdfPrefixEntry,
    RdfQuad,
    RdfTriple,
    compile_files,
    find_class,
)

__all__ = [
    "PROTO_DIR",
    "RdfDatatypeEntry",
    "RdfDefaultGraph",
    "RdfGraphEnd",
    "RdfGraphStart",
    "RdfIri",
    "RdfLiteral",
    "RdfNameEntry",
    "RdfNamespaceDeclaration",
    "RdfPatchFrame",
    "RdfPatchHeader",
    "RdfPatchNamespace",
    "RdfPatchOptions",
    "RdfPatchRow",
    "RdfPrefixEntry",
    "RdfQuad",
    "RdfStreamFrame",
    "RdfStreamOptions",
    "RdfStreamRow",
    "RdfTriple",
    "file_descriptor",
    "message_class",
]

PROTO_DIR = Path(__file__).resolve().parents[2] / "proto"
# The package also has gRPC messages, which the suite lacks.
_JELLY = "eu.ostrzyciel.jelly.core.proto.v1."
_pool = compile_files(PROTO_DIR)


def message_class(name: str) -> Any:
    """Return protobuf's class for the message `name`, from any file."""
    try:
        return suite.message_class(name)
    except KeyError:
        return find_class(_pool, name, "jelly_rdflib.jena.", "jelly_rdflib.live.v1.", _JELLY)


def file_descriptor(name: str) -> Any:
    """Return protobuf's descriptor of the file `name`."""
    return _pool.FindFileByName(name)


RdfGraphStart = message_class("RdfGraphStart")
RdfGraphEnd = message_class("RdfGraphEnd")
RdfNamespaceDeclaration = message_class("RdfNamespaceDeclaration")
RdfStreamOptions = message_class("RdfStreamOptions")
RdfStreamRow = message_class("RdfStreamRow")
RdfStreamFrame = message_class("RdfStreamFrame")

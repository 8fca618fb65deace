"""Protobuf's classes of ``proto/*.proto``: the conformance suite's, and those of Jelly-RDF."""

from conformance.schema import (
    PROTO_DIR,
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
    file_descriptor,
    message_class,
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

RdfGraphStart = message_class("RdfGraphStart")
RdfGraphEnd = message_class("RdfGraphEnd")
RdfNamespaceDeclaration = message_class("RdfNamespaceDeclaration")
RdfStreamOptions = message_class("RdfStreamOptions")
RdfStreamRow = message_class("RdfStreamRow")
RdfStreamFrame = message_class("RdfStreamFrame")

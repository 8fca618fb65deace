"""Types of arguments that many functions share: sources, destinations and names of formats."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import Buffer
else:
    # Before Python 3.12 there is no class for anything that has the buffer protocol.
    Buffer = bytes | bytearray | memoryview


class BinaryReader(Protocol):
    """A file object opened in binary mode, or any object with such a ``read`` method."""

    def read(self, size: int, /) -> bytes | bytearray | memoryview:
        """Return at most ``size`` bytes; none at the end."""
        ...


class BinaryWriter(Protocol):
    """A file object opened in binary mode, or any object with such a ``write`` method."""

    def write(self, data: bytes, /) -> object:
        """Write bytes. Return how many were written; None means all."""
        ...


Readable: TypeAlias = str | os.PathLike[str] | Buffer | BinaryReader
"""A source: bytes (anything with the buffer protocol), a path, or a binary file object."""

Writable: TypeAlias = str | os.PathLike[str] | BinaryWriter
"""A destination: a path, or a binary file object."""

# Each row has one format: its names, its media types, its other file extensions. A test compares
# the rows with the registry of formats.
# fmt: off
JellyPatchFormat: TypeAlias = Literal[
    "jelly-patch", "application/x-jelly-rdf-patch", "jellyp",
    "jelly-patch-text", "jellyp.txt",
]
"""The names of Jelly-Patch and its text, the only formats of changes that have options."""

JellyFormat: TypeAlias = Literal[
    "jelly-rdf", "jelly", "application/x-jelly-rdf",
    "jelly-text", "jelly.txt",
]
"""The names of Jelly-RDF and its text, the only formats of statements that have options."""

ChangeFormat: TypeAlias = Literal[
    JellyPatchFormat,
    "rdf-patch", "application/rdf-patch", "rdfp",
    "rdf-patch-thrift", "application/rdf-patch+thrift", "rdfpb",
]
"""The names, file extensions and media types of the formats of changes."""

StatementFormat: TypeAlias = Literal[
    JellyFormat,
    "n-triples", "ntriples", "nt11", "application/n-triples", "nt",
    "n-quads", "nquads", "application/n-quads", "text/x-nquads", "nq",
    "turtle", "text/turtle", "application/x-turtle", "ttl",
    "trig", "application/trig", "application/x-trig",
    "n3", "text/n3", "text/rdf+n3",
    "rdf-xml", "rdf/xml", "rdfxml", "xml", "application/rdf+xml", "rdf", "owl",
    "json-ld", "application/ld+json", "jsonld", "json",
    "rdf-thrift", "jena-thrift", "jenathrift", "application/rdf+thrift", "rt", "trdf",
    "rdf-protobuf", "rdf-proto", "jena-proto", "jenaproto", "application/rdf+protobuf", "rpb",
    "pbrdf",
]
"""The names, file extensions and media types of the formats of statements."""
# fmt: on

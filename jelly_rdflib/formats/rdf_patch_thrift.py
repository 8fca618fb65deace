"""RDF Patch in Thrift's compact protocol, as Apache Jena has it, as an encoding.

What it does not tell: the default graph from no graph at all, and the IRI of a prefix that is
deleted. What it can't say: a literal whose language tag is none. Quoted triples have 30 levels at
the most, since most implementations of Thrift take 64 structs in each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.core.thrift import ThriftBatchReader, ThriftPatchEncoder
from jelly_rdflib.formats.encoding import Encoding
from jelly_rdflib.formats.reading import Reading
from jelly_rdflib.nodes.conversion import NodeTypes

_TERM = rb"[\x1C\x2C\x3C\x4C\x5C\x6C\x7C\x8C\x9C\xA6\xB7\xCC]"
_START = re.compile(
    # A header: its key. A statement: the kind of its subject. A prefix: the kind of its graph, or
    # its name. A mark of a transaction: all of it.
    rb"\x1C\x18|[\x2C\x3C]\x1C" + _TERM + rb"|[\x4C\x5C](\x1C" + _TERM + rb"|\x28)|\x65[\0\2\4\6]\0"
)


def starts_like(start: bytes) -> bool:
    r"""Tell it by the first bytes: the headers of the fields that a row starts with.

    No text has such bytes, and no frame either: at its start, or behind a length, stands the tag of
    a row, ``0A``, or of metadata, ``7A``.

    Examples:
        >>> starts_like(b"\x65\x00\x00"), starts_like(b"\x2c\x1c\x1c\x18")
        (True, True)
        >>> starts_like(b"TX ."), starts_like(b"\x2c\x0a\x2a\x0a")
        (False, False)
    """
    return _START.match(start) is not None


def open_batches(source: memoryview | ByteSource, reading: Reading) -> ThriftBatchReader:
    """Make batches of an open source."""
    return ThriftBatchReader(source, reading.factory, reading.limits)


def make_encoder(
    types: NodeTypes, options: Any, sink: Callable[[bytes], object]
) -> ThriftPatchEncoder:
    """Make an encoder.

    Raises:
        ValueError: There are options: Thrift has none.
    """
    if options is not None:
        raise ValueError("options are for Jelly-Patch: RDF Patch in Thrift has none")
    return ThriftPatchEncoder(types, sink)


RDF_PATCH_THRIFT = Encoding(
    name="rdf-patch-thrift",
    extensions=("rdfpb",),
    media_types=("application/rdf-patch+thrift",),
    starts_like=starts_like,
    open_batches=open_batches,
    make_encoder=make_encoder,
)

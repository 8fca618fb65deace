"""RDF Patch in Thrift's compact protocol, as Apache Jena has it, as an encoding.

What it does not tell: the default graph from no graph at all, and the IRI of a prefix that is
deleted. What it can't say: a literal whose language tag is none. Quoted triples have 30 levels at
the most, since thrift, as most of Thrift's implementations, takes 64 structs in each other.

thrift is imported when something is read or written, not before.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jelly_rdflib.core.batch_builder import BuiltBatches
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.encodings.encoding import Encoding
from jelly_rdflib.options import Limits

if TYPE_CHECKING:
    from jelly_rdflib.encodings.rdf_patch_thrift.writer import ThriftPatchEncoder

__all__ = ["RDF_PATCH_THRIFT"]

# Decoders before that follow structs to any depth, until the stack is used up.
_MIN_VERSION = (0, 25)

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


def open_batches(source: Any, factory: NodeFactory, limits: Limits) -> BuiltBatches:
    """Open a source as batches.

    Raises:
        ImportError: The package thrift is not there, or too old.
    """
    _check_thrift()
    from jelly_rdflib.encodings.rdf_patch_thrift.reader import open_batches

    return open_batches(source, factory, limits)


def make_encoder(
    types: NodeTypes, options: Any, sink: Callable[[bytes], object]
) -> ThriftPatchEncoder:
    """Make an encoder.

    Raises:
        ValueError: There are options: Thrift has none.
        ImportError: The package thrift is not there, or too old.
    """
    if options is not None:
        raise ValueError("options are for Jelly-Patch: RDF Patch in Thrift has none")
    _check_thrift()
    from jelly_rdflib.encodings.rdf_patch_thrift.writer import ThriftPatchEncoder

    return ThriftPatchEncoder(types, sink)


@functools.cache
def _check_thrift() -> None:
    hint = (
        "RDF Patch in Thrift needs the package thrift, 0.25 or later, with its C extension:"
        " pip install 'jelly-rdflib[thrift]'"
    )
    try:
        importlib.import_module("thrift.protocol.fastbinary")
        version = importlib.metadata.version("thrift")
    except ImportError as error:
        raise ImportError(hint) from error
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < _MIN_VERSION:
        raise ImportError(f"{hint} (found {version})")


RDF_PATCH_THRIFT = Encoding(
    name="rdf-patch-thrift",
    extensions=("rdfpb",),
    media_types=("application/rdf-patch+thrift",),
    starts_like=starts_like,
    open_batches=open_batches,
    make_encoder=make_encoder,
)

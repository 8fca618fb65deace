"""RDF Thrift: statements in Thrift's compact protocol, as Apache Jena writes them.

Quoted triples have at most 30 levels, since most implementations of Thrift accept 64 nested
structs.
"""

from __future__ import annotations

import re

from jelly_rdflib.core.thrift import ThriftBatchReader, ThriftEncoder
from jelly_rdflib.formats.format import Format
from jelly_rdflib.formats.rdf_patch import THRIFT_TERM

RDF_THRIFT = Format(
    name="rdf-thrift",
    title="RDF Thrift",
    # The names in jelly-cli.
    aliases=("jena-thrift", "jenathrift"),
    extensions=("rt", "trdf"),
    media_types=("application/rdf+thrift",),
    holds_changes=False,
    is_text=False,
    # A prefix, a triple or a quad. RDF Patch in Thrift may start like that, too, so its pattern is
    # tried first if an input may be changes or statements.
    start=re.compile(rb"\x1C\x18|[\x2C\x3C]\x1C" + THRIFT_TERM),
    open_batches=lambda _, source, reading: ThriftBatchReader(
        source, reading.factory, reading.limits, is_patch=False
    ),
    open_encoder=lambda types, _, sink: ThriftEncoder(types, sink, is_patch=False),
)

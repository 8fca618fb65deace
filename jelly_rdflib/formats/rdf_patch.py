"""The two formats of RDF Patch: text, and Apache Jena's form in Thrift's compact protocol.

The form in Thrift does not distinguish the default graph from no graph, and drops the IRI of a
deleted prefix. It can't express a literal with an ill-formed language tag. Quoted triples have at
most 30 levels, since most implementations of Thrift accept 64 nested structs.
"""

from __future__ import annotations

import re

from jelly_rdflib.core.text import TextBatchReader, TextPatchEncoder
from jelly_rdflib.core.thrift import ThriftBatchReader, ThriftEncoder
from jelly_rdflib.formats.format import Format

# An optional byte order mark, blanks, and then a comment or the code of a row.
_TEXT = re.compile(rb"(\xEF\xBB\xBF)?[ \t\r\n]*(#|(H|T[XBCA]|P[AD]|A|D|Z)([ \t\r\n#.<\"]|$))")
THRIFT_TERM = rb"[\x1C\x2C\x3C\x4C\x5C\x6C\x7C\x8C\x9C\xA6\xB7\xCC]"
# The first bytes of a row, up to the first field that shows its kind: for a header the key, for a
# statement the kind of its subject, for a prefix the kind of its graph, or its name. A row that
# starts or ends a transaction is matched as a whole.
#
# No text starts like that. Nor does a frame: its first bytes, or those after its length, are the
# tag of a row, 0A, or of metadata, 7A.
_THRIFT = re.compile(
    rb"\x1C\x18|[\x2C\x3C]\x1C%b|[\x4C\x5C](\x1C%b|\x28)|\x65[\0\2\4\6]\0"
    % (THRIFT_TERM, THRIFT_TERM)
)


RDF_PATCH = Format(
    name="rdf-patch",
    title="the text of RDF Patch",
    extensions=("rdfp",),
    media_types=("application/rdf-patch",),
    start=_TEXT,
    open_batches=lambda _, source, reading: TextBatchReader(
        source, reading.factory, reading.limits, faults=reading.faults
    ),
    open_encoder=lambda types, _, sink: TextPatchEncoder(types, sink),
)
RDF_PATCH_THRIFT = Format(
    name="rdf-patch-thrift",
    title="RDF Patch in Thrift",
    extensions=("rdfpb",),
    media_types=("application/rdf-patch+thrift",),
    is_text=False,
    start=_THRIFT,
    open_batches=lambda _, source, reading: ThriftBatchReader(
        source, reading.factory, reading.limits
    ),
    open_encoder=lambda types, _, sink: ThriftEncoder(types, sink),
)

"""Protobuf's classes for Jelly-RDF 1.2, with the field numbers of each of its two drafts."""

from dataclasses import dataclass
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool

from conformance.schema import find_class
from tests.oracle import schema

VERSION = 3
TRIPLES, QUADS = 1, 2
FLAT, MESSAGES = 0, 1
UNSPECIFIED, RDF_1_1, RDF_1_2_BASIC, RDF_1_2 = range(4)
DIRECTIONS = ("", "ltr", "rtl")
"""The base directions by number."""
MAX_ROWS = (1 << 27) - 1
"""The largest number of rows in a batch."""

_FILE = "rdf_columns.proto"
_EARLIER_NUMBERS = {
    "RdfStreamOptions.physical_type": 5,
    "RdfStreamOptions.stream_type": 6,
    "RdfStreamOptions.rdf_version": 7,
    "RdfColumnBatch.message_lengths": 10,
}
"""Fields whose numbers in the earlier draft differ from those in ``proto/rdf_columns.proto``."""


@dataclass(frozen=True)
class Draft:
    """A draft of the format.

    Attributes:
        name: "later" or "earlier".
        Frame: Protobuf's class for the draft's frames. Other messages are passed to it as dicts.
    """

    name: str
    Frame: Any


def _make_draft(name: str, numbers: dict[str, int]) -> Draft:
    pool = descriptor_pool.DescriptorPool()
    for file_name in ("rdf.proto", _FILE):
        file = descriptor_pb2.FileDescriptorProto()
        schema.file_descriptor(file_name).CopyToProto(file)
        if file_name == _FILE:
            for message in file.message_type:
                for field in message.field:
                    field.number = numbers.get(f"{message.name}.{field.name}", field.number)
        pool.Add(file)
    return Draft(name, find_class(pool, "RdfStreamFrame", "jelly_rdflib.columns."))


LATER = _make_draft("later", {})
EARLIER = _make_draft("earlier", _EARLIER_NUMBERS)
DRAFTS = (LATER, EARLIER)

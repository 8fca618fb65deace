"""Hand-made streams of the Jelly-RDF 1.2 draft: no writer of the draft is available yet."""

from typing import NamedTuple

_INTEGER = b"http://www.w3.org/2001/XMLSchema#integer"
_HEX = bytes.fromhex

# The stream has <s> <p> <o1>; <s> <p> "x"@en; and <s> <q> "7"^^xsd:integer. All IRIs start with
# http://a.org/.
TRIPLES_OPTIONS = _HEX("0a0d 0a0b 1001 488001 5010 5810 7803")
TRIPLES_COLUMNS = (
    _HEX("127e 0803 120d 120173 120170 12026f31 120171 1a0f 120d")
    + b"http://a.org/"
    + _HEX("222a 1228")
    + _INTEGER
    + _HEX("3209 120101 1a0100 220101")
    + _HEX("3a0a 120100 1a020204 220101")
    + _HEX("4217 0a0114 1a0103 220101 2a0178 2a0137 32020201 3a02656e")
)
# The frame contains <s2> <p> <o1>, and uses the lookups of the previous frame.
SECOND_FRAME = _HEX(
    "1220 0801 1204 12027332 3206 1a0105 220101 3a06 1a0102 220101 4206 1a0103 220101"
)
# The stream has three RDF 1.2 messages, with a base direction, a triple term and named graphs.
QUADS_OPTIONS = _HEX("0a0d 0a0b 1002 2801 3003 488001 7803")
QUADS_COLUMNS = (
    _HEX("127a 0817 1223")
    + b"".join(_HEX("1205") + iri for iri in (b"urn:s", b"urn:p", b"urn:q", b"urn:o", b"urn:g"))
    + _HEX("2a05 0a0175 1200  320e 0a0102 12030f0301 1a0100 4a0162")
    + _HEX("3a09 12030f0400 1a020200")
    + _HEX("4221 0a010d 12030f0320 1a0104 2a016d 320102 3a026172 420102 5207 0a00 2a00 520162")
    + _HEX("4a08 12031f0400 1a0105  7a02 1402")
)
# An earlier draft with the same version has other field numbers: the types in the options are
# fields 5, 6 and 7.
EARLIER_TRIPLES_OPTIONS = _HEX("0a0d 0a0b 2801 488001 5010 5810 7803")
EARLIER_QUADS_OPTIONS = _HEX("0a0d 0a0b 2802 3001 3803 488001 7803")
# The same draft stores the message lengths in field 10.
EARLIER_QUADS_COLUMNS = QUADS_COLUMNS.replace(b"\x7a\x02\x14\x02", b"\x52\x02\x14\x02")


class DraftStream(NamedTuple):
    """A stream, the offset of its options, and the values of the options."""

    data: bytes
    offset: int
    """The offset of the options' own message."""
    is_delimited: bool
    options: dict[str, str | int]


def _options(physical: str, stream: str, rdf: str, lookups: int) -> dict[str, str | int]:
    return {
        "stream_name": "",
        "physical_type": physical,
        "stream_type": stream,
        "rdf_version": rdf,
        "max_name_table_size": 128,
        "max_prefix_table_size": lookups,
        "max_datatype_table_size": lookups,
        "version": 3,
    }


_TRIPLES = _options("TRIPLES", "FLAT", "unspecified", 16)
_QUADS = _options("QUADS", "MESSAGES", "1.2", 0)
_FIRST_FRAME = _HEX("8f01") + TRIPLES_OPTIONS + TRIPLES_COLUMNS

DRAFT_STREAMS = {
    "triples": DraftStream(_FIRST_FRAME, 6, True, _TRIPLES),
    "two-frames": DraftStream(_FIRST_FRAME + _HEX("22") + SECOND_FRAME, 6, True, _TRIPLES),
    "quads": DraftStream(_HEX("8b01") + QUADS_OPTIONS + QUADS_COLUMNS, 6, True, _QUADS),
    "bare": DraftStream(TRIPLES_OPTIONS + TRIPLES_COLUMNS, 4, False, _TRIPLES),
    "triples-columns-first": DraftStream(TRIPLES_COLUMNS + TRIPLES_OPTIONS, 132, False, _TRIPLES),
    "quads-columns-first": DraftStream(QUADS_COLUMNS + QUADS_OPTIONS, 128, False, _QUADS),
    "delimited-columns-first": DraftStream(
        _HEX("8f01") + TRIPLES_COLUMNS + TRIPLES_OPTIONS, 134, True, _TRIPLES
    ),
    "earlier-triples": DraftStream(
        _HEX("8f01") + EARLIER_TRIPLES_OPTIONS + TRIPLES_COLUMNS, 6, True, _TRIPLES
    ),
    "earlier-quads-columns-first": DraftStream(
        EARLIER_QUADS_COLUMNS + EARLIER_QUADS_OPTIONS, 128, False, _QUADS
    ),
}

"""Tests that the reader's structs match the schema file."""

import pytest
from thriftpy2.thrift import TType

from tests.core.patch_wires import THRIFT
from tests.core.thrift.oracle import SCHEMA, encode

# These are the type numbers of the compact protocol.
COMPACT = {TType.I32: 5, TType.I64: 6, TType.DOUBLE: 7, TType.STRING: 8, TType.STRUCT: 12}
VALUES: dict[int, bytes] = {
    TType.I32: b"\0",
    TType.I64: b"\0",
    TType.DOUBLE: bytes(8),
    TType.STRING: b"\x01a",
    TType.STRUCT: encode(SCHEMA.RDF_Term(iri=SCHEMA.RDF_IRI(iri="a"))),
}
# These bytes come before and after each struct in a whole row.
VALUE = b"\x1c\x18\x01k\x1c"
AROUND: dict[str, tuple[bytes, bytes]] = {
    "RDF_Patch_Row": (b"", b""),
    "Patch_Header": (b"\x1c", b"\0"),
    "Patch_Data_Add": (b"\x2c", b"\0"),
    "Patch_Data_Del": (b"\x3c", b"\0"),
    "Patch_Prefix_Add": (b"\x4c", b"\0"),
    "Patch_Prefix_Del": (b"\x5c", b"\0"),
    "RDF_Term": (VALUE, b"\0\0"),
    "RDF_IRI": (VALUE + b"\x1c", b"\0\0\0"),
    "RDF_BNode": (VALUE + b"\x2c", b"\0\0\0"),
    "RDF_Literal": (VALUE + b"\x3c", b"\0\0\0"),
    "RDF_Triple": (VALUE + b"\x9c", b"\0\0\0"),
    "RDF_Decimal": (VALUE + b"\xcc", b"\0\0\0"),
}


def specs(kind: str) -> dict[int, tuple[int, str, bool]]:
    """Return the type and name of each field of a struct, and whether the field is required."""
    spec = getattr(SCHEMA, kind).thrift_spec
    return {number: (type_, name, required) for number, (type_, name, *_, required) in spec.items()}


FIELDS = [(kind, number, *spec) for kind in AROUND for number, spec in specs(kind).items()]


def field(number: int, compact: int, value: bytes) -> bytes:
    return bytes((compact, number << 1)) + value


@pytest.mark.parametrize(("kind", "number", "type_", "name", "required"), FIELDS)
def test_fields_are_those_of_the_file(
    kind: str, number: int, type_: int, name: str, required: bool
) -> None:
    start, end = AROUND[kind]
    is_union = kind in ("RDF_Patch_Row", "RDF_Term")
    others = {place: spec for place, spec in specs(kind).items() if spec[2] and place != number}
    before = b"".join(
        field(place, COMPACT[other], VALUES[other]) for place, (other, *_) in others.items()
    )
    needed = [spec[1] for spec in specs(kind).values() if spec[2]]
    lacks = f"{kind} lacks {' or '.join(needed)}"
    none = f"none of the members of {kind}"
    wrong = f"{name} of {kind} has a wrong type"

    def message(*fields: bytes) -> str:
        error = THRIFT.attempt(start + b"".join(fields) + b"\0" + end)[1]
        return "" if error is None else error.message

    right = message(before, field(number, COMPACT[type_], b"\0" if is_union else VALUES[type_]))
    assert not any(words in right for words in (lacks, none, wrong))
    assert (none if is_union else lacks if required else "") in message(before)
    for other, compact in COMPACT.items():
        if other != type_:
            found = message(before, field(number, compact, VALUES[other]))
            assert (none if is_union else lacks if required else wrong) in found

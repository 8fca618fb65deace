"""Structs are those of the schema's file, and mean what they mean for Apache's own package."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from thrift.Thrift import TType

from tests.core.thrift import oracle, package
from tests.core.thrift.oracle import SCHEMA, encode, rows_to_bytes
from tests.core.thrift.support import attempt, read, write
from tests.core.thrift.test_bad_input import any_bytes
from tests.core.thrift.test_round_trips import as_made, as_thrift_says, expected
from tests.oracle.terms import Plain
from tests.strategies import Stream, dice, streams

# The number of each type in the compact protocol.
COMPACT = {TType.I32: 5, TType.I64: 6, TType.DOUBLE: 7, TType.STRING: 8, TType.STRUCT: 12}
VALUES: dict[int, bytes] = {
    TType.I32: b"\0",
    TType.I64: b"\0",
    TType.DOUBLE: bytes(8),
    TType.STRING: b"\x01a",
    TType.STRUCT: encode(SCHEMA.RDF_Term(iri=SCHEMA.RDF_IRI(iri="a"))),
}
# What stands around each struct that is taken apart.
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
REFUSED = {"RDF_PrefixName", "RDF_VAR", "RDF_ANY", "RDF_UNDEF", "RDF_REPEAT"}
# What RDF Thrift has beside them.
STATEMENTS = {"RDF_StreamRow", "RDF_Quad", "RDF_PrefixDecl"}


def specs(kind: str) -> dict[int, tuple[int, str, bool]]:
    """Return the type and name of each field of a struct, and whether it must be there."""
    spec = getattr(SCHEMA, kind).thrift_spec
    return {number: (type_, name, required) for number, (type_, name, *_, required) in spec.items()}


FIELDS = [(kind, number, *spec) for kind in AROUND for number, spec in specs(kind).items()]


def field(number: int, compact: int, value: bytes) -> bytes:
    return bytes((compact, number << 1)) + value


def test_each_struct_of_the_file_is_known() -> None:
    assert {*AROUND, *REFUSED, *STATEMENTS} == package.STRUCTS.keys()


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
        error = attempt(start + b"".join(fields) + b"\0" + end)[1]
        return "" if error is None else error.message

    right = message(before, field(number, COMPACT[type_], b"\0" if is_union else VALUES[type_]))
    assert not any(words in right for words in (lacks, none, wrong))
    assert (none if is_union else lacks if required else "") in message(before)
    for other, compact in COMPACT.items():
        if other != type_:
            found = message(before, field(number, compact, VALUES[other]))
            assert (none if is_union else lacks if required else wrong) in found


@given(streams())
def test_what_the_package_writes(stream: Stream) -> None:
    operations = list(map(as_thrift_says, stream.operations))
    rows = [package.struct_of(oracle.row(operation)) for operation in operations]
    data = b"".join(map(package.encode, rows))
    assert data == rows_to_bytes(operations)
    assert read(data) == operations


@given(streams())
def test_what_the_package_reads(stream: Stream) -> None:
    wanted = expected(as_made(stream.operations))
    found = list(map(package.operation, package.decode(write(stream.operations))))
    assert found in (wanted, wanted[:-1])


@given(dice)
def test_what_is_read_means_the_same_for_the_package(chance: random.Random) -> None:
    """Of any bytes. Not of literals by value: the package makes no lexical forms."""
    for _ in range(20):
        data = any_bytes(chance)
        operations, error = attempt(data)
        if error is None and not any(map(has_value, rows := package.decode(data))):
            found = [as_read(package.operation(row)) for row in rows]
            assert operations in (found, [*found, ("END",)])


def has_value(struct: Any) -> bool:
    return any(
        name in ("valInteger", "valDouble", "valDecimal")
        or (type(value).__name__ in package.STRUCTS and has_value(value))
        for name, value in vars(struct).items()
    )


def as_read(plain: Plain) -> Plain:
    """Return what is read as an operation or a term: an empty tag is none."""
    if plain[0] == "literal":
        return (*plain[:2], plain[2] or None, None if plain[2] else plain[3])
    return tuple(as_read(item) if isinstance(item, tuple) else item for item in plain)


def test_the_package_is_not_needed() -> None:
    code = (
        "import io, sys\nsys.modules['thrift'] = None\nimport jelly_rdflib as jr\n"
        "with jr.PatchWriter(file := io.BytesIO(), format='rdf-patch-thrift') as writer:\n"
        "    writer.begin(); writer.commit()\n"
        "assert len(list(jr.read_operations(file.getvalue()))) == 3\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

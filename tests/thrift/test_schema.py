"""The structs are those of the schema's file: what one library writes the other reads."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thrift.protocol.TCompactProtocol import TCompactProtocolAccelerated
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer

from jelly_rdflib.encodings.rdf_patch_thrift import schema
from jelly_rdflib.encodings.rdf_patch_thrift.schema import STRUCTS, Struct

from . import oracle

VALUES: dict[int, st.SearchStrategy[Any]] = {
    TType.STRING: st.text(max_size=20) | st.just("x" * 300),
    TType.I64: st.integers(-(1 << 63), (1 << 63) - 1),
    TType.I32: st.integers(-(1 << 31), (1 << 31) - 1),
    TType.DOUBLE: st.floats(allow_nan=False),
}


def test_each_struct_of_the_file_is_there() -> None:
    names = {kind.__name__ for kind in oracle.SCHEMA.__thrift_meta__["structs"]}
    names |= {kind.__name__ for kind in oracle.SCHEMA.__thrift_meta__["unions"]}
    assert names == {kind.__name__ for kind in STRUCTS}
    unions = {kind.__name__ for kind in oracle.SCHEMA.__thrift_meta__["unions"]}
    assert unions == {kind.__name__ for kind in STRUCTS if kind.is_union}


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.__name__)
def test_fields_are_those_of_the_file(kind: type[Struct]) -> None:
    fields = getattr(oracle.SCHEMA, kind.__name__).thrift_spec
    assert len(fields) == max(len(kind.thrift_spec) - 1, 0)
    for number, (type_, name, *inner, _) in fields.items():
        spec = kind.thrift_spec[number]
        assert spec[:3] == (number, type_, name)
        assert hasattr(kind, name)
        if type_ == TType.STRUCT:
            struct, struct_spec = spec[3]
            assert struct.__name__ == inner[0].__name__
            assert struct_spec is struct.thrift_spec


def test_values_of_the_enum_are_those_of_the_file() -> None:
    for name, value in oracle.SCHEMA.PatchTxn._NAMES_TO_VALUES.items():
        assert getattr(schema.PatchTxn, name) == value
    assert len(oracle.SCHEMA.PatchTxn._NAMES_TO_VALUES) == 4


def messages(kind: type[Struct], depth: int = 3) -> st.SearchStrategy[Any]:
    """Draw messages of a kind as dicts, with any of their members; a union with one."""
    members = {}
    for _, type_, name, inner, _ in kind.thrift_spec[1:]:
        if type_ != TType.STRUCT:
            members[name] = VALUES[type_]
        elif depth > 0:
            members[name] = messages(inner[0], depth - 1)
    if kind.is_union:
        return st.one_of([st.fixed_dictionaries({name: value}) for name, value in members.items()])
    return st.fixed_dictionaries({}, optional=members)


def ours(kind: type[Struct], values: dict[str, Any]) -> Struct:
    """Return our struct with these values."""
    struct = kind()
    for _, type_, name, inner, _ in kind.thrift_spec[1:]:
        if name in values:
            value = values[name]
            if type_ == TType.STRUCT:
                value = ours(inner[0], value)
            setattr(struct, name, value.encode() if type_ == TType.STRING else value)
    return struct


def theirs(kind: Any, values: dict[str, Any]) -> Any:
    """Return thriftpy2's struct with these values."""
    message = kind()
    for type_, name, *inner, _ in kind.thrift_spec.values():
        if name in values:
            value = values[name]
            setattr(message, name, theirs(inner[0], value) if type_ == TType.STRUCT else value)
    return message


def values_of(struct: Any) -> dict[str, Any]:
    """Return the values of our struct."""
    values = {}
    for name, value in vars(struct).items():
        if isinstance(value, Struct):
            value = values_of(value)
        values[name] = value.decode() if isinstance(value, bytes) else value
    return values


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_what_one_writes_the_other_reads(kind: type[Struct], data: Any) -> None:
    values = data.draw(messages(kind) if kind.thrift_spec[1:] else st.just({}))
    other_kind = getattr(oracle.SCHEMA, kind.__name__)
    message = theirs(other_kind, values)
    encoded = oracle.encode(message)
    protocol = TCompactProtocolAccelerated(TMemoryBuffer(encoded), fallback=False)
    struct = kind()
    protocol._fast_decode(struct, protocol, [kind, kind.thrift_spec])
    assert values_of(struct) == values
    written = protocol._fast_encode(ours(kind, values), [kind, kind.thrift_spec])
    assert written == encoded
    assert oracle.decode(written, other_kind) == [message]


def test_nan_is_read() -> None:
    encoded = oracle.encode(oracle.SCHEMA.RDF_Term(valDouble=math.nan))
    protocol = TCompactProtocolAccelerated(TMemoryBuffer(encoded), fallback=False)
    term = schema.RDF_Term()
    protocol._fast_decode(term, protocol, [schema.RDF_Term, schema.RDF_Term.thrift_spec])
    assert term.valDouble is not None
    assert math.isnan(term.valDouble)

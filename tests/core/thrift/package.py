"""RDF Patch in Thrift by Apache's own package, whose decoder is in C.

Its structs are made from the schema's file. They are not what Thrift's compiler would make of it in
one way: strings are bytes, since the package would replace in silence what is not UTF-8.
"""

from __future__ import annotations

from typing import Any

from thrift.protocol.TCompactProtocol import TCompactProtocolAccelerated
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer
from thrift.TRecursive import fix_spec

from tests.core.thrift import oracle
from tests.oracle.terms import Plain

__all__ = ["STRUCTS", "decode", "encode", "operation", "struct_of"]


def _make_structs() -> dict[str, Any]:
    meta = oracle.SCHEMA.__thrift_meta__
    kinds = {kind.__name__: kind for kind in (*meta["structs"], *meta["unions"])}
    structs = {name: type(name, (), {"thrift_spec": ()}) for name in kinds}
    for name, struct in structs.items():
        spec: list[Any] = [None]
        for number, (type_, field, *inner, _) in sorted(kinds[name].thrift_spec.items()):
            assert number == len(spec)
            setattr(struct, field, None)
            if type_ == TType.STRUCT:
                spec.append((number, type_, field, [structs[inner[0].__name__], None], None))
            else:
                kind = "BINARY" if type_ == TType.STRING else None
                spec.append((number, type_, field, kind, None))
        struct.thrift_spec = tuple(spec)
    fix_spec(list(structs.values()))
    return structs


STRUCTS = _make_structs()
_ROW = STRUCTS["RDF_Patch_Row"]
_ROW_ARGUMENTS = [_ROW, _ROW.thrift_spec]


def struct_of(message: Any) -> Any:
    """Return the package's struct for a message of `oracle`."""
    struct = STRUCTS[type(message).__name__]()
    for name, value in vars(message).items():
        if isinstance(value, str):
            setattr(struct, name, value.encode())
        elif type(value).__name__ in STRUCTS:
            setattr(struct, name, struct_of(value))
        else:
            setattr(struct, name, value)
    return struct


def encode(row: Any) -> bytes:
    """Return the bytes of a row."""
    protocol = TCompactProtocolAccelerated(TMemoryBuffer(), fallback=False)
    encoded: bytes = protocol._fast_encode(row, _ROW_ARGUMENTS)
    return encoded


def decode(data: bytes) -> list[Any]:
    """Return the rows that stand one after another; raises whatever the package raises."""
    protocol = TCompactProtocolAccelerated(TMemoryBuffer(data), fallback=False)
    rows = []
    while protocol.trans.cstringio_buf.tell() < len(data):
        row = _ROW()
        protocol._fast_decode(row, protocol, _ROW_ARGUMENTS)
        rows.append(row)
    return rows


def operation(row: Any) -> Plain:
    """Return the plain operation of a row that has only what RDF Patch has."""
    return oracle.operation(_with_texts(row))


def _with_texts(struct: Any) -> Any:
    """Return a struct whose strings are str."""
    copy = type(struct)()
    for name, value in vars(struct).items():
        if isinstance(value, bytes):
            value = value.decode()
        elif type(value).__name__ in STRUCTS:
            value = _with_texts(value)
        setattr(copy, name, value)
    return copy

"""What rows look like in Thrift's compact protocol, as far as thrift does not tell.

thrift's decoder passes over what a struct's spec does not have: an unknown number, as Thrift wants
it, but also a known number of a wrong type; and of a field that comes twice the first is lost. It
says nothing of any of this. So a row's size is compared with the size of what was understood: there
is one shortest form, which all writers write. Only a row that is longer is looked through.
"""

from __future__ import annotations

from typing import Final

from thrift.protocol.TCompactProtocol import TCompactProtocol
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer

from jelly_rdflib.encodings.rdf_patch_thrift.schema import RDF_Patch_Row, Struct
from jelly_rdflib.errors import DecodeError

__all__ = [
    "MAX_NESTING_DEPTH",
    "check_row",
    "number_size",
    "string_field",
    "string_size",
    "struct_field",
]

# thrift takes 64 structs in each other. Each quoted triple is two, and there are four more: the
# row, the statement, its term, and what the innermost term is.
MAX_NESTING_DEPTH: Final = 30

_FIELD_NUMBERS = range(-(1 << 15), 1 << 15)
# The compact protocol's numbers of types.
_STRING = 8
_STRUCT = 12


def struct_field(delta: int) -> bytes:
    """Return what stands before a struct in a field, ``delta`` numbers after the field before."""
    return bytes((delta << 4 | _STRUCT,))


def string_field(delta: int, text: bytes) -> bytes:
    r"""Return a field with a string, ``delta`` numbers after the field before.

    Examples:
        >>> string_field(1, b"ab")
        b'\x18\x02ab'
    """
    size = len(text)
    head = bytearray((delta << 4 | _STRING,))
    while size >= 0x80:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    head.append(size)
    return bytes(head) + text


def number_size(number: int) -> int:
    """Return how many bytes an integer takes.

    Examples:
        >>> number_size(-64), number_size(64)
        (1, 2)
    """
    zigzag = number << 1 if number >= 0 else ~(number << 1)
    return (zigzag.bit_length() + 6) // 7 or 1


def string_size(text: bytes) -> int:
    """Return how many bytes a string takes, its length included.

    Examples:
        >>> string_size(b"ab")
        3
    """
    size = len(text)
    if size < 0x80:
        return 1 + size
    return (size.bit_length() + 6) // 7 + size


def check_row(row: bytes) -> None:
    """Look through a row that was decoded, but is longer than what was understood of it.

    Raises:
        DecodeError: A field has a wrong type, or comes twice, or a union has more than one. What
            is left, fields of unknown numbers and numbers in more bytes than they need, is allowed.
    """
    _check_struct(_Protocol(TMemoryBuffer(row), string_length_limit=None), RDF_Patch_Row)


class _Protocol(TCompactProtocol):  # type: ignore[misc]
    """thrift's protocol in Python; but strings that are passed over need not be UTF-8."""

    def readString(self) -> bytes:
        string: bytes = self.readBinary()
        return string


def _check_struct(protocol: _Protocol, struct: type[Struct]) -> None:
    found: set[int] = set()
    protocol.readStructBegin()
    while True:
        _, kind, number = protocol.readFieldBegin()
        if kind == TType.STOP:
            break
        if number in found:
            raise DecodeError(f"field {number} of {struct.__name__} comes twice")
        if number not in _FIELD_NUMBERS:
            raise DecodeError(f"{number} can't be the number of a field")
        found.add(number)
        spec = struct.thrift_spec[number] if 0 < number < len(struct.thrift_spec) else None
        if spec is not None and spec[1] != kind:
            raise DecodeError(f"{spec[2]} of {struct.__name__} has a wrong type")
        if spec is not None and kind == TType.STRUCT:
            _check_struct(protocol, spec[3][0])
        else:
            protocol.skip(kind)
        protocol.readFieldEnd()
    protocol.readStructEnd()
    if struct.is_union and len(found) > 1:
        raise DecodeError(f"{struct.__name__} is to have one member, and has {len(found)}")

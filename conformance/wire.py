"""Pieces of Protocol Buffers' wire format, to write what its classes would not."""

from __future__ import annotations

__all__ = ["GROUP_END", "GROUP_START", "I32", "I64", "LEN", "VARINT", "field", "tag", "varint"]

VARINT, I64, LEN, GROUP_START, GROUP_END, I32 = range(6)

_MAX_UINT64 = (1 << 64) - 1


def varint(value: int, size: int = 0) -> bytes:
    """Return a varint, padded to at least ``size`` bytes; negative numbers as int64."""
    value &= _MAX_UINT64
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    while len(out) < size:
        out[-1] |= 0x80
        out.append(0)
    return bytes(out)


def tag(number: int, wire_type: int, size: int = 0) -> bytes:
    """Return a field's tag, padded to at least ``size`` bytes."""
    return varint(number << 3 | wire_type, size)


def field(number: int, value: bytes | int) -> bytes:
    """Return a field: of wire type LEN if the value is bytes, VARINT if it is an int."""
    if isinstance(value, int):
        return tag(number, VARINT) + varint(value)
    return tag(number, LEN) + varint(len(value)) + value

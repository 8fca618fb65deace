"""Parts of protobuf's wire format that its classes neither write nor report."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = [
    "GROUP_END", "GROUP_START", "I32", "I64", "LEN", "VARINT", "field", "fields", "tag", "varint",
]  # fmt: skip

VARINT, I64, LEN, GROUP_START, GROUP_END, I32 = range(6)

_MAX_UINT64 = (1 << 64) - 1


def varint(value: int, size: int = 0) -> bytes:
    """Return a varint, padded to at least ``size`` bytes; negative numbers are encoded as int64."""
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


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number and the position after it."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the numbers of a message's fields, with the content of fields of wire type LEN.

    The message is well-formed, since protobuf's classes have read it.
    """
    at = groups = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        wire_type, content = key & 7, b""
        groups -= wire_type == GROUP_END
        if wire_type == VARINT:
            _, at = _read_varint(data, at)
        elif wire_type == LEN:
            size, at = _read_varint(data, at)
            content = data[at : at + size]
            at += size
        elif wire_type in (I32, I64):
            at += 4 if wire_type == I32 else 8
        if groups == 0 and wire_type != GROUP_END:
            yield key >> 3, content
        groups += wire_type == GROUP_START

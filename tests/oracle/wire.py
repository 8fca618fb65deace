"""Reads and writes Protocol Buffers' wire format with hand-written code.

`check` refuses what a strict reader has to refuse before the rules of either format apply. `spell`
writes a message in one of the many ways that protobuf allows but no known producer uses.
"""

import random
from collections.abc import Iterator
from typing import Any

from google.protobuf import message_factory

from conformance.wire import (
    GROUP_END,
    GROUP_START,
    I32,
    I64,
    LEN,
    VARINT,
    field,
    tag,
    varint,
)

__all__ = [
    "GROUP_END",
    "GROUP_START",
    "I32",
    "I64",
    "LEN",
    "VARINT",
    "WireError",
    "check",
    "field",
    "looks_bare",
    "spell",
    "split",
    "tag",
    "varint",
]

# These are protobuf's numbers of the field types that the schema uses.
_BOOL, _STRING, _MESSAGE, _BYTES, _UINT32, _ENUM = 8, 9, 11, 12, 13, 14
_WIRE_TYPES = {
    _BOOL: VARINT,
    _STRING: LEN,
    _MESSAGE: LEN,
    _BYTES: LEN,
    _UINT32: VARINT,
    _ENUM: VARINT,
}

_MAX_UINT32 = (1 << 32) - 1
_MAX_UINT64 = (1 << 64) - 1
# The smallest 32-bit number has this 64-bit varint.
_MIN_NEGATIVE = (1 << 64) - (1 << 31)

# Protobuf's Python implementation refuses more than 100 nested messages or groups.
_DEEP = 90


class WireError(ValueError):
    """Raised when the bytes are not a message of the schema."""


def looks_bare(data: bytes) -> bool:
    """Return whether `data` is a bare frame, determined as in the reference implementation."""
    return data[:1] == b"\n" and (data[1:2] != b"\n" or data[2:3] == b"\n")


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the varint at a position, and the position after the varint."""
    value = shift = 0
    start = at
    while True:
        if at >= len(data):
            raise WireError("varint is cut")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
        if at - start == 10:
            raise WireError("varint of more than 10 bytes")
    if value > _MAX_UINT64:
        raise WireError("varint of more than 64 bits")
    return value, at


def split(data: bytes) -> list[bytes]:
    """Return the frames of an input, delimited or bare."""
    if looks_bare(data):
        return [data]
    frames = []
    at = 0
    while at < len(data):
        size, at = read_varint(data, at)
        if size > len(data) - at:
            raise WireError("frame is cut")
        frames.append(data[at : at + size])
        at += size
    return frames


def _read_tag(data: bytes, at: int) -> tuple[int, int, int]:
    value, end = read_varint(data, at)
    if end - at > 5:
        raise WireError("tag of more than 5 bytes")
    if value > _MAX_UINT32:
        raise WireError("field number is too high")
    if value >> 3 == 0:
        raise WireError("field number 0")
    return value >> 3, value & 7, end


def _skip(data: bytes, at: int, number: int, wire_type: int, depth: int, doubts: set[str]) -> int:
    if wire_type == VARINT:
        return read_varint(data, at)[1]
    if wire_type == LEN:
        size, after = read_varint(data, at)
        if after - at > 5:
            raise WireError("length of more than 5 bytes")
        end = after + size
    elif wire_type in (I64, I32):
        end = at + (8 if wire_type == I64 else 4)
    elif wire_type == GROUP_START:
        if depth > _DEEP:
            doubts.add("deep")
        while True:
            inner, kind, at = _read_tag(data, at)
            if kind == GROUP_END:
                if inner != number:
                    raise WireError("group is closed by another one's end")
                return at
            at = _skip(data, at, inner, kind, depth + 1, doubts)
    else:
        raise WireError(f"wire type {wire_type}")
    if end > len(data):
        raise WireError("field is cut")
    return end


def check(descriptor: Any, data: bytes, *, depth: int = 1) -> set[str]:
    """Read a message strictly, or raise `WireError`.

    A field that the schema knows must have the schema's wire type, and an uint32 must fit;
    protobuf accepts more. In all other respects the bytes must be what protobuf requires.

    Args:
        descriptor: The message's descriptor.
        data: The message's bytes.
        depth: The depth of the message.

    Returns:
        The points on which readers differ; input with such points may or may not be refused.
    """
    doubts: set[str] = {"deep"} if depth > _DEEP else set()
    at = 0
    while at < len(data):
        number, wire_type, at = _read_tag(data, at)
        known = descriptor.fields_by_number.get(number)
        end = _skip(data, at, number, wire_type, depth + 1, doubts)
        if known is not None:
            if _is_packable(known) and wire_type == LEN:
                _check_packed(data[at:end])
            elif wire_type != _WIRE_TYPES[known.type]:
                raise WireError(f"{descriptor.name}.{known.name} has wire type {wire_type}")
            else:
                doubts |= _check_value(known, data[at:end], depth)
        elif _is_map_entry(descriptor):
            # Protobuf's Python implementation loses such an entry; other implementations don't.
            doubts.add("unknown field in an entry of a map")
        at = end
    return doubts


def _is_map_entry(descriptor: Any) -> bool:
    return descriptor is not None and bool(descriptor.GetOptions().map_entry)


def _is_packable(known: Any) -> bool:
    """Return whether a field is a list of numbers."""
    return bool(known.is_repeated) and known.type == _UINT32


def _check_packed(content: bytes) -> None:
    """Check the bytes that follow the tag of packed numbers."""
    at = read_varint(content, 0)[1]
    while at < len(content):
        value, at = read_varint(content, at)
        if value > _MAX_UINT32:
            raise WireError("number does not fit into 32 bits")


def _check_value(known: Any, content: bytes, depth: int) -> set[str]:
    """Check the bytes that follow the tag of a known field."""
    value, start = read_varint(content, 0)
    if known.type == _MESSAGE:
        return check(known.message_type, content[start:], depth=depth + 1)
    if known.type == _STRING:
        try:
            content[start:].decode()
        except UnicodeDecodeError as error:
            raise WireError("string is not UTF-8") from error
    if known.type == _UINT32 and value > _MAX_UINT32:
        raise WireError("number does not fit into 32 bits")
    if known.type == _ENUM and _MAX_UINT32 < value < _MIN_NEGATIVE:
        return {"long enum"}
    return set()


class _Speller:
    def __init__(self, rng: random.Random, mess: float) -> None:
        self.rng = rng
        self.mess = mess

    def chance(self) -> bool:
        return self.mess > 0 and self.rng.random() < self.mess

    def tag(self, number: int, wire_type: int) -> bytes:
        return tag(number, wire_type, self.rng.randint(1, 5) if self.chance() else 0)

    def number(self, value: int) -> bytes:
        return varint(value, self.rng.randint(1, 10) if self.chance() else 0)

    def block(self, number: int, content: bytes) -> bytes:
        size = varint(len(content), self.rng.randint(1, 5) if self.chance() else 0)
        return self.tag(number, LEN) + size + content

    def unknown(self, used: set[int], depth: int = 0) -> bytes:
        """Return a field with a number that the schema lacks."""
        rng = self.rng
        number = rng.choice([n for n in (9, 10, 17, 99, 2000, (1 << 29) - 1) if n not in used])
        kind = rng.choice([VARINT, I64, LEN, I32, GROUP_START])
        if kind == VARINT:
            return self.tag(number, kind) + self.number(rng.getrandbits(rng.choice([1, 32, 64])))
        if kind == LEN:
            return self.block(number, rng.randbytes(rng.choice([0, 3, 130])))
        if kind == GROUP_START:
            # Inside a group every field number is unknown, even those of the schema.
            count = rng.randint(0, 2) if depth < 3 else 0
            inner = b"".join(self.unknown(set(), depth + 1) for _ in range(count))
            return self.tag(number, kind) + inner + self.tag(number, GROUP_END)
        return self.tag(number, kind) + rng.randbytes(8 if kind == I64 else 4)

    def scalar(self, known: Any, value: Any) -> bytes:
        if known.type == _STRING:
            return self.block(known.number, value.encode())
        if known.type == _BYTES:
            return self.block(known.number, value)
        return self.tag(known.number, VARINT) + self.number(int(value))

    def nonsense(self, descriptor: Any, depth: int = 0) -> bytes:
        """Return a well-formed message with random content."""
        out = b""
        for known in descriptor.fields:
            if self.rng.random() < 0.4 and depth < 3:
                out += self.decoy(known, depth)
        return out

    def decoy(self, known: Any, depth: int = 0) -> bytes:
        if known.type == _MESSAGE:
            return self.block(known.number, self.nonsense(known.message_type, depth + 1))
        if known.type == _STRING:
            return self.scalar(known, self.rng.choice(["", "decoy", "b0"]))
        return self.scalar(known, self.rng.choice([0, 1, 2, 3, 77, _MAX_UINT32]))

    def singular(self, known: Any, value: Any) -> Iterator[bytes]:
        """Yield one or more fields that together encode one value."""
        if known.type != _MESSAGE:
            if self.chance():
                others = {_STRING: "overwritten", _BYTES: b"overwritten"}
                yield self.scalar(known, others.get(known.type, self.rng.randint(0, 3)))
            yield self.scalar(known, value)
        elif self.chance():
            # A message field that occurs twice is merged.
            first, second = type(value)(), type(value)()
            for inner, content in value.ListFields():
                part = self.rng.choice([first, second])
                if inner.is_repeated:
                    getattr(part, inner.name).extend(content)
                elif inner.type == _MESSAGE:
                    getattr(part, inner.name).CopyFrom(content)
                else:
                    setattr(part, inner.name, content)
            yield self.block(known.number, self.message(first, half=True))
            yield self.block(known.number, self.message(second, half=True))
        else:
            yield self.block(known.number, self.message(value))

    def entry(self, known: Any, key: str, value: bytes) -> list[bytes]:
        """Return the entry of a map, sometimes after another entry with the same key."""
        make = message_factory.GetMessageClass(known.message_type)
        values = [b"overwritten", value] if self.chance() else [value]
        return [self.block(known.number, self.message(make(key=key, value=v))) for v in values]

    def repeated(self, known: Any, values: Any) -> Iterator[bytes]:
        """Yield the fields of a list; all, some or none of its numbers are packed."""
        if known.type == _MESSAGE:
            for value in values:
                yield self.block(known.number, self.message(value))
        elif known.type != _UINT32:
            for value in values:
                yield self.scalar(known, value)
        else:
            rest = list(values)
            while rest:
                if self.chance():
                    yield self.scalar(known, rest.pop(0))
                    continue
                count = self.rng.randint(0, len(rest)) if self.chance() else len(rest)
                yield self.block(known.number, b"".join(map(self.number, rest[:count])))
                del rest[:count]

    def message(self, message: Any, half: bool = False) -> bytes:
        descriptor = message.DESCRIPTOR
        # The sequences are interleaved at random, but each keeps its own order.
        sequences: list[list[bytes]] = []
        present = set()
        for known, value in message.ListFields():
            present.add(known.number)
            if _is_map_entry(known.message_type):
                sequences += [self.entry(known, key, value[key]) for key in value]
                continue
            if known.is_repeated:
                sequences.append(list(self.repeated(known, value)))
                continue
            sequence = []
            if known.containing_oneof is not None and self.chance():
                others = [f for f in known.containing_oneof.fields if f.number != known.number]
                sequence += [self.decoy(self.rng.choice(others))]
            sequence += self.singular(known, value)
            sequences.append(sequence)
        for known in [] if half else descriptor.fields:
            # A default value may be written, but here it would undo what the other half has set.
            plain = known.type != _MESSAGE and known.containing_oneof is None
            if known.is_repeated:
                if _is_packable(known) and known.number not in present and self.chance():
                    sequences.append([self.block(known.number, b"")])
            elif plain and known.number not in present and self.chance():
                sequences.append(
                    [self.scalar(known, {_STRING: "", _BYTES: b""}.get(known.type, 0))]
                )
        while self.chance() and not _is_map_entry(descriptor):
            sequences.append([self.unknown(set(descriptor.fields_by_number))])
        if self.chance():
            return b"".join(self.riffle(sequences))
        return b"".join(chunk for sequence in sequences for chunk in sequence)

    def riffle(self, sequences: list[list[bytes]]) -> Iterator[bytes]:
        order = [n for n, sequence in enumerate(sequences) for _ in sequence]
        self.rng.shuffle(order)
        iterators = [iter(sequence) for sequence in sequences]
        for n in order:
            yield next(iterators[n])


def spell(message: Any, rng: random.Random, mess: float = 0.1) -> bytes:
    """Serialize a message in a legal but odd way; the greater ``mess`` (0 to 1), the odder.

    Fields are in any order, and unknown fields are inserted. A oneof may be set twice, and a value
    may be set twice or in two halves. Varints may be too long, and defaults may be written.
    """
    return _Speller(rng, min(mess, 0.5)).message(message)

"""Mutate inputs as messages: rows and fields, not only bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError as ProtobufError
from google.protobuf.message import Message

from tests.oracle import schema as pb
from tests.oracle import wire

__all__ = ["MessageMutator"]

NUMBERS = (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 127, 128, 255, 4096, 2**31 - 1, 2**31, 2**32 - 1)
STRINGS = ("", "a", "b0", "http://e/", "é", "\U0001f600", "\x00", "en", "en-GB", "x" * 70)
# The greatest depth of nested fields that are changed or filled.
DEPTH = 6


class MessageMutator:
    """Mutates an input.

    Args:
        names: Classes of frames, or their names in the schema; an input is parsed as one of them.
        mutate_bytes: Mutates bytes, up to a size; used for all other inputs.
    """

    def __init__(self, names: Sequence[Any], mutate_bytes: Callable[[bytes, int], bytes]) -> None:
        self._classes = [
            pb.message_class(name) if isinstance(name, str) else name for name in names
        ]
        self._mutate_bytes = mutate_bytes

    def __call__(self, data: bytes, max_size: int, seed: int) -> bytes:
        """Return a mutated input: mutated as bytes half of the time and if it is not a message."""
        rng = random.Random(seed)
        if rng.random() < 0.5:
            return self._mutate_bytes(data, max_size)
        frame_class = rng.choice(self._classes)
        try:
            frames = [frame_class.FromString(part) for part in wire.split(data)]
        except (wire.WireError, ProtobufError):
            return self._mutate_bytes(data, max_size)
        if not frames:
            frames.append(frame_class())
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            self._change(frames, rng)
        mess = rng.choice([0.0, 0.0, 0.1])
        parts = [
            wire.spell(frame, rng, mess) if mess else frame.SerializeToString() for frame in frames
        ]
        if len(parts) == 1 and rng.random() < 0.3:
            result = parts[0]
        else:
            result = b"".join(wire.varint(len(part)) + part for part in parts)
        return result if len(result) <= max_size else self._mutate_bytes(data, max_size)

    def _change(self, frames: list[Any], rng: random.Random) -> None:
        """Change frames, the rows of a frame, or a field of a row."""
        frame = rng.choice(frames)
        rows = frame.rows
        kind = rng.randrange(10)
        if kind == 0:
            at = rng.randrange(len(rows) + 1)
            frames.insert(frames.index(frame) + 1, type(frame)(rows=rows[at:]))
            del rows[at:]
        elif kind == 1 and len(frames) > 1:
            frames.remove(frame)
        elif kind == 2 and rows:
            del rows[rng.randrange(len(rows))]
        elif kind in (3, 4):
            other = rng.choice(frames).rows
            row = rng.choice(other) if other else rows.add()
            _insert(rows, rng.randrange(len(rows) + 1), row)
        elif hasattr(frame, "columns") and rng.random() < 0.9:
            _change_field(frame.columns, rng, 0)
        elif kind == 5:
            rows.add()
            _fill(rows[-1], rng, 0)
        elif rows:
            _change_field(rng.choice(rows), rng, 0)


def _insert(rows: Any, at: int, row: Any) -> None:
    """Insert a copy of a row at a position."""
    kept = [type(row).FromString(each.SerializeToString()) for each in rows[at:]]
    copy = type(row).FromString(row.SerializeToString())
    del rows[at:]
    rows.extend([copy, *kept])


def _change_field(message: Message, rng: random.Random, depth: int) -> None:
    """Change a field of a message or of a message inside it."""
    present = [known for known, _ in message.ListFields()]
    inner = [known for known in present if known.type == FieldDescriptor.TYPE_MESSAGE]
    if inner and rng.random() < 0.75:
        known = rng.choice(inner)
        value = getattr(message, known.name)
        _change_field(rng.choice(value) if known.is_repeated else value, rng, depth + 1)
    elif present and rng.random() < 0.3:
        message.ClearField(rng.choice(present).name)
    elif message.DESCRIPTOR.fields:
        _set(message, rng.choice(message.DESCRIPTOR.fields), rng, depth)


def _fill(message: Message, rng: random.Random, depth: int) -> None:
    """Set some fields of a message."""
    fields = message.DESCRIPTOR.fields
    for known in rng.sample(list(fields), min(len(fields), rng.randint(1, 4))):
        _set(message, known, rng, depth)


def _set(message: Message, known: FieldDescriptor, rng: random.Random, depth: int) -> None:
    """Set a field to a random value; of a repeated field, change, remove or add one value."""
    value = getattr(message, known.name)
    if known.is_repeated:
        at = rng.randrange(len(value) + 1)
        is_new = at == len(value)
        if not is_new and rng.random() < 0.3:
            del value[at]
        elif known.type == FieldDescriptor.TYPE_MESSAGE:
            inner = value.add() if is_new else value[at]
            if depth < DEPTH:
                _fill(inner, rng, depth + 1)
        elif is_new:
            value.append(_random_value(known, value[-1] if value else 0, rng))
        else:
            value[at] = _random_value(known, value[at], rng)
    elif known.type == FieldDescriptor.TYPE_MESSAGE:
        value.SetInParent()
        if known.message_type == message.DESCRIPTOR and rng.random() < 0.5:
            # Nest a quoted triple in a copy of itself.
            copy = type(message)()
            copy.CopyFrom(message)
            value.CopyFrom(copy)
        elif depth < DEPTH and value.DESCRIPTOR.fields:
            _fill(value, rng, depth + 1)
    else:
        setattr(message, known.name, _random_value(known, value, rng))


def _random_value(known: FieldDescriptor, old: Any, rng: random.Random) -> Any:
    """Return a random value for a field that is no message."""
    if known.type == FieldDescriptor.TYPE_STRING:
        return rng.choice(STRINGS)
    if known.type == FieldDescriptor.TYPE_BYTES:
        at = rng.randrange(len(old) + 1)
        return old[:at] + rng.randbytes(1) + old[at + rng.randrange(2) :]
    if known.type == FieldDescriptor.TYPE_BOOL:
        return rng.random() < 0.5
    if known.type == FieldDescriptor.TYPE_ENUM:
        return rng.choice(NUMBERS[:-2])
    near = [each for each in (old - 1, old + 1) if 0 <= each < 2**32]
    return rng.choice([*NUMBERS, *near, *near, *near])

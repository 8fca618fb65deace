"""Options of a stream, and the limits a reader sets to what strangers may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

__all__ = ["Limits", "PatchOptions", "PatchStatementType", "PatchStreamType"]

_EnumT = TypeVar("_EnumT", bound="_NamedEnum")

_MIN_NAME_TABLE_SIZE = 8
_MAX_TABLE_SIZE = 1 << 24
_MAX_FRAME_SIZE = (1 << 31) - 1
_MAX_NESTING_DEPTH = 1000


class _NamedEnum(IntEnum):
    """An enum that may also be called with a member's name, in any case of letters."""

    @classmethod
    def _missing_(cls: type[_EnumT], value: object) -> _EnumT | None:
        return cls.__members__.get(value.upper()) if isinstance(value, str) else None


class PatchStreamType(_NamedEnum):
    """How frames and patches relate (Jelly-Patch, "Patch stream types").

    Examples:
        >>> PatchStreamType("flat")
        <PatchStreamType.FLAT: 2>
    """

    FRAME = 1
    """Each frame is one patch."""
    FLAT = 2
    """The whole stream is one patch."""
    PUNCTUATED = 3
    """A punctuation mark ends each patch."""


class PatchStatementType(_NamedEnum):
    """Whether statements have a graph (Jelly-Patch, "Statement types")."""

    TRIPLES = 1
    QUADS = 2


def _check_range(name: str, value: int, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value}")


@dataclass(frozen=True, kw_only=True)
class PatchOptions:
    """Options of a Jelly-Patch stream (Jelly-Patch, "Patch stream options").

    The first eight have the names of the schema's fields and are written into the stream; the rest
    say how the writer cuts it into frames.

    Args:
        statement_type: Triples or quads.
        stream_type: How frames and patches relate.
        generalized_statements: Allow literals as subjects, anything as predicates, and so on.
        rdf_star: Allow quoted triples.
        max_name_table_size: Entries of the name lookup, at least 8.
        max_prefix_table_size: Entries of the prefix lookup; 0 for none.
        max_datatype_table_size: Entries of the datatype lookup; 0 for none, which rules out
            literals with a datatype.
        version: Version tag of the protocol.
        frame_rows: Rows after which a frame is closed. A patch of a FRAME stream is never cut.
        frame_bytes: Bytes after which a frame is closed; the specification recommends frames
            below 1 MB. A patch of a FRAME stream is never cut.
        delimited: Write each frame's length before it, as files need; False for one bare frame.

    Raises:
        ValueError: A number is out of its range.

    Examples:
        >>> PatchOptions().max_name_table_size
        4000
        >>> PatchOptions.small(stream_type="FLAT").stream_type.name
        'FLAT'
    """

    statement_type: PatchStatementType = PatchStatementType.QUADS
    stream_type: PatchStreamType = PatchStreamType.PUNCTUATED
    generalized_statements: bool = False
    rdf_star: bool = False
    max_name_table_size: int = 4000
    max_prefix_table_size: int = 150
    max_datatype_table_size: int = 32
    version: int = 1
    frame_rows: int = 512
    frame_bytes: int = 1_000_000
    delimited: bool = True

    def __post_init__(self) -> None:
        for name, enum in (
            ("statement_type", PatchStatementType),
            ("stream_type", PatchStreamType),
        ):
            object.__setattr__(self, name, enum(getattr(self, name)))
        for name in ("generalized_statements", "rdf_star", "delimited"):
            object.__setattr__(self, name, bool(getattr(self, name)))
        _check_range(
            "max_name_table_size", self.max_name_table_size, _MIN_NAME_TABLE_SIZE, _MAX_TABLE_SIZE
        )
        _check_range("max_prefix_table_size", self.max_prefix_table_size, 0, _MAX_TABLE_SIZE)
        _check_range("max_datatype_table_size", self.max_datatype_table_size, 0, _MAX_TABLE_SIZE)
        _check_range("version", self.version, 1, 1)
        _check_range("frame_rows", self.frame_rows, 1, 1 << 31)
        _check_range("frame_bytes", self.frame_bytes, 1, _MAX_FRAME_SIZE)

    @classmethod
    def small(cls, **changes: Any) -> PatchOptions:
        """Options with small lookups (128 names, 16 prefixes, 16 datatypes), then ``changes``."""
        sizes = {
            "max_name_table_size": 128,
            "max_prefix_table_size": 16,
            "max_datatype_table_size": 16,
        }
        return cls(**{**sizes, **changes})

    @classmethod
    def big(cls, **changes: Any) -> PatchOptions:
        """Options with big lookups (4000 names, 150 prefixes, 32 datatypes), then ``changes``."""
        return cls(**changes)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a reader accepts from a stranger; each is checked before anything is allocated.

    Args:
        max_name_table_size: Entries of the name lookup that a stream may ask for.
        max_prefix_table_size: The same of the prefix lookup.
        max_datatype_table_size: The same of the datatype lookup.
        max_frame_size: Bytes of one frame, uncompressed.
        max_nesting_depth: Levels of quoted triples in quoted triples; 0 allows none.
        max_string_size: Bytes of one string, and of one IRI put together from prefix and name.
        max_text_size: Bytes of all distinct terms of one frame together. Lookups let a small
            frame stand for much text, so this is apart from the frame's own size.

    Raises:
        ValueError: A number is out of its range.

    Examples:
        >>> Limits().max_frame_size
        67108864
        >>> Limits(max_nesting_depth=4).max_nesting_depth
        4
    """

    max_name_table_size: int = 4096
    max_prefix_table_size: int = 1024
    max_datatype_table_size: int = 256
    max_frame_size: int = 64 << 20
    max_nesting_depth: int = 100
    max_string_size: int = 16 << 20
    max_text_size: int = 256 << 20

    def __post_init__(self) -> None:
        for name in ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size"):
            _check_range(name, getattr(self, name), 0, _MAX_TABLE_SIZE)
        _check_range("max_frame_size", self.max_frame_size, 0, _MAX_FRAME_SIZE)
        _check_range("max_nesting_depth", self.max_nesting_depth, 0, _MAX_NESTING_DEPTH)
        _check_range("max_string_size", self.max_string_size, 0, _MAX_FRAME_SIZE)
        _check_range("max_text_size", self.max_text_size, 0, _MAX_FRAME_SIZE)

"""Checks for all options: enums that accept the names of their members, and ranges of numbers."""

from __future__ import annotations

from enum import IntEnum
from typing import TypeVar

MIN_NAME_TABLE_SIZE = 8
MAX_TABLE_SIZE = 1 << 24
MAX_FRAME_SIZE = (1 << 31) - 1
# The lookups of the small preset; those of the big one are the defaults.
SMALL = {"max_name_table_size": 128, "max_prefix_table_size": 16, "max_datatype_table_size": 16}

_EnumT = TypeVar("_EnumT", bound="NamedEnum")


class NamedEnum(IntEnum):
    """An enum that may also be called with a member's name, in any case of letters."""

    @classmethod
    def _missing_(cls: type[_EnumT], value: object) -> _EnumT | None:
        return cls.__members__.get(value.upper()) if isinstance(value, str) else None


def check_range(name: str, value: int, low: int, high: int) -> None:
    """Raise a TypeError or ValueError if a number is none, or out of its range."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value}")


def check_lookups(names: int, prefixes: int, datatypes: int) -> None:
    """Check the sizes of a stream's lookups (Jelly-RDF, "Stream options")."""
    check_range("max_name_table_size", names, MIN_NAME_TABLE_SIZE, MAX_TABLE_SIZE)
    check_range("max_prefix_table_size", prefixes, 0, MAX_TABLE_SIZE)
    check_range("max_datatype_table_size", datatypes, 0, MAX_TABLE_SIZE)


def check_frame(rows: int, size: int) -> None:
    """Check what closes a frame."""
    check_range("frame_rows", rows, 1, 1 << 31)
    check_range("frame_bytes", size, 1, MAX_FRAME_SIZE)

"""Outcomes of reading an input: the items, and the error that ended reading, if any."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import jelly_rdflib as jr
from jelly_rdflib.core.source import starts_compressed
from tests.oracle.terms import plain_operation

__all__ = [
    "SMALL_LIMITS",
    "Outcome",
    "assert_limited",
    "attempt",
    "choose",
    "is_compressed",
    "plain_operations",
]

_Choice = TypeVar("_Choice")

SMALL_LIMITS = jr.Limits(
    max_name_table_size=16,
    max_prefix_table_size=8,
    max_datatype_table_size=8,
    max_frame_size=2000,
    max_nesting_depth=3,
    max_string_size=200,
    max_text_size=2000,
    max_expansion=4,
)


def is_compressed(data: bytes) -> bool:
    """Return whether an input looks compressed; then errors have other positions."""
    return starts_compressed(data[:4]) or data.startswith((b"BZh", b"\xfd7zXZ\0"))


def choose(data: bytes, choices: Sequence[_Choice]) -> _Choice:
    """Choose by an input's checksum, which varies the choice between similar inputs."""
    return choices[zlib.crc32(data) % len(choices)]


@dataclass
class Outcome:
    """The outcome of reading an input.

    Args:
        items: The items that were read.
        error: The error that ended reading; None if the input was read to its end.
    """

    items: list[Any] = field(default_factory=list)
    error: jr.DecodeError | None = None

    @property
    def told(self) -> tuple[Any, ...] | None:
        """The error as a comparable tuple; None without an error."""
        error = self.error
        if error is None:
            return None
        place = (error.offset, error.frame, error.row, error.line, error.column)
        return (type(error), error.message, *place)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return (self.items, self.told) == (other.items, other.told)


def attempt(read: Callable[[], Iterable[Any]]) -> Outcome:
    """Read all items up to an error; any error except `jelly_rdflib.DecodeError` is a finding."""
    outcome = Outcome()
    try:
        outcome.items.extend(read())
    except jr.DecodeError as error:
        outcome.error = error
    # Every error must have a message.
    assert outcome.error is None or str(outcome.error)
    return outcome


def plain_operations(operations: Iterable[Any]) -> Iterator[Any]:
    """Yield operations in plain form, and check that they are as documented."""
    return map(plain_operation, operations)


def assert_limited(limited: Outcome, whole: Outcome) -> None:
    """Check that limits change nothing, or end reading with a `jelly_rdflib.LimitError`."""
    if isinstance(limited.error, jr.LimitError):
        assert limited.items == whole.items[: len(limited.items)]
    else:
        assert limited == whole

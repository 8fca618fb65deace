"""What an encoding is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.operations import Operation

__all__ = ["Encoding"]


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """A way to write changes, or statements, down, with its reader and its writer.

    Args:
        name: What people call it, and the name of rdflib's plugins for it.
        aliases: Other names.
        extensions: Endings of file names, without the dot; the preferred one first.
        media_types: Media types; the preferred one first.
        holds_changes: Whether it is for changes; else it is for statements, which are read as
            added.
        read_operations: As `jelly_rdflib.read_operations`.
        read_batches: As `jelly_rdflib.read_batches`.
        writer: As `jelly_rdflib.PatchWriter`; for statements, as `jelly_rdflib.StatementWriter`.
    """

    name: str
    aliases: tuple[str, ...] = ()
    extensions: tuple[str, ...]
    media_types: tuple[str, ...]
    holds_changes: bool = True
    read_operations: Callable[..., Iterator[Operation]]
    read_batches: Callable[..., Iterator[Batch]]
    writer: Callable[..., Any]

    @property
    def names(self) -> tuple[str, ...]:
        """All that it is called, but for its file extensions."""
        return (self.name, *self.aliases, *self.media_types)

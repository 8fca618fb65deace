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
    """A way to write changes down, with its reader and its writer.

    Args:
        name: What people call it, and the name of rdflib's plugins for it.
        extensions: Endings of file names, without the dot; the preferred one first.
        media_types: Media types; the preferred one first.
        read_operations: As `jelly_rdflib.read_operations`.
        read_batches: As `jelly_rdflib.read_batches`.
        writer: As `jelly_rdflib.PatchWriter`.
    """

    name: str
    extensions: tuple[str, ...]
    media_types: tuple[str, ...]
    read_operations: Callable[..., Iterator[Operation]]
    read_batches: Callable[..., Iterator[Batch]]
    writer: Callable[..., Any]

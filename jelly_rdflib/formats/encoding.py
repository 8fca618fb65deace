"""What an encoding is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jelly_rdflib.core.batch import BatchSource
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.formats.reading import Reading
from jelly_rdflib.nodes.conversion import NodeTypes


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """A way to write changes, or statements, down, with its reader and its writer.

    Args:
        name: What people call it, and the name of its rdflib plugins, if it has any of ours.
        aliases: Other names.
        extensions: Endings of file names, without the dot; the preferred one first.
        media_types: Media types; the preferred one first.
        holds_changes: Whether it is for changes; else it is for statements, which are read as
            added.
        starts_like: Whether bytes, the first ones of an input, look like it.
        open_batches: Makes batches of a source that `open_source` returned, and of a `Reading`.
        make_encoder: Makes what encodes: called with the classes of nodes, options, and a function
            that takes the bytes. Options are None for the default. All encoders have
            ``write_batch`` and ``finish``.
        has_graphs: Whether statements may be in named graphs.
        has_prefixes: Whether there may be prefixes, or namespaces, in it.
        has_base: Whether there may be relative IRIs in it, for which a base can be given.
        tells_kind: Whether its bytes say if they are changes or statements, whatever a file with
            them is called.
    """

    name: str
    aliases: tuple[str, ...] = ()
    extensions: tuple[str, ...]
    media_types: tuple[str, ...]
    holds_changes: bool = True
    starts_like: Callable[[bytes], bool]
    open_batches: Callable[[memoryview | ByteSource, Reading], BatchSource]
    make_encoder: Callable[[NodeTypes, Any, Callable[[bytes], object]], Any]
    has_graphs: bool = True
    has_prefixes: bool = True
    has_base: bool = False
    tells_kind: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All that it is called, but for its file extensions."""
        return (self.name, *self.aliases, *self.media_types)

"""The description of a format: its names, its reader and its writer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jelly_rdflib.core.batch import BatchSource
from jelly_rdflib.core.input_start import has_control_characters, is_frame
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.formats.reading import Reading
from jelly_rdflib.nodes.conversion import NodeTypes


@dataclass(frozen=True, kw_only=True)
class Format:
    """A way to write down changes or statements, with its reader and its writer.

    Args:
        name: The usual name, and the name of its rdflib plugins, if the package has any for it.
        title: Its name in messages about options, if it has none.
        aliases: Other names.
        extensions: Endings of file names, without the dot; the preferred one first.
        media_types: Media types; the preferred one first.
        holds_changes: Whether it is for changes; else it is for statements, which are read as
            added.
        starts_like: Tells by the first bytes of an input whether the input looks like it.
        open_batches: Makes batches of a source that `open_source` returned, and of a `Reading`.
        open_encoder: Called with the classes of nodes, the options if it has any, and the sink.
            All encoders have ``write_batch`` and ``finish``.
        options_type: The class of its options, which makes the default ones; None: it has none.
        has_graphs: Whether statements may be in named graphs.
        has_prefixes: Whether it can declare prefixes, or namespaces.
        has_base: Whether it can have relative IRIs, for which a base can be given.
        tells_kind: Whether the bytes of an input say if they are changes or statements, whatever
            the file is called.
    """

    name: str
    title: str = ""
    aliases: tuple[str, ...] = ()
    extensions: tuple[str, ...]
    media_types: tuple[str, ...]
    holds_changes: bool = True
    starts_like: Callable[[bytes], bool]
    open_batches: Callable[[memoryview | ByteSource, Reading], BatchSource]
    open_encoder: Callable[..., Any]
    options_type: Callable[[], Any] | None = None
    has_graphs: bool = True
    has_prefixes: bool = True
    has_base: bool = False
    tells_kind: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All names but the file extensions."""
        return (self.name, *self.aliases, *self.media_types)

    def make_encoder(self, types: NodeTypes, options: Any, sink: Callable[[bytes], object]) -> Any:
        """Make an encoder.

        Args:
            types: The classes of nodes.
            options: The options of the stream; None for the default.
            sink: Called with pieces of the output: bytes.

        Raises:
            ValueError: There are options, but the format has none.
            ImportError: The format needs a package that is missing or too old.
        """
        if self.options_type is not None:
            return self.open_encoder(types, options or self.options_type(), sink)
        if options is not None:
            jelly = "Jelly-Patch" if self.holds_changes else "Jelly-RDF"
            raise ValueError(f"options are for {jelly}: {self.title} has none")
        return self.open_encoder(types, sink)


def may_be_text(start: bytes) -> bool:
    """May these be the first bytes of a text? A frame of Jelly may start with letters only, too."""
    return not has_control_characters(start) and not is_frame(start)

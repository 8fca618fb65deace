"""The description of a format: its names, its reader and its writer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jelly_rdflib.core.batch import BatchSource
from jelly_rdflib.core.input_start import has_control_characters, is_frame
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.nodes.conversion import NodeFactory, NodeTypes
from jelly_rdflib.options import Directions, Limits, RepeatedOptions


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The settings of a reader; each format uses the settings that concern it.

    Args:
        factory: Makes the nodes of the batches.
        limits, strict, base, isolated, generalized, directions: As for
            `jelly_rdflib.read_statements`.
        by_grammar: Whether to check IRIs of N-Triples, N-Quads, Turtle and TriG by the grammar
            alone, as rdflib does, if ``strict`` is off.
        holds_changes: Whether the input must have changes or statements; None for either.
        is_quiet: Whether to ignore the logical type of Jelly-RDF.
        label_prefix: A prefix for the labels that blank nodes have in RDF text.
        made_label_prefix: A prefix for the labels that are generated for blank nodes without one.
        on_repeated_options: As for `jelly_rdflib.PatchDecoder`.
        faults: A list to which recoverable errors are appended; None: the first one is raised.
    """

    factory: NodeFactory
    limits: Limits
    holds_changes: bool | None = None
    strict: bool = True
    by_grammar: bool = False
    is_quiet: bool = False
    base: str | None = None
    isolated: bool = False
    generalized: bool = False
    directions: Directions = "keep"
    label_prefix: str = ""
    made_label_prefix: str = ""
    on_repeated_options: RepeatedOptions = "continue"
    faults: list[DecodeError] | None = None


@dataclass(frozen=True, kw_only=True)
class Format:
    """A serialization of changes or statements, with its reader and its writer.

    Args:
        name: The usual name, and the name of the format's rdflib plugins, if it has any.
        title: Its name in messages.
        aliases: Other names.
        extensions: Endings of file names, without the dot; the preferred one first.
        media_types: Media types; the preferred one first.
        holds_changes: Whether the format is for changes; else it is for statements, which are read
            as additions.
        is_text: Whether the format is a text format.
        start: Matches the first bytes; None: the first bytes don't show the format.
        open_batches: Called with the format, a source that `open_source` returned, and a `Reading`;
            returns the batches.
        open_encoder: Called with the classes of nodes, the options (the format, if it has no
            options), and the sink. All encoders have ``write_batch`` and ``finish``.
        options_type: The class of the options, whose instances are the defaults; None: the format
            has no options. Only Jelly has options; they distinguish Jelly-RDF and Jelly-Patch.
        has_graphs: Whether statements may be in named graphs.
        has_triple_terms: Whether quoted triples can be written.
        has_prefixes: Whether the format can declare prefixes, or namespaces.
        has_directions: Whether `LineEncoder` may write literals with a base direction.
        is_generalized: Whether `LineEncoder` may write any term in any position of a statement.
        parser: The format's name in pyoxigraph's ``RdfFormat``; empty: this package itself reads
            and writes the format, which has no relative IRIs.
    """

    # A ChangeFormat if holds_changes is True, else a StatementFormat.
    name: Any
    title: str
    aliases: tuple[str, ...] = ()
    extensions: tuple[str, ...]
    media_types: tuple[str, ...]
    holds_changes: bool = True
    is_text: bool = True
    start: re.Pattern[bytes] | None = None
    open_batches: Callable[[Format, memoryview | ByteSource, Reading], BatchSource]
    open_encoder: Callable[[NodeTypes, Any, Callable[[bytes], object]], Any]
    options_type: Callable[[], Any] | None = None
    has_graphs: bool = True
    has_triple_terms: bool = True
    has_prefixes: bool = True
    has_directions: bool = False
    is_generalized: bool = False
    parser: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """All names but the file extensions."""
        return (self.name, *self.aliases, *self.media_types)

    @property
    def labels_last(self) -> bool:
        """Whether each blank node has a label in the text, so that later versions can keep it.

        In the other syntaxes blank nodes need no label.
        """
        return not self.parser

    def starts_like(self, start: bytes) -> bool:
        """Return whether an input with these first bytes looks like this format."""
        return self.start is not None and matches(self.start, start, is_text=self.is_text)

    def make_encoder(self, types: NodeTypes, options: Any, sink: Callable[[bytes], object]) -> Any:
        """Make an encoder with the options of the stream; None means the default options.

        Raises:
            ValueError: Options are given, but the format has none.
            ImportError: The format needs a package that is not installed, or is too old.
        """
        if self.options_type is not None:
            return self.open_encoder(types, options or self.options_type(), sink)
        if options is not None:
            jelly = "Jelly-Patch" if self.holds_changes else "Jelly-RDF"
            raise ValueError(f"options are for {jelly}: {self.title} has none")
        return self.open_encoder(types, self, sink)


def matches(pattern: re.Pattern[bytes], start: bytes, *, is_text: bool = True) -> bool:
    """Return whether the first bytes match a pattern.

    A Jelly frame may happen to start with the same bytes as a text. So the first bytes of a text
    must also not look like a frame.
    """
    if is_text and (has_control_characters(start) or is_frame(start)):
        return False
    return pattern.match(start) is not None

"""The store plugin, with parsers and serializers for the store, under rdflib's format names.

rdflib's parsers of N-Triples, N-Quads, Turtle and TriG add one triple at a time, and its
serializers of N-Triples and N-Quads make a node for each term. The first `JellyStore` imports this
module, which replaces them with faster ones. For other stores, and for features that the faster
ones don't support, these call the plugins that were registered before.
"""

from __future__ import annotations

import io
import secrets
import shutil
import tempfile
from importlib.util import find_spec
from typing import IO, Any

import rdflib.plugin
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, Graph
from rdflib.parser import InputSource, Parser
from rdflib.serializer import Serializer
from rdflib.term import BNode

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import EncodeError, LogWarning
from jelly_rdflib.formats import find_format
from jelly_rdflib.formats.format import Format
from jelly_rdflib.graph.apply import apply_statements
from jelly_rdflib.graph.graphs import write_graph
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.options import Directions, Limits
from jelly_rdflib.plugins import n3_parser as n3_parser
from jelly_rdflib.plugins.calls import find_caller, find_target, get_bytes
from jelly_rdflib.plugins.parser_errors import raising_parser_errors
from jelly_rdflib.store.jelly_store import JellyStore
from jelly_rdflib.streams.writing import StatementWriter

__all__ = ["JellyStore"]

# An unfinished output with more bytes than this is kept in a temporary file, not in memory.
_SPOOLED = 1 << 24


def _open_file(store: JellyStore, path: str, *, create: bool) -> None:
    # Import this here, since importing what a log needs takes as long as all the rest.
    from jelly_rdflib.plugins.store_file import StoreFile

    StoreFile(store, path, create=create)
    graph = find_caller(Graph.open)
    if not isinstance(graph, ConjunctiveGraph | None) and isinstance(graph.identifier, BNode):
        warn(
            "the graph has no name, so it will not be found in the file again: name it, such as"
            " Graph('Jelly', 'urn:people'), or open a Dataset",
            LogWarning,
        )


JellyStore.open_file = _open_file


def _replace(ours: Any, kind: Any, format: Format) -> Any:
    """Register our plugin for a format; return the plugin that was registered before."""
    known = {plugin.name for plugin in rdflib.plugin.plugins(None, kind)}
    names = known.intersection((*format.names, *format.extensions))
    other = rdflib.plugin.get(min(names), kind)
    for name in names:
        rdflib.plugin.register(name, kind, __name__, ours.__name__)
    return other


class StoreParser(Parser):
    """Adds the statements of a text to a graph or dataset of a `JellyStore`, without making nodes.

    Each subclass has a format.
    """

    _format: Format
    # The parser for other stores.
    _other: type[Parser]

    def __init_subclass__(cls, format: str) -> None:
        cls._format = find_format(format)
        cls._other = _replace(cls, Parser, cls._format)

    def parse(self, source: InputSource, sink: Graph, *more: Any, **settings: Any) -> None:
        """Add the statements of the text to the sink: all of them, or none after an error.

        Blank nodes get new labels, as with rdflib's own parsers, so that no two texts share a blank
        node. But blank nodes that have no label in the text get the same labels in each store that
        was empty before. A prefix that the graph has for another IRI keeps that IRI.

        Args:
            source: The input that rdflib has opened.
            sink: The graph to add to. The default graph of a Dataset stands for the dataset.
            more, settings: ``limits``, see `jelly_rdflib.Limits`, and ``directions``, see
                `jelly_rdflib.read_statements`. With any other setting the parser for other stores
                parses the text.

        Raises:
            DecodeError: The input breaks a rule of the format.
            LimitError: The input exceeds ``limits``.
        """
        target = find_target(sink)
        limits: Limits | None = settings.pop("limits", None)
        directions: Directions = settings.pop("directions", "keep")
        if (
            type(sink.store) is not JellyStore
            or more
            or settings
            or (self._format.has_graphs and not Target(target).is_dataset)
        ):
            if limits is not None or directions != "keep":
                raise ValueError(
                    "limits and directions are only for a JellyStore, without any other setting"
                )
            self._other().parse(source, sink, *more, **settings)
            return
        base = None
        prefix = f"N{secrets.token_hex(8)}"
        if self._format.parser:
            base = target.absolutize(source.getPublicId() or source.getSystemId() or "")
        parsing = vars(target.store)
        # Blank nodes without labels may get fixed labels only if the store has no nodes of the
        # same text, and gets none now from another thread.
        is_first = parsing.setdefault("_first_parser", self) is self
        try:
            is_empty = not any(True for _ in target.store.triples((None, None, None)))
            with raising_parser_errors():
                apply_statements(
                    get_bytes(source, self._format),
                    target,
                    limits=limits,
                    strict=False,
                    by_grammar=True,
                    format=self._format,
                    base=base,
                    directions=directions,
                    label_prefix=prefix,
                    made_label_prefix="" if is_first and is_empty else prefix,
                )
        finally:
            if is_first:
                del parsing["_first_parser"]


class StoreSerializer(Serializer):
    """Writes a graph or dataset of a `JellyStore` as lines of text, without making nodes.

    Each subclass has a format.
    """

    _format: Format
    # The serializer for other stores.
    _other: type[Serializer]

    def __init_subclass__(cls, format: str) -> None:
        cls._format = find_format(format)
        cls._other = _replace(cls, Serializer, cls._format)

    def __init__(self, store: Graph) -> None:
        super().__init__(store)
        if type(store.store) is not JellyStore:
            # Make the other serializer here: if it refuses the store, it must do so before a file
            # is opened.
            self._other(store)

    def serialize(
        self,
        stream: IO[bytes],
        base: str | None = None,
        encoding: str | None = None,
        **settings: Any,
    ) -> None:
        """Write all statements, sorted, in canonical form.

        If RDF 1.1 does not allow a statement, for example one with a relative IRI, the serializer
        for other stores writes all statements instead, or raises an error.
        """
        graph = self.store
        if (
            type(graph.store) is not JellyStore
            or base is not None
            or encoding not in (None, "utf-8")
            or settings
            or isinstance(graph, ConjunctiveGraph) != self._format.has_graphs
        ):
            self._other(graph).serialize(stream, base=base, encoding=encoding, **settings)
            return
        # If the stream can't take back written bytes, collect all bytes before writing any.
        can_take_back = isinstance(stream, io.BytesIO | io.BufferedWriter) and stream.seekable()
        with tempfile.SpooledTemporaryFile(_SPOOLED) as spool:
            place: Any = stream if can_take_back else spool
            start = place.tell()
            try:
                with StatementWriter(place, format=self._format.name) as writer:
                    write_graph(graph, writer, namespaces=False)
            except EncodeError:
                place.seek(start)
                place.truncate()
                self._other(graph).serialize(stream, encoding="utf-8")
                return
            if place is spool:
                spool.seek(0)
                shutil.copyfileobj(spool, stream)


class NTriplesParser(StoreParser, format="n-triples"):
    """Adds N-Triples to a `JellyStore`."""


class NQuadsParser(StoreParser, format="n-quads"):
    """Adds N-Quads to a `JellyStore`; lists a dataset's default graph, as rdflib's parser does."""

    def parse(self, source: InputSource, sink: Graph, *more: Any, **settings: Any) -> None:
        super().parse(source, sink, *more, **settings)
        if type(sink.store) is JellyStore and sink.identifier == DATASET_DEFAULT_GRAPH_ID:
            sink.store.add_graph(sink)


# Turtle and TriG are parsed by pyoxigraph, which is an extra.
if find_spec("pyoxigraph") is not None:

    class TurtleParser(StoreParser, format="turtle"):
        """Adds Turtle to a `JellyStore`."""

    class TriGParser(StoreParser, format="trig"):
        """Adds TriG to a `JellyStore`."""


class NTriplesSerializer(StoreSerializer, format="n-triples"):
    """Writes a graph of a `JellyStore` as N-Triples."""


class NQuadsSerializer(StoreSerializer, format="n-quads"):
    """Writes a dataset of a `JellyStore` as N-Quads."""

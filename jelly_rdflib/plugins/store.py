"""The store plugin, with parsers and serializers for it under rdflib's own names of formats.

rdflib's parsers of N-Triples, N-Quads, Turtle and TriG add triple by triple, and its serializers of
N-Triples and N-Quads make a node of each term. When this module is imported, which the first
`JellyStore` needs, ours take their places. They hand all other stores, and what they don't support,
to those that were registered before.
"""

from __future__ import annotations

import secrets
from importlib.util import find_spec
from typing import IO, Any

import rdflib.plugin
from rdflib.graph import Graph
from rdflib.parser import InputSource, Parser
from rdflib.serializer import Serializer

from jelly_rdflib.formats import find_format
from jelly_rdflib.formats.format import Format
from jelly_rdflib.graph.apply import apply_statements
from jelly_rdflib.graph.graphs import write_graph
from jelly_rdflib.graph.stores.contents import Contents
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.options import Limits
from jelly_rdflib.plugins.calls import find_target, get_bytes
from jelly_rdflib.store.jelly_store import JellyStore
from jelly_rdflib.streams.writing import StatementWriter

__all__ = ["JellyStore"]


class StoreParser(Parser):
    """Adds the statements of a text to a graph or dataset of a `JellyStore`; no node is made.

    Subclasses say of which format.
    """

    format: Format
    other: type[Parser]
    """The parser for other stores."""

    def parse(self, source: InputSource, sink: Graph, *more: Any, **settings: Any) -> None:
        """Add what the text has to the sink: all of it, or nothing if there is an error.

        Pending changes of the store are committed before, and what is added is committed, as by
        `jelly_rdflib.apply`. Blank nodes get new labels, as by rdflib's own parsers. A prefix
        that the graph has for another IRI stays what it is.

        Args:
            source: Where rdflib found the text.
            sink: What to add to. The default graph of a Dataset stands for the dataset.
            more, settings: ``limits``, as for `jelly_rdflib.read_statements`. Any other setting is
                for the parser for other stores, which then parses the text.

        Raises:
            DecodeError, LimitError: As for `jelly_rdflib.read_statements` with ``strict=False``.
        """
        target = find_target(sink)
        limits: Limits | None = settings.pop("limits", None)
        if (
            type(sink.store) is not JellyStore
            or more
            or settings
            or (self.format.has_graphs and not Target(target).is_dataset)
        ):
            if limits is not None:
                raise ValueError("limits are only for a JellyStore, without any other setting")
            self.other().parse(source, sink, *more, **settings)
            return
        base = None
        if self.format.parser:
            base = target.absolutize(source.getPublicId() or source.getSystemId() or "")
        apply_statements(
            get_bytes(source, self.format),
            target,
            limits=limits,
            strict=False,
            format=self.format,
            base=base,
            label_prefix=f"N{secrets.token_hex(8)}",
        )


class StoreSerializer(Serializer):
    """Writes a graph or dataset of a `JellyStore` as lines of text; no node is made.

    Subclasses say in which format.
    """

    format: Format
    other: type[Serializer]
    """The serializer for other stores."""

    def __init__(self, store: Graph) -> None:
        super().__init__(store)
        if type(store.store) is not JellyStore:
            # It may refuse the store, which is to come before a file is opened.
            self.other(store)

    def serialize(
        self,
        stream: IO[bytes],
        base: str | None = None,
        encoding: str | None = None,
        **settings: Any,
    ) -> None:
        """Write all statements, sorted, in canonical form.

        Raises:
            EncodeError: A statement is not one of RDF 1.1.
        """
        graph = self.store
        if (
            type(graph.store) is not JellyStore
            or base is not None
            or encoding not in (None, "utf-8")
            or settings
            or Contents(graph).is_dataset != self.format.has_graphs
        ):
            self.other(graph).serialize(stream, base=base, encoding=encoding, **settings)
            return
        with StatementWriter(stream, format=self.format.name) as writer:
            write_graph(graph, writer, namespaces=False)


class NTriplesParser(StoreParser):
    """Adds N-Triples to a `JellyStore`."""

    format = find_format("n-triples")
    other = rdflib.plugin.get("nt", Parser)


class NQuadsParser(StoreParser):
    """Adds N-Quads to a `JellyStore`."""

    format = find_format("n-quads")
    other = rdflib.plugin.get("nquads", Parser)


class TurtleParser(StoreParser):
    """Adds Turtle to a `JellyStore`."""

    format = find_format("turtle")
    other = rdflib.plugin.get("turtle", Parser)


class TriGParser(StoreParser):
    """Adds TriG to a `JellyStore`."""

    format = find_format("trig")
    other = rdflib.plugin.get("trig", Parser)


class NTriplesSerializer(StoreSerializer):
    """Writes a graph of a `JellyStore` as N-Triples."""

    format = find_format("n-triples")
    other = rdflib.plugin.get("nt", Serializer)


class NQuadsSerializer(StoreSerializer):
    """Writes a dataset of a `JellyStore` as N-Quads."""

    format = find_format("n-quads")
    other = rdflib.plugin.get("nquads", Serializer)


def _register(kind: Any, ours: type[StoreParser] | type[StoreSerializer]) -> None:
    format = ours.format
    # Turtle and TriG are parsed by pyoxigraph, which is an extra.
    if format.parser and find_spec("pyoxigraph") is None:
        return
    known = {plugin.name for plugin in rdflib.plugin.plugins(None, kind)}
    for name in known.intersection((*format.names, *format.extensions)):
        rdflib.plugin.register(name, kind, __name__, ours.__name__)


for _parser in (NTriplesParser, NQuadsParser, TurtleParser, TriGParser):
    _register(Parser, _parser)
for _serializer in (NTriplesSerializer, NQuadsSerializer):
    _register(Serializer, _serializer)

"""The serializer plugin of Jelly-RDF: `Graph.serialize` and `Dataset.serialize`."""

from __future__ import annotations

from typing import IO

from rdflib.graph import ConjunctiveGraph
from rdflib.serializer import Serializer

from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.graph.graphs import write_graph
from jelly_rdflib.options import PhysicalStreamType, StreamOptions
from jelly_rdflib.plugins.calls import check_not_decoded
from jelly_rdflib.streams.writing import StatementWriter


class JellySerializer(Serializer):
    """Writes a graph or dataset as Jelly-RDF.

    Examples:
        >>> import jelly_rdflib
        >>> from rdflib import Graph, Literal, URIRef
        >>> graph = Graph().add((URIRef("urn:s"), URIRef("urn:p"), Literal("o")))
        >>> data = graph.serialize(format="jelly-rdf", encoding="utf-8")
        >>> list(jelly_rdflib.read_statements(data)) == list(graph)
        True
    """

    def serialize(  # type: ignore[override]
        self,
        stream: IO[bytes],
        base: str | None = None,
        encoding: str | None = None,
        *,
        options: StreamOptions | None = None,
        namespaces: bool | None = None,
    ) -> None:
        """Write one flat stream, or one frame if ``options`` have a grouped logical type.

        ``Graph.serialize`` without a destination returns a str unless an encoding is given: give
        any encoding to get bytes.

        Args:
            stream: The stream to write to.
            base: Ignored: all IRIs are written in full.
            encoding: Ignored: the format is binary.
            options: Options of the stream; by default `StreamOptions()`, with triples for a Graph
                and quads for a Dataset, and with namespaces if the graph has prefixes.
            namespaces: Whether to declare the prefixes; by default if the options allow it.

        Raises:
            TypeError: The bytes would be decoded to a str.
            EncodeError: The graph has something that the options don't allow.
        """
        check_not_decoded(JELLY)
        if options is not None and not isinstance(options, StreamOptions):
            raise TypeError(f"options must be StreamOptions, not {type(options).__name__}")
        if options is None:
            is_dataset = isinstance(self.store, ConjunctiveGraph)
            physical = PhysicalStreamType.QUADS if is_dataset else PhysicalStreamType.TRIPLES
            options = StreamOptions(
                physical_type=physical,
                namespace_declarations=namespaces is not False and any(self.store.namespaces()),
            )
        if namespaces is None or not any(self.store.namespaces()):
            namespaces = options.namespace_declarations
        with StatementWriter(stream, options) as writer:
            write_graph(self.store, writer, namespaces=namespaces)

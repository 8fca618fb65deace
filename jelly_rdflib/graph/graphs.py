"""Streams of graphs and datasets: Jelly-RDF with one graph or dataset per frame or message."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rdflib.graph import Dataset, Graph
from rdflib.namespace import NamespaceManager
from rdflib.store import Store

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.warning import warn
from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import ApplyError, DecodeError, EncodeError
from jelly_rdflib.formats import guess_by_name
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.graph.stores.contents import Contents
from jelly_rdflib.operations import Operation
from jelly_rdflib.options import (
    Directions,
    Limits,
    LogicalStreamType,
    PhysicalStreamType,
    StreamOptions,
)
from jelly_rdflib.streams.frames import FrameIterator, message_parts, read_frames
from jelly_rdflib.streams.writing import StatementWriter
from jelly_rdflib.types import Readable, Writable


def read_graphs(
    source: Readable,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    strict: bool = True,
    directions: Directions = "keep",
) -> GraphIterator:
    """Iterate over the graphs or datasets of a Jelly-RDF stream, one for each frame.

    A stream of messages (Jelly-RDF 1.2, a draft) yields one for each message, however the messages
    are cut into frames.

    Blank nodes keep their labels, so that frames may describe the same node. The namespaces that a
    frame declares are bound in its graph.

    Args:
        source: The input: bytes, a path or a binary file; see `jelly_rdflib.read_statements`.
        limits: The limits for the input; by default `jelly_rdflib.Limits()`.
        normalize: Whether literals get the normal form of their value; see
            `jelly_rdflib.read_statements`.
        strict: Whether to refuse a stream whose logical type does not fit its physical type (see
            `jelly_rdflib.read_statements`), or is flat: the frames of a flat stream are not graphs,
            since the writer may start a frame anywhere. If False, such a stream is read frame by
            frame, with a warning.
        directions: What to do with the base directions of literals: ``"keep"`` makes them an error
            here, ``"drop"`` leaves them out; see `jelly_rdflib.read_statements`.

    Returns:
        An iterator over rdflib `Graph`s for a stream of triples, over `Dataset`s for other streams.

    Raises:
        ApplyError: rdflib can't hold a statement: see `jelly_rdflib.read_frames`.
        DecodeError: The input breaks a rule of the format.
        LimitError: The input exceeds ``limits``.
        TypeError: ``source`` has the wrong type.
        OSError: The path can't be opened or read.

    See Also:
        - `write_graphs`: writes such streams.
        - `read_frames`: frames with their metadata.

    Examples:
        >>> import io
        >>> from rdflib import Literal, URIRef
        >>> graph = Graph().add((URIRef("urn:s"), URIRef("urn:p"), Literal(1)))
        >>> file = io.BytesIO()
        >>> write_graphs([graph, Graph()], file)
        >>> [len(graph) for graph in read_graphs(file.getvalue())]
        [1, 0]
    """
    frames = read_frames(
        source, limits=limits, normalize=normalize, strict=strict, directions=directions
    )
    return GraphIterator(frames, strict=strict)


class GraphIterator:
    """Iterates over the graphs of a stream; see `read_graphs`."""

    def __init__(self, frames: FrameIterator, *, strict: bool) -> None:
        self._frames = frames
        self._is_strict = strict
        self._parts = self._read_parts()

    def __iter__(self) -> GraphIterator:
        return self

    def __repr__(self) -> str:
        return f"<GraphIterator of {self._frames!r}>"

    def __next__(self) -> Graph:
        """Return the next graph; after an ApplyError, the following graphs can still be read."""
        # A message may continue in the next frame.
        part, is_end = next(self._parts)
        is_triples = self.options and self.options.physical_type == PhysicalStreamType.TRIPLES
        graph = Graph() if is_triples else Dataset()
        try:
            apply(part, graph, atomic=False)
            while not is_end:
                found = next(self._parts, None)
                if found is None:
                    break
                part, is_end = found
                apply(part, graph, atomic=False)
        except ApplyError:
            while not is_end:
                _, is_end = next(self._parts, ((), True))
            raise
        except DecodeError as error:
            # The stream ends here: the rest of a failed message must not be returned as a graph.
            self._parts = iter(())
            if error.offset is None:
                self._frames.place_error(error)
            self.close()
            raise
        return graph

    def _read_parts(self) -> Iterator[tuple[Batch | Iterable[Operation], bool]]:
        batches = (frame.batch for frame in self._frames)
        # Empty frames may come before the options, which determine what the frames mean.
        for early, batch in enumerate(batches):
            if self.options is not None:
                self._check_grouped(self.options, early)
                if batch.message_ends is None:
                    yield from itertools.repeat(((), True), early)
                for part, is_end, _ in message_parts(itertools.chain([batch], batches)):
                    yield part, is_end

    def close(self) -> None:
        """Stop reading, and close the file if the reader opened it."""
        self._frames.close()

    @property
    def options(self) -> StreamOptions | None:
        """The stream's options, or None before the first frame is read."""
        return self._frames.options

    def _check_grouped(self, options: StreamOptions, number: int) -> None:
        if not options.is_flat:
            return
        message = (
            f"the stream is flat (logical type {show(options.logical_type)}): its frames are not"
            " graphs; read it with read_statements()"
        )
        if self._is_strict:
            self.close()
            raise DecodeError(message, offset=0, frame=number + 1)
        warn(message)


def write_graphs(
    graphs: Iterable[Graph],
    destination: Writable,
    options: StreamOptions | None = None,
    *,
    namespaces: bool = False,
) -> None:
    """Write graphs or datasets to a Jelly-RDF stream: one frame for each.

    Args:
        graphs: rdflib `Graph`s or `Dataset`s.
        destination: A path, whose name ends with ``.jelly``, ``.jelly.gz`` or ``.jelly.zst``; or a
            binary file object, which stays open.
        options: The stream's options. By default the first graph decides: triples for a `Graph`,
            quads for a `Dataset`. If the logical type is not for graphs or datasets, it becomes
            GRAPHS for triples, DATASETS for others.
        namespaces: Whether to declare the prefixes of each graph in its frame.

    If ``graphs`` is empty, the stream reads as one empty graph, since its options are in a frame.

    Raises:
        EncodeError: A graph has something that the options don't allow: named graphs in a stream of
            triples, or namespaces in a stream without them.
        LookupError: The path does not have the extension of a Jelly-RDF file.
        TypeError: An element of ``graphs`` is not a graph.
        OSError: The path can't be opened or written.

    See Also:
        - `read_graphs`: reads such streams.
        - `StatementWriter`: writes statement by statement.

    Examples:
        >>> import io
        >>> file = io.BytesIO()
        >>> write_graphs([Dataset(), Dataset()], file)
        >>> len(list(read_frames(file.getvalue())))
        2
    """
    if isinstance(destination, str | os.PathLike) and guess_by_name(destination) is not JELLY:
        raise LookupError(
            "the name of a Jelly-RDF file must end with .jelly, .jelly.gz or .jelly.zst, unlike"
            f" {os.fspath(destination)!r}"
        )
    if isinstance(graphs, Graph):
        raise TypeError(f"give a list of graphs, [graph], not a {type(graphs).__name__}")
    graphs = iter(graphs)
    first = list(itertools.islice(graphs, 1))
    # Check that the first items are graphs before a file is made.
    is_dataset = any(Contents(graph).is_dataset for graph in first)
    if options is None:
        options = StreamOptions(
            physical_type=PhysicalStreamType.QUADS if is_dataset else PhysicalStreamType.TRIPLES,
            namespace_declarations=namespaces,
        )
    if not options.is_grouped:
        is_triples = options.physical_type == PhysicalStreamType.TRIPLES
        options = replace(
            options,
            logical_type=LogicalStreamType.GRAPHS if is_triples else LogicalStreamType.DATASETS,
        )
    if namespaces and not options.namespace_declarations:
        raise EncodeError("to declare namespaces, options need namespace_declarations=True")
    with StatementWriter(destination, options, format=JELLY.name) as writer:
        for graph in itertools.chain(first, graphs):
            write_graph(graph, writer, namespaces=namespaces)
            writer.end_frame()


def empty_dataset(store: str | Store = "Jelly") -> Dataset:
    """Make a dataset without the prefixes that rdflib binds by default."""
    dataset = Dataset(store=store)
    dataset._bind_namespaces = "none"
    dataset.namespace_manager = NamespaceManager(dataset, bind_namespaces="none")
    # The default graph's own manager would bind these prefixes when something is parsed into the
    # graph.
    dataset.default_graph.namespace_manager = dataset.namespace_manager
    return dataset


def write_graph(graph: Graph, writer: StatementWriter, *, namespaces: bool) -> None:
    """Write the statements of a graph or dataset; with ``namespaces``, write its prefixes first."""
    contents = Contents(graph)
    if namespaces:
        for prefix, iri in sorted(graph.namespaces()):
            writer.add_namespace(prefix, iri)
    for batch in contents.batches():
        writer.write_all(batch)

"""Writing changes and statements to a path or a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

from jelly_rdflib.core.batch import Batch, OperationReader
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.formats import choose_format
from jelly_rdflib.nodes import NODE_TYPES, as_iri, rows_of
from jelly_rdflib.nodes.conversion import OperationSink, StatementSink
from jelly_rdflib.operations import GivenStatement, Operation
from jelly_rdflib.options import PatchOptions, StreamOptions
from jelly_rdflib.streams.destination import Destination
from jelly_rdflib.streams.patch_operations import PatchOperations
from jelly_rdflib.types import (
    ChangeFormat,
    JellyFormat,
    JellyPatchFormat,
    StatementFormat,
    Writable,
)

if TYPE_CHECKING:
    from rdflib.term import Node
    from typing_extensions import Self


def _open(
    destination: Writable,
    options: PatchOptions | StreamOptions | None,
    format: str | None,
    *,
    holds_changes: bool,
) -> tuple[Destination, Any, str]:
    """Open a destination; return it, the encoder that writes to it, and the name of the format."""
    opened = Destination(destination)
    found = choose_format(destination, format, holds_changes=holds_changes)
    encoder = found.make_encoder(NODE_TYPES, options, opened.write)
    # The file is opened last, so that invalid options overwrite nothing.
    opened.open()
    return opened, encoder, found.name


class PatchWriter(OperationSink):
    """Writes changes: a Jelly-Patch stream, or RDF Patch as text or in Thrift.

    As a context manager it closes the stream at the end of the block; if the block is left by an
    exception, an open transaction is aborted (``TA``) first. Each frame is written in one piece.

    Args:
        destination: A path, whose file is replaced, or a binary file object, which stays open. A
            path that ends with ``.gz`` or ``.zst`` makes a compressed file.
        options: The options of a Jelly-Patch stream; by default `PatchOptions()`. RDF Patch has no
            options.
        format: ``"jelly-patch"``, ``"rdf-patch"``, ``"rdf-patch-thrift"`` or
            ``"jelly-patch-text"``, or a file extension or media type of one of them. None: by the
            path's extension (``.jellyp``, ``.rdfp``, ``.rdfpb``, ``.jellyp.txt``); for a file
            object Jelly-Patch. Jelly-Patch as text needs the extra ``protobuf``.

    Raises:
        EncodeError: Raised by methods: an operation can't be expressed with the options, or is out
            of place. The failed call leaves no trace in the stream.
        RuntimeError: Raised by methods: another thread is already writing, or the file's ``write``
            has called the writer. The running call continues, and nothing is lost.
        LookupError: ``format`` or the path's extension is unknown, or is that of a format for
            statements.
        ImportError: The format needs a package that is not installed; the message names the extra.
        ValueError: Options are given, but the format has none.
        OSError: The path can't be opened or written.

    See Also:
        - `record`: writes the changes of a graph.
        - `PatchEncoder`: frames for a message queue.

    Examples:
        >>> import io
        >>> from rdflib import Literal, URIRef
        >>> file = io.BytesIO()
        >>> with PatchWriter(file, format="rdf-patch") as writer:
        ...     writer.header("id", URIRef("urn:uuid:1"))
        ...     writer.begin()
        ...     writer.add_prefix("ex", URIRef("http://example.org/"))
        ...     writer.add(URIRef("http://example.org/s"), URIRef("urn:p"), Literal("o"))
        ...     writer.commit()
        >>> print(file.getvalue().decode(), end="")
        H id <urn:uuid:1> .
        TX .
        PA "ex" "http://example.org/" .
        A <http://example.org/s> <urn:p> "o" .
        TC .
    """

    @overload
    def __init__(
        self,
        destination: Writable,
        options: PatchOptions | None = None,
        *,
        format: JellyPatchFormat | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self, destination: Writable, options: None = None, *, format: ChangeFormat | None = None
    ) -> None: ...
    def __init__(
        self,
        destination: Writable,
        options: PatchOptions | None = None,
        *,
        format: ChangeFormat | None = None,
    ) -> None:
        opened = _open(destination, options, format, holds_changes=True)
        self._destination, encoder, self._format = opened
        super().__init__(NODE_TYPES, encoder)

    def __repr__(self) -> str:
        return f"<PatchWriter: {self._format} to {self._destination}>"

    @property
    def options(self) -> PatchOptions | None:
        """The stream's options, or None if the format has no options."""
        options: PatchOptions | None = self.encoder.options
        return options

    def write_all(self, operations: Iterable[Operation] | Batch) -> None:
        """Write all operations of an iterable, `Batch`, `Patch` or reader."""
        slices = operations.slices if isinstance(operations, PatchOperations) else None
        for part in slices or ():
            super().write_all(part.as_batch())
        if slices is not None:
            return
        if not isinstance(operations, OperationReader):
            super().write_all(operations)
            return
        for part in rows_of(operations):
            super().write_all(part.as_batch())

    def add_prefix(self, prefix: str, iri: str, graph: Node | None = None) -> None:
        """Write the binding of a prefix.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef, a Namespace, or a str.
            graph: The graph in which the prefix is bound; None in a stream of triples, and for the
                default graph.
        """
        super().add_prefix(prefix, as_iri(iri), graph)

    def delete_prefix(self, prefix: str, iri: str | None = None, graph: Node | None = None) -> None:
        """Write that a prefix is no longer bound; the arguments are those of `add_prefix`."""
        super().delete_prefix(prefix, as_iri(iri), graph)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is None:
            self.close()
        else:
            self._destination.close_after(self.encoder.finish)

    def close(self) -> None:
        """End an open patch, write the buffered rows, and close the file if the writer opened it.

        Raises:
            EncodeError: A transaction was open; it is now aborted (``TA``).
            RuntimeError: Another thread is writing, or the file's ``write`` has called this
                method; nothing is closed.
        """
        was_in_transaction = self._destination.is_open and self.in_transaction
        self._destination.close_after(self.encoder.finish)
        if was_in_transaction:
            raise EncodeError(
                "the stream was closed inside a transaction, which is now aborted:"
                " commit() or abort() it first"
            )


class StatementWriter(StatementSink):
    """Writes statements: a Jelly-RDF stream, or another RDF syntax.

    As a context manager it closes the stream at the end of the block. If an exception leaves the
    block, an unfinished graph or dataset of Jelly-RDF is left out; if it is the first one, the
    options are left out, too. A frame is written in one piece; a text format is written in pieces
    of a few thousand statements.

    In a stream of physical type GRAPHS, a statement whose graph is not the previous one's ends a
    graph and starts another. So write the statements sorted by graph, which needs the fewest rows.

    Args:
        destination: A path, or a binary file object, which stays open. A path that ends with
            ``.gz`` or ``.zst`` makes a compressed file.
        options: The options of a Jelly-RDF stream; by default `StreamOptions()`. If their logical
            type is for graphs or datasets, each frame is one graph or dataset, and only
            `end_frame` ends it. Text formats have no options.
        format: ``"jelly-rdf"``, ``"n-triples"``, ``"n-quads"``, ``"turtle"``, ``"trig"``,
            ``"n3"``, ``"rdf-xml"``, ``"json-ld"``, ``"rdf-thrift"``, ``"rdf-protobuf"`` or
            ``"jelly-text"``, or a file extension or media type of one of them. None: by the path's
            extension (``.jelly``, ``.nt``, ``.nq``, ``.ttl``, …); for a file object Jelly-RDF. RDF
            Protobuf and Jelly-RDF as text need the extra ``protobuf``; Turtle, TriG, N3, RDF/XML
            and JSON-LD need the extra ``syntaxes``.

    Raises:
        EncodeError: Raised by methods: a statement can't be expressed in the format, or with the
            options. The failed call leaves no trace in the stream.
        RuntimeError: Raised by methods: another thread is already writing, or the file's ``write``
            has called the writer. The running call continues, and nothing is lost.
        LookupError: ``format`` or the path's extension is unknown, or is that of a format for
            changes.
        ImportError: The format needs a package that is not installed; the message names the extra.
        ValueError: Options are given, but the format has none.
        OSError: The path can't be opened or written.

    See Also:
        - `write_graphs`: a frame for each graph.
        - `StatementEncoder`: frames for a message queue.

    Examples:
        >>> import io
        >>> from rdflib import Literal, URIRef
        >>> from jelly_rdflib import read_statements
        >>> file = io.BytesIO()
        >>> with StatementWriter(file, StreamOptions(physical_type="TRIPLES")) as writer:
        ...     writer.add(URIRef("http://example.org/s"), URIRef("urn:p"), Literal(1))
        >>> len(list(read_statements(file.getvalue())))
        1
    """

    @overload
    def __init__(
        self,
        destination: Writable,
        options: StreamOptions | None = None,
        *,
        format: JellyFormat | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self, destination: Writable, options: None = None, *, format: StatementFormat | None = None
    ) -> None: ...
    def __init__(
        self,
        destination: Writable,
        options: StreamOptions | None = None,
        *,
        format: StatementFormat | None = None,
    ) -> None:
        opened = _open(destination, options, format, holds_changes=False)
        self._destination, encoder, self._format = opened
        super().__init__(NODE_TYPES, encoder)

    def __repr__(self) -> str:
        return f"<StatementWriter: {self._format} to {self._destination}>"

    @property
    def options(self) -> StreamOptions | None:
        """The stream's options, or None if the format has no options."""
        options: StreamOptions | None = self.encoder.options
        return options

    def write_all(self, statements: Iterable[GivenStatement] | Batch) -> None:
        """Write all statements of an iterable, or all statements and namespaces of a `Batch`.

        Namespaces of a batch are left out if the format or the options don't allow them.
        """
        super().write_all(statements)

    def add_namespace(self, prefix: str, iri: str) -> None:
        """Declare a namespace; this only makes the data easier for people to read.

        In Jelly-RDF the options need ``namespace_declarations``. N-Triples, N-Quads and JSON-LD
        can't declare namespaces, nor can RDF/XML after the first statement: there the namespace is
        left out.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef, a Namespace, or a str.
        """
        super().add_namespace(prefix, as_iri(iri))

    def end_frame(self, metadata: Mapping[str, bytes] | None = None) -> None:
        """End the frame, so that later statements are in the next one; flush a text format.

        Args:
            metadata: Metadata to attach to the frame: a dict of str to bytes. Text formats can't
                have metadata.
        """
        self.encoder.end_frame(metadata)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        finish = self.encoder.finish if error is None else self.encoder.abandon
        self._destination.close_after(finish)

    def close(self) -> None:
        """Write the buffered rows, and close the file if the writer opened it.

        Raises:
            RuntimeError: Another thread is writing, or the file's ``write`` has called this
                method; nothing is closed.
        """
        self._destination.close_after(self.encoder.finish)

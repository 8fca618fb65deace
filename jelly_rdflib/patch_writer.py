"""Writing changes, as people call it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jelly_rdflib.core.destination import Destination
from jelly_rdflib.core.nodes import OperationSink
from jelly_rdflib.encodings import choose_encoding
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.nodes import NODE_TYPES, as_iri
from jelly_rdflib.options import PatchOptions

if TYPE_CHECKING:
    from types import TracebackType

    from rdflib.term import Node
    from typing_extensions import Self

__all__ = ["PatchWriter"]


class PatchWriter(OperationSink):
    """Writes changes: a Jelly-Patch stream, or RDF Patch as text or in Thrift.

    As a context manager it closes the stream at the end of the block; if the block is left by an
    exception, an open transaction is aborted (``TA``) first. Each frame is written in one piece.

    Args:
        destination: A path, or a binary file object, which stays open. A path that ends with
            ``.gz`` or ``.zst`` makes a compressed file.
        options: The options of a Jelly-Patch stream; by default `PatchOptions()`. RDF Patch has
            none.
        format: ``"jelly-patch"``, ``"rdf-patch"`` or ``"rdf-patch-thrift"``, one of its file
            extensions or media types. None: what a path's name says (``.jellyp``, ``.rdfp``,
            ``.rdfpb``), else Jelly-Patch.

    Raises:
        EncodeError: By its methods: what is to be written can't be expressed with the options, or
            is out of place. The stream is then as if it had not been tried.
        RuntimeError: By its methods: another thread is writing at this moment, or the file that is
            written to calls back. That writing goes on, and nothing is lost.
        LookupError: There is no such format for changes, or the path's name says one for
            statements.
        ValueError: There are options, but the format has none.
        OSError: The path can't be opened or written.

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

    def __init__(
        self, destination: Any, options: PatchOptions | None = None, *, format: str | None = None
    ) -> None:
        opened = Destination(destination)
        encoding = choose_encoding(destination, format, holds_changes=True)
        encoder = encoding.make_encoder(NODE_TYPES, options, opened.write)
        super().__init__(NODE_TYPES, encoder)
        self._destination = opened
        # Last, so that nothing is overwritten for want of good options.
        self._destination.open()

    @property
    def options(self) -> PatchOptions | None:
        """The stream's options; None for a text."""
        options: PatchOptions | None = self.encoder.options
        return options

    def add_prefix(self, prefix: str, iri: str, graph: Node | None = None) -> None:
        """Write that a prefix is bound.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef, a Namespace, or a str.
            graph: The graph whose prefix it is; None in a stream of triples, and for the default
                graph.
        """
        super().add_prefix(prefix, as_iri(iri), graph)

    def delete_prefix(self, prefix: str, iri: str | None = None, graph: Node | None = None) -> None:
        """Write that a prefix is no longer bound; arguments as for `add_prefix`."""
        super().delete_prefix(prefix, as_iri(iri), graph)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            self._destination.close_after(self.encoder.finish)

    def close(self) -> None:
        """End an open patch, write what is left, and close the file if the writer opened it.

        Raises:
            EncodeError: A transaction is open; it has been aborted (``TA``).
            RuntimeError: Another thread is writing, or the file calls back: nothing is closed.
        """
        was_in_transaction = self._destination.is_open and self.in_transaction
        self._destination.close_after(self.encoder.finish)
        if was_in_transaction:
            raise EncodeError(
                "the stream was closed inside a transaction, which is now aborted:"
                " commit() or abort() it first"
            )

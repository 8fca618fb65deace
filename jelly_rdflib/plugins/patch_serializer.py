"""The serializer plugin: `Graph.serialize` and `Dataset.serialize` write a patch."""

from __future__ import annotations

import uuid
from typing import IO, Literal

from rdflib.graph import Graph
from rdflib.serializer import Serializer
from rdflib.term import URIRef

from jelly_rdflib.formats import Format
from jelly_rdflib.formats.jelly import JELLY_PATCH
from jelly_rdflib.formats.rdf_patch import RDF_PATCH, RDF_PATCH_THRIFT
from jelly_rdflib.graph.stores.contents import Contents
from jelly_rdflib.graph.stores.prefixes import find_own_bindings, used_in
from jelly_rdflib.operations import Op
from jelly_rdflib.options import PatchOptions, PatchStatementType
from jelly_rdflib.patch.diff import diff
from jelly_rdflib.plugins.calls import check_not_decoded
from jelly_rdflib.streams.writing import PatchWriter


class PatchSerializer(Serializer):
    """Writes a graph or dataset as the patch that adds, removes or changes it.

    Each subclass has a format.
    """

    format: Format

    def serialize(  # type: ignore[override]
        self,
        stream: IO[bytes],
        base: str | None = None,
        encoding: str | None = None,
        *,
        operation: Literal["add", "remove"] | None = None,
        target: Graph | None = None,
        header_id: str | None = None,
        header_prev: str | None = None,
        options: PatchOptions | None = None,
    ) -> None:
        """Write one patch with one transaction.

        The patch also contains the prefixes: first your own, and then those that rdflib binds by
        itself, if the statements use them. A patch that removes statements has no prefixes.

        ``Graph.serialize`` without a destination returns a str unless an encoding is given: give
        any encoding to get the bytes of a binary format.

        Args:
            stream: The stream to write to.
            base: Ignored: all IRIs are written in full.
            encoding: Ignored: a format is either binary or UTF-8.
            operation: ``"add"`` for a patch that adds all statements and prefixes, ``"remove"``
                for one that deletes the statements. By default ``"add"``, unless ``target`` is
                given.
            target: A graph or dataset. If given, the patch is the one that turns the serialized
                graph or dataset into this one; see `jelly_rdflib.diff`.
            header_id: IRI of the patch, for its header ``id``; by default a new ``uuid:``.
            header_prev: IRI of the previous patch, for the header ``prev``; by default no header.
            options: Options of a Jelly-Patch stream; by default `PatchOptions()`, with triples for
                a Graph and quads for a Dataset.

        Raises:
            ValueError: ``operation`` is unknown, ``operation`` and ``target`` are both given, or
                ``options`` are given for a format other than Jelly-Patch.
            TypeError: The bytes of a binary format would be decoded to a str.
            EncodeError: The graph has something that the options don't allow.
        """
        check_not_decoded(self.format)
        if operation not in (None, "add", "remove"):
            raise ValueError(f"the operation must be 'add' or 'remove', not {operation!r}")
        if operation is not None and target is not None:
            raise ValueError("give an operation or a target, not both")
        graphs = [self.store] if target is None else [self.store, target]
        if options is None and self.format is JELLY_PATCH:
            is_quads = any(Contents(graph).is_dataset for graph in graphs)
            statement_type = PatchStatementType.QUADS if is_quads else PatchStatementType.TRIPLES
            options = PatchOptions(statement_type=statement_type)
        with PatchWriter(stream, options, format=self.format.name) as writer:
            writer.header("id", URIRef(header_id or f"uuid:{uuid.uuid4()}"))
            if header_prev:
                writer.header("prev", URIRef(header_prev))
            writer.begin()
            if target is None:
                _write_all(self.store, writer, is_removed=operation == "remove")
            else:
                # No conversion is needed: a diff has None for the default graph, which all options
                # allow.
                changes = diff(self.store, target)
                writer.write_all(each for each in changes if each[0] not in (Op.TX, Op.TC))
            writer.commit()


class JellyPatchSerializer(PatchSerializer):
    """Writes a graph or dataset as the patch that adds, removes or changes it.

    Examples:
        >>> import jelly_rdflib
        >>> from rdflib import Graph, Literal
        >>> graph = Graph(bind_namespaces="none")
        >>> _ = graph.add((URIRef("urn:s"), URIRef("urn:p"), Literal("o")))
        >>> data = graph.serialize(
        ...     format="jelly-patch", encoding="utf-8", header_id="urn:uuid:1"
        ... )
        >>> for operation in jelly_rdflib.read_operations(data):
        ...     print(operation[0].name, *operation[1:])
        H id urn:uuid:1
        TX
        A urn:s urn:p o None
        TC
        END
    """

    format = JELLY_PATCH


class RdfPatchSerializer(PatchSerializer):
    """Writes a graph or dataset as a patch in RDF Patch text.

    Examples:
        >>> import jelly_rdflib
        >>> from rdflib import Graph, Literal
        >>> graph = Graph(bind_namespaces="none")
        >>> _ = graph.add((URIRef("urn:s"), URIRef("urn:p"), Literal("o")))
        >>> print(graph.serialize(format="rdf-patch", header_id="urn:uuid:1"), end="")
        H id <urn:uuid:1> .
        TX .
        A <urn:s> <urn:p> "o" .
        TC .
    """

    format = RDF_PATCH


class RdfPatchThriftSerializer(PatchSerializer):
    """Writes a graph or dataset as a patch in RDF Patch Thrift."""

    format = RDF_PATCH_THRIFT


def _write_all(graph: Graph, writer: PatchWriter, *, is_removed: bool) -> None:
    """Write operations for all statements, and for prefixes unless the statements are removed.

    Of the prefixes that rdflib binds by itself, only those in use are written: a reader with
    rdflib has them all, and other readers need no more.
    """
    bindings = set() if is_removed else set(graph.namespaces())
    own = bindings & find_own_bindings(graph)
    for prefix, iri in sorted(bindings - own):
        writer.add_prefix(prefix, iri)
    used: set[tuple[str, URIRef]] = set()
    for batch in Contents(graph).batches(Op.D if is_removed else Op.A):
        writer.write_all(batch)
        if own != used:
            used |= used_in(bytes(batch.terms.data), own - used)
    for prefix, iri in sorted(used):
        writer.add_prefix(prefix, iri)

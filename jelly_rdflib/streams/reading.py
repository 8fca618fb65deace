"""Reading changes and statements from any source."""

from __future__ import annotations

from jelly_rdflib.core.batch import OperationReader, StatementReader
from jelly_rdflib.options import Directions, Limits, RepeatedOptions
from jelly_rdflib.streams.open_input import open_input
from jelly_rdflib.types import ChangeFormat, Readable, StatementFormat


def read_operations(
    source: Readable,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: ChangeFormat | None = None,
    on_repeated_options: RepeatedOptions = "continue",
) -> OperationReader:
    """Iterate over the operations of a stream of changes: Jelly-Patch or RDF Patch.

    The memory needed depends on the largest frame, or for RDF Patch on the longest row. A file that
    is opened here is closed at the end of the stream, after an error, and by the iterator's
    ``close()``.

    Args:
        source: Bytes (anything with the buffer protocol), a path, or a binary file object; plain
            or compressed with gzip or zstd; delimited frames or one bare frame.
        limits: Input limits; by default those of `Limits()`.
        normalize: Whether literals get the normal form of their value, as rdflib's own parsers
            do: ``"01"^^xsd:integer`` becomes ``1``. None follows ``rdflib.NORMALIZE_LITERALS``;
            False keeps each lexical form.
        format: ``"jelly-patch"``, ``"rdf-patch"``, ``"rdf-patch-thrift"`` or
            ``"jelly-patch-text"``, or a file extension or media type of one of them. None: by the
            path's extension (``.jellyp``, ``.rdfp``, ``.rdfpb``, ``.jellyp.txt``, also with ``.gz``
            or ``.zst``), or else by the first bytes. Jelly-Patch as text needs the extra
            ``protobuf``.
        on_repeated_options: How to handle a frame that repeats the options; see `PatchDecoder`.
            ``"restart"`` reads Jelly-Patch files that were simply concatenated (``cat a.jellyp
            b.jellyp``).

    Returns:
        An iterator of operations: tuples that start with an `Op`.

    Raises:
        DecodeError: The input breaks a rule of the format. (Raised by the iterator.)
        LimitError: The input exceeds one of ``limits``.
        TypeError: ``source`` has an unsupported type.
        LookupError: ``format`` is not a format for changes.
        ImportError: The format needs a package that is not installed; the message names the extra.
        OSError: The path can't be opened or read.

    See Also:
        - `read_patches`: patch by patch.
        - `read_batches`: columns of numbers, which is faster.
        - `apply`: into a graph or dataset.

    Examples:
        >>> import io
        >>> from rdflib import Literal, URIRef
        >>> from jelly_rdflib import PatchWriter
        >>> file = io.BytesIO()
        >>> with PatchWriter(file) as writer:
        ...     writer.add(URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        >>> for operation in read_operations(file.getvalue()):
        ...     print(operation[0].name, *operation[1:])
        A urn:s urn:p o None
        END
    """
    opened = open_input(
        source,
        holds_changes=True,
        limits=limits,
        normalize=normalize,
        format=format,
        on_repeated_options=on_repeated_options,
    )
    return opened.operations()


def read_statements(
    source: Readable,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    strict: bool = True,
    format: StatementFormat | None = None,
    base: str | None = None,
    isolated: bool = False,
    generalized: bool = False,
    directions: Directions = "keep",
    on_repeated_options: RepeatedOptions = "continue",
) -> StatementReader:
    """Iterate over the statements of a Jelly-RDF stream, or of another RDF syntax.

    The memory needed depends on the largest frame of Jelly-RDF, or the longest line of N-Triples
    and N-Quads. For other syntaxes it is what pyoxigraph needs for the bytes between two
    statements; ``max_frame_size`` limits the number of these bytes. A file that is opened here is
    closed at the end of the stream, after an error, and by the iterator's ``close()``.

    Args:
        source: Bytes (anything with the buffer protocol), a path, or a binary file object; plain
            or compressed with gzip or zstd; Jelly-RDF as delimited frames or one bare frame.
        limits: Input limits; by default those of `Limits()`.
        normalize: Whether literals get the normal form of their value, as rdflib's own parsers
            do. None follows ``rdflib.NORMALIZE_LITERALS``; False keeps each lexical form.
        strict: Whether to refuse a Jelly-RDF stream whose logical type does not fit its physical
            type, and a text with an ill-formed IRI or language tag. If False, the stream is read
            with a warning, and IRIs and language tags of a text are not checked.
        format: ``"jelly-rdf"``, ``"n-triples"``, ``"n-quads"``, ``"turtle"``, ``"trig"``,
            ``"n3"``, ``"rdf-xml"``, ``"json-ld"``, ``"rdf-thrift"``, ``"rdf-protobuf"`` or
            ``"jelly-text"``, or a file extension or media type of one of them. None: by the path's
            extension (``.jelly``, ``.nt``, ``.nq``, ``.ttl``, …, also with ``.gz`` or ``.zst``), or
            else by the first bytes, which works for Jelly-RDF and its text, RDF/XML, JSON-LD and
            RDF Thrift. RDF Protobuf and Jelly-RDF as text need the extra ``protobuf``; Turtle,
            TriG, N3, RDF/XML and JSON-LD need the extra ``syntaxes``.
        base: The base IRI for relative IRIs in a text. Without it, relative IRIs are an error
            unless the text itself declares a base.
        isolated: Whether to parse a text in a child process. Use this for untrusted texts, since
            pyoxigraph may crash, or use much memory or time. ``max_parser_memory`` and
            ``max_parser_seconds`` of ``limits`` bound the child. If it crashes or hangs, a
            `DecodeError` is raised. This has no effect on Jelly-RDF, N-Triples and N-Quads, which
            this package reads itself.
        generalized: Whether N-Triples and N-Quads may have any term in any position, such as a
            literal as a subject, but no quoted triple as a graph. The options of a Jelly-RDF stream
            tell whether it has such statements. For the syntaxes that pyoxigraph reads, True is an
            error.
        directions: What to do with the base directions of RDF 1.2 literals, as in
            ``"x"@ar--rtl``. ``"keep"``: they are a part of the term. rdflib's literals can't have
            a direction, so converting such a term to a node raises an error. ``"drop"``: they are
            left out, with a warning. In JSON-LD for RDF 1.1, where they mean something else, they
            are always left out.
        on_repeated_options: How to handle a frame that repeats the options; see
            `StatementDecoder`. ``"restart"`` reads Jelly-RDF files that were simply concatenated
            (``cat a.jelly b.jelly``).

    Returns:
        An iterator of ``(s, p, o)`` for a stream of triples, of ``(s, p, o, g)`` for one of quads
        or graphs; the default graph is rdflib's ``DATASET_DEFAULT_GRAPH_ID``.

    Raises:
        DecodeError: The input breaks a rule of the format; or its first bytes don't show the
            format; or a literal has a base direction that is to be kept. (Raised by the iterator.)
        LimitError: The input exceeds one of ``limits``.
        TypeError: ``source`` has an unsupported type.
        LookupError: ``format`` is not a format for statements.
        ImportError: The format needs a package that is not installed; the message names the extra.
        ValueError: The base is not an absolute IRI; or ``base`` or ``generalized`` is given for a
            format that does not support it; or ``directions`` has another value.
        OSError: The path can't be opened or read; or the child process can't be started.
        NotImplementedError: A text is to be parsed in a child process, but the system can't limit
            processes (Windows can't), or Python is embedded in another program.

    See Also:
        - `read_frames`: frame by frame, with metadata.
        - `read_graphs`: graph by graph.
        - `read_batches`: columns of numbers, which is faster.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> from jelly_rdflib import StatementEncoder
        >>> triple = (URIRef("urn:s"), URIRef("urn:p"), Literal(1))
        >>> frame = StatementEncoder().encode_frame([triple])
        >>> for s, p, o, g in read_statements(frame):
        ...     print(s, p, o, g)
        urn:s urn:p 1 urn:x-rdflib:default
    """
    opened = open_input(
        source,
        holds_changes=False,
        limits=limits,
        normalize=normalize,
        strict=strict,
        format=format,
        base=base,
        isolated=isolated,
        generalized=generalized,
        directions=directions,
        on_repeated_options=on_repeated_options,
    )
    return StatementReader(opened.batches())

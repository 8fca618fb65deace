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

    Memory is bounded by the largest frame, of RDF Patch by the longest row. A file that is opened
    here is closed at the end of the stream, at an error, and by ``close()`` of the iterator.

    Args:
        source: Bytes (anything with the buffer protocol), a path, or a binary file object; plain
            or compressed with gzip or zstd; delimited frames or one bare frame.
        limits: What to accept; by default `Limits`' own defaults.
        normalize: Whether literals get the normal form of their value, as rdflib's own parsers
            do: ``"01"^^xsd:integer`` becomes ``1``. None follows ``rdflib.NORMALIZE_LITERALS``;
            False keeps each lexical form.
        format: ``"jelly-patch"``, ``"rdf-patch"``, ``"rdf-patch-thrift"`` or
            ``"jelly-patch-text"``, one of its file extensions or media types. None: what a path's
            name says (``.jellyp``, ``.rdfp``, ``.rdfpb``, ``.jellyp.txt``, also with ``.gz`` or
            ``.zst``), else what the first bytes look like. Jelly-Patch as text needs the extra
            ``protobuf``.
        on_repeated_options: What to do with a frame that has options again; see `PatchDecoder`:
            ``"restart"`` reads files of Jelly-Patch that were put together as they are (``cat
            a.jellyp b.jellyp``).

    Returns:
        An iterator of operations: tuples that start with an `Op`.

    Raises:
        DecodeError: The input breaks a rule of the format. (Raised by the iterator.)
        LimitError: The input asks for more than ``limits``.
        TypeError: ``source`` is none of these.
        LookupError: There is no such format for changes.
        ImportError: The format needs a package that is not there; the message names the extra.
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
    """Iterate over the statements of a Jelly-RDF stream, or of another syntax of RDF.

    Memory is bounded by the largest frame of Jelly-RDF, whatever frames mean, and by the longest
    line of N-Triples and N-Quads; of another text, by what pyoxigraph makes of the bytes that
    ``max_frame_size`` lets stand between two statements. A file that is opened here is closed at
    the end of the stream, at an error, and by ``close()`` of the iterator.

    Args:
        source: Bytes (anything with the buffer protocol), a path, or a binary file object; plain
            or compressed with gzip or zstd; of Jelly-RDF delimited frames or one bare frame.
        limits: What to accept; by default `Limits`' own defaults.
        normalize: Whether literals get the normal form of their value, as rdflib's own parsers
            do. None follows ``rdflib.NORMALIZE_LITERALS``; False keeps each lexical form.
        strict: Whether to refuse a stream of Jelly-RDF whose logical type does not fit its physical
            type, and a text with an ill-formed IRI or language tag. If False, the stream is read
            with a warning, and IRIs and language tags of a text are not checked.
        format: ``"jelly-rdf"``, ``"n-triples"``, ``"n-quads"``, ``"turtle"``, ``"trig"``,
            ``"n3"``, ``"rdf-xml"``, ``"json-ld"``, ``"rdf-thrift"``, ``"rdf-protobuf"`` or
            ``"jelly-text"``, one of its file extensions or media types. None: what a path's name
            says (``.jelly``, ``.nt``, ``.nq``, ``.ttl``, …, also with ``.gz`` or ``.zst``), else
            what the first bytes look like, which tells Jelly-RDF and its text, RDF/XML, JSON-LD and
            RDF Thrift. RDF Protobuf and Jelly-RDF as text need the extra ``protobuf``, Turtle to
            JSON-LD the extra ``syntaxes``.
        base: The IRI that relative IRIs of a text are relative to. Without one, and without a base
            in the text, they are an error.
        isolated: Parse a text in a child process, as is needed where strangers wrote it:
            pyoxigraph may crash, or take much memory or time. The child has ``max_parser_memory``
            and ``max_parser_seconds`` of ``limits``. If it crashes or hangs, that is a
            `DecodeError`. For Jelly-RDF, N-Triples and N-Quads, which this package itself reads,
            it changes nothing.
        generalized: Whether N-Triples and N-Quads may have any term in any place, such as a literal
            as a subject, but no quoted triple as a graph. Jelly-RDF says itself whether it has such
            statements; the syntaxes that pyoxigraph reads have none, so that this is an error.
        directions: What to do with the base directions that literals of RDF 1.2 have, as in
            ``"x"@ar--rtl``. ``"keep"``: they are a part of the term. rdflib's literals can't have
            one, so to make nodes of such a term is an error. ``"drop"``: they are left out, with a
            warning. In JSON-LD, which has another meaning for them in RDF 1.1, they always are.
        on_repeated_options: What to do with a frame that has options again; see `StatementDecoder`:
            ``"restart"`` reads files of Jelly-RDF that were put together as they are (``cat a.jelly
            b.jelly``).

    Returns:
        An iterator of ``(s, p, o)`` for a stream of triples, of ``(s, p, o, g)`` for one of quads
        or graphs; the default graph is rdflib's ``DATASET_DEFAULT_GRAPH_ID``.

    Raises:
        DecodeError: The input breaks a rule of the format, or its first bytes don't tell what it
            is; or a literal has a base direction that is to be kept. (Raised by the iterator.)
        LimitError: The input asks for more than ``limits``.
        TypeError: ``source`` is none of these.
        LookupError: There is no such format for statements.
        ImportError: The format needs a package that is not there; the message names the extra.
        ValueError: The base is no absolute IRI, or the format has no relative IRIs; or no
            generalized statements; or ``directions`` is none of these.
        OSError: The path can't be opened or read; or the child process can't be started.
        NotImplementedError: A text is to be parsed in a child process, and the system has no limits
            for processes (as Windows has none), or Python is embedded in another program.

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

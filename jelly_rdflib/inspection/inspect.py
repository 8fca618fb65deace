"""`inspect` counts the parts of a stream and their bytes."""

from __future__ import annotations

import base64
import dataclasses
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

from jelly_rdflib.core.batch import TermKind
from jelly_rdflib.core.jelly_decoder import FrameStatistics
from jelly_rdflib.display.html import report_html
from jelly_rdflib.display.words import count, shorten
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.inspection.encoded_input import EncodedInput, error_fields
from jelly_rdflib.inspection.report_tables import report_parts
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, PatchOptions, StreamOptions
from jelly_rdflib.types import ChangeFormat, Readable, StatementFormat

# Kinds of rows by their field numbers in RdfPatchRow and RdfStreamRow.
PATCH_ROWS = {
    1: "options",
    2: "statement_add",
    3: "statement_delete",
    4: "namespace_add",
    5: "namespace_delete",
    6: "transaction_start",
    7: "transaction_commit",
    8: "transaction_abort",
    11: "name",
    12: "prefix",
    13: "datatype",
    14: "header",
    15: "punctuation",
}
STREAM_ROWS = {
    1: "options",
    2: "triple",
    3: "quad",
    4: "graph_start",
    5: "graph_end",
    6: "namespace",
    9: "name",
    10: "prefix",
    11: "datatype",
}
TERMS = tuple(TermKind(kind) for kind in range(TermKind.IRI, TermKind.STRING))
# Options of a writer that are not stored in a stream.
WRITING_OPTIONS = {"frame_rows", "frame_bytes", "delimited", "namespace_declarations"}


@dataclass(frozen=True, kw_only=True)
class Tally:
    """The number and the size of rows of one kind, or of metadata entries.

    Args:
        count: The number of rows or entries.
        size: Their size on the wire in bytes, with their tags and lengths.

    Examples:
        >>> report = inspect(b"TX . TC .")
        >>> report.metadata
        Tally(count=0, size=0)
    """

    count: int = 0
    size: int = 0


@dataclass(frozen=True, kw_only=True)
class LookupReport:
    """The use of one of a stream's lookups.

    Args:
        size: The number of entries that the options allow.
        entries: The number of entries that were set.
        replaced: The number of entries that replaced another entry.
        unused: The number of entries that no term used before they were replaced or the stream
            ended.
        highest_id: The highest id of an entry; 0 without entries.
        references: The number of references from terms to the lookup. Each IRI refers to a name
            and, after the first prefix, to a prefix; each literal with a datatype refers to a
            datatype.
        text_size: Bytes of the entries' strings.

    Examples:
        >>> from rdflib import URIRef
        >>> from jelly_rdflib import PatchEncoder
        >>> frame = PatchEncoder().encode_frame([(Op.H, "by", URIRef("http://example.org/ann"))])
        >>> lookup = inspect(frame).lookups["name"]
        >>> lookup.entries, lookup.references, lookup.text_size
        (1, 1, 3)
    """

    size: int
    entries: int
    replaced: int
    unused: int
    highest_id: int
    references: int
    text_size: int


@dataclass(frozen=True, kw_only=True)
class FrameReport:
    """The counts of a frame's content.

    Args:
        number: The number of the frame, counted from 1.
        offset: The byte at which the frame starts in the uncompressed input, after its length.
        size: Bytes of the frame, without its length.
        rows: The number of rows.
        entries: The number of rows that are lookup entries.
        statements: The number of rows that add or delete a statement.
        metadata: The metadata of the frame.

    Examples:
        >>> from jelly_rdflib import PatchEncoder
        >>> report = next(inspect_frames(PatchEncoder().encode_frame([(Op.TX,), (Op.TC,)])))
        >>> report.number, report.size, report.rows, report.statements
        (1, 26, 3, 0)
    """

    number: int
    offset: int
    size: int
    rows: int
    entries: int
    statements: int
    # The `repr` leaves out the metadata, since untrusted input may have any amount of it.
    metadata: dict[str, bytes] = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON values; metadata in Base64, like bytes in protobuf's JSON."""
        metadata = {key: base64.b64encode(value).decode() for key, value in self.metadata.items()}
        return {**dataclasses.asdict(self), "metadata": metadata}


@dataclass(frozen=True, kw_only=True, repr=False)
class StreamReport:
    """The counts of a stream's content; if the stream has an error, of the content before it.

    A notebook shows the report as the tables of ``jellyp inspect``.

    Args:
        format: The name of the format, such as ``"jelly-patch"``; None if it is not known.
        options: The options; None if the format has no options, or the input lacks them.
        draft_options: The options that only a stream of Jelly-RDF 1.2, a draft, has: its
            ``stream_type`` and ``rdf_version``, as text. None for any other input.
        compression: ``"gzip"``, ``"zstd"``, or None.
        stored_size: Bytes that were read, before decompression.
        size: Bytes that were decoded, after decompression.
        lines: Lines of text that were decoded; None if the format is binary.
        is_delimited: Whether each frame has its length before it; None if the format has no frames.
        frames: The number of frames.
        largest_frame: Bytes of the largest frame.
        rows: Rows of frames by kind, named as in the schema: ``"statement_add"``, ``"name"``, …
        lookups: The use of the lookups: ``"name"``, ``"prefix"``, ``"datatype"``.
        terms: Terms that frames write out, at any depth, by kind: ``"iri"``,
            ``"blank_node"``, ``"simple_literal"``, …
        repeated_terms: Terms that frames leave out since they repeat the previous statement's, by
            position: ``"s"``, ``"p"``, ``"o"``, ``"g"``.
        metadata: Entries of frames' metadata.
        operations: Operations by the name of their code. In Jelly-RDF a statement is an ``"A"``, a
            namespace a ``"PA"``.
        error: The error in the input; None if it could be read to its end.

    Examples:
        >>> report = inspect(b"TX . A <urn:s> <urn:p> <urn:o> . TC . TC .")
        >>> report.statements, report.committed
        (1, 1)
        >>> print(report.error)
        transaction ends, but none was started (line 1, column 39, byte 38)
    """

    format: str | None
    options: PatchOptions | StreamOptions | None
    draft_options: dict[str, str] | None
    compression: str | None
    stored_size: int
    size: int
    lines: int | None
    is_delimited: bool | None
    frames: int
    largest_frame: int
    rows: dict[str, Tally]
    lookups: dict[str, LookupReport]
    terms: dict[str, int]
    repeated_terms: dict[str, int]
    metadata: Tally
    operations: dict[str, int]
    error: DecodeError | None

    def __repr__(self) -> str:
        parts = [self.format or "unknown format", count(self.size, "byte")]
        if self.is_delimited is not None:
            parts.append(count(self.frames, "frame"))
        parts.append(count(self.statements, "statement"))
        if self.patches:
            parts.append(count(self.patches, "patch", "patches"))
        if self.error is not None:
            parts.append(f"then an error: {shorten(str(self.error))}")
        return f"<StreamReport: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        error = [] if self.error is None else [f"Error: {self.error}"]
        return report_html(repr(self)[1:-1], [*report_parts(self), *error])

    @property
    def statements(self) -> int:
        """The number of statements that are added or deleted."""
        return self.operations["A"] + self.operations["D"]

    @property
    def patches(self) -> int:
        """Patches that ended; 0 if the stream has statements."""
        return self.operations["END"]

    @property
    def committed(self) -> int:
        """Transactions that were committed."""
        return self.operations["TC"]

    @property
    def aborted(self) -> int:
        """Transactions that were aborted."""
        return self.operations["TA"]

    def as_dict(self) -> dict[str, Any]:
        """Return the report and its properties as JSON values; options by the schema's fields."""
        result = dataclasses.asdict(self)
        if self.options is not None:
            options = result["options"].items()
            # Turn enums into their names.
            result["options"] = {
                name: getattr(value, "name", value)
                for name, value in options
                if name not in WRITING_OPTIONS
            }
        error = result.pop("error")
        for name in ("statements", "patches", "committed", "aborted"):
            result[name] = getattr(self, name)
        return {**result, "error": None if error is None else error_fields(error)}


def inspect(
    source: Readable,
    *,
    limits: Limits | None = None,
    format: ChangeFormat | StatementFormat | None = None,
    isolated: bool = False,
) -> StreamReport:
    """Count the parts of a stream: bytes, frames, rows, lookup entries, terms, operations.

    The whole stream is decoded and checked. Memory is bounded by the largest frame.

    Args:
        source: What to read: bytes, a path or a binary file; see `jelly_rdflib.read_batches`.
        limits: Limits on the input; by default those of `jelly_rdflib.Limits`.
        format: The name of the format, an extension or a media type; see
            `jelly_rdflib.read_batches`.
        isolated: Whether to parse a text in a child process; see `jelly_rdflib.read_batches`.

    Returns:
        The report. If the input breaks a rule, ``error`` is the error, and the counts are those of
        the content before it.

    Raises:
        TypeError: ``source`` has an unsupported type.
        LookupError: The format is unknown.
        OSError: The path can't be opened or read.
        NotImplementedError: ``isolated`` is not possible here; see `jelly_rdflib.read_batches`.

    See Also:
        - `inspect_frames`: frame by frame.
        - `stats`: counts by graph, predicate and transaction.
        - `validate`: all faults of a file.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> from jelly_rdflib import PatchEncoder
        >>> frame = PatchEncoder().encode_frame(
        ...     [(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("o"), None)]
        ... )
        >>> report = inspect(frame)
        >>> report.format, report.frames, report.statements
        ('jelly-patch', 1, 1)
        >>> report.rows["name"]
        Tally(count=2, size=22)
    """
    input_ = EncodedInput(source, limits=limits, format=format, isolated=isolated)
    with closing(FrameInspector(input_)) as inspector, suppress(DecodeError):
        for _ in inspector:
            pass
    return inspector.report


def inspect_frames(
    source: Readable,
    *,
    limits: Limits | None = None,
    format: ChangeFormat | StatementFormat | None = None,
) -> FrameInspector:
    """Iterate over the frames of a stream, and count the content of each frame.

    Args:
        source: What to read: bytes, a path or a binary file; see `jelly_rdflib.read_batches`.
        limits: Limits on the input; by default those of `jelly_rdflib.Limits`.
        format: The name of the format, an extension or a media type; see
            `jelly_rdflib.read_batches`.

    Returns:
        An iterator of `FrameReport`.

    Raises:
        ValueError: The source is not a stream of frames.
        DecodeError, LimitError: The input breaks a rule. (Raised by the iterator.)
        TypeError: ``source`` has an unsupported type.
        LookupError: The format is unknown.
        OSError: The path can't be opened or read.

    See Also:
        - `inspect`: counts of the whole stream.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> from jelly_rdflib import PatchEncoder
        >>> frame = PatchEncoder().encode_frame(
        ...     [(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("o"), None)]
        ... )
        >>> for report in inspect_frames(frame):
        ...     print(report.number, report.rows, report.entries, report.statements)
        1 5 3 1
    """
    input_ = EncodedInput(source, limits=limits, format=format)
    if input_.statistics is None:
        input_.batches.close()
        raise ValueError(f"{getattr(input_.format, 'name', 'the source')} has no frames")
    return FrameInspector(input_)


class FrameInspector(Iterator[FrameReport]):
    """Iterates over the frames of a stream; see `inspect_frames`.

    It yields nothing for an input without frames, but counts its operations.
    """

    def __init__(self, input_: EncodedInput) -> None:
        self._input = input_
        self._operations: Counter[int] = Counter()
        self._frames = self._largest_frame = 0
        self._error: DecodeError | None = None

    def __repr__(self) -> str:
        return f"<FrameInspector: {count(self._frames, 'frame')} so far>"

    def __next__(self) -> FrameReport:
        statistics = self._input.statistics
        try:
            for batch in self._input.batches:
                ops = bytes(batch.ops)
                for op in Op:
                    self._operations[op] += ops.count(op)
                # A batch without a frame comes from the end of the input: don't count a frame.
                if statistics is not None and statistics.count():
                    number, offset, size, rows, entries = statistics.last_frame
                    self._frames += 1
                    self._largest_frame = max(self._largest_frame, size)
                    return FrameReport(
                        number=number + 1,
                        offset=offset,
                        size=size,
                        rows=rows,
                        entries=entries,
                        statements=ops.count(Op.A) + ops.count(Op.D),
                        metadata=batch.metadata,
                    )
        except DecodeError as error:
            self._error = error
            raise
        raise StopIteration

    @property
    def report(self) -> StreamReport:
        """The counts so far, as `inspect` reports them."""
        batches, meter = self._input.batches, self._input.meter
        statistics = self._input.statistics
        position = getattr(statistics or batches, "position", meter.unpacked_size)
        return StreamReport(
            format=getattr(self._input.format, "name", None),
            options=batches.options,
            draft_options=getattr(batches, "draft_options", None),
            compression=meter.compression,
            stored_size=meter.size,
            # Only the readers of frames and of text have a position in the decoded bytes.
            size=position,
            lines=getattr(batches, "line_count", None),
            frames=self._frames,
            largest_frame=self._largest_frame,
            operations={op.name: self._operations[op] for op in Op},
            error=self._error,
            **_counts(statistics),
        )

    def close(self) -> None:
        """Stop reading, and close the file if it was opened here."""
        self._input.batches.close()


def _counts(statistics: FrameStatistics | None) -> dict[str, Any]:
    """Return the frame-related fields of a `StreamReport`; they are empty without statistics."""
    if statistics is None:
        tables = ("rows", "lookups", "terms", "repeated_terms")
        return {**{name: {} for name in tables}, "is_delimited": None, "metadata": Tally()}
    row_names = PATCH_ROWS if statistics.is_patch else STREAM_ROWS
    counts = statistics.counts
    lookups = zip(("name", "prefix", "datatype"), statistics.lookups, strict=True)
    return {
        "is_delimited": statistics.is_delimited,
        "rows": {name: Tally(**counts["rows"][field]) for field, name in row_names.items()},
        "lookups": {name: LookupReport(**report) for name, report in lookups},
        "terms": {kind.name.lower(): counts["terms"][kind] for kind in TERMS},
        "repeated_terms": dict(zip("spog", counts["repeated"], strict=True)),
        "metadata": Tally(**counts["metadata"]),
    }

"""Looking into a stream: what it is made of, and what it costs."""

from __future__ import annotations

import base64
import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jelly_rdflib.core.batch import Batch, TermKind
from jelly_rdflib.core.jelly_decoder import FrameStatistics
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.inspection.encoded_input import EncodedInput
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, PatchOptions, StreamOptions

# By their fields in RdfPatchRow and RdfStreamRow.
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
LOOKUPS = ("name", "prefix", "datatype")
TERMS = tuple(TermKind(kind) for kind in range(TermKind.IRI, TermKind.STRING))
# What options say to a writer, and no stream has.
WRITING_OPTIONS = {"frame_rows", "frame_bytes", "delimited", "namespace_declarations"}


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many there are of something.

    Args:
        count: How many.
        size: How many bytes they take on the wire, with their tags and lengths.
    """

    count: int = 0
    size: int = 0


@dataclass(frozen=True, kw_only=True)
class LookupReport:
    """How a stream uses one of its lookups.

    Args:
        size: How many entries it has room for, by the options.
        entries: How many entries were set.
        replaced: How many of them took the place of another.
        unused: How many of them no term referred to before they were replaced, or at all.
        highest_id: The highest id of an entry; 0 if there was none.
        references: How often terms refer to the lookup: each IRI to a name and, once there was a
            prefix, to a prefix; each literal with a datatype to a datatype.
        text_size: Bytes of the entries' texts.
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
    """What a frame is made of.

    Args:
        number: Which frame it is, counted from 0.
        offset: Where its message starts in the uncompressed input, in bytes; behind its length.
        size: Bytes of its message.
        rows: How many rows it has.
        entries: How many of them are lookup entries.
        statements: How many of them are statements, added or deleted.
        metadata: What is attached to it.
    """

    number: int
    offset: int
    size: int
    rows: int
    entries: int
    statements: int
    metadata: dict[str, bytes]

    def as_dict(self) -> dict[str, Any]:
        """Return it as what JSON has; metadata in Base64, as protobuf's JSON has bytes."""
        metadata = {key: base64.b64encode(value).decode() for key, value in self.metadata.items()}
        return {**dataclasses.asdict(self), "metadata": metadata}


@dataclass(frozen=True, kw_only=True)
class StreamReport:
    """What a stream is made of; if there is an error, all that comes before that frame or row.

    Args:
        format: The name of its encoding, such as ``"jelly-patch"``; None if nothing tells it.
        options: The options; None if the format has none, or they were not found.
        compression: ``"gzip"``, ``"zstd"``, or None.
        stored_size: Bytes that were read, as they are stored.
        size: Bytes that were decoded, uncompressed.
        lines: Lines of a text that were decoded; None if it is none.
        is_delimited: Whether its frames have their lengths before them; None if it has no frames.
        frames: How many frames there are.
        largest_frame: Bytes of the largest of them.
        rows: Rows of frames by kind, as the schema calls them: ``"statement_add"``, ``"name"``, …
        lookups: The use of the lookups: ``"name"``, ``"prefix"``, ``"datatype"``.
        terms: Terms that frames write out, at whatever depth, by kind: ``"iri"``,
            ``"blank_node"``, ``"simple_literal"``, …
        repeated_terms: Terms of statements that frames don't write, as they repeat the last one:
            by position, ``"s"``, ``"p"``, ``"o"``, ``"g"``.
        metadata: Entries of frames' metadata.
        operations: Operations by the name of their code. In Jelly-RDF a statement is an ``"A"``, a
            namespace a ``"PA"``.
        error: What is wrong with the input; None if it could be read to its end.
    """

    format: str | None
    options: PatchOptions | StreamOptions | None
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

    @property
    def statements(self) -> int:
        """Statements, added or deleted."""
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
        """Return it as what JSON has, with the properties; options with the schema's fields."""
        names = [field.name for field in dataclasses.fields(self)]
        result = {name: _plain(getattr(self, name)) for name in names}
        error = result.pop("error")
        return {
            **result,
            "statements": self.statements,
            "patches": self.patches,
            "committed": self.committed,
            "aborted": self.aborted,
            "error": error,
        }


def _plain(value: Any) -> Any:
    if isinstance(value, PatchOptions | StreamOptions):
        fields = dataclasses.asdict(value)
        return {
            name: getattr(field, "name", field)
            for name, field in fields.items()
            if name not in WRITING_OPTIONS
        }
    if isinstance(value, DecodeError):
        places = {name: getattr(value, name) for name in ("offset", "frame", "row")}
        return {"message": value.message, **places, "line": value.line, "column": value.column}
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return dataclasses.asdict(value) if isinstance(value, Tally | LookupReport) else value


def inspect(
    source: Any,
    *,
    limits: Limits | None = None,
    format: str | None = None,
    isolated: bool = False,
) -> StreamReport:
    """Count what a stream is made of: bytes, frames, rows, lookup entries, terms, operations.

    All of it is decoded and held against the rules. Memory is bounded by the largest frame.

    Args:
        source: As for `jelly_rdflib.read_batches`.
        limits: As for `jelly_rdflib.read_batches`.
        format: As for `jelly_rdflib.read_batches`.
        isolated: As for `jelly_rdflib.read_batches`.

    Returns:
        The report. If the input breaks a rule, its ``error`` says so, and what it counts is what
        comes before.

    Raises:
        TypeError, LookupError, OSError, NotImplementedError: As by `jelly_rdflib.read_batches`.

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
    counter = _Counter(input_)
    try:
        for batch in input_.batches:
            counter.take(batch)
    except DecodeError as error:
        counter.error = error
    finally:
        input_.close()
    return counter.report()


def inspect_frames(
    source: Any, *, limits: Limits | None = None, format: str | None = None
) -> FrameInspector:
    """Iterate over the frames of a stream, to see what each is made of.

    Args:
        source: As for `jelly_rdflib.read_batches`.
        limits: As for `jelly_rdflib.read_batches`.
        format: As for `jelly_rdflib.read_batches`.

    Returns:
        An iterator of `FrameReport`.

    Raises:
        ValueError: The source is no stream of frames.
        DecodeError, LimitError: The input breaks a rule. (Raised by the iterator.)
        TypeError, LookupError, OSError: As by `jelly_rdflib.read_batches`.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> from jelly_rdflib import PatchEncoder
        >>> frame = PatchEncoder().encode_frame(
        ...     [(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("o"), None)]
        ... )
        >>> for report in inspect_frames(frame):
        ...     print(report.number, report.rows, report.entries, report.statements)
        0 5 3 1
    """
    return FrameInspector(EncodedInput(source, limits=limits, format=format))


class FrameInspector(Iterator[FrameReport]):
    """Iterates over the frames of a stream; see `inspect_frames`."""

    def __init__(self, input_: EncodedInput) -> None:
        self._input = input_
        if input_.statistics is None:
            input_.close()
            raise ValueError(f"{input_.format or 'the source'} has no frames")
        self._counter = _Counter(input_)

    def __next__(self) -> FrameReport:
        try:
            # The batch behind the last frame is of the end of the input.
            for batch in self._input.batches:
                frame = self._counter.take(batch)
                if frame is not None:
                    return frame
        except DecodeError as error:
            self._counter.error = error
            raise
        raise StopIteration

    @property
    def report(self) -> StreamReport:
        """What was counted so far, as `inspect` reports it."""
        return self._counter.report()

    def close(self) -> None:
        """Stop reading, and close the file if it was opened here."""
        self._input.close()


class _Counter:
    """Counts what the batches of an input have, and their frames."""

    def __init__(self, input_: EncodedInput) -> None:
        self._input = input_
        self._operations: Counter[int] = Counter()
        self._frames = 0
        self._largest_frame = 0
        self.error: DecodeError | None = None

    def take(self, batch: Batch) -> FrameReport | None:
        """Count a batch; report its frame, if it has one."""
        ops = bytes(batch.ops)
        for op in Op:
            self._operations[op] += ops.count(op)
        statistics = self._input.statistics
        if statistics is None or not statistics.count():
            return None
        number, offset, size, rows, entries = statistics.last_frame
        self._frames += 1
        self._largest_frame = max(self._largest_frame, size)
        return FrameReport(
            number=number,
            offset=offset,
            size=size,
            rows=rows,
            entries=entries,
            statements=ops.count(Op.A) + ops.count(Op.D),
            metadata=batch.metadata,
        )

    def report(self) -> StreamReport:
        """Report what was counted so far."""
        input_ = self._input
        statistics = input_.statistics
        return StreamReport(
            format=input_.format,
            options=input_.batches.options,
            compression=input_.meter.compression,
            stored_size=input_.meter.size,
            size=input_.size,
            lines=input_.line_count,
            is_delimited=None if statistics is None else statistics.is_delimited,
            frames=self._frames,
            largest_frame=self._largest_frame,
            rows={} if statistics is None else _rows(statistics),
            lookups={} if statistics is None else _lookups(statistics),
            terms={} if statistics is None else _terms(statistics),
            repeated_terms={} if statistics is None else _repeated_terms(statistics),
            metadata=Tally() if statistics is None else _tally(statistics.metadata_entries),
            operations={op.name: self._operations[op] for op in Op},
            error=self.error,
        )


def _tally(numbers: tuple[int, int]) -> Tally:
    return Tally(count=numbers[0], size=numbers[1])


def _rows(statistics: FrameStatistics) -> dict[str, Tally]:
    names = PATCH_ROWS if statistics.is_patch else STREAM_ROWS
    rows = statistics.rows
    return {name: _tally(rows[field]) for field, name in names.items()}


def _lookups(statistics: FrameStatistics) -> dict[str, LookupReport]:
    return {
        name: LookupReport(**counts)
        for name, counts in zip(LOOKUPS, statistics.lookups, strict=True)
    }


def _terms(statistics: FrameStatistics) -> dict[str, int]:
    counts = statistics.term_kinds
    return {kind.name.lower(): counts[kind] for kind in TERMS}


def _repeated_terms(statistics: FrameStatistics) -> dict[str, int]:
    return dict(zip("spog", statistics.repeated_terms, strict=True))

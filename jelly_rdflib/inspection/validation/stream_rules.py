"""Rules for streams of frames: options, frames, and wire fields."""

from __future__ import annotations

from collections.abc import Iterator

from jelly_rdflib.core.batch import Batch, TermKind
from jelly_rdflib.core.jelly_decoder import ROW_NAMES, FrameStatistics, UnexpectedKind
from jelly_rdflib.core.text import find_generalized_statement
from jelly_rdflib.inspection.validation.faults import Fault
from jelly_rdflib.operations import Op
from jelly_rdflib.options import (
    LogicalStreamType,
    PatchOptions,
    PatchStatementType,
    StreamOptions,
)

MAX_FRAME_SIZE = 1_000_000
"""Frames should be smaller (Jelly-RDF, "Stream frames")."""


class StreamRules:
    """Checks the options and frames of a Jelly stream, whose ``statistics`` count its frames."""

    def __init__(self, statistics: FrameStatistics) -> None:
        self._statistics = statistics
        self._options: PatchOptions | StreamOptions | None = None
        # The place of the frame with the options.
        self._options_frame = 0
        self._options_offset = 0
        self._has_large_frame = False
        self._has_namespaces = False
        self._is_past_first_graph = False
        self._has_quoted_triples = False
        self._has_generalized_statements = False

    def take(self, batch: Batch, options: PatchOptions | StreamOptions | None) -> Iterator[Fault]:
        """Find the faults of the frame that was counted last."""
        number, offset, size, _, _ = self._statistics.last_frame
        if self._options is None and options is not None:
            self._options = options
            self._options_frame, self._options_offset = number, offset
            yield from self._take_options(options)
        if size > MAX_FRAME_SIZE and not self._has_large_frame:
            self._has_large_frame = True
            what = f"frame of {size:,} bytes; smaller than {MAX_FRAME_SIZE:,} is recommended"
            yield self._blame("frame-size", what, offset)
        for odd in self._statistics.find_unexpected_fields():
            yield _describe(number, *odd)
        if isinstance(options, PatchOptions) and options.statement_type == PatchStatementType.QUADS:
            yield from self._take_graphs(batch)
        if options is not None:
            yield from self._take_features(batch, options)

    def _take_options(self, options: PatchOptions | StreamOptions) -> Iterator[Fault]:
        if not self._statistics.is_delimited:
            yield Fault(rule="delimited", message="a bare frame: files are delimited", offset=0)
        if isinstance(options, PatchOptions):
            return
        logical, physical = options.logical_type, options.physical_type
        name = getattr(logical, "name", str(int(logical)))
        if not LogicalStreamType.is_consistent(logical, physical):
            yield self._blame_options(
                "types",
                f"the logical type {name} does not go with the physical type {physical.name}",
            )
        elif not isinstance(logical, LogicalStreamType):
            yield self._blame_options("logical-type", f"{name} is no logical type that is defined")

    def _take_graphs(self, batch: Batch) -> Iterator[Fault]:
        """Find a prefix before the first graph; it is reported once."""
        if self._is_past_first_graph:
            return
        for row in range(len(batch)):
            if batch.g[row] != 0:
                self._is_past_first_graph = True
                return
            if batch.ops[row] in (Op.PA, Op.PD):
                self._is_past_first_graph = True
                yield self._blame_row(
                    "namespace-graph",
                    row,
                    "prefix without a graph, and there was none before it to repeat",
                )
                return

    def _take_features(
        self, batch: Batch, options: PatchOptions | StreamOptions
    ) -> Iterator[Fault]:
        if options.rdf_star and not self._has_quoted_triples:
            self._has_quoted_triples = TermKind.TRIPLE_TERM in bytes(batch.terms.kinds)
        if options.generalized_statements and not self._has_generalized_statements:
            self._has_generalized_statements = find_generalized_statement(batch) is not None
        if isinstance(options, StreamOptions) and not self._has_namespaces:
            row = bytes(batch.ops).find(Op.PA)
            self._has_namespaces = row >= 0
            if self._has_namespaces and options.version == 1:
                yield self._blame_row(
                    "namespace-version", row, "namespace declaration in a stream of version 1"
                )

    def finish(self) -> Iterator[Fault]:
        """Find faults that only the end of the stream shows."""
        options = self._options
        if options is None:
            return
        if options.rdf_star and not self._has_quoted_triples:
            yield self._blame_options("unused-feature", "rdf_star is set, but nothing is quoted")
        if options.generalized_statements and not self._has_generalized_statements:
            yield self._blame_options(
                "unused-feature", "generalized_statements is set, but no statement needs it"
            )
        names, prefixes, _ = self._statistics.lookups
        if prefixes["size"] > 0 and prefixes["entries"] == 0 and names["references"] > 0:
            yield self._blame_options(
                "unused-lookup", f"prefix lookup of {prefixes['size']} entries, but none is set"
            )
        if isinstance(options, StreamOptions):
            yield from self._finish_statements(options)

    def _finish_statements(self, options: StreamOptions) -> Iterator[Fault]:
        metadata = self._statistics.counts["metadata"]["count"]
        if options.version == 2 and not self._has_namespaces and metadata == 0:
            yield self._blame_options(
                "version", "version 2, but neither namespace declarations nor metadata"
            )
        if self._statistics.is_in_graph:
            position = self._statistics.position
            yield self._blame("open-graph", "the stream ends inside a graph", position)

    def _blame_row(self, rule: str, row: int, message: str) -> Fault:
        """Return a fault in a row of the last frame's batch."""
        ((offset, number),) = self._statistics.locate([row])
        return self._blame(rule, message, offset, number)

    def _blame(self, rule: str, message: str, offset: int, row: int | None = None) -> Fault:
        frame = self._statistics.last_frame[0]
        return Fault(rule=rule, message=message, offset=offset, frame=frame, row=row)

    def _blame_options(self, rule: str, message: str) -> Fault:
        place = {"offset": self._options_offset, "frame": self._options_frame, "row": 0}
        return Fault(rule=rule, message=message, **place)


def _describe(frame: int, kind: int, message: str, field: int, offset: int, row: int) -> Fault:
    """Return the fault of a field that `FrameStatistics.find_unexpected_fields` found."""
    if kind == UnexpectedKind.UNKNOWN_FIELD:
        rule, what = "unknown-field", f"field {field} of {message} is not in the schema"
    elif kind == UnexpectedKind.GRAPH_FIELD:
        rule, what = "graph-in-triples", f"{message} with a graph in a stream of triples"
    elif message in ROW_NAMES:
        rule, what = "row-kinds", f"{message} that is of more than one kind"
    else:
        rule = "second-field"
        what = f"{message} with field {field}, though it has that or another of its oneof before"
    return Fault(rule=rule, message=what, offset=offset, frame=frame, row=row)

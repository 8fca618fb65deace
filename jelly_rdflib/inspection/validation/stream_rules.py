"""Rules for streams of frames: options, frames, and wire fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
from jelly_rdflib.rules import Rule

MAX_FRAME_SIZE = 1_000_000
"""The recommended limit for the size of a frame (Jelly-RDF, "Stream frames")."""


class StreamRules:
    """Checks the options and frames of a Jelly stream, whose ``statistics`` count its frames."""

    def __init__(self, statistics: FrameStatistics) -> None:
        self._statistics = statistics
        self._options: PatchOptions | StreamOptions | None = None
        self._options_place: dict[str, Any] = {}
        # Whether this is Jelly-RDF 1.2, a draft: there options may be repeated, and triple terms
        # are always allowed.
        self._is_draft = False
        self._has_large_frame = False
        self._has_repeated_options = False
        self._has_namespaces = False
        self._is_past_first_graph = False
        self._has_quoted_triples = False
        self._has_generalized_statements = False

    def take(self, batch: Batch, options: PatchOptions | StreamOptions | None) -> Iterator[Fault]:
        """Count the frame of the reader's last batch, and find its faults."""
        if not self._statistics.count():
            return
        frame, offset, size, _, _ = self._statistics.last_frame
        frame += 1
        if self._options is None and options is not None:
            self._options = options
            self._options_place = {"offset": offset, "frame": frame, "row": 1}
            yield from self._take_options(options)
        repeats = self._statistics.counts["rows"][1]["count"] > 1 and not self._is_draft
        if repeats and not self._has_repeated_options:
            self._has_repeated_options = True
            message = "the stream has its options again: it may be several that were joined"
            yield Fault(rule=Rule.REPEATED_OPTIONS, message=message, offset=offset, frame=frame)
        if size > MAX_FRAME_SIZE and not self._has_large_frame:
            self._has_large_frame = True
            message = f"frame of {size:,} bytes; smaller than {MAX_FRAME_SIZE:,} is recommended"
            yield Fault(rule=Rule.FRAME_SIZE, message=message, offset=offset, frame=frame)
        for kind, name, field, place, row in self._statistics.find_unexpected_fields():
            rule, message = _describe(kind, name, field)
            yield Fault(rule=rule, message=message, offset=place, frame=frame, row=row + 1)
        if options is not None:
            yield from self._take_rows(batch, options)

    def _take_options(self, options: PatchOptions | StreamOptions) -> Iterator[Fault]:
        if not self._statistics.is_delimited:
            yield Fault(rule=Rule.DELIMITED, message="a bare frame: files are delimited", offset=0)
        if isinstance(options, PatchOptions):
            return
        self._is_draft = options.version == 3
        logical, physical = options.logical_type, options.physical_type
        name = getattr(logical, "name", str(int(logical)))
        if not LogicalStreamType.is_consistent(logical, physical):
            message = f"the logical type {name} does not go with the physical type {physical.name}"
            yield self._blame_options(Rule.TYPES, message)
        elif not isinstance(logical, LogicalStreamType):
            yield self._blame_options(Rule.LOGICAL_TYPE, f"{name} is not a defined logical type")

    def _take_rows(self, batch: Batch, options: PatchOptions | StreamOptions) -> Iterator[Fault]:
        """Note which features are used, and report forbidden prefixes once."""
        if options.rdf_star and not self._has_quoted_triples:
            self._has_quoted_triples = TermKind.TRIPLE_TERM in bytes(batch.terms.kinds)
        if options.generalized_statements and not self._has_generalized_statements:
            self._has_generalized_statements = find_generalized_statement(batch) is not None
        if isinstance(options, PatchOptions):
            if options.statement_type == PatchStatementType.QUADS and not self._is_past_first_graph:
                yield from self._find_first_graph(batch)
        elif not self._has_namespaces:
            row = bytes(batch.ops).find(Op.PA)
            self._has_namespaces = row >= 0
            if self._has_namespaces and options.version == 1:
                message = "namespace declaration in a stream of version 1"
                yield Fault(rule=Rule.NAMESPACE_VERSION, message=message, **self.places([row])[0])

    def _find_first_graph(self, batch: Batch) -> Iterator[Fault]:
        for row, (op, graph) in enumerate(zip(batch.ops, batch.g, strict=True)):
            if graph == 0 and op not in (Op.PA, Op.PD):
                continue
            self._is_past_first_graph = True
            if graph == 0:
                message = "prefix without a graph before the first graph"
                yield Fault(rule=Rule.NAMESPACE_GRAPH, message=message, **self.places([row])[0])
            return

    def finish(self) -> Iterator[Fault]:
        """Find faults that only the end of the stream shows."""
        options, statistics, blame = self._options, self._statistics, self._blame_options
        assert options is not None, "a stream without options has failed"
        if options.rdf_star and not self._has_quoted_triples and not self._is_draft:
            yield blame(Rule.UNUSED_FEATURE, "rdf_star is set, but nothing is quoted")
        if options.generalized_statements and not self._has_generalized_statements:
            message = "generalized_statements is set, but no statement needs it"
            yield blame(Rule.UNUSED_FEATURE, message)
        names, prefixes, _ = statistics.lookups
        if prefixes["size"] > 0 and prefixes["entries"] == 0 and names["references"] > 0:
            message = f"prefix lookup of {prefixes['size']} entries, but none is set"
            yield blame(Rule.UNUSED_LOOKUP, message)
        if isinstance(options, PatchOptions):
            return
        metadata = statistics.counts["metadata"]["count"]
        if options.version == 2 and not self._has_namespaces and metadata == 0:
            message = "version 2, but neither namespace declarations nor metadata"
            yield blame(Rule.VERSION, message)
        if statistics.is_in_graph:
            place = {"offset": statistics.position, "frame": statistics.last_frame[0]}
            yield Fault(rule=Rule.OPEN_GRAPH, message="the stream ends inside a graph", **place)

    def _blame_options(self, rule: Rule, message: str) -> Fault:
        return Fault(rule=rule, message=message, **self._options_place)

    def places(self, rows: list[int]) -> list[dict[str, Any]]:
        """Return the positions of rows of the last frame's batch, as fields of `Fault`."""
        located, frame = self._statistics.locate(rows), self._statistics.last_frame[0] + 1
        return [
            {"offset": offset, "frame": frame, "row": None if row is None else row + 1}
            for offset, row in located
        ]


def _describe(kind: int, message: str, field: int) -> tuple[Rule, str]:
    """Return the rule that an unexpected field of a message breaks, and the fault in words."""
    if kind == UnexpectedKind.UNKNOWN_FIELD:
        return Rule.UNKNOWN_FIELD, f"field {field} of {message} is not in the schema"
    if kind == UnexpectedKind.GRAPH_FIELD:
        return Rule.GRAPH_IN_TRIPLES, f"{message} with a graph in a stream of triples"
    if kind == UnexpectedKind.SECOND_FIELD:
        return Rule.REPEATED_FIELD, f"{message} has field {field} twice"
    if message in ROW_NAMES:
        return Rule.ROW_KINDS, f"{message} that is of more than one kind"
    return (
        Rule.SECOND_FIELD,
        f"{message} with field {field} after another field of the same oneof",
    )

"""The reference decoder: frames of protobuf's classes to plain operations, rule by rule.

It follows the specification and the later rulings, and is written only for clarity. It does not
read bytes: `read` checks them with `wire.check`, and protobuf's own parser makes the messages.
"""

from collections.abc import Iterable
from typing import Any

from tests.oracle import schema as pb
from tests.oracle.build import FLAT, FRAME, PUNCTUATED, QUADS, TRIPLES
from tests.oracle.reference import Doubt, RuleError, TermReference, parse_as
from tests.oracle.terms import DEFAULT_GRAPH, Plain
from tests.oracle.wire import WireError, split


class Reference(TermReference):
    """A decoder of one stream."""

    VERSION = 1

    def __init__(self) -> None:
        super().__init__()
        self.in_transaction = False
        # Whether operations follow the end of the last patch.
        self.patch_open = False

    def frame(self, frame: Any) -> list[Plain]:
        """Return the operations of one frame."""
        operations: list[Plain] = []
        for row in frame.rows:
            operations += self._row(row)
        if self.options is not None and self.options.stream_type == FRAME:
            if self.in_transaction:
                raise RuleError("transaction spans frames of a FRAME stream")
            operations.append(("END",))
        return operations

    def finish(self) -> list[Plain]:
        """Return the operations that the end of the input adds."""
        if self.options is None:
            raise RuleError("no options row")
        if self.in_transaction:
            raise RuleError("input ends inside a transaction")
        stream_type = self.options.stream_type
        if stream_type == FLAT or (stream_type == PUNCTUATED and self.patch_open):
            return [("END",)]
        return []

    def _row(self, row: Any) -> list[Plain]:
        kind = self._prelude(row)
        if kind is None:
            return []
        if kind == "punctuation":
            if self.options.stream_type != PUNCTUATED:
                raise RuleError("punctuation in a stream that is not PUNCTUATED")
            if self.in_transaction:
                raise RuleError("punctuation inside a transaction")
            self.patch_open = False
            return [("END",)]
        self.patch_open = True
        return [self._operation(kind, getattr(row, kind))]

    def _operation(self, kind: str, value: Any) -> Plain:
        if kind == "transaction_start":
            if self.in_transaction:
                raise RuleError("TX inside a transaction")
            self.in_transaction = True
            return ("TX",)
        if kind in ("transaction_commit", "transaction_abort"):
            if not self.in_transaction:
                raise RuleError("TC or TA outside a transaction")
            self.in_transaction = False
            return ("TC",) if kind == "transaction_commit" else ("TA",)
        if kind == "header":
            term = self._term(value, "value", "h", "value")
            if term is None:
                raise RuleError("header without a value")
            return ("H", value.key, term)
        if kind in ("namespace_add", "namespace_delete"):
            iri = self._iri(value.value) if value.HasField("value") else None
            if kind == "namespace_add" and iri is None:
                raise RuleError("namespace_add without a value")
            if self.options.statement_type == TRIPLES and value.WhichOneof("graph") == "g_iri":
                # The graph is ignored, but the ids of the next IRI depend on it.
                self._iri(value.g_iri)
            # If no graph is set and there is no earlier graph to repeat, a namespace has no graph.
            # Jelly-JVM writes such namespaces.
            is_set = value.WhichOneof("graph") is not None or self.last["g"] is not None
            graph = self._graph(value) if is_set else None
            return ("PA" if kind == "namespace_add" else "PD", value.name, iri, graph)
        s = self._repeatable(value, "subject", "s")
        p = self._repeatable(value, "predicate", "p")
        o = self._repeatable(value, "object", "o")
        g = self._graph(value)
        return ("A" if kind == "statement_add" else "D", s, p, o, g)

    def _graph(self, message: Any) -> Plain | None:
        if self.options.statement_type == TRIPLES:
            return None
        graph = self._repeatable(message, "graph", "g")
        return None if graph == DEFAULT_GRAPH else graph

    def _check_options(self, options: Any) -> None:
        if options.stream_type not in (FRAME, FLAT, PUNCTUATED):
            raise RuleError("stream type")
        if options.statement_type not in (TRIPLES, QUADS):
            raise RuleError("statement type")


def decode(frames: Iterable[Any]) -> list[Plain]:
    """Return the operations of a stream of frames (messages)."""
    reference = Reference()
    operations: list[Plain] = []
    for frame in frames:
        operations += reference.frame(frame)
    return operations + reference.finish()


def parse(data: bytes) -> Any:
    """Return the message of a bare frame, or raise like `parse_as`."""
    return parse_as(pb.RdfPatchFrame, data)


def read(data: bytes) -> list[Plain]:
    """Return the operations of `data`, delimited or bare.

    Raises:
        RuleError: The input breaks a rule.
        Doubt: Readers differ about the input.
    """
    try:
        parts = split(data)
    except WireError as error:
        raise RuleError(str(error)) from error
    reference = Reference()
    operations: list[Plain] = []
    starts_empty = False
    for part in parts:
        frame = parse(part)
        starts_empty |= reference.options is None and not frame.rows
        operations += reference.frame(frame)
    operations += reference.finish()
    if starts_empty and reference.options.stream_type == FRAME:
        raise Doubt("are frames before the options, which say that frames are patches, patches?")
    return operations

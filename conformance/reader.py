"""Read a stream with protobuf's own classes, and name the rule that it breaks.

The suite checks the bytes of writers with this reader. It is strict, and refuses everything
that a reader may refuse. It is slow, and keeps a whole stream in memory.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from conformance import schema as pb
from conformance.document import (
    DEFAULT,
    OPTIONS,
    STATEMENT_TYPES,
    STREAM_TYPES,
    Document,
    Plain,
)
from conformance.rows import FLAT, FRAME, PUNCTUATED, TRIPLES
from conformance.wire import fields

__all__ = ["FaultError", "Reader", "read", "split"]

LARGE_FRAME = 1_000_000


class FaultError(Exception):
    """A stream breaks a rule.

    Attributes:
        rule: The rule's name, one of `conformance.rules.RULES`.
    """

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(f"{message} [{rule}]")
        self.rule = rule


def is_bare(data: bytes) -> bool:
    """Return whether the first bytes belong to a bare frame, not to a delimited stream."""
    return data[:1] == b"\n" and (data[1:2] != b"\n" or data[2:3] == b"\n")


def split(data: bytes) -> list[bytes]:
    """Return the frames of a stream, delimited or bare."""
    if is_bare(data):
        return [data]
    frames, at = [], 0
    while at < len(data):
        size = shift = 0
        while True:
            if at == len(data) or shift > 63:
                raise FaultError("frame-length", "the length of a frame is not a varint")
            size |= (data[at] & 0x7F) << shift
            shift += 7
            at += 1
            if data[at - 1] < 0x80:
                break
        if size > len(data) - at:
            raise FaultError("frame-length", f"a frame of {size} bytes is cut off")
        frames.append(data[at : at + size])
        at += size
    return frames


def read(data: bytes) -> Document:
    """Return the document of a stream.

    Raises:
        FaultError: The stream breaks a rule.
    """
    return Reader().read(data)


def _check_oneofs(descriptor: Any, data: bytes) -> None:
    """Refuse a message that sets two members of a oneof; protobuf's classes hide the first."""
    members: dict[str, int] = {}
    for number, content in fields(data):
        known = descriptor.fields_by_number.get(number)
        if known is None:
            continue
        if known.containing_oneof is not None:
            oneof = known.containing_oneof.name
            if members.setdefault(oneof, number) != number:
                rule = "row-kinds" if oneof == "row" else "second-field"
                raise FaultError(rule, f"{descriptor.name} has two members of {oneof}")
        if known.message_type is not None:
            _check_oneofs(known.message_type, content)


class _Lookup:
    def __init__(self, name: str, size: int) -> None:
        self.name, self.size = name, size
        self.entries: dict[int, str] = {}
        self.last = 0

    def define(self, entry: Any) -> None:
        number = entry.id or self.last + 1
        if self.size == 0:
            raise FaultError("no-lookup", f"an entry of the {self.name} lookup, which has none")
        if number > self.size:
            raise FaultError("lookup-size", f"{self.name} entry {number} of {self.size}")
        self.entries[number] = entry.value
        self.last = number

    def get(self, number: int) -> str:
        if self.size == 0:
            raise FaultError("no-lookup", f"{self.name} {number} of a lookup that has none")
        if number > self.size:
            raise FaultError("lookup-size", f"{self.name} {number} of {self.size}")
        if number not in self.entries:
            raise FaultError("lookup-reference", f"{self.name} {number} was never set")
        return self.entries[number]


class Reader:
    """Reads one stream.

    Attributes:
        remarks: The names of SHOULD rules that the stream breaks.
    """

    def __init__(self) -> None:
        self.remarks: list[str] = []
        self._options: Any = None
        self._lookups: dict[str, _Lookup] = {}
        self._last: dict[str, Plain | None] = dict.fromkeys("spog")
        self._prefix_id = self._name_id = 0
        self._patches: list[list[Plain]] = []
        self._patch: list[Plain] = []
        self._in_transaction = False
        self._features: set[str] = set()

    def read(self, data: bytes) -> Document:
        """Return the document of a stream; see `read`."""
        if is_bare(data):
            self.remarks.append("delimited")
        for part in split(data):
            try:
                frame = pb.RdfPatchFrame.FromString(part)
            except DecodeError as error:
                raise FaultError("wire", f"protobuf refuses a frame: {error}") from error
            _check_oneofs(pb.RdfPatchFrame.DESCRIPTOR, part)
            if len(part) > LARGE_FRAME:
                self.remarks.append("frame-size")
            for row in frame.rows:
                self._row(row)
            if self._options is not None and self._options.stream_type == FRAME:
                if self._in_transaction:
                    raise FaultError("transaction-frame", "a transaction goes on after its frame")
                self._end()
        return self._finish()

    def _finish(self) -> Document:
        options = self._options
        if options is None:
            raise FaultError("options-first", "there are no options")
        if self._in_transaction:
            raise FaultError("transaction-open", "the stream ends inside a transaction")
        if options.stream_type == FLAT or (options.stream_type == PUNCTUATED and self._patch):
            self._end()
        for field in ("rdf_star", "generalized_statements"):
            if getattr(options, field) and field not in self._features:
                self.remarks.append("unused-feature")
        if self._name_id and self._lookups["prefix"].size and not self._lookups["prefix"].entries:
            self.remarks.append("unused-lookup")
        fields: dict[str, Any] = {name: getattr(options, name) for name in OPTIONS}
        fields["stream_type"] = STREAM_TYPES[options.stream_type]
        fields["statement_type"] = STATEMENT_TYPES[options.statement_type]
        return {"options": fields, "patches": self._patches}

    def _end(self) -> None:
        self._patches.append(self._patch)
        self._patch = []

    def _row(self, row: Any) -> None:
        kind = row.WhichOneof("row")
        if kind is None:
            raise FaultError("row-kinds", "a row is of no kind")
        if kind == "options":
            self._set_options(row.options)
        elif self._options is None:
            raise FaultError("options-first", f"the first row is of the kind {kind}")
        elif kind in self._lookups:
            self._lookups[kind].define(getattr(row, kind))
        elif kind == "punctuation":
            if self._options.stream_type != PUNCTUATED:
                raise FaultError("punctuation-type", "a mark in a stream that is not PUNCTUATED")
            if self._in_transaction:
                raise FaultError("punctuation-transaction", "a mark inside a transaction")
            self._end()
        else:
            self._patch.append(self._operation(kind, getattr(row, kind)))

    def _set_options(self, options: Any) -> None:
        if self._options is not None:
            if any(getattr(options, name) != getattr(self._options, name) for name in OPTIONS):
                raise FaultError("options-same", "options that differ from the first")
            return
        if not 1 <= options.stream_type <= 3:
            raise FaultError("stream-type", f"there is no stream type {options.stream_type}")
        if not 1 <= options.statement_type <= 2:
            raise FaultError("statement-type", f"no statement type {options.statement_type}")
        if options.max_name_table_size < 8:
            raise FaultError("name-lookup-size", f"{options.max_name_table_size} names")
        if options.version != 1:
            raise FaultError("version-tag", f"version {options.version}")
        self._options = options
        self._lookups = {
            name: _Lookup(name, getattr(options, f"max_{name}_table_size"))
            for name in ("name", "prefix", "datatype")
        }

    def _operation(self, kind: str, value: Any) -> Plain:
        if kind == "transaction_start":
            if self._in_transaction:
                raise FaultError("transaction-start", "TX inside a transaction")
            self._in_transaction = True
            return ("TX",)
        if kind in ("transaction_commit", "transaction_abort"):
            if not self._in_transaction:
                raise FaultError("transaction-end", "TC or TA outside a transaction")
            self._in_transaction = False
            return ("TC",) if kind == "transaction_commit" else ("TA",)
        if kind == "header":
            term = self._term(value, "value", "h", any_term=True)
            if term is None:
                raise FaultError("header-value", f"header {value.key!r} has no value")
            return ("H", value.key, term)
        if kind in ("namespace_add", "namespace_delete"):
            iri = self._iri(value.value) if value.HasField("value") else None
            if iri is None and kind == "namespace_add":
                raise FaultError("namespace-value", f"namespace {value.name!r} has no IRI")
            graph = self._graph(value, "namespace-graph")
            return ("PA" if kind == "namespace_add" else "PD", value.name, iri, graph)
        s, p, o = (self._repeatable(value, oneof) for oneof in ("subject", "predicate", "object"))
        graph = self._graph(value, "repeated-term-first")
        return ("A" if kind == "statement_add" else "D", s, p, o, graph)

    def _graph(self, message: Any, rule: str) -> Plain | None:
        if self._options.statement_type == TRIPLES:
            if message.WhichOneof("graph") is not None:
                raise FaultError("graph-in-triples", "a graph in a stream of triples")
            return None
        return self._repeatable(message, "graph", rule)

    def _repeatable(self, message: Any, oneof: str, rule: str = "repeated-term-first") -> Plain:
        term = self._term(message, oneof, oneof[0])
        if term is None:
            term = self._last[oneof[0]]
            if term is None:
                raise FaultError(rule, f"the {oneof} repeats nothing")
        self._last[oneof[0]] = term
        return term

    def _term(
        self, message: Any, oneof: str, letter: str, *, any_term: bool = False
    ) -> Plain | None:
        field = message.WhichOneof(oneof)
        if field is None:
            return None
        value, kind = getattr(message, field), field.removeprefix(letter + "_")
        if kind == "default_graph":
            return DEFAULT
        if kind == "iri":
            return self._iri(value)
        literal_place = any_term or oneof == "object"
        if oneof == "predicate" or (kind == "literal" and not literal_place):
            if not self._options.generalized_statements:
                raise FaultError("generalized-option", f"a {kind} as {oneof}")
            self._features.add("generalized_statements")
        if kind == "bnode":
            return ("bnode", value)
        return self._literal(value) if kind == "literal" else self._quoted(value)

    def _quoted(self, message: Any) -> Plain:
        if not self._options.rdf_star:
            raise FaultError("rdf-star-option", "a quoted triple")
        self._features.add("rdf_star")
        terms = [
            self._term(message, oneof, oneof[0]) for oneof in ("subject", "predicate", "object")
        ]
        if None in terms:
            raise FaultError("quoted-repeated-term", "a quoted triple lacks a term")
        return ("triple", *terms)

    def _iri(self, iri: Any) -> Plain:
        self._prefix_id = iri.prefix_id or self._prefix_id
        prefix = self._lookups["prefix"].get(self._prefix_id) if self._prefix_id else ""
        self._name_id = iri.name_id or self._name_id + 1
        return ("iri", prefix + self._lookups["name"].get(self._name_id))

    def _literal(self, literal: Any) -> Plain:
        kind = literal.WhichOneof("literalKind")
        if kind == "langtag":
            return ("literal", literal.lex, literal.langtag, None)
        if kind == "datatype":
            if literal.datatype == 0:
                raise FaultError("datatype-id", "a literal of datatype 0")
            return ("literal", literal.lex, None, self._lookups["datatype"].get(literal.datatype))
        return ("literal", literal.lex, None, None)

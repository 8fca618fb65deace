"""The reference decoder: frames of protobuf's classes to plain operations, rule by rule.

Written from the specification and the later rulings, for clarity only. It knows nothing of bytes:
`read` checks them with `wire.check` and lets protobuf's own parser make the messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError as ProtobufError

from . import schema as pb
from .build import FLAT, FRAME, PUNCTUATED, QUADS, TRIPLES
from .terms import DEFAULT_GRAPH, Plain
from .wire import WireError, check, split

__all__ = ["Doubt", "Reference", "RuleError", "decode", "read"]

VERSION = 1

_LANGUAGE_TAG = re.compile("[a-zA-Z]+(-[a-zA-Z0-9]+)*")


class RuleError(ValueError):
    """The input breaks a rule."""


class Doubt(Exception):
    """Implementations of protobuf differ about this input, or this oracle can't read it."""


class _Lookup:
    def __init__(self, size: int) -> None:
        self.size = size
        self.entries: dict[int, str] = {}
        self.last_entry = 0

    def define(self, entry: Any) -> None:
        number = entry.id or self.last_entry + 1
        if number > self.size:
            raise RuleError(f"entry {number} in a lookup of {self.size}")
        self.entries[number] = entry.value
        self.last_entry = number

    def get(self, number: int) -> str:
        if number not in self.entries:
            raise RuleError(f"entry {number} is not defined")
        return self.entries[number]


class Reference:
    """Decoder of one stream.

    Attributes:
        options: The stream's options row, None before it.
    """

    def __init__(self) -> None:
        self.options: Any = None
        self.in_transaction = False
        # there are operations after the last mark
        self.patch_open = False
        self.last: dict[str, Plain | None] = {"s": None, "p": None, "o": None, "g": None}
        self.last_prefix_id = 0
        self.last_name_id = 0

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
        """Return what the end of input stands for."""
        if self.options is None:
            raise RuleError("no options row")
        if self.in_transaction:
            raise RuleError("input ends inside a transaction")
        stream_type = self.options.stream_type
        if stream_type == FLAT or (stream_type == PUNCTUATED and self.patch_open):
            return [("END",)]
        return []

    def _row(self, row: Any) -> list[Plain]:
        kind = row.WhichOneof("row")
        if kind is None:
            raise RuleError("row of no known kind")
        if kind == "options":
            self._set_options(row.options)
            return []
        if self.options is None:
            raise RuleError("first row is not the options")
        value = getattr(row, kind)
        if kind == "name":
            self.names.define(value)
            return []
        if kind == "prefix":
            self.prefixes.define(value)
            return []
        if kind == "datatype":
            self.datatypes.define(value)
            return []
        if kind == "punctuation":
            if self.options.stream_type != PUNCTUATED:
                raise RuleError("punctuation in a stream that is not PUNCTUATED")
            if self.in_transaction:
                raise RuleError("punctuation inside a transaction")
            self.patch_open = False
            return [("END",)]
        self.patch_open = True
        return [self._operation(kind, value)]

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
            graph = self._repeatable(value, "graph", "g")
            return ("PA" if kind == "namespace_add" else "PD", value.name, iri, graph)
        s = self._repeatable(value, "subject", "s")
        p = self._repeatable(value, "predicate", "p")
        o = self._repeatable(value, "object", "o")
        g = self._repeatable(value, "graph", "g")
        return ("A" if kind == "statement_add" else "D", s, p, o, g)

    def _set_options(self, options: Any) -> None:
        if self.options is not None:
            if not _same_options(options, self.options):
                raise RuleError("options changed")
            return
        if options.stream_type not in (FRAME, FLAT, PUNCTUATED):
            raise RuleError("stream type")
        if options.statement_type not in (TRIPLES, QUADS):
            raise RuleError("statement type")
        if not 1 <= options.version <= VERSION:
            raise RuleError("version")
        if options.max_name_table_size < 8:
            raise RuleError("name lookup of less than 8")
        self.options = options
        self.names = _Lookup(options.max_name_table_size)
        self.prefixes = _Lookup(options.max_prefix_table_size)
        self.datatypes = _Lookup(options.max_datatype_table_size)

    def _repeatable(self, message: Any, oneof: str, position: str) -> Plain | None:
        """Return the term of a position, which repeats the last one if it is not set."""
        if position == "g" and self.options.statement_type == TRIPLES:
            return None
        term = self._term(message, oneof, position, oneof)
        if term is None:
            term = self.last[position]
            if term is None:
                raise RuleError(f"{oneof} repeats nothing")
        self.last[position] = term
        return term

    def _term(self, message: Any, oneof: str, letter: str, position: str) -> Plain | None:
        """Return the term that a oneof holds, None if it holds none."""
        field = message.WhichOneof(oneof)
        if field is None:
            return None
        value = getattr(message, field)
        kind = field.removeprefix(letter + "_")
        generalized = self.options.generalized_statements
        if kind == "default_graph":
            return DEFAULT_GRAPH
        if kind == "iri":
            return self._iri(value)
        if position == "predicate" and not generalized:
            raise RuleError("predicate is not an IRI")
        if kind == "bnode":
            return ("bnode", value)
        if kind == "literal":
            if position in ("subject", "graph") and not generalized:
                raise RuleError(f"{position} is a literal")
            return self._literal(value)
        assert kind == "triple_term"
        if not self.options.rdf_star:
            raise RuleError("quoted triple without rdf_star")
        parts = []
        for part, inner in (("s", "subject"), ("p", "predicate"), ("o", "object")):
            term = self._term(value, inner, part, inner)
            if term is None:
                raise RuleError("repeated term in a quoted triple")
            parts.append(term)
        return ("triple", *parts)

    def _iri(self, iri: Any) -> Plain:
        if iri.prefix_id:
            self.last_prefix_id = iri.prefix_id
        prefix = self.prefixes.get(self.last_prefix_id) if self.last_prefix_id else ""
        self.last_name_id = iri.name_id or self.last_name_id + 1
        return ("iri", prefix + self.names.get(self.last_name_id))

    def _literal(self, literal: Any) -> Plain:
        kind = literal.WhichOneof("literalKind")
        if kind == "langtag":
            # the specification's SHOULD; rdflib can't hold anything else
            if not _LANGUAGE_TAG.fullmatch(literal.langtag):
                raise RuleError("no language tag")
            return ("literal", literal.lex, literal.langtag, None)
        if kind == "datatype":
            if not literal.datatype:
                raise RuleError("datatype 0")
            return ("literal", literal.lex, None, self.datatypes.get(literal.datatype))
        return ("literal", literal.lex, None, None)


def _same_options(a: Any, b: Any) -> bool:
    fields = pb.RdfPatchOptions.DESCRIPTOR.fields
    return all(getattr(a, field.name) == getattr(b, field.name) for field in fields)


def decode(frames: Iterable[Any]) -> list[Plain]:
    """Return the operations of a stream of frames (messages)."""
    reference = Reference()
    operations: list[Plain] = []
    for frame in frames:
        operations += reference.frame(frame)
    return operations + reference.finish()


def parse(data: bytes) -> Any:
    """Return the message of a bare frame.

    Args:
        data: The frame.

    Raises:
        RuleError: A strict reader has to refuse the bytes.
        Doubt: Readers differ about them.
    """
    try:
        doubts = check(pb.RdfPatchFrame.DESCRIPTOR, data)
    except WireError as error:
        raise RuleError(str(error)) from error
    if doubts:
        raise Doubt(", ".join(doubts))
    try:
        return pb.RdfPatchFrame.FromString(data)
    except ProtobufError as error:  # pragma: no cover
        raise AssertionError(f"wire.check let through what protobuf refuses: {error}") from error


def read(data: bytes) -> list[Plain]:
    """Return the operations of an input of bytes, delimited or bare.

    Raises:
        RuleError: It breaks a rule.
        Doubt: Readers differ about it.
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

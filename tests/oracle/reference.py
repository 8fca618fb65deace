"""The shared part of the reference decoders: lookups, terms, repeated terms, byte checks."""

import re
from typing import Any, ClassVar

from google.protobuf.message import DecodeError as ProtobufError

from tests.oracle.terms import DEFAULT_GRAPH, Plain
from tests.oracle.wire import WireError, check

LANGUAGE_TAG = re.compile("[a-zA-Z]+(-[a-zA-Z0-9]+)*")


class RuleError(ValueError):
    """Raised when the input breaks a rule.

    Attributes:
        rule: The name of the rule, or empty if the oracle has no name for it.
        frame: The number of the frame, or None if it is not known.
    """

    def __init__(self, message: str, rule: str = "") -> None:
        super().__init__(message)
        self.rule = rule
        self.frame: int | None = None


class Doubt(Exception):
    """Raised when protobuf implementations differ about an input, or the oracle refuses to try."""


class Lookup:
    def __init__(self, size: int) -> None:
        self.size = size
        self.entries: dict[int, str] = {}
        self.last_entry = 0

    def define(self, number: int, value: str) -> None:
        number = number or self.last_entry + 1
        self._check(number)
        self.entries[number] = value
        self.last_entry = number

    def get(self, number: int) -> str:
        self._check(number)
        if number not in self.entries:
            raise RuleError(f"entry {number} is not defined", "lookup-reference")
        return self.entries[number]

    def _check(self, number: int) -> None:
        if number > self.size:
            rule = "lookup-size" if self.size else "no-lookup"
            raise RuleError(f"entry {number} in a lookup of {self.size}", rule)


class TermReference:
    """Makes the terms of one stream from its lookups and the preceding terms.

    Attributes:
        options: The stream's options row, or None before it.
    """

    VERSION: ClassVar[int]
    """The highest version that the decoder reads."""

    def __init__(self) -> None:
        self.options: Any = None
        self.last: dict[str, Plain | None] = {"s": None, "p": None, "o": None, "g": None}
        self.last_prefix_id = 0
        self.last_name_id = 0

    def _set_options(self, options: Any) -> None:
        if self.options is not None:
            if not _same_options(options, self.options):
                raise RuleError("options changed")
            return
        self._check_options(options)
        if not 1 <= options.version <= self.VERSION:
            raise RuleError("version")
        if options.max_name_table_size < 8:
            raise RuleError("name lookup of less than 8")
        self.options = options
        self.lookups = {
            "name": Lookup(options.max_name_table_size),
            "prefix": Lookup(options.max_prefix_table_size),
            "datatype": Lookup(options.max_datatype_table_size),
        }

    def _check_options(self, options: Any) -> None:
        """Check the fields that only one format has."""
        raise NotImplementedError

    def _prelude(self, row: Any) -> str | None:
        """Apply a row that is options or a lookup entry; return the kind of any other row."""
        kind: str | None = row.WhichOneof("row")
        if kind is None:
            raise RuleError("row of no known kind")
        if kind == "options":
            self._set_options(row.options)
            return None
        if self.options is None:
            raise RuleError("first row is not the options")
        if kind in self.lookups:
            entry = getattr(row, kind)
            self.lookups[kind].define(entry.id, entry.value)
            return None
        return kind

    def _repeatable(self, message: Any, oneof: str, position: str) -> Plain:
        """Return the term of a position, or repeat the last term if the position is not set."""
        term = self._term(message, oneof, position, oneof)
        if term is None:
            term = self.last[position]
            if term is None:
                raise RuleError(f"{oneof} repeats nothing")
        self.last[position] = term
        return term

    def _term(self, message: Any, oneof: str, letter: str, position: str) -> Plain | None:
        """Return the term in a oneof, or None if the oneof is empty."""
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
        prefix = self.lookups["prefix"].get(self.last_prefix_id) if self.last_prefix_id else ""
        self.last_name_id = iri.name_id or self.last_name_id + 1
        return ("iri", prefix + self.lookups["name"].get(self.last_name_id))

    def _literal(self, literal: Any) -> Plain:
        kind = literal.WhichOneof("literalKind")
        if kind == "langtag":
            # The specification says SHOULD, but rdflib accepts no other language tags.
            if not LANGUAGE_TAG.fullmatch(literal.langtag):
                raise RuleError("no language tag")
            return ("literal", literal.lex, literal.langtag, None)
        if kind == "datatype":
            if not literal.datatype:
                raise RuleError("datatype 0")
            return ("literal", literal.lex, None, self.lookups["datatype"].get(literal.datatype))
        return ("literal", literal.lex, None, None)


def _same_options(a: Any, b: Any) -> bool:
    fields = a.DESCRIPTOR.fields
    return all(getattr(a, field.name) == getattr(b, field.name) for field in fields)


def parse_as(message_class: Any, data: bytes) -> Any:
    """Return the message of a bare frame.

    Args:
        message_class: The class of the frame.
        data: The bytes of the frame.

    Raises:
        RuleError: A strict reader has to refuse the bytes.
        Doubt: Readers differ about the bytes.
    """
    try:
        doubts = check(message_class.DESCRIPTOR, data)
    except WireError as error:
        raise RuleError(str(error)) from error
    if doubts:
        raise Doubt(", ".join(doubts))
    try:
        return message_class.FromString(data)
    except ProtobufError as error:  # pragma: no cover
        raise AssertionError(f"wire.check let through what protobuf refuses: {error}") from error

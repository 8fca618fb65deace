"""The rules that `jelly_rdflib.validate` checks, and the faults that it finds."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from jelly_rdflib.errors import DecodeError

Severity = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule of the format.

    Args:
        severity: ``"error"`` if a stream must keep the rule (or readers refuse it), ``"warning"``
            if it should.
        text: The demand of the rule, and the section of the specification that has it.
    """

    severity: Severity
    text: str


_ERRORS = {
    "format": "Readers accept it: the grammar of text, and all that has no name of its own here.",
    "limit": "It asks for no more than the limits allow (jelly_rdflib.Limits).",
    "types": "The logical type goes with the physical type"
    " (Jelly-RDF, Consistency with physical stream types).",
    "row-kinds": "A row has one field of its kinds (Jelly-Patch, Patch rows).",
    "second-field": "A oneof has one member, or none; readers take the last (Jelly-RDF, RDF terms"
    " and graph nodes).",
    "graph-in-triples": "A patch stream of triples has no graphs (Jelly-Patch, Statement types).",
    "namespace-graph": "A prefix in a patch stream of quads has a graph, or repeats one; readers"
    " take none before the first graph (Jelly-Patch, Namespaces).",
    "namespace-version": "A stream with namespace declarations has version 2"
    " (Jelly-RDF, Versioning).",
    "frame-length": "Each frame is as long as the length before it says (Jelly-Patch, Delimited"
    " variant).",
    "wire": "Frames are messages of the schema, as protobuf writes them (Jelly-Patch, Format"
    " specification).",
    "utf-8": "Strings are UTF-8 (Jelly-RDF, Blank nodes).",
    "options-first": "The first row is the options (Jelly-Patch, Patch stream options).",
    "options-same": "Options that come again are the same (Jelly-Patch, Patch stream options).",
    "stream-type": "The type of a patch stream is FRAME, FLAT or PUNCTUATED (Jelly-Patch, Patch"
    " stream types).",
    "statement-type": "The type of a patch stream's statements is TRIPLES or QUADS (Jelly-Patch,"
    " Statement types).",
    "physical-type": "The physical type is TRIPLES, QUADS or GRAPHS (Jelly-RDF, Physical stream"
    " types).",
    "version-tag": "The version is from 1 to the newest one that this library reads (Jelly-Patch,"
    " Patch stream options).",
    "name-lookup-size": "The name lookup has 8 entries or more (Jelly-Patch, Patch stream"
    " options).",
    "no-lookup": "A lookup of size 0 is not used (Jelly-Patch, Patch stream options).",
    "lookup-size": "Ids are not above the size of their lookup (Jelly-RDF, Prefix, name, and"
    " datatype lookup entries).",
    "lookup-reference": "An entry is set before it is used (Jelly-RDF, Prefix, name, and datatype"
    " lookup entries).",
    "datatype-id": "The id of a literal's datatype is not 0 (Jelly-RDF, Literals).",
    "repeated-term-first": "A term that repeats was there before (Jelly-RDF, Repeated terms).",
    "quoted-repeated-term": "No term of a quoted triple repeats (Jelly-RDF, Quoted triples).",
    "generalized-option": "Generalized statements need the option generalized_statements"
    " (Jelly-Patch, Patch stream options).",
    "rdf-star-option": "Quoted triples need the option rdf_star (Jelly-Patch, Patch stream"
    " options).",
    "namespace-value": "A namespace that is added has an IRI (Jelly-Patch, Namespaces).",
    "header-value": "A header has a value (Jelly-Patch, Headers).",
    "transaction-start": "No transaction starts in another one (Jelly-Patch, Transactions).",
    "transaction-end": "TC and TA end a transaction that was started (Jelly-Patch, Transactions).",
    "transaction-frame": "A transaction of a FRAME stream ends in its frame (Jelly-Patch,"
    " Transactions).",
    "transaction-open": "A transaction ends before the input does (Jelly-Patch, Transactions).",
    "punctuation-type": "Only PUNCTUATED streams have punctuation marks (Jelly-Patch, Patch rows).",
    "punctuation-transaction": "No patch ends inside a transaction (Jelly-Patch, Patch stream"
    " types).",
    "graph-rows": "Graphs start and end in turns, with all triples between, and have a node"
    " (Jelly-RDF, RDF statements and graphs).",
    "row-type": "Rows are those of the physical type (Jelly-RDF, Physical stream types).",
}
_WARNINGS = {
    "logical-type": "The logical type is one that is defined.",
    "version": "The version is the lowest one that has what the stream needs"
    " (Jelly-RDF, Stream options).",
    "unused-feature": "rdf_star and generalized_statements are only set where they are needed"
    " (Jelly-RDF, Stream options).",
    "unused-lookup": "A prefix lookup that the options ask for is used"
    " (Jelly-RDF, Stream options).",
    "delimited": "A file is delimited (Jelly-RDF, Internet media type and file extension).",
    "repeated-options": "A stream has its options once. They may come again (Jelly-RDF, Stream"
    " options), but streams that were joined byte by byte look the same: read as one stream, the"
    " second one has wrong terms.",
    "frame-size": "Frames are smaller than 1 MB (Jelly-RDF, Stream frames).",
    "open-graph": "Each graph ends before the stream does.",
    "unknown-field": "Fields are those of the schema; readers skip others.",
    "repeated-field": "All fields but rows and metadata come once in their message; readers take"
    " the last one, and merge messages (protobuf, Last One Wins).",
    "generalized": "Where no option allows it, statements are those of RDF 1.1: no literals as"
    " subjects or graphs, and IRIs as predicates.",
    "iri": "IRIs are absolute, and valid by RFC 3987 (Jelly-RDF, IRIs).",
    "language-tag": "Language tags are well-formed by BCP 47 (Jelly-RDF, Literals).",
    "language-string": "A literal of rdf:langString has a language tag (RDF 1.1, Literals).",
    "blank-node-label": "N-Triples can write the labels of blank nodes; others need <_:label>.",
    "prefix-name": "Names of prefixes are valid in Turtle (Jelly-RDF, Namespace declarations).",
    "header-place": "Headers come before all else in a patch (RDF Patch, Header).",
    "header-twice": "The headers id and prev come once in a patch, and a key has one spelling: Jena"
    " treats keys that differ only in case as one.",
    "patch-id": "The values of id and prev are IRIs. After uuid: or urn:uuid: comes a valid UUID."
    " No id comes twice.",
    "patch-chain": "If the patch before has an id, the header prev is that id. No patch has its own"
    " id as prev.",
    "change-place": "In a patch with transactions all changes are in one (RDF Patch, Structure).",
}
RULES: dict[str, Rule] = {
    **{name: Rule(severity="error", text=text) for name, text in _ERRORS.items()},
    **{name: Rule(severity="warning", text=text) for name, text in _WARNINGS.items()},
}
"""Each rule by its name."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A place in the input that breaks a rule.

    Args:
        rule: The name of the rule, one of `jelly_rdflib.inspection.validation.RULES`.
        message: The fault in words.
        offset: Position in the (uncompressed) input, in bytes from its start.
        frame: Number of the frame, counted from 0.
        row: Number of the row in its frame, counted from 0. If the format has neither frames nor
            lines: number of the operation in the input.
        line: Number of the line in a text, counted from 1.
        column: Number of the character in its line, counted from 1.

    Examples:
        >>> print(Fault(rule="iri", message="IRI <x> is relative", offset=120, frame=0, row=7))
        warning: IRI <x> is relative (byte 120, frame 0, row 7) [iri]
    """

    rule: str
    message: str
    offset: int | None = None
    frame: int | None = None
    row: int | None = None
    line: int | None = None
    column: int | None = None

    @property
    def severity(self) -> Severity:
        """``"error"`` or ``"warning"``; see `Rule`."""
        return RULES[self.rule].severity

    def __str__(self) -> str:
        place = dataclasses.asdict(self)
        del place["rule"]
        return f"{self.severity}: {DecodeError(**place)} [{self.rule}]"

    def as_dict(self) -> dict[str, Any]:
        """Return the fault as JSON values."""
        return {"severity": self.severity, **dataclasses.asdict(self)}


class Finding(NamedTuple):
    """A fault in an operation of a batch; ``row`` is the number of the operation in the batch."""

    row: int
    rule: str
    message: str


class RecentSet:
    """The last ``size`` things that were added. Older ones are forgotten, to bound the memory."""

    def __init__(self, size: int = 1 << 16) -> None:
        # Hashes, since the things may be large.
        self._known: OrderedDict[int, None] = OrderedDict()
        self._size = size

    def is_new(self, thing: Hashable) -> bool:
        """Add a thing; return whether it was not there."""
        number = hash(thing)
        if number in self._known:
            return False
        if len(self._known) == self._size:
            self._known.popitem(last=False)
        self._known[number] = None
        return True

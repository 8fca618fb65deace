"""The rules of the formats, which errors and faults name."""

from __future__ import annotations

from enum import Enum
from typing import Literal

Severity = Literal["error", "warning"]


class Rule(str, Enum):
    """A rule of a format: a `DecodeError` names the one that is broken, and so does a `Fault`.

    A rule is its name, a str, which the conformance suite of Jelly-Patch has, too.

    Attributes:
        severity: ``"error"`` if a stream must keep the rule (or readers refuse it), ``"warning"``
            if it should.
        text: The demand of the rule, and the section of the specification that has it.

    Examples:
        >>> print(Rule("utf-8"), Rule.UTF_8.severity)
        utf-8 error
        >>> print(Rule.UTF_8.text)
        Strings are UTF-8 (Jelly-RDF, Blank nodes).
    """

    severity: Severity
    text: str

    # The defaults are for type checkers: a call of the class with a name looks its rule up.
    def __new__(cls, name: str, severity: Severity = "error", text: str = "") -> Rule:  # noqa: D102
        rule = str.__new__(cls, name)
        rule._value_ = name
        rule.severity = severity
        rule.text = text
        return rule

    # Without these, a rule would be shown in other ways by other versions of Python.
    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]

    @property
    def is_enforced(self) -> bool:
        """Do readers refuse what breaks the rule?"""
        return self.severity == "error" and self not in _LEFT_TO_VALIDATE

    FORMAT = (
        "format",
        "error",
        "Readers accept it: the grammar of text, and all that has no name of its own here.",
    )
    LIMIT = "limit", "error", "It asks for no more than the limits allow (jelly_rdflib.Limits)."
    TYPES = (
        "types",
        "error",
        "The logical type goes with the physical type (Jelly-RDF, Consistency with"
        " physical stream types).",
    )
    ROW_KINDS = "row-kinds", "error", "A row has one field of its kinds (Jelly-Patch, Patch rows)."
    SECOND_FIELD = (
        "second-field",
        "error",
        "A oneof has one member, or none; readers take the last (Jelly-RDF, RDF terms"
        " and graph nodes).",
    )
    GRAPH_IN_TRIPLES = (
        "graph-in-triples",
        "error",
        "A patch stream of triples has no graphs (Jelly-Patch, Statement types).",
    )
    NAMESPACE_GRAPH = (
        "namespace-graph",
        "error",
        "A prefix in a patch stream of quads has a graph, or repeats one; readers"
        " take none before the first graph (Jelly-Patch, Namespaces).",
    )
    NAMESPACE_VERSION = (
        "namespace-version",
        "error",
        "A stream with namespace declarations has version 2 (Jelly-RDF, Versioning).",
    )
    FRAME_LENGTH = (
        "frame-length",
        "error",
        "Each frame is as long as the length before it says (Jelly-Patch, Delimited variant).",
    )
    WIRE = (
        "wire",
        "error",
        "Frames are messages of the schema, as protobuf writes them (Jelly-Patch,"
        " Format specification).",
    )
    UTF_8 = "utf-8", "error", "Strings are UTF-8 (Jelly-RDF, Blank nodes)."
    OPTIONS_FIRST = (
        "options-first",
        "error",
        "The first row is the options (Jelly-Patch, Patch stream options).",
    )
    OPTIONS_SAME = (
        "options-same",
        "error",
        "Options that come again are the same (Jelly-Patch, Patch stream options).",
    )
    STREAM_TYPE = (
        "stream-type",
        "error",
        "The type of a patch stream is FRAME, FLAT or PUNCTUATED (Jelly-Patch, Patch"
        " stream types), that of a stream of Jelly-RDF 1.2 FLAT or MESSAGES.",
    )
    STATEMENT_TYPE = (
        "statement-type",
        "error",
        "The type of a patch stream's statements is TRIPLES or QUADS (Jelly-Patch,"
        " Statement types).",
    )
    PHYSICAL_TYPE = (
        "physical-type",
        "error",
        "The physical type is TRIPLES, QUADS or GRAPHS (Jelly-RDF, Physical stream types).",
    )
    VERSION_TAG = (
        "version-tag",
        "error",
        "The version is from 1 to the newest one that this library reads"
        " (Jelly-Patch, Patch stream options).",
    )
    NAME_LOOKUP_SIZE = (
        "name-lookup-size",
        "error",
        "The name lookup has 8 entries or more (Jelly-Patch, Patch stream options).",
    )
    NO_LOOKUP = (
        "no-lookup",
        "error",
        "A lookup of size 0 is not used (Jelly-Patch, Patch stream options).",
    )
    LOOKUP_SIZE = (
        "lookup-size",
        "error",
        "Ids are not above the size of their lookup (Jelly-RDF, Prefix, name, and"
        " datatype lookup entries).",
    )
    LOOKUP_REFERENCE = (
        "lookup-reference",
        "error",
        "An entry is set before it is used (Jelly-RDF, Prefix, name, and datatype lookup entries).",
    )
    DATATYPE_ID = (
        "datatype-id",
        "error",
        "The id of a literal's datatype is not 0 (Jelly-RDF, Literals).",
    )
    REPEATED_TERM_FIRST = (
        "repeated-term-first",
        "error",
        "A term that repeats was there before (Jelly-RDF, Repeated terms).",
    )
    QUOTED_REPEATED_TERM = (
        "quoted-repeated-term",
        "error",
        "No term of a quoted triple repeats (Jelly-RDF, Quoted triples).",
    )
    GENERALIZED_OPTION = (
        "generalized-option",
        "error",
        "Generalized statements need the option generalized_statements (Jelly-Patch,"
        " Patch stream options).",
    )
    RDF_STAR_OPTION = (
        "rdf-star-option",
        "error",
        "Quoted triples need the option rdf_star (Jelly-Patch, Patch stream options).",
    )
    NAMESPACE_VALUE = (
        "namespace-value",
        "error",
        "A namespace that is added has an IRI (Jelly-Patch, Namespaces).",
    )
    HEADER_VALUE = "header-value", "error", "A header has a value (Jelly-Patch, Headers)."
    TRANSACTION_START = (
        "transaction-start",
        "error",
        "No transaction starts in another one (Jelly-Patch, Transactions).",
    )
    TRANSACTION_END = (
        "transaction-end",
        "error",
        "TC and TA end a transaction that was started (Jelly-Patch, Transactions).",
    )
    TRANSACTION_FRAME = (
        "transaction-frame",
        "error",
        "A transaction of a FRAME stream ends in its frame (Jelly-Patch, Transactions).",
    )
    TRANSACTION_OPEN = (
        "transaction-open",
        "error",
        "A transaction ends before the input does (Jelly-Patch, Transactions).",
    )
    PUNCTUATION_TYPE = (
        "punctuation-type",
        "error",
        "Only PUNCTUATED streams have punctuation marks (Jelly-Patch, Patch rows).",
    )
    PUNCTUATION_TRANSACTION = (
        "punctuation-transaction",
        "error",
        "No patch ends inside a transaction (Jelly-Patch, Patch stream types).",
    )
    GRAPH_ROWS = (
        "graph-rows",
        "error",
        "Graphs start and end in turns, with all triples between, and have a node"
        " (Jelly-RDF, RDF statements and graphs).",
    )
    ROW_TYPE = (
        "row-type",
        "error",
        "Rows are those of the physical type (Jelly-RDF, Physical stream types).",
    )
    MIXED_LAYOUTS = (
        "mixed-layouts",
        "error",
        "A stream has its statements in rows or in columns, as its version says (Jelly-RDF 1.2).",
    )
    OPTIONS_TWICE = (
        "options-twice",
        "error",
        "A frame has its options once (Jelly-RDF 1.2).",
    )
    COLUMN_OPTIONS = (
        "column-options",
        "error",
        "The options are those of the version: only in Jelly-RDF 1.2 there are a stream type and a"
        " version of RDF, but no flags and no logical type.",
    )
    RDF_VERSION = "rdf-version", "error", "The version of RDF is one that is defined."
    RDF_VERSION_TERMS = (
        "rdf-version-terms",
        "error",
        "Terms are those of the version of RDF that the options announce (Jelly-RDF 1.2).",
    )
    ROW_COUNT = "row-count", "error", "A batch has less than 2^27 rows (Jelly-RDF 1.2)."
    COLUMN_LAYOUT = (
        "column-layout",
        "error",
        "Layouts take values that a column has, and fill rows that there are (Jelly-RDF 1.2).",
    )
    COLUMN_VALUES = (
        "column-values",
        "error",
        "A column has no value behind the last row (Jelly-RDF 1.2).",
    )
    COLUMN_UNBOUND = (
        "column-unbound",
        "error",
        "Only the column of graphs has cells without a value (Jelly-RDF 1.2).",
    )
    COLUMN_POSITION = (
        "column-position",
        "error",
        "The values of a column may stand in its position (Jelly-RDF 1.2).",
    )
    COLUMN_KINDS = (
        "column-kinds",
        "error",
        "The kinds of a column are those of its values (Jelly-RDF 1.2).",
    )
    COLUMN_LISTS = (
        "column-lists",
        "error",
        "A list that goes with another one has no number, one for all, or one for each"
        " (Jelly-RDF 1.2).",
    )
    LANGUAGE_TAG_INDEX = (
        "language-tag-index",
        "error",
        "A literal's language tag is one of its column (Jelly-RDF 1.2).",
    )
    LANGUAGE_DATATYPE = (
        "language-datatype",
        "error",
        "The lookup has no datatype of literals with a language tag (Jelly-RDF 1.2).",
    )
    DIRECTION = (
        "direction",
        "error",
        "A base direction is one of two, and stands beside a language tag (Jelly-RDF 1.2).",
    )
    MESSAGE_LENGTHS = (
        "message-lengths",
        "error",
        "Only a stream of messages has their lengths, which are no more than the rows"
        " (Jelly-RDF 1.2).",
    )
    # What readers take, and `jelly_rdflib.validate` warns of.
    LOGICAL_TYPE = "logical-type", "warning", "The logical type is one that is defined."
    VERSION = (
        "version",
        "warning",
        "The version is the lowest one that has what the stream needs (Jelly-RDF, Stream options).",
    )
    UNUSED_FEATURE = (
        "unused-feature",
        "warning",
        "rdf_star and generalized_statements are only set where they are needed"
        " (Jelly-RDF, Stream options).",
    )
    UNUSED_LOOKUP = (
        "unused-lookup",
        "warning",
        "A prefix lookup that the options ask for is used (Jelly-RDF, Stream options).",
    )
    DELIMITED = (
        "delimited",
        "warning",
        "A file is delimited (Jelly-RDF, Internet media type and file extension).",
    )
    REPEATED_OPTIONS = (
        "repeated-options",
        "warning",
        "A stream has its options once. They may come again (Jelly-RDF, Stream"
        " options), but streams that were joined byte by byte look the same: read as"
        " one stream, the second one has wrong terms.",
    )
    FRAME_SIZE = "frame-size", "warning", "Frames are smaller than 1 MB (Jelly-RDF, Stream frames)."
    OPEN_GRAPH = "open-graph", "warning", "Each graph ends before the stream does."
    UNKNOWN_FIELD = (
        "unknown-field",
        "warning",
        "Fields are those of the schema; readers skip others.",
    )
    REPEATED_FIELD = (
        "repeated-field",
        "warning",
        "All fields but rows and metadata come once in their message; readers take"
        " the last one, and merge messages (protobuf, Last One Wins).",
    )
    GENERALIZED = (
        "generalized",
        "warning",
        "Where no option allows it, statements are those of RDF 1.1: no literals as"
        " subjects or graphs, and IRIs as predicates.",
    )
    IRI = "iri", "warning", "IRIs are absolute, and valid by RFC 3987 (Jelly-RDF, IRIs)."
    LANGUAGE_TAG = (
        "language-tag",
        "warning",
        "Language tags are well-formed by BCP 47 (Jelly-RDF, Literals).",
    )
    LANGUAGE_STRING = (
        "language-string",
        "warning",
        "A literal of rdf:langString has a language tag (RDF 1.1, Literals).",
    )
    BLANK_NODE_LABEL = (
        "blank-node-label",
        "warning",
        "N-Triples can write the labels of blank nodes; others need <_:label>.",
    )
    PREFIX_NAME = (
        "prefix-name",
        "warning",
        "Names of prefixes are valid in Turtle (Jelly-RDF, Namespace declarations).",
    )
    HEADER_PLACE = (
        "header-place",
        "warning",
        "Headers come before all else in a patch (RDF Patch, Header).",
    )
    HEADER_TWICE = (
        "header-twice",
        "warning",
        "The headers id and prev come once in a patch, and a key has one spelling:"
        " Jena treats keys that differ only in case as one.",
    )
    PATCH_ID = (
        "patch-id",
        "warning",
        "The values of id and prev are IRIs. After uuid: or urn:uuid: comes a valid"
        " UUID. No id comes twice.",
    )
    PATCH_CHAIN = (
        "patch-chain",
        "warning",
        "If the patch before has an id, the header prev is that id. No patch has its"
        " own id as prev.",
    )
    CHANGE_PLACE = (
        "change-place",
        "warning",
        "In a patch with transactions all changes are in one (RDF Patch, Structure).",
    )


_LEFT_TO_VALIDATE = (
    Rule.TYPES,
    Rule.SECOND_FIELD,
    Rule.GRAPH_IN_TRIPLES,
    Rule.NAMESPACE_GRAPH,
    Rule.NAMESPACE_VERSION,
)

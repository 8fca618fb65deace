"""The rules of the formats, which errors and faults name."""

from __future__ import annotations

from enum import Enum
from typing import Literal

Severity = Literal["error", "warning"]


class Rule(str, Enum):
    """A rule of a format. A `DecodeError` and a `Fault` name the rule that the input breaks.

    A rule is a str: its name, which the conformance suite of Jelly-Patch uses, too.

    Attributes:
        severity: ``"error"`` if a stream must follow the rule (or readers refuse it),
            ``"warning"`` if it should follow the rule.
        text: What the rule demands, and the section of the specification that defines it.

    Examples:
        >>> print(Rule("utf-8"), Rule.UTF_8.severity)
        utf-8 error
        >>> print(Rule.UTF_8.text)
        Strings are UTF-8 (Jelly-RDF, Blank nodes).
    """

    severity: Severity
    text: str

    # The defaults are for type checkers: calling the class with a name looks up a rule.
    def __new__(cls, name: str, severity: Severity = "error", text: str = "") -> Rule:  # noqa: D102
        rule = str.__new__(cls, name)
        rule._value_ = name
        rule.severity = severity
        rule.text = text
        return rule

    # Without these, the text of a rule would depend on the version of Python.
    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]

    @property
    def is_enforced(self) -> bool:
        """Whether readers refuse input that breaks the rule."""
        return self.severity == "error" and self not in _LEFT_TO_VALIDATE

    FORMAT = (
        "format",
        "error",
        "The input follows the grammar of its format, and all rules without a name here.",
    )
    LIMIT = "limit", "error", "The input stays within the limits (jelly_rdflib.Limits)."
    TYPES = (
        "types",
        "error",
        "The logical type goes with the physical type (Jelly-RDF, Consistency with"
        " physical stream types).",
    )
    ROW_KINDS = "row-kinds", "error", "A row is of exactly one kind (Jelly-Patch, Patch rows)."
    SECOND_FIELD = (
        "second-field",
        "error",
        "At most one member of a oneof is set; readers use the last (Jelly-RDF, RDF terms"
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
        "A prefix in a patch stream of quads has a graph, or repeats the last one; readers"
        " accept prefixes before the first graph (Jelly-Patch, Namespaces).",
    )
    NAMESPACE_VERSION = (
        "namespace-version",
        "error",
        "A stream with namespace declarations has version 2 (Jelly-RDF, Versioning).",
    )
    FRAME_LENGTH = (
        "frame-length",
        "error",
        "Each frame has the length that is written before it (Jelly-Patch, Delimited variant).",
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
        "The first row has the options (Jelly-Patch, Patch stream options).",
    )
    OPTIONS_SAME = (
        "options-same",
        "error",
        "Repeated options are equal to the first ones (Jelly-Patch, Patch stream options).",
    )
    STREAM_TYPE = (
        "stream-type",
        "error",
        "The type of a patch stream is FRAME, FLAT or PUNCTUATED (Jelly-Patch, Patch"
        " stream types). The type of a Jelly-RDF 1.2 stream is FLAT or MESSAGES.",
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
        "No id is greater than the size of its lookup (Jelly-RDF, Prefix, name, and"
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
        "A repeated term has an earlier term to repeat (Jelly-RDF, Repeated terms).",
    )
    QUOTED_REPEATED_TERM = (
        "quoted-repeated-term",
        "error",
        "A quoted triple has no repeated terms (Jelly-RDF, Quoted triples).",
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
        "No transaction starts inside another one (Jelly-Patch, Transactions).",
    )
    TRANSACTION_END = (
        "transaction-end",
        "error",
        "TC and TA end a transaction that was started (Jelly-Patch, Transactions).",
    )
    TRANSACTION_FRAME = (
        "transaction-frame",
        "error",
        "A transaction of a FRAME stream ends in the same frame (Jelly-Patch, Transactions).",
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
        "Graphs have a node and are not nested, and each triple is inside a graph"
        " (Jelly-RDF, RDF statements and graphs).",
    )
    ROW_TYPE = (
        "row-type",
        "error",
        "Rows are of kinds that the physical type allows (Jelly-RDF, Physical stream types).",
    )
    MIXED_LAYOUTS = (
        "mixed-layouts",
        "error",
        "A stream has all statements in rows, or all in columns, by its version (Jelly-RDF 1.2).",
    )
    OPTIONS_TWICE = (
        "options-twice",
        "error",
        "A frame has options at most once (Jelly-RDF 1.2).",
    )
    COLUMN_OPTIONS = (
        "column-options",
        "error",
        "The options fit the version: only Jelly-RDF 1.2 has a stream type and a version of RDF,"
        " and it has neither flags nor a logical type.",
    )
    RDF_VERSION = "rdf-version", "error", "The version of RDF is a defined one."
    RDF_VERSION_TERMS = (
        "rdf-version-terms",
        "error",
        "All terms exist in the version of RDF that the options announce (Jelly-RDF 1.2).",
    )
    ROW_COUNT = "row-count", "error", "A batch has fewer than 2^27 rows (Jelly-RDF 1.2)."
    COLUMN_LAYOUT = (
        "column-layout",
        "error",
        "A layout uses only existing values of its column and existing rows (Jelly-RDF 1.2).",
    )
    COLUMN_VALUES = (
        "column-values",
        "error",
        "A column has no value after the last row (Jelly-RDF 1.2).",
    )
    COLUMN_UNBOUND = (
        "column-unbound",
        "error",
        "Only the column of graphs has cells without a value (Jelly-RDF 1.2).",
    )
    COLUMN_POSITION = (
        "column-position",
        "error",
        "The values of a column are allowed in its position (Jelly-RDF 1.2).",
    )
    COLUMN_KINDS = (
        "column-kinds",
        "error",
        "The kinds that a column lists match its values (Jelly-RDF 1.2).",
    )
    COLUMN_LISTS = (
        "column-lists",
        "error",
        "A list of numbers for values is empty, or has one number for all of them or one for each"
        " (Jelly-RDF 1.2).",
    )
    LANGUAGE_TAG_INDEX = (
        "language-tag-index",
        "error",
        "The language tag of a literal is one of its column's tags (Jelly-RDF 1.2).",
    )
    LANGUAGE_DATATYPE = (
        "language-datatype",
        "error",
        "The datatype lookup has no datatype of language-tagged literals (Jelly-RDF 1.2).",
    )
    DIRECTION = (
        "direction",
        "error",
        "A base direction is ltr or rtl, and comes with a language tag (Jelly-RDF 1.2).",
    )
    MESSAGE_LENGTHS = (
        "message-lengths",
        "error",
        "Only a stream of messages has message lengths, and their sum is at most the number of"
        " rows (Jelly-RDF 1.2).",
    )
    # Readers accept input that breaks these rules; `jelly_rdflib.validate` warns of it.
    LOGICAL_TYPE = "logical-type", "warning", "The logical type is a defined one."
    VERSION = (
        "version",
        "warning",
        "The version is the lowest that suffices for the stream (Jelly-RDF, Stream options).",
    )
    UNUSED_FEATURE = (
        "unused-feature",
        "warning",
        "rdf_star and generalized_statements are set only if they are needed"
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
        "A stream has its options once. They may be repeated (Jelly-RDF, Stream"
        " options), but streams that were joined byte by byte look the same: if they are"
        " read as one stream, the second one gets wrong terms.",
    )
    FRAME_SIZE = "frame-size", "warning", "Frames are smaller than 1 MB (Jelly-RDF, Stream frames)."
    OPEN_GRAPH = "open-graph", "warning", "Each graph ends before the stream does."
    UNKNOWN_FIELD = (
        "unknown-field",
        "warning",
        "All fields are in the schema; readers skip others.",
    )
    REPEATED_FIELD = (
        "repeated-field",
        "warning",
        "A message has each field once, except rows and metadata; readers use the last"
        " value of a repeated field, and merge messages (protobuf, Last One Wins).",
    )
    GENERALIZED = (
        "generalized",
        "warning",
        "Unless an option allows more, statements follow RDF 1.1: no literals as"
        " subjects or graphs, and only IRIs as predicates.",
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
        "Labels of blank nodes are valid in N-Triples; other labels are written <_:label>.",
    )
    PREFIX_NAME = (
        "prefix-name",
        "warning",
        "Names of prefixes are valid in Turtle (Jelly-RDF, Namespace declarations).",
    )
    HEADER_PLACE = (
        "header-place",
        "warning",
        "Headers come first in a patch (RDF Patch, Header).",
    )
    HEADER_TWICE = (
        "header-twice",
        "warning",
        "The headers id and prev occur at most once in a patch, and a key has one spelling:"
        " for Jena, keys that differ only in case are the same.",
    )
    PATCH_ID = (
        "patch-id",
        "warning",
        "The values of id and prev are IRIs. An IRI with uuid: or urn:uuid: has a valid"
        " UUID. No id occurs twice.",
    )
    PATCH_CHAIN = (
        "patch-chain",
        "warning",
        "If the previous patch has an id, the header prev is that id. No patch has its"
        " own id as prev.",
    )
    CHANGE_PLACE = (
        "change-place",
        "warning",
        "In a patch with transactions every change is inside one (RDF Patch, Structure).",
    )


_LEFT_TO_VALIDATE = (
    Rule.TYPES,
    Rule.SECOND_FIELD,
    Rule.GRAPH_IN_TRIPLES,
    Rule.NAMESPACE_GRAPH,
    Rule.NAMESPACE_VERSION,
)

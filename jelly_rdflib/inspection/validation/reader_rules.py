"""Which rule the error of a reader is about: readers know messages, and `RULES` has names."""

from __future__ import annotations

import re

from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.inspection.validation.faults import Fault

_RULES = {
    "frame-length": "the frame's length is cut off|the frame has [0-9]+ bytes, but the input ends",
    "utf-8": "string is not UTF-8",
    "wire": "unknown groups nest|end of a group|field is cut off|there is no wire type"
    "|group [0-9]+ has no end|varint |number [0-9]+ is too large for 32 bits"
    "|length [0-9]+ is beyond the end|[0-9]+ is no field's tag|field [0-9]+ has wire type",
    "row-kinds": "row of no kind that is known",
    "options-first": "the stream does not start with its options|the input is empty"
    "|no frame has the stream's options",
    "options-same": "options that differ from the first",
    "stream-type": "[0-9]+ is no stream type",
    "statement-type": "[0-9]+ is no statement type|options without a statement type",
    "physical-type": "[0-9]+ is no physical type|options without a physical type",
    "version-tag": "options of .* without a version|version [0-9]+ of",
    "name-lookup-size": "name lookup of [0-9]+ entries: the least",
    "datatype-id": "datatype id 0 is out of range",
    "no-lookup": "(?:name|prefix|datatype) (?:entry|id) .*: the lookup has 0 entries",
    "lookup-size": "(?:name|prefix|datatype) (?:entry|id) [0-9]+ is out of range",
    "lookup-reference": "(?:name|prefix|datatype) id [0-9]+ was never set",
    "repeated-term-first": "repeated term, but there was no term before",
    "quoted-repeated-term": "repeated term in a quoted triple",
    "generalized-option": "(?:literal|predicate) that is not an .* generalized_statements",
    "rdf-star-option": "quoted triple, but the options do not have rdf_star",
    "namespace-value": "namespace has no value",
    "header-value": "header has no value",
    "transaction-start": "transaction starts inside a transaction",
    "transaction-end": "transaction ends, but none was started",
    "transaction-frame": "a transaction of a FRAME stream does not end with its frame",
    "transaction-open": "the input ends inside a transaction",
    "punctuation-type": "punctuation mark in a stream that is not PUNCTUATED",
    "punctuation-transaction": "punctuation mark inside|patch ends inside a transaction",
    "graph-rows": "triple outside a graph|graph (?:starts|ends)",
    "row-type": ".* row in a stream of physical type",
}
REFUSALS = frozenset(("format", "limit", *_RULES))
"""The rules that readers enforce."""

# One expression for all: a group of each rule, whose names can't have hyphens.
_NAMES = {name.replace("-", "_"): name for name in _RULES}
_PATTERN = re.compile(
    "|".join(f"(?P<{group}>{_RULES[name]})" for group, name in _NAMES.items()), re.DOTALL
)


def rule_of(error: DecodeError) -> str:
    """Return the name of the rule that an error is about, ``"format"`` if none is named."""
    if isinstance(error, LimitError):
        return "limit"
    match = _PATTERN.match(error.message)
    return "format" if match is None else _NAMES[str(match.lastgroup)]


def is_refusal(fault: Fault) -> bool:
    """Tell whether a fault is one that readers refuse."""
    # Of a row with two kinds they take the last; of one without any they take none.
    return fault.rule in REFUSALS and "more than one kind" not in fault.message

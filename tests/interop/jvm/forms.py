"""What operations and statements are to both sides alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...oracle.terms import DEFAULT_GRAPH, Plain, node, plain, with_simple_strings

__all__ = [
    "can_both_have",
    "seen_by_jena",
    "with_jenas_terms",
    "without_default_graph",
    "without_last_end",
]

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
# Literals of these take a language, in RDF 1.1 and 1.2; without one, Jena makes others of them.
TAKE_A_LANGUAGE = (RDF + "langString", RDF + "dirLangString")


def seen_by_jena(operations: Iterable[Plain]) -> list[Plain]:
    """Return operations as Jena can have them.

    It has no IRI of a prefix that is deleted.
    """
    return [
        ("PD", operation[1], None, operation[3])
        if operation[0] == "PD"
        else with_jenas_terms(operation)
        for operation in operations
    ]


def with_jenas_terms(value: Any) -> Any:
    """Return an operation or a statement as Jena can have it.

    It has one literal where RDF 1.1 has one: a string has no datatype here. And it spells languages
    by RFC 5646.
    """
    return _with_languages(with_simple_strings(value))


def _with_languages(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    if value[:1] == ("literal",):
        _, lex, language, datatype = value
        return ("literal", lex, language and canonical_language(language), datatype)
    return tuple(map(_with_languages, value))


def without_last_end(operations: Iterable[Plain]) -> list[Plain]:
    """Return operations without the END of the last patch, which the end of the stream is too."""
    result = list(operations)
    if result[-1:] == [("END",)]:
        result.pop()
    return result


def without_default_graph(operations: Iterable[Plain]) -> list[Plain]:
    """Return operations with no graph where it is the default graph: RDF Patch has one for both."""
    return [
        (*operation[:-1], None)
        if operation[0] in ("A", "D", "PA", "PD") and operation[-1] == DEFAULT_GRAPH
        else operation
        for operation in operations
    ]


def can_both_have(value: Any) -> bool:
    """Tell whether rdflib and Jena have the very terms of a term, an operation or a statement.

    rdflib's constructor changes the white space of some lexical forms. Jena makes other literals of
    an empty datatype and of those that take a language.
    """
    if not isinstance(value, tuple):
        return True
    if value[:1] == ("literal",):
        _, _, language, datatype = value
        return plain(node(value)) == value and datatype != "" and datatype not in TAKE_A_LANGUAGE
    return all(map(can_both_have, value))


def canonical_language(tag: str) -> str:
    """Spell a language tag as RFC 5646 has it: en, en-GB, zh-Hant-TW."""
    first, *rest = tag.split("-")
    parts = [first.lower()]
    for part in rest:
        # What follows a single letter is an extension.
        if len(parts[-1]) == 1:
            parts.append(part.lower())
        elif len(part) == 2:
            parts.append(part.upper())
        elif len(part) == 4:
            parts.append(part.title())
        else:
            parts.append(part.lower())
    return "-".join(parts)

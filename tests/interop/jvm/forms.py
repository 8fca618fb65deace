"""Operations and statements in a form that both sides share."""

import re
from collections.abc import Iterable
from typing import Any

from tests.oracle.terms import DEFAULT_GRAPH, Plain, node, plain, with_simple_strings

LANGUAGE = re.compile("[a-z]{2,3}(-[a-z]{4})?(-[a-z]{2})?", re.IGNORECASE)
# Scripts have four letters and regions two; each is capitalized in its own way.
CASES = {4: str.capitalize, 2: str.upper}
WITH_GRAPH = ("A", "D", "PA", "PD")
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
# Literals of these datatypes have a language.
TAKE_A_LANGUAGE = (RDF + "langString", RDF + "dirLangString")


def seen_by_jena(operations: Iterable[Plain]) -> list[Plain]:
    """Return operations as Jena can represent them.

    Jena does not store the IRI of a deleted prefix.
    """
    return [
        with_jenas_terms(
            (*operation[:2], None, operation[3]) if operation[0] == "PD" else operation
        )
        for operation in operations
    ]


def with_jenas_terms(value: Any) -> Any:
    """Return an operation or a statement as Jena can represent it.

    Like RDF 1.1, Jena does not distinguish plain literals from strings, so a string has no datatype
    here. It spells languages as RFC 5646 does.
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
    """Return operations without the last END, because the end of the stream means the same."""
    result = list(operations)
    if result[-1:] == [("END",)]:
        result.pop()
    return result


def without_default_graph(operations: Iterable[Plain]) -> list[Plain]:
    """Return operations with None for the default graph: RDF Patch writes both the same way."""
    return [
        (*operation[:-1], None)
        if operation[0] in WITH_GRAPH and operation[-1] == DEFAULT_GRAPH
        else operation
        for operation in operations
    ]


def can_both_have(value: Any) -> bool:
    """Return whether rdflib and Jena can represent the exact terms of an operation or statement.

    They can't represent lexical forms whose white space rdflib's constructor changes, literals that
    are not in RDF, languages that Jena changes, and the default graph in place of a term.
    """
    has_graph = value[0] in WITH_GRAPH if isinstance(value[0], str) else len(value) == 4
    terms = value[:-1] if has_graph and value[-1] == DEFAULT_GRAPH else value
    return all(map(_can_have, terms))


def _can_have(value: Any) -> bool:
    if not isinstance(value, tuple):
        return True
    if value[0] == "literal":
        _, _, language, datatype = value
        return (
            plain(node(value)) == value
            and datatype != ""
            and datatype not in TAKE_A_LANGUAGE
            and (language is None or LANGUAGE.fullmatch(language) is not None)
        )
    return value != DEFAULT_GRAPH and all(map(_can_have, value[1:]))


def canonical_language(tag: str) -> str:
    """Spell a tag of language, script and region as in RFC 5646: en, en-GB, zh-Hant-TW."""
    first, *rest = tag.split("-")
    return "-".join([first.lower(), *(CASES.get(len(part), str.lower)(part) for part in rest)])

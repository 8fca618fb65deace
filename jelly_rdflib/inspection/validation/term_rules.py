"""Rules for terms: IRIs, language tags, labels of blank nodes, names of prefixes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.text import (
    TermFault,
    TermFaults,
    find_generalized_statement,
)
from jelly_rdflib.inspection.validation.faults import Finding, RecentSet, show
from jelly_rdflib.operations import Op

# PN_CHARS_BASE and PN_CHARS of Turtle.
_START = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_PART = rf"{_START}0-9_\-\u00b7\u0300-\u036f\u203f-\u2040"
_PREFIX_NAME = re.compile(rf"(?:[{_START}](?:[{_PART}.]*[{_PART}])?)?")
_PREFIX_ROW = re.compile(b"[%c%c]" % (Op.PA, Op.PD))


class TermRules:
    """Holds the terms of a stream against the rules; each is told once.

    Args:
        may_be_generalized: Whether generalized statements are the affair of the stream's options.
    """

    def __init__(self, *, may_be_generalized: bool) -> None:
        self._told = RecentSet()
        self._may_be_generalized = may_be_generalized

    def take(self, batch: Batch) -> Iterator[Finding]:
        """Find faults of terms that were not found before."""
        for row, term, fault in TermFaults(batch).find():
            text = term_text(batch, term)
            if self._told.is_new((fault, text)):
                yield Finding(row, *_judge(fault, text))
        yield from self._take_prefixes(batch)
        if not self._may_be_generalized:
            generalized = find_generalized_statement(batch)
            if generalized is not None:
                self._may_be_generalized = True
                yield Finding(
                    generalized,
                    "generalized",
                    "literal as subject or graph, or predicate that is no IRI: no RDF 1.1",
                )

    def _take_prefixes(self, batch: Batch) -> Iterator[Finding]:
        names = batch.s
        for match in _PREFIX_ROW.finditer(bytes(batch.ops)):
            row = match.start()
            name = term_text(batch, names[row])
            if _PREFIX_NAME.fullmatch(name) is None and self._told.is_new(("prefix", name)):
                yield Finding(
                    row, "prefix-name", f"prefix name {show(name)} is none that Turtle has"
                )


def term_text(batch: Batch, term: int) -> str:
    """Return the text of a term: an IRI, a label, a lexical form, a string."""
    terms = batch.terms
    return bytes(terms.data[terms.offsets[term] : terms.offsets[term + 1]]).decode()


def _judge(fault: int, text: str) -> tuple[str, str]:
    """Return the rule that a term breaks, and what is wrong."""
    if fault == TermFault.RELATIVE_IRI:
        return "iri", f"IRI {show(text)} is relative: it has no scheme"
    if fault == TermFault.BAD_CHARACTER:
        return "iri", f"IRI {show(text)} has a character that can't stand there in an IRI"
    if fault == TermFault.BAD_ESCAPE:
        return "iri", f"IRI {show(text)} has a % without two hexadecimal digits"
    if fault == TermFault.BAD_PORT:
        return "iri", f"IRI {show(text)} has a port that is no number"
    if fault == TermFault.BAD_ADDRESS:
        return "iri", f"IRI {show(text)} has a bad address"
    if fault == TermFault.LABEL:
        return (
            "blank-node-label",
            f"blank node label {show(text)} can't be written in N-Triples",
        )
    if fault == TermFault.LANGUAGE_TAG:
        return "language-tag", f"{show(text)} is no language tag of BCP 47"
    return "language-string", f"literal {show(text)} of rdf:langString has no language tag"

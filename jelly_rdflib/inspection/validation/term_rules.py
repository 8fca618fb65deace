"""Rules for terms: IRIs, language tags, blank node labels, prefix names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.text import (
    TermFault,
    find_generalized_statement,
    find_term_faults,
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
_RULES: dict[int, tuple[str, str]] = {
    TermFault.RELATIVE_IRI: ("iri", "IRI {} is relative: it has no scheme"),
    TermFault.BAD_CHARACTER: ("iri", "IRI {} has a character that can't stand there in an IRI"),
    TermFault.BAD_ESCAPE: ("iri", "IRI {} has a % without two hexadecimal digits"),
    TermFault.BAD_PORT: ("iri", "IRI {} has a port that is no number"),
    TermFault.BAD_ADDRESS: ("iri", "IRI {} has a bad address"),
    TermFault.LABEL: ("blank-node-label", "blank node label {} can't be written in N-Triples"),
    TermFault.LANGUAGE_TAG: ("language-tag", "{} is no language tag of BCP 47"),
    TermFault.UNTAGGED_LANGUAGE_STRING: (
        "language-string",
        "literal {} of rdf:langString has no language tag",
    ),
}
_PREFIX_ROW = re.compile(b"[%c%c]" % (Op.PA, Op.PD))


class TermRules:
    """Checks the terms of a stream; each faulty term is reported once.

    With ``may_be_generalized`` the stream's options decide on generalized statements, not a rule.
    """

    def __init__(self, *, may_be_generalized: bool) -> None:
        self._told = RecentSet()
        self._may_be_generalized = may_be_generalized

    def take(self, batch: Batch) -> Iterator[Finding]:
        """Find faulty terms that were not reported before."""
        for row, term, fault in find_term_faults(batch):
            text = term_text(batch, term)
            if self._told.is_new((fault, text)):
                rule, message = _RULES[fault]
                yield Finding(row, rule, message.format(show(text)))
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
                    row, "prefix-name", f"prefix name {show(name)} is not allowed in Turtle"
                )


def term_text(batch: Batch, term: int) -> str:
    """Return the text of a term: an IRI, a label, a lexical form, a string."""
    terms = batch.terms
    return bytes(terms.data[terms.offsets[term] : terms.offsets[term + 1]]).decode()

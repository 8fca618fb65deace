"""Rules for operations: for their terms, and for their positions in patches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jelly_rdflib.core.batch import Batch, TermKind
from jelly_rdflib.core.text import TermFault, find_generalized_statement, find_term_faults
from jelly_rdflib.display.terms import show
from jelly_rdflib.headers import ID, PREV, header_key
from jelly_rdflib.inspection.validation.faults import Finding, RecentSet
from jelly_rdflib.operations import Op
from jelly_rdflib.rules import Rule

# PN_CHARS_BASE and PN_CHARS of Turtle.
_START = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_PART = rf"{_START}0-9_\-\u00b7\u0300-\u036f\u203f-\u2040"
_PREFIX_NAME = re.compile(rf"(?:[{_START}](?:[{_PART}.]*[{_PART}])?)?")
_RULES: dict[int, tuple[Rule, str]] = {
    TermFault.RELATIVE_IRI: (Rule.IRI, "IRI {} is relative: it has no scheme"),
    TermFault.BAD_CHARACTER: (Rule.IRI, "IRI {} has a character that is not allowed there"),
    TermFault.BAD_ESCAPE: (Rule.IRI, "IRI {} has a % without two hexadecimal digits"),
    TermFault.BAD_PORT: (Rule.IRI, "IRI {} has a port that is not a number"),
    TermFault.BAD_ADDRESS: (Rule.IRI, "IRI {} has a bad address"),
    TermFault.LABEL: (Rule.BLANK_NODE_LABEL, "blank node {} can't be written in N-Triples"),
    TermFault.LANGUAGE_TAG: (Rule.LANGUAGE_TAG, "{} is not a language tag of BCP 47"),
    TermFault.UNTAGGED_LANGUAGE_STRING: (
        Rule.LANGUAGE_STRING,
        "literal {} has no language tag",
    ),
}
_PREFIX_ROW = re.compile(b"[%c%c]" % (Op.PA, Op.PD))
# All operations except changes.
_MARK = re.compile(b"[%c%c%c%c%c]" % (Op.H, Op.TX, Op.TC, Op.TA, Op.END))
# The maximum number of header keys that are remembered: an input may have any number of them.
_MAX_KEYS = 1 << 16
_UUID_SCHEME = re.compile("(?:urn:)?uuid:", re.IGNORECASE)
_UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class TermRules:
    """Checks the terms of a stream; each faulty term is reported once.

    With ``may_be_generalized``, generalized statements are not reported here: the stream's options
    allow or forbid them.
    """

    def __init__(self, *, may_be_generalized: bool) -> None:
        self._told = RecentSet()
        self._may_be_generalized = may_be_generalized

    def take(self, batch: Batch) -> Iterator[Finding]:
        """Find faulty terms that were not reported before."""
        for row, term, fault in find_term_faults(batch):
            text = batch.terms.text_of(term)
            if self._told.is_new((fault, text)):
                rule, message = _RULES[fault]
                yield Finding(row, rule, message.format(batch.terms.show(term)))
        yield from self._take_prefixes(batch)
        if not self._may_be_generalized:
            generalized = find_generalized_statement(batch)
            if generalized is not None:
                self._may_be_generalized = True
                message = (
                    "not RDF 1.1: the subject or graph is a literal, or the predicate is not an IRI"
                )
                yield Finding(generalized, Rule.GENERALIZED, message)

    def _take_prefixes(self, batch: Batch) -> Iterator[Finding]:
        for match in _PREFIX_ROW.finditer(bytes(batch.ops)):
            row = match.start()
            name = batch.terms.text_of(batch.s[row])
            if _PREFIX_NAME.fullmatch(name) is None and self._told.is_new(("prefix", name)):
                message = f"prefix name {show(name)} is not allowed in Turtle"
                yield Finding(row, Rule.PREFIX_NAME, message)


class PatchRules:
    """Checks the patches of a stream.

    It does not check where transactions start and end: readers report such faults themselves, and
    continue.
    """

    def __init__(self) -> None:
        self._ids = RecentSet()
        # The id of the previous patch, in its normal form and as messages show it.
        self._last_id: str | None = None
        self._last_shown = ""
        self._start_patch()

    def _start_patch(self) -> None:
        self._id: str | None = None
        self._shown = ""
        # Hashes of keys, and hashes of their first spellings.
        self._keys: dict[int, int] = {}
        self._values: dict[str, str] = {}
        self._has_transaction = False
        self._in_transaction = False
        self._has_changes = False
        self._has_changes_outside = False
        self._told: set[str] = set()

    def take(self, batch: Batch) -> Iterator[Finding]:
        """Find faults in the operations of a batch."""
        ops = bytes(batch.ops)
        start = 0
        for match in _MARK.finditer(ops):
            row = match.start()
            yield from self._take_changes(start, row)
            yield from self._take_mark(batch, row, ops[row])
            start = match.end()
        yield from self._take_changes(start, len(ops))

    def _take_changes(self, start: int, stop: int) -> Iterator[Finding]:
        if start == stop:
            return
        self._has_changes = True
        if not self._in_transaction:
            self._has_changes_outside = True
            if self._has_transaction:
                message = "change outside of transactions in a patch that has transactions"
                yield from self._tell(start, Rule.CHANGE_PLACE, message)

    def _take_mark(self, batch: Batch, row: int, op: int) -> Iterator[Finding]:
        if op == Op.H:
            yield from self._take_header(batch, row)
        elif op == Op.TX:
            self._has_transaction = self._in_transaction = True
            if self._has_changes_outside:
                message = "transaction in a patch that has changes outside of it"
                yield from self._tell(row, Rule.CHANGE_PLACE, message)
        elif op == Op.END:
            self._last_id, self._last_shown = self._id, self._shown
            self._start_patch()
        else:
            self._in_transaction = False

    def _take_header(self, batch: Batch, row: int) -> Iterator[Finding]:
        if self._has_changes or self._has_transaction:
            message = "header after the start of the patch's changes"
            yield from self._tell(row, Rule.HEADER_PLACE, message)
        spelled = batch.terms.text_of(batch.s[row])
        key = header_key(spelled)
        first = self._keys.get(hash(key))
        if first is None:
            if len(self._keys) < _MAX_KEYS:
                self._keys[hash(key)] = hash(spelled)
        elif first != hash(spelled):
            yield Finding(
                row,
                Rule.HEADER_TWICE,
                f"header {show(spelled)} comes twice in the patch, in different spellings: the case"
                " of a key does not matter, and previous means prev",
            )
        elif key in (ID, PREV):
            yield Finding(row, Rule.HEADER_TWICE, f"header {key} comes twice in the patch")
        if key in (ID, PREV):
            for rule, message in self._take_id(batch, key, batch.o[row]):
                yield Finding(row, rule, message)

    def _take_id(self, batch: Batch, key: str, value: int) -> Iterator[tuple[Rule, str]]:
        """Yield the rules that a header "id" or "prev" breaks, each with a message."""
        text = batch.terms.text_of(value)
        if batch.terms.kinds[value] != TermKind.IRI:
            yield Rule.PATCH_ID, f"header {key} has a value that is not an IRI"
            return
        shown = batch.terms.show(value)
        scheme = _UUID_SCHEME.match(text)
        if scheme is not None and _UUID.fullmatch(text, scheme.end()) is None:
            yield Rule.PATCH_ID, f"header {key} has no UUID: {shown}"
        self._values[key] = one_form = _one_form(text)
        if self._values.get(ID) == self._values.get(PREV):
            yield Rule.PATCH_CHAIN, f"patch {shown} has its own id as prev"
        if key == ID:
            self._id, self._shown = text, shown
            if not self._ids.is_new(one_form):
                yield Rule.PATCH_ID, f"patch {shown} comes twice"
        elif self._last_id is not None and _one_form(self._last_id) != one_form:
            message = f"patch follows {shown}, but the one before it is {self._last_shown}"
            yield Rule.PATCH_CHAIN, message

    def _tell(self, row: int, rule: Rule, message: str) -> Iterator[Finding]:
        """Report a rule that many rows may break, once for each patch."""
        if rule not in self._told:
            self._told.add(rule)
            yield Finding(row, rule, message)


def _one_form(text: str) -> str:
    """Return the normal form of an id, by which ids are compared: for a UUID, only its digits."""
    scheme = _UUID_SCHEME.match(text)
    digits = text if scheme is None else text[scheme.end() :]
    return digits.lower() if _UUID.fullmatch(digits) else text

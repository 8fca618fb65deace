"""The faults that `jelly_rdflib.validate` finds."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from jelly_rdflib.display.html import report_html
from jelly_rdflib.display.table import Table
from jelly_rdflib.display.words import count, printable
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.rules import Rule, Severity


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A violation of a rule, at a position in the input.

    Args:
        rule: The rule.
        message: The fault in words.
        offset: Position in the (uncompressed) input, in bytes from its start.
        frame: Number of the frame, counted from 1.
        row: Number of the row in its frame, counted from 1. If the format has neither frames nor
            lines, number of the operation in the input.
        line: Number of the line in a text, counted from 1.
        column: Number of the character in its line, counted from 1.

    Examples:
        >>> from jelly_rdflib import Rule
        >>> print(Fault(rule=Rule.IRI, message="IRI <x> is relative", offset=120, frame=1, row=8))
        warning: IRI <x> is relative (byte 120, frame 1, row 8) [iri]
    """

    rule: Rule
    message: str
    offset: int | None = None
    frame: int | None = None
    row: int | None = None
    line: int | None = None
    column: int | None = None

    @property
    def severity(self) -> Severity:
        """``"error"`` or ``"warning"``; see `Rule`."""
        return self.rule.severity

    def __str__(self) -> str:
        return f"{self.severity}: {DecodeError(**dataclasses.asdict(self))} [{self.rule}]"

    def as_dict(self) -> dict[str, Any]:
        """Return the fault as JSON values."""
        fields = dataclasses.asdict(self)
        return {"severity": self.severity, **fields, "rule": self.rule.value}


# The number of faults that a list shows, since every row may have a fault.
_MOST_SHOWN = 100


class Faults(list[Fault]):
    """A list of faults, printed one per line and shown as a table in a notebook."""

    def __repr__(self) -> str:
        lines = [printable(str(fault)) for fault in self[:_MOST_SHOWN]]
        return "\n".join([*lines, *self._rest()]) or "no faults"

    def _repr_html_(self) -> str:
        names = ("severity", "rule", "message", "line", "offset", "frame", "row")
        rows = []
        for fault in self[:_MOST_SHOWN]:
            fields = fault.as_dict()
            rows.append(["" if fields[name] is None else fields[name] for name in names])
        table = Table(names, rows, left=(0, 1, 2))
        return report_html(count(len(self), "fault"), [table, *self._rest()])

    def _rest(self) -> list[str]:
        left = len(self) - _MOST_SHOWN
        return [f"… and {count(left, 'fault')} more"] if left > 0 else []


class Finding(NamedTuple):
    """A fault in an operation of a batch; ``row`` is the number of the operation in the batch."""

    row: int
    rule: Rule
    message: str


class RecentSet:
    """The last ``size`` added items. Older items are forgotten, to bound the memory."""

    def __init__(self, size: int = 1 << 16) -> None:
        # Keep only the hashes, since the items may be large.
        self._known: OrderedDict[int, None] = OrderedDict()
        self._size = size

    def is_new(self, thing: Hashable) -> bool:
        """Add an item, and return whether it was missing."""
        number = hash(thing)
        if number in self._known:
            return False
        if len(self._known) == self._size:
            self._known.popitem(last=False)
        self._known[number] = None
        return True

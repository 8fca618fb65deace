"""The changes of a version, counted by graph, by class and by predicate."""

from __future__ import annotations

from collections import Counter
from typing import Any

from jelly_rdflib.operations import Op

MAX_NAMES = 200
"""The number of names that each table counts separately; the others are counted together."""

Counts = Counter[tuple[int, int]]
"""The numbers of changes by operation and term."""


class Classes:
    """The known classes of subjects, from the changes so far."""

    def __init__(self) -> None:
        self._classes: dict[int, set[int]] = {}

    def count(self, subjects: Counts, changes: list[tuple[int, int, int]]) -> Counts:
        """Count a version's changes by class, and note which classes its subjects get and lose.

        A change counts for each class that its subject had before the version or gets in it, so it
        may count more than once. Class 0 is for subjects without a known class. The arguments are
        the counts by subject, and the changes of classes in order: operation, subject, class.
        """
        for op, subject, class_ in changes:
            if op == Op.A:
                self._classes.setdefault(subject, set()).add(class_)
        counts: Counts = Counter()
        for (op, subject), count in subjects.items():
            for class_ in self._classes.get(subject) or (0,):
                counts[op, class_] += count
        for op, subject, class_ in changes:
            classes = self._classes.setdefault(subject, set())
            if op == Op.A:
                classes.add(class_)
            else:
                classes.discard(class_)
        return counts


def table_of(counts: Counts) -> list[Any]:
    """Return rows of term, additions and deletions, most changes first; and the sums of the rest.

    The rest are the names after the first `MAX_NAMES`. Their sums are the number of names, of
    additions and of deletions.
    """
    numbers: dict[int, list[int]] = {}
    for (op, term), count in counts.items():
        numbers.setdefault(term, [0, 0])[op == Op.D] += count
    rows = sorted(
        ([term, *both] for term, both in numbers.items()), key=lambda row: (-row[1] - row[2], row)
    )
    others = rows[MAX_NAMES:]
    sums = (sum(row[place] for row in others) for place in (1, 2))
    return [rows[:MAX_NAMES], [len(others), *sums]]

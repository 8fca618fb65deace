"""Pairs blank nodes of two datasets that differ.

Any pairing gives a correct difference: a statement that only one side has is deleted or added. A
good pairing gives a small one. So nodes are paired by what identifies them, and only as a last
resort by how much they have in common. Labels don't count, so that the same change always gives the
same difference.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from rdflib.term import BNode, Node

from jelly_rdflib.graph.canonical.guessing import FreeNodes, guess
from jelly_rdflib.graph.canonical.quads import (
    Quad,
    describe,
    digest,
    group,
    is_blank,
    join,
    lines_by_node,
)

# How many steps around a node are compared at first.
_DEPTH = 4
# The maximum number of rounds; each one looks at all nodes that are left.
_MAX_ROUNDS = 10

_Found: TypeAlias = "dict[str, list[BNode]]"
_Views: TypeAlias = "dict[BNode, str]"


def pair(old: Sequence[Quad], new: Sequence[Quad]) -> dict[BNode, BNode]:
    """Return a one-to-one mapping from blank nodes of ``new`` to blank nodes of ``old``."""
    ours, theirs = _Side(old), _Side(new)
    new_to_old: dict[BNode, BNode] = {}
    # Pairs whose neighbours must still be compared.
    waiting: deque[tuple[BNode, BNode]] = deque()

    def name(one: BNode, other: BNode) -> None:
        new_to_old[other] = one
        ours.names[one] = theirs.names[other] = str(one)
        waiting.append((one, other))

    def pair_alike(old: _Found, new: _Found, *, are_twins: bool = False) -> bool:
        """Pair nodes whose keys no others have, or twins; return whether any were paired."""
        count = len(new_to_old)
        for key in sorted(old.keys() & new.keys()):
            ones = [node for node in old[key] if node not in ours.names]
            others = [node for node in new[key] if node not in theirs.names]
            if are_twins or len(ones) == len(others) == 1:
                for one, other in zip(sorted(ones, key=str), sorted(others, key=str), strict=False):
                    name(one, other)
        return len(new_to_old) > count

    def pair_neighbours() -> None:
        while waiting:
            one, other = waiting.popleft()
            pair_alike(ours.neighbours(one), theirs.neighbours(other))

    # Start with the widest surroundings.
    for found in zip(ours.surroundings()[::-1], theirs.surroundings()[::-1], strict=True):
        pair_alike(*found)
    for _ in range(_MAX_ROUNDS):
        pair_neighbours()
        if not (
            pair_alike(ours.single_statements(), theirs.single_statements())
            or pair_alike(ours.twins(), theirs.twins(), are_twins=True)
            or pair_alike(
                ours.single_statements(is_loose=True), theirs.single_statements(is_loose=True)
            )
        ):
            break

    def take(one: BNode, other: BNode) -> None:
        """Pair two nodes, and then neighbours that they identify."""
        name(one, other)
        pair_neighbours()

    numbers: dict[str, int] = {}
    guess(ours.free(numbers), theirs.free(numbers), take)
    return new_to_old


class _Side:
    """The blank nodes of one dataset.

    Attributes:
        names: The names of paired nodes, the same on both sides. All other nodes are free.
    """

    def __init__(self, quads: Sequence[Quad]) -> None:
        self._lines = lines_by_node(quads)
        self.names: dict[BNode, str] = {}

    def free(self, numbers: dict[str, int]) -> FreeNodes:
        """Return the free nodes for `guess`."""
        return FreeNodes(self._lines, self.names, numbers)

    def surroundings(self) -> list[_Found]:
        """Return nodes grouped by their statements, then also by their neighbours', and so on."""
        views: _Views = {}
        steps = []
        for _ in range(_DEPTH):
            views = {
                node: digest(self._line(quad, node, views) for quad in lines).hex()
                for node, lines in self._lines.items()
            }
            steps.append(group((view, node) for node, view in views.items()))
        return steps

    def single_statements(self, *, is_loose: bool = False) -> _Found:
        """Return a dict from each statement to the free nodes that have it.

        If ``is_loose``, all other free nodes count as the same; otherwise statements with other
        free nodes are left out.
        """
        return group(
            (line, node)
            for node, lines in self._free()
            for line in {
                self._line(quad, node) for quad in lines if is_loose or self._is_known(quad, node)
            }
        )

    def neighbours(self, node: BNode) -> _Found:
        """Return the free nodes of each statement with ``node`` whose other terms are known."""
        return group(
            (self._line(quad, other), other)
            for quad in self._lines[node]
            for other in {term for term in quad if is_blank(term) and term not in self.names}
            if self._is_known(quad, other)
        )

    def twins(self) -> _Found:
        """Return groups of free nodes with the same statements, which are interchangeable."""
        return group(
            (digest(self._line(quad, node) for quad in lines).hex(), node)
            for node, lines in self._free()
            if all(self._is_known(quad, node) for quad in lines)
        )

    def _free(self) -> Iterator[tuple[BNode, list[Quad]]]:
        return ((node, lines) for node, lines in self._lines.items() if node not in self.names)

    def _is_known(self, quad: Quad, node: BNode) -> bool:
        """Return whether all terms of a statement are known, except for this node."""
        return all(not is_blank(term) or term in self.names or term == node for term in quad)

    def _line(self, quad: Quad, node: BNode, views: _Views | None = None) -> str:
        """Describe a statement from the view of one of its nodes."""
        return join(self._show(term, node, views or {}) for term in quad)

    def _show(self, term: Node, node: BNode, views: _Views) -> str:
        if not is_blank(term):
            return describe(term)
        if term == node:
            return "*"
        name = self.names.get(term)
        return f"_{views.get(term, '')}" if name is None else f"={name}"

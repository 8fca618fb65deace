"""Pairs blank nodes of two datasets that differ.

Any pairing gives a correct difference: a statement that only one side has is deleted or added. A
good pairing gives a small one. So nodes that have most in common are paired, and only if there is
no other choice. Labels do not count, so that the same change gives the same difference.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from rdflib.term import BNode, Node

from jelly_rdflib.graph.canonical.quads import Describe, Quad, digest, is_blank, join, lines_by_node

# How far around a node statements are compared at first.
_DEPTH = 4
# Each round looks at all nodes that are left.
_MAX_ROUNDS = 10

_Found: TypeAlias = "dict[str, list[BNode]]"


def pair(old: Sequence[Quad], new: Sequence[Quad], describe: Describe) -> dict[BNode, BNode]:
    """Pair blank nodes of ``new`` with those of ``old``, each with a different one."""
    pairing = _Pairing(_Side(old, describe), _Side(new, describe))
    pairing.by_surroundings()
    for _ in range(_MAX_ROUNDS):
        pairing.by_neighbours()
        if not (
            pairing.by_single_statements(is_loose=False)
            or pairing.by_twins()
            or pairing.by_single_statements(is_loose=True)
        ):
            break
    return pairing.new_to_old


class _Side:
    """The blank nodes of one of the two datasets.

    Attributes:
        lines: The statements by their blank nodes.
        names: The names of paired nodes, the same on both sides.
    """

    def __init__(self, quads: Sequence[Quad], describe: Describe) -> None:
        self.lines = lines_by_node(quads)
        self.names: dict[BNode, str] = {}
        self._describe = describe

    def free(self) -> Iterator[BNode]:
        """Iterate over the nodes that are not paired."""
        return (node for node in self.lines if node not in self.names)

    def surroundings(self) -> list[_Found]:
        """Return the nodes by their statements, then by those and their neighbours', and so on."""
        views: dict[BNode, str] = {}
        steps = []
        for _ in range(_DEPTH):
            views = {
                node: digest(self._line(quad, node, views) for quad in lines).hex()
                for node, lines in self.lines.items()
            }
            step: _Found = {}
            for node, view in views.items():
                step.setdefault(view, []).append(node)
            steps.append(step)
        return steps

    def single_statements(self, *, is_loose: bool) -> _Found:
        """Return free nodes by each of their statements.

        If ``is_loose``, all other free nodes count as one; else statements that have any are left
        out.
        """
        found: _Found = {}
        for node in self.free():
            for line in {
                self._line(quad, node, {})
                for quad in self.lines[node]
                if is_loose or all(self._is_known(term) or term == node for term in quad)
            }:
                found.setdefault(line, []).append(node)
        return found

    def neighbours(self, node: BNode) -> _Found:
        """Return free nodes by each statement of this node in which all else is known."""
        found: _Found = {}
        for quad in self.lines[node]:
            free = {term for term in quad if is_blank(term) and term not in self.names}
            if len(free) == 1:
                other = free.pop()
                found.setdefault(self._line(quad, other, {}), []).append(other)
        return found

    def twins(self) -> _Found:
        """Return free nodes by all they have: those that share it can be exchanged."""
        found: _Found = {}
        for node in self.free():
            lines = self.lines[node]
            if all(self._is_known(term) or term == node for quad in lines for term in quad):
                whole = digest(self._line(quad, node, {}) for quad in lines).hex()
                found.setdefault(whole, []).append(node)
        return found

    def _is_known(self, term: Node) -> bool:
        return not is_blank(term) or term in self.names

    def _line(self, quad: Quad, node: BNode, views: dict[BNode, str]) -> str:
        """Describe a statement from the view of one of its nodes."""
        return join(self._show(term, node, views) for term in quad)

    def _show(self, term: Node, node: BNode, views: dict[BNode, str]) -> str:
        if not is_blank(term):
            return self._describe(term)
        if term == node:
            return "*"
        name = self.names.get(term)
        return f"_{views.get(term, '')}" if name is None else f"={name}"


class _Pairing:
    """The pairs found so far."""

    def __init__(self, old: _Side, new: _Side) -> None:
        self._old = old
        self._new = new
        self.new_to_old: dict[BNode, BNode] = {}
        # Pairs whose neighbours are still to be compared.
        self._waiting: deque[tuple[BNode, BNode]] = deque()

    def by_surroundings(self) -> None:
        """Pair nodes with the same surroundings, the widest first."""
        for old, new in zip(
            reversed(self._old.surroundings()), reversed(self._new.surroundings()), strict=True
        ):
            self._pair_only_ones(old, new)

    def by_neighbours(self) -> None:
        """Pair nodes that are beside pairs in the same way."""
        while self._waiting:
            old, new = self._waiting.popleft()
            self._pair_only_ones(self._old.neighbours(old), self._new.neighbours(new))

    def by_single_statements(self, *, is_loose: bool) -> bool:
        """Pair nodes that share a statement with no other; say whether there were any."""
        return self._pair_only_ones(
            self._old.single_statements(is_loose=is_loose),
            self._new.single_statements(is_loose=is_loose),
        )

    def by_twins(self) -> bool:
        """Pair nodes that share all statements, whichever; say whether there were any."""
        old, new = self._old.twins(), self._new.twins()
        count = len(self.new_to_old)
        for key in sorted(old.keys() & new.keys()):
            for one, other in zip(sorted(old[key], key=str), new[key], strict=False):
                self._pair(one, other)
        return len(self.new_to_old) > count

    def _pair_only_ones(self, old: _Found, new: _Found) -> bool:
        """Pair the nodes of which there is one free on each side; say whether there were any."""
        count = len(self.new_to_old)
        for key in sorted(old.keys() & new.keys()):
            ones = [node for node in old[key] if node not in self._old.names]
            others = [node for node in new[key] if node not in self._new.names]
            if len(ones) == len(others) == 1:
                self._pair(ones[0], others[0])
        return len(self.new_to_old) > count

    def _pair(self, old: BNode, new: BNode) -> None:
        self.new_to_old[new] = old
        self._old.names[old] = self._new.names[new] = str(old)
        self._waiting.append((old, new))

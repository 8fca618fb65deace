"""Pairs blank nodes that no statement identifies with certainty.

A wrong pair costs nothing by itself, but may take a node from a better pair. So the nodes with the
most in common come first, then those with at least half as much, and so on. Nodes with many
statements differ in how many they have of each kind, and once they are paired, their neighbours
can be told apart. The kind of a statement is what both sides may share: its terms, the names of
paired nodes, and for each free node the kinds of its own statements.

The work is limited by the number of statements, not by time: so the same data always give the
same pairs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from rdflib.term import BNode, Node

from jelly_rdflib.graph.canonical.quads import Quad, describe, group, is_blank

# How many steps around a node are compared; fewer if that would make more than `_MOST_KINDS` kinds.
_DEPTH = 5
_MOST_KINDS = 1 << 20
# The comparisons in each round: this many for each statement, and at least `_LEAST_LOOKS`.
_LOOKS = 50
_LEAST_LOOKS = 100_000
# How many rounds pair nodes that have as little as one kind of statement in common.
_LAST_ROUNDS = 3

# A statement from the view of one of its nodes: numbers of terms and of names; 0 for the node
# itself; negative numbers for the colours of other free nodes.
_Kind: TypeAlias = tuple[int, ...]
# For each node, how many statements of each kind it has.
_Kinds: TypeAlias = "dict[int, Counter[_Kind]]"


class FreeNodes:
    """The nodes of one side that have no pair yet, numbered in the order of their labels.

    Args:
        lines: The statements of each blank node.
        names: The names of paired nodes, the same on both sides.
        numbers: The numbers of terms and names, the same on both sides; missing ones are added.
    """

    def __init__(
        self,
        lines: Mapping[BNode, Sequence[Quad]],
        names: Mapping[BNode, str],
        numbers: dict[str, int],
    ) -> None:
        self.nodes = sorted(lines, key=str)
        self._names = names
        self._numbers = numbers
        # -1 is the first node, -2 the second, and so on: indexes into a list in reverse order.
        places = {node: -1 - place for place, node in enumerate(self.nodes)}

        def replace(term: Node) -> int:
            if is_blank(term):
                return places[term]
            return numbers.setdefault(describe(term), len(numbers) + 1)

        self._lines = {
            place: [tuple(map(replace, quad)) for quad in lines[node]]
            for place, node in enumerate(self.nodes)
            if node not in names
        }

    def is_free(self, number: int) -> bool:
        """Return whether a node has no pair yet."""
        return self.nodes[number] not in self._names

    def update(self) -> int:
        """Forget nodes that were paired; return how many statements are left."""
        self._lines = {number: some for number, some in self._lines.items() if self.is_free(number)}
        return sum(map(len, self._lines.values()))

    def colours(self) -> list[int]:
        """Return the colours, last node first: numbers of names, or one colour for free nodes."""
        numbers = self._numbers
        return [
            numbers.setdefault(f"_{name}", len(numbers) + 1) if name is not None else -1
            for name in map(self._names.get, reversed(self.nodes))
        ]

    def kinds(self, colours: Sequence[int]) -> _Kinds:
        """Return the kinds of each free node's statements, by the colours of the other nodes."""
        return {
            number: Counter(
                [
                    tuple(
                        [
                            term if term > 0 else 0 if term == -1 - number else colours[term]
                            for term in line
                        ]
                    )
                    for line in lines
                ]
            )
            for number, lines in self._lines.items()
        }


def guess(ours: FreeNodes, theirs: FreeNodes, take: Callable[[BNode, BNode], None]) -> None:
    """Pair all nodes that can keep a statement.

    Args:
        ours, theirs: The free nodes of both sides.
        take: Called with each pair. It names the two nodes, and perhaps neighbours.
    """
    least = 0
    rounds = _LAST_ROUNDS
    while rounds > 0 and (looks := ours.update()) and (others := theirs.update()):
        depth = max(1, min(_DEPTH, _MOST_KINDS // (looks + others)))
        levels = list(_levels(ours, theirs, depth))
        sums = [_sum(kinds) for kinds in zip(*levels, strict=True)]
        highest = min(max(each.values(), default=0) for each in sums)
        if highest == 0:
            break
        least = max(1, min(least or highest, highest) // 2)
        if least == 1:
            rounds -= 1
        for one, other in _most_alike(levels, sums, least, _LOOKS * looks + _LEAST_LOOKS):
            if ours.is_free(one) and theirs.is_free(other):
                take(ours.nodes[one], theirs.nodes[other])


def _levels(ours: FreeNodes, theirs: FreeNodes, depth: int) -> Iterator[tuple[_Kinds, _Kinds]]:
    """Yield the kinds that both sides have, looking one step further around the nodes each time."""
    sides = ours, theirs
    colours = [side.colours() for side in sides]
    numbers: dict[frozenset[_Kind], int] = {}
    for _ in range(depth):
        found = [side.kinds(each) for side, each in zip(sides, colours, strict=True)]
        common = set().union(*found[0].values()) & set().union(*found[1].values())
        for kinds, each in zip(found, colours, strict=True):
            for number, counts in kinds.items():
                for kind in counts.keys() - common:
                    del counts[kind]
                each[-1 - number] = numbers.setdefault(frozenset(counts), -2 - len(numbers))
        yield found[0], found[1]


def _sum(levels: Sequence[_Kinds]) -> dict[int, int]:
    """Return how many statements of shared kinds each node has, at all levels together."""
    return {node: sum(kinds[node].total() for kinds in levels) for node in levels[0]}


def _most_alike(
    levels: Sequence[tuple[_Kinds, _Kinds]],
    sums: Sequence[Mapping[int, int]],
    least: int,
    looks: int,
) -> list[tuple[int, int]]:
    """Return the pairs that share at least ``least`` statements, the most alike first."""
    # The nodes with each kind, at each level.
    holders: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]] = []
    for level in levels:
        ours, theirs = (
            group(
                (kind, (node, count))
                for node, counts in kinds.items()
                if each[node] >= least
                for kind, count in counts.items()
            )
            for kinds, each in zip(level, sums, strict=True)
        )
        holders += ((some, theirs[kind]) for kind, some in ours.items() if kind in theirs)
    # The most specific kinds come first.
    holders.sort(key=lambda each: len(each[0]) * len(each[1]))
    shared: defaultdict[tuple[int, int], int] = defaultdict(int)
    for some, others in holders:
        looks -= len(some) * len(others)
        # If too many nodes have a kind, compare each with a single other one.
        pairs = product(some, others) if looks >= 0 else zip(some, others, strict=False)
        for (one, count), (other, limit) in pairs:
            shared[one, other] += count if count < limit else limit
    found = [
        (-count, abs(sums[0][one] - sums[1][other]), one, other)
        for (one, other), count in shared.items()
        if count >= least
    ]
    return [(one, other) for *_, one, other in sorted(found)]

"""Marks for blank nodes that RDFC-1.0 would need a long time to tell apart.

RDFC-1.0 tries all orders of blank nodes that look alike. Their number grows exponentially: a list
of a thousand equal values would take hours. So if more than a few nodes look alike, they get marks
beforehand, as additional statements. A mark depends only on the surroundings of a node (the nodes'
colours are refined until they are stable), never on its label.

If more than a few nodes still look alike, one of them gets a unique mark, and refining continues.
Usually any node will do, since nodes that still look alike are interchangeable. In some graphs the
choice matters: regular graphs without any text in them. Two such graphs may be the same and not be
recognized as such. Then the difference is larger than necessary, but never wrong.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence

from rdflib.term import BNode, Node

from jelly_rdflib.graph.canonical.quads import (
    Quad,
    blank_nodes,
    describe,
    digest,
    is_blank,
    join,
    lines_by_node,
)

# Up to this many nodes may look alike: RDFC-1.0 then takes about a millisecond for them.
_MAX_ALIKE = 4
# Each statement may be read this many times, on average. After that, the order of the labels
# distinguishes the nodes that still look alike.
_MAX_LOOKS = 100
# Among up to this many nodes, the one with the smallest label is chosen; among more, any node.
_MAX_SORTED = 100


def find_marks(component: Sequence[Quad]) -> dict[BNode, str]:
    """Return marks for the blank nodes of a component; empty if RDFC-1.0 is fast without marks."""
    nodes = blank_nodes(component)
    if len(nodes) <= _MAX_ALIKE:
        return {}
    colours = _Colours(component)
    if colours.count_alike_at_first() <= _MAX_ALIKE:
        return {}
    colours.refine(nodes)
    colours.tell_apart()
    return {node: colour.hex() for node, colour in colours.of.items()}


class _Colours:
    """The colours of blank nodes, refined until nodes of one colour have similar neighbours."""

    def __init__(self, component: Sequence[Quad]) -> None:
        self._lines = lines_by_node(component)
        self.of: dict[BNode, bytes] = dict.fromkeys(self._lines, b"")
        self._members: dict[bytes, set[BNode]] = {b"": set(self._lines)}
        self._alike = len(self._lines)
        self._round = 0
        self._looks = _MAX_LOOKS * (sum(map(len, self._lines.values())) + _MAX_LOOKS)
        # The sizes and colours of groups of nodes, smallest first; a group may have shrunk since.
        self._shared: list[tuple[int, bytes]] = [(len(self._lines), b"")]

    def count_alike_at_first(self) -> int:
        """Return how many nodes RDFC-1.0 can't tell apart by their own statements."""
        counts = Counter(map(self._sign, self._lines))
        return sum(count for count in counts.values() if count > 1)

    def refine(self, changed: Iterable[BNode]) -> None:
        """Refine the colours of nodes whose neighbours have changed colour."""
        while changed:
            self._round += 1
            signatures: dict[bytes, dict[bytes, list[BNode]]] = {}
            for node in changed:
                colour = self.of[node]
                if len(self._members[colour]) > 1:
                    signatures.setdefault(colour, {}).setdefault(self._sign(node), []).append(node)
            changed = set()
            for colour, groups in signatures.items():
                if sum(map(len, groups.values())) == len(self._members[colour]):
                    # The groups have all nodes of the colour: the largest one keeps it, so that few
                    # nodes change.
                    _, largest = max((len(nodes), key) for key, nodes in groups.items())
                    del groups[largest]
                for signature, nodes in groups.items():
                    changed |= self._colour(nodes, self._mix(colour, signature.hex()))
            if self._looks < 0:
                return

    def tell_apart(self) -> None:
        """Give unique colours to nodes that look alike, until only a few look alike."""
        while self._alike > _MAX_ALIKE and self._looks >= 0:
            size, colour = heapq.heappop(self._shared)
            nodes = self._members[colour]
            if len(nodes) != size:
                # The group has shrunk since, and has a newer entry.
                continue
            self._round += 1
            changed: set[BNode] = set()
            chosen = list(nodes)[1:]
            if not self._are_twins(nodes):
                # Choose the same node each time, in case the choice matters.
                chosen = [min(nodes, key=str) if size <= _MAX_SORTED else next(iter(nodes))]
            for number, node in enumerate(chosen):
                changed |= self._colour([node], self._mix(colour, f"number {number}"))
            self.refine(changed)
        if self._looks < 0:
            for number, node in enumerate(sorted(self.of, key=str)):
                self.of[node] += number.to_bytes(8, "big")

    def _mix(self, colour: bytes, reason: str) -> bytes:
        """Return a new colour for some nodes of a colour; no earlier round has used it."""
        return digest((f"in round {self._round}", f"of {colour.hex()}", reason))

    def _sign(self, node: BNode) -> bytes:
        """Return a digest of a node's statements, with the other nodes' colours."""
        self._looks -= len(self._lines[node])
        return digest(
            join(
                "*"
                if term == node
                else f"_{self.of[term].hex()}"
                if is_blank(term)
                else describe(term)
                for term in quad
            )
            for quad in self._lines[node]
        )

    def _are_twins(self, nodes: set[BNode]) -> bool:
        """Return whether nodes are interchangeable: their statements differ only in these nodes."""
        expected: set[tuple[Node | None, ...]] | None = None
        for node in nodes:
            self._looks -= len(self._lines[node])
            lines = {
                tuple(None if term == node else term for term in quad) for quad in self._lines[node]
            }
            if expected is not None and lines != expected:
                return False
            expected = lines
        return True

    def _colour(self, nodes: Sequence[BNode], colour: bytes) -> set[BNode]:
        """Give nodes of one colour a new colour, and return their neighbours."""
        old = self.of[nodes[0]]
        members = self._members[old]
        self._alike -= len(members)
        members.difference_update(nodes)
        self._members[colour] = set(nodes)
        for each in (old, colour):
            count = len(self._members[each])
            if count > 1:
                self._alike += count
                heapq.heappush(self._shared, (count, each))
        self.of.update(dict.fromkeys(nodes, colour))
        return blank_nodes(quad for node in nodes for quad in self._lines[node])

"""Whoever wants to be told of changes that go past the methods of a store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from rdflib.graph import Graph

__all__ = ["Teller"]


class Teller(Protocol):
    """Tells those who record a store of what is changed in it past its methods."""

    @property
    def is_shared(self) -> bool:
        """Is there more than one who records?"""

    def tell_made(self, changes: list[tuple[bool, Any, Graph]], listed: Iterable[Graph], /) -> None:
        """Tell of changes that took effect.

        Args:
            changes: Of each whether it is an add, else a removal; the triple; and the graph.
            listed: The graphs that the store lists since.
        """

    def take_back(self) -> None:
        """Say that what was told last is undone."""

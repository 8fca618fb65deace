"""Whoever wants to be told of changes that go past the methods of a store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from rdflib.graph import Graph

from jelly_rdflib.graph.stores.native import View


class ChangeListener(Protocol):
    """Tells those who record a store of what is changed in it past its methods."""

    @property
    def view(self) -> View:
        """What the store holds."""

    @property
    def is_shared(self) -> bool:
        """Is there more than one who records?"""

    def tell_made(
        self, changes: list[tuple[bool, Any, Graph, Any]], listed: Iterable[Graph], /
    ) -> None:
        """Tell of changes that took effect.

        Args:
            changes: As a `View` has them.
            listed: The graphs that the store lists since.
        """

    def expect_prefix(self, prefix: str, iri: str | None, /) -> None:
        """Say that a prefix is about to be bound to an IRI, or unbound: the IRI is None."""

    def take_back(self) -> None:
        """Say that what was told last is undone."""

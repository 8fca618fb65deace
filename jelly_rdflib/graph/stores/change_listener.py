"""The recording of a store, as far as changes past the store's methods need it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from rdflib.graph import Graph

from jelly_rdflib.graph.stores.native import View


class ChangeListener(Protocol):
    """A `Tap`, which is in a layer above this one."""

    @property
    def view(self) -> View:
        """The view of the store."""

    @property
    def is_shared(self) -> bool:
        """Is there more than one journal?"""

    def tell_made(
        self, changes: list[tuple[bool, Any, Graph, Any]], listed: Iterable[Graph], /
    ) -> None:
        """Tell of changes that took effect (see `View`), and of graphs that the store now lists."""

    def expect_prefix(self, prefix: str, iri: str | None, /) -> None:
        """Say that a prefix is about to be bound to an IRI, or unbound if the IRI is None."""

    def take_back(self) -> None:
        """Say that the changes told last are undone."""

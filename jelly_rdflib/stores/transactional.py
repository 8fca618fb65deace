"""Statements into a store that has transactions of its own."""

from __future__ import annotations

from rdflib.graph import Graph
from rdflib.term import Node

from jelly_rdflib.stores.general import GeneralChanges
from jelly_rdflib.stores.target import Target

__all__ = ["TransactionalChanges"]


class TransactionalChanges(GeneralChanges):
    """Adds and deletes the statements of transactions and lets the store commit or roll back.

    What the store has pending when a transaction starts is committed, so that a rollback comes
    back to just there.

    Args:
        target: Whose store it is.
    """

    def __init__(self, target: Target) -> None:
        super().__init__(target, is_atomic=False)
        self._has_begun = False

    def commit(self) -> None:
        """Let the store commit; that can't be undone."""
        if self._has_begun:
            self._store.commit()
            self._has_begun = False

    def rollback(self) -> None:
        """Let the store roll back."""
        if self._has_begun:
            self._store.rollback()
            self._has_begun = False

    def _change(self, is_add: bool, triple: tuple[Node, Node, Node], context: Graph) -> None:
        # Not at the start: a transaction that changes nothing need not touch the store.
        if not self._has_begun:
            self._store.commit()
            self._has_begun = True
        super()._change(is_add, triple, context)

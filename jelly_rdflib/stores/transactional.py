"""Statements into a store that has transactions of its own."""

from __future__ import annotations

from rdflib.graph import Graph
from rdflib.term import Node

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.stores.general import GeneralChanges
from jelly_rdflib.stores.target import Target

__all__ = ["TransactionalChanges"]


class TransactionalChanges(GeneralChanges):
    """Adds and deletes the statements of transactions and lets the store commit or roll back.

    What the store has pending when a transaction starts is committed, so that a rollback comes
    back to just there. A rollback is checked, and what the store got wrong is put right: rdflib's
    AuditableStore, for one, loses a statement that was deleted and added again.

    Args:
        target: Whose store it is.
    """

    def __init__(self, target: Target) -> None:
        super().__init__(target, is_atomic=True)
        self._has_begun = False
        # Whether a rollback of the store left something to do.
        self._has_put_right = False
        self._refusal: ApplyError | None = None

    def commit(self) -> None:
        """Let the store commit; up to the next `begin`, `rollback` can still undo it."""
        if self._has_begun:
            self._store.commit()
            # The log stays: an interrupt from here on leaves a transaction that is to be undone.
            self._has_begun = False

    def rollback(self) -> ApplyError | None:
        """Let the store roll back, and see that it did. May be called again, as for any store."""
        if self._has_begun:
            try:
                self._store.rollback()
            except Exception as error:
                # What it left is put right below, as for any store.
                self._refusal = ApplyError(
                    f"the store's rollback failed ({error}); its statements are as they were before"
                    " the transaction all the same"
                )
                self._refusal.__cause__ = error
            self._has_begun = False
        super().rollback()
        if self._has_put_right:
            self._store.commit()
            self._has_put_right = False
        return self._refusal

    def _restore(self, was_there: bool, triple: tuple[Node, Node, Node], context: Graph) -> None:
        if self._has(triple, context) != was_there:
            self._has_put_right = True
            super()._restore(was_there, triple, context)

    def _change(self, is_add: bool, triple: tuple[Node, Node, Node], context: Graph) -> None:
        # Not at the start: a transaction that changes nothing need not touch the store.
        if not self._has_begun:
            self._store.commit()
            self._has_begun = True
        super()._change(is_add, triple, context)

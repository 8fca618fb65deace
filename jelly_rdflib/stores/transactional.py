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

    def commit(self) -> None:
        """Let the store commit; that can't be undone."""
        if self._has_begun:
            self._store.commit()
            self._has_begun = False
            self._log.clear()

    def rollback(self) -> None:
        """Let the store roll back, and see that it did. May be called again if interrupted."""
        failure: Exception | None = None
        if self._has_begun:
            try:
                self._store.rollback()
            except Exception as error:
                # What it left is put right below, as for any store.
                failure = error
            self._has_begun = False
        # Of several changes to a statement the first says whether it was there.
        before = {
            (triple, context.identifier): not is_add for is_add, triple, context in self._log[::-1]
        }
        self._log = [
            entry
            for entry in self._log
            if self._has(entry[1], entry[2]) != before[entry[1], entry[2].identifier]
        ]
        has_wrong = bool(self._log)
        super().rollback()
        if has_wrong:
            self._store.commit()
        if failure is not None:
            raise ApplyError(
                f"the store's rollback failed ({failure}); its statements are as they were before"
                " the transaction all the same"
            ) from failure

    def _change(self, is_add: bool, triple: tuple[Node, Node, Node], context: Graph) -> None:
        # Not at the start: a transaction that changes nothing need not touch the store.
        if not self._has_begun:
            self._store.commit()
            self._has_begun = True
        super()._change(is_add, triple, context)

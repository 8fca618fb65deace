"""The changes of transactions to the statements of a store, however they are made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.operations import Operation
from jelly_rdflib.stores.general import GeneralChanges
from jelly_rdflib.stores.memory import MemoryChanges, can_use
from jelly_rdflib.stores.target import Target
from jelly_rdflib.stores.teller import Teller
from jelly_rdflib.stores.transactional import TransactionalChanges

__all__ = ["Changes", "open_changes"]


class Changes(Protocol):
    """Adds and deletes the statements of one transaction after the other in a store."""

    @property
    def operations(self) -> int:
        """How many adds and deletes came, in all transactions."""

    @property
    def added(self) -> int:
        """How many statements this transaction added that were not there."""

    @property
    def deleted(self) -> int:
        """How many statements this transaction deleted that were there."""

    def begin(self) -> None:
        """Start a transaction; what was committed stays."""

    def statements(self, operations: Iterator[Operation], /) -> Operation | None:
        """Apply adds and deletes up to the next other operation, and return it; None at the end."""

    def commit(self) -> None:
        """End the transaction. What is logged is kept up to the next `begin`."""

    def rollback(self) -> ApplyError | None:
        """Undo what the transaction did. May be called again if interrupted, or if it failed.

        Returns:
            What there is to complain about though all is undone.
        """


def open_changes(
    target: Target, *, is_atomic: bool, is_deferred: bool, teller: Teller | None = None
) -> Changes:
    """Choose how changes get into the store of a target.

    Args:
        target: What to change.
        is_atomic: Whether `rollback` will be asked for.
        is_deferred: Whether the operations come from where nobody looks at the store meanwhile.
        teller: Who is to be told of what goes past the store's methods, if it is being recorded.
            What goes through them is seen.

    Examples:
        >>> from rdflib import Dataset
        >>> type(open_changes(Target(Dataset()), is_atomic=True, is_deferred=True)).__name__
        'MemoryChanges'
    """
    if can_use(target.store) and (
        teller is None or (is_atomic and is_deferred and not teller.is_shared)
    ):
        return MemoryChanges(target, is_atomic=is_atomic, is_deferred=is_deferred, teller=teller)
    # What is recorded is committed when the recording says so.
    if is_atomic and target.store.transaction_aware and teller is None:
        return TransactionalChanges(target)
    return GeneralChanges(target, is_atomic=is_atomic)

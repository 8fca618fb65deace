"""The changes of transactions to the statements of a store, however they are made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.graph.stores.change_listener import ChangeListener
from jelly_rdflib.graph.stores.general import GeneralChanges
from jelly_rdflib.graph.stores.native import MemoryChanges, Undoer, UndoLog, can_use
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.operations import Operation


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
        """End the transaction; up to the next `begin`, the log can still undo it."""

    def begin_undoing(self) -> None:
        """Do what comes before the log undoes the transaction. May be called again."""

    def end_undoing(self) -> None:
        """Do what comes after it. May be called again."""

    @property
    def undoer(self) -> Undoer:
        """What takes back the statements and graphs that the log has."""

    @property
    def refusal(self) -> ApplyError | None:
        """What there is to complain about though all was undone."""


def open_changes(
    target: Target,
    log: UndoLog,
    *,
    is_atomic: bool,
    is_deferred: bool,
    listener: ChangeListener | None = None,
) -> Changes:
    """Choose how changes get into the store of a target.

    Args:
        target: What to change.
        log: What is told of each change before it is made.
        is_atomic: Whether to do so.
        is_deferred: Whether the operations come from where nobody looks at the store meanwhile.
        listener: Who is to be told of what goes past the store's methods, if it is being recorded.
            What goes through them is seen.

    Examples:
        >>> from rdflib import Dataset
        >>> changes = open_changes(Target(Dataset()), UndoLog(), is_atomic=True, is_deferred=True)
        >>> type(changes).__name__
        'MemoryChanges'
    """
    if can_use(target.store) and (
        listener is None or (is_atomic and is_deferred and not listener.is_shared)
    ):
        return MemoryChanges(
            target, log, is_atomic=is_atomic, is_deferred=is_deferred, listener=listener
        )
    return GeneralChanges(target, log, is_atomic=is_atomic, listener=listener)

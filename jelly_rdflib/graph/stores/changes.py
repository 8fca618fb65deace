"""Choosing how the statements of a store are changed."""

from __future__ import annotations

from typing import TypeAlias

from jelly_rdflib.graph.stores.change_listener import ChangeListener
from jelly_rdflib.graph.stores.general import GeneralChanges
from jelly_rdflib.graph.stores.native import MemoryChanges, UndoLog, can_use
from jelly_rdflib.graph.stores.target import Target

Changes: TypeAlias = GeneralChanges | MemoryChanges
"""Adds and deletes the statements of one transaction after the other in a store."""


def open_changes(
    target: Target,
    log: UndoLog,
    *,
    is_atomic: bool,
    is_deferred: bool,
    listener: ChangeListener | None = None,
) -> Changes:
    """Choose how the statements of a target's store are changed.

    Args:
        target: The graph or dataset to change.
        log: Gets each change before it is made, if ``is_atomic``.
        is_atomic: Whether a transaction can be undone.
        is_deferred: Whether nobody looks at the store between two operations.
        listener: The recording of the store, if there is one. It sees the changes made by the
            store's methods, and has to be told of all others.
    """
    if can_use(target.store) and (
        listener is None or (is_atomic and is_deferred and not listener.is_shared)
    ):
        return MemoryChanges(
            target, log, is_atomic=is_atomic, is_deferred=is_deferred, listener=listener
        )
    return GeneralChanges(target, log, is_atomic=is_atomic, listener=listener)

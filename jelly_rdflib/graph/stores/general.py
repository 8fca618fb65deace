"""Changes to the statements of a store, by the methods that every store has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from rdflib.graph import Graph
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore
from rdflib.store import Store
from rdflib.term import BNode, Node

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.graph.stores.change_listener import ChangeListener
from jelly_rdflib.graph.stores.native import (
    Crowded,
    MemoryChanges,
    Undoer,
    UndoLog,
    can_use,
    open_view,
)
from jelly_rdflib.graph.stores.statements import check_graph, check_operation, check_statement
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.nodes.numbering import HashLimit
from jelly_rdflib.operations import Op, Operation


class GeneralChanges:
    """Adds and deletes the statements of transactions by a store's ``add`` and ``remove``.

    A store's own transactions are used, too. Pending changes are committed when a transaction
    starts. After a rollback the log undoes all once more, since a store may get it wrong: rdflib's
    AuditableStore loses a statement that was deleted and added again.

    Args:
        target: The graph or dataset to change.
        log: Gets each change before it is made, if ``is_atomic``.
        is_atomic: Whether a transaction can be undone.
        listener: The recording of the store. It sees the changes, and commits the store itself.

    Attributes:
        undoer: Undoes the log's changes to statements and graphs.
        refusal: Why the store failed to roll back; the log has undone the changes all the same.

    Raises:
        ApplyError: The store does not see its own changes.
    """

    def __init__(
        self,
        target: Target,
        log: UndoLog,
        *,
        is_atomic: bool,
        listener: ChangeListener | None = None,
    ) -> None:
        store = target.store
        if isinstance(store, SPARQLUpdateStore) and store.dirty_reads and not store.autocommit:
            raise ApplyError(
                "changes can't be applied to a SPARQLUpdateStore with dirty_reads=True and"
                " autocommit=False: it does not see what it has changed itself"
            )
        self.operations = 0
        self.added = 0
        self.deleted = 0
        self.refusal: ApplyError | None = None
        self._target = target
        self._store = store
        self._log = log
        self._is_atomic = is_atomic
        self._listener = listener
        self._has_transactions = is_atomic and store.transaction_aware and listener is None
        self._has_begun = False
        self._contexts: dict[Node | None, Graph] = {}
        # The graphs that the store lists, or that the log will take off its list.
        self._listed: set[Node] = set()
        self._view = open_view(store) if listener is None else listener.view
        self._hashes = HashLimit(is_needed=self._view.is_in_memory)
        self.undoer: Undoer = self._view

    def begin(self) -> None:
        """Start a transaction; what was committed stays."""
        self._listed.clear()
        self.added = 0
        self.deleted = 0

    def statements(self, operations: Iterator[Any]) -> Operation | None:
        """Apply adds and deletes up to the next other operation, and return that; None at the end.

        Raises:
            ApplyError: One is no operation, or the store can't hold its statement.
            LimitError: More terms have the same hash than a store in memory can stand.
        """
        for operation in operations:
            check_operation(operation)
            is_add = operation[0] == Op.A
            if not is_add and operation[0] != Op.D:
                return operation  # type: ignore[no-any-return]
            _, s, p, o, g = operation
            self.operations += 1
            check_statement(s, p, o)
            # Before the lookup: only terms are sure to have a hash.
            check_graph(g)
            if self._is_atomic:
                check_labels(self._store, s, p, o, g)
            self._hashes.check(o)
            context = self._contexts.get(g)
            if context is None:
                context = self._contexts[g] = self._target.context(g)
            if is_add:
                self._add((s, p, o), context)
            else:
                self._delete((s, p, o), context)
        return None

    def commit(self) -> None:
        """Let the store commit; up to the next `begin`, the log can still undo the transaction."""
        if self._has_begun:
            self._store.commit()
            self._has_begun = False

    def begin_undoing(self) -> None:
        """Let the store roll back before the log undoes the changes. May be called again."""
        self._view.forget_failed()
        if self._has_begun:
            try:
                self._store.rollback()
            except Exception as error:
                # The log undoes the changes that the store left.
                self.refusal = ApplyError(
                    f"the store's rollback failed ({error}); its statements are as they were before"
                    " the transaction all the same"
                )
                self.refusal.__cause__ = error
            finally:
                self._view.forget_listed()
            self._has_begun = False

    def end_undoing(self) -> None:
        """Let the store commit what the log has undone, if anything."""
        if self._has_transactions and self._view.has_undone:
            self._store.commit()
        self._view.has_undone = False

    def _add(self, triple: tuple[Node, Node, Node], context: Graph) -> None:
        statement = self._view.addition(triple, context)
        if statement is None:
            return
        is_sure = type(statement) is not Crowded
        self._begin_change()
        if self._is_atomic:
            self._note_listed(context)
            # Undoing Oxigraph's own quad would go past the store and its recordings.
            self._log.note_change(True, triple if is_sure else statement, context)
        self._store.add(triple, context)
        if is_sure or self._view.has_added(statement, context):
            self.added += 1

    def _delete(self, triple: tuple[Node, Node, Node], context: Graph) -> None:
        statement, others = self._view.removal(triple, context)
        if statement is None:
            return
        self._begin_change()
        if self._is_atomic:
            for other in others:
                self._log.note_change(False, other, context)
            self._log.note_change(False, statement, context)
        self._store.remove(triple, context)
        self._view.put_back(others, context)
        self.deleted += 1

    def _begin_change(self) -> None:
        # Not at the start: a transaction that changes nothing need not touch the store.
        if self._has_transactions and not self._has_begun:
            self._store.commit()
            self._has_begun = True

    def _note_listed(self, context: Graph) -> None:
        name = context.identifier
        if self._view.is_graph_aware and name not in self._listed:
            if not self._view.lists(context):
                self._log.note_listed(context)
                if self._listener is None:
                    # Else it is seen when the statement is added.
                    self._view.note_listing(context, True)
            self._listed.add(name)


def check_labels(store: Store, *terms: Node | None) -> None:
    """Raise an ApplyError if a term is a blank node that could not be deleted at an endpoint."""
    if not isinstance(store, SPARQLUpdateStore):
        return
    for term in terms:
        if not isinstance(term, BNode):
            continue
        try:
            is_iri = str(store.node_to_sparql(term)).startswith("<")
        except Exception:
            # rdflib's own function refuses blank nodes; a user's may write them as IRIs.
            is_iri = False
        if not is_iri:
            raise ApplyError(
                f"the blank node _:{term} can't be applied to a {type(store).__name__}: a SPARQL"
                " endpoint gives blank nodes labels of its own, so a statement that has one can't"
                " be deleted there, nor undone; put IRIs in the place of blank nodes, or give the"
                " store a node_to_sparql that does"
            )


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

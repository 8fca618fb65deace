"""Statements into any store, by the methods that every store has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from rdflib.graph import Graph
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore
from rdflib.term import Node

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.stores.graph_list import GraphList
from jelly_rdflib.stores.statements import check_graph, check_operation, check_statement
from jelly_rdflib.stores.target import Target

__all__ = ["GeneralChanges"]

_Triple: TypeAlias = tuple[Node, Node, Node]


class GeneralChanges:
    """Adds and deletes the statements of transactions by a store's ``add`` and ``remove``.

    It keeps a log of what it changed, and undoes that itself.

    Args:
        target: Whose store it is.
        is_atomic: Whether to keep the log.

    Raises:
        ApplyError: The store does not see its own changes.
    """

    def __init__(self, target: Target, *, is_atomic: bool) -> None:
        store = target.store
        if isinstance(store, SPARQLUpdateStore) and store.dirty_reads and not store.autocommit:
            raise ApplyError(
                "changes can't be applied to a SPARQLUpdateStore with dirty_reads=True and"
                " autocommit=False: it does not see what it has changed itself"
            )
        self.operations = 0
        self.added = 0
        self.deleted = 0
        self._target = target
        self._store = target.store
        self._is_atomic = is_atomic
        self._contexts: dict[Node | None, Graph] = {}
        self._log: list[tuple[bool, _Triple, Graph]] = []
        # What is left to undo: by statement, whether it was there.
        self._before: dict[tuple[_Triple, Node], tuple[bool, _Triple, Graph]] = {}
        self._graphs = GraphList(target.store)

    def begin(self) -> None:
        """Start a transaction; what was committed stays."""
        self._log.clear()
        self._graphs.keep()
        self.added = 0
        self.deleted = 0

    def statements(self, operations: Iterator[Any]) -> Operation | None:
        """Apply adds and deletes up to the next other operation.

        Args:
            operations: An iterator of operations.

        Returns:
            The first operation that is neither, or None at the end.

        Raises:
            ApplyError: One is no operation, or the store can't hold its statement.
        """
        for operation in operations:
            check_operation(operation)
            is_add = operation[0] == Op.A
            if not is_add and operation[0] != Op.D:
                return operation  # type: ignore[no-any-return]
            _, s, p, o, g = operation
            self.operations += 1
            check_statement(s, p, o)
            # Before it is looked up: what is no term may have no hash.
            check_graph(g)
            context = self._contexts.get(g)
            if context is None:
                context = self._contexts[g] = self._target.context(g)
            triple = (s, p, o)
            if self._has(triple, context) != is_add:
                self._change(is_add, triple, context)
        return None

    def commit(self) -> None:
        """End the transaction; up to the next `begin`, `rollback` can still undo it."""

    def rollback(self) -> ApplyError | None:
        """Undo what the transaction did. May be called again if interrupted, or if it failed.

        Returns:
            What there is to complain about though all is undone.

        Raises:
            Exception: What the store raises for the first change that it does not take back. All
                others are taken back.
        """
        if isinstance(self._store, SPARQLUpdateStore):
            # It keeps an update that failed, and would send it once more with the next one.
            self._store.rollback()
        if self._log:
            # Of several changes to a statement the first says whether it was there.
            self._before = {
                (triple, context.identifier): (not is_add, triple, context)
                for is_add, triple, context in reversed(self._log)
            }
            self._log.clear()
        failure: Exception | None = None
        for key, (was_there, triple, context) in list(self._before.items()):
            try:
                self._restore(was_there, triple, context)
            except Exception as error:  # noqa: PERF203
                # The others are tried all the same.
                failure = failure or error
            else:
                del self._before[key]
        if failure is None:
            self._graphs.restore()
            return None
        raise failure

    def _restore(self, was_there: bool, triple: _Triple, context: Graph) -> None:
        if self._has(triple, context) != was_there:
            (self._store.add if was_there else self._store.remove)(triple, context)

    def _has(self, triple: _Triple, context: Graph) -> bool:
        return next(iter(self._store.triples(triple, context)), None) is not None

    def _change(self, is_add: bool, triple: _Triple, context: Graph) -> None:
        if self._is_atomic:
            if is_add:
                self._graphs.note(context)
            # Before the change, so that whatever happens in the middle of it can be undone.
            self._log.append((is_add, triple, context))
        if is_add:
            self._store.add(triple, context)
            self.added += 1
        else:
            self._store.remove(triple, context)
            self.deleted += 1

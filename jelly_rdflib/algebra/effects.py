"""The changes that operations would make to a graph or dataset, without making them."""

from __future__ import annotations

from typing import Any, TypeAlias

from rdflib.graph import Graph
from rdflib.term import Node, URIRef

from jelly_rdflib.graph.stores.native import Undoer, UndoLog
from jelly_rdflib.graph.stores.prefixes import PrefixMap
from jelly_rdflib.graph.stores.statements import check_graph, check_statement
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.terms import strong_key

# The object as `strong_key` has it.
_Quad: TypeAlias = tuple[Node, Node, Any, Node]


class Effects:
    """The changes that operations would make to a target, transaction by transaction.

    Of the statements it remembers only those that are no longer as in the store.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._contexts: dict[Node | None, Graph] = {}
        # Statements that are not as in the store, and those that are not as before the open
        # transaction; and whether they are there.
        self._committed: dict[_Quad, bool] = {}
        self._pending: dict[_Quad, bool] | None = None
        # A copy of the store's prefixes, and how to undo the changes of the open transaction.
        self._bound: PrefixMap | None = None
        self._log = UndoLog()

    def begin(self) -> None:
        """Start a transaction."""
        self._pending = {}

    def commit(self) -> None:
        """End the transaction."""
        pending, self._pending = self._pending or {}, None
        for quad, is_there in pending.items():
            _flip(self._committed, quad, is_there)
        self._log.clear()

    def abort(self) -> None:
        """End the transaction, as if nothing had come in it."""
        self._pending = None
        self._log.undo(Undoer())

    def take_statement(self, operation: Operation) -> bool:
        """Take an add or delete, and say whether it changes anything.

        Raises:
            ApplyError: The target can't hold the statement.
        """
        op, s, p, o, g = operation
        check_statement(s, p, o)
        context = self._contexts.get(g)
        if context is None:
            check_graph(g)
            context = self._contexts[g] = self._target.context(g)
        quad = (s, p, strong_key(o), context.identifier)
        is_add: bool = op == Op.A
        if self._has(quad, (s, p, o), context) == is_add:
            return False
        _flip(self._committed if self._pending is None else self._pending, quad, is_add)
        return True

    def _has(self, quad: _Quad, triple: tuple[Node, Node, Node], context: Graph) -> bool:
        for changed in (self._pending, self._committed):
            if changed:
                is_there = changed.get(quad)
                if is_there is not None:
                    return is_there
        found = self._target.store.triples(triple, context)
        return next(iter(found), None) is not None

    def take_prefix(self, operation: Operation) -> list[Operation]:
        """Take an operation on a prefix, and return the single changes that it makes."""
        if self._bound is None:
            # Not before: a graph without a namespace manager makes one when it is asked, which
            # binds rdflib's prefixes. Applying the patch does so, too.
            self._bound = self._copy_bound()
        op, prefix, iri, graph = operation
        if op == Op.PA:
            iri = URIRef(iri)
            if self._bound.has(prefix, iri):
                return []
            displaced = self._bound.bind(prefix, iri)
        else:
            displaced = self._bound.unbind(prefix)
        if self._pending is None:
            self._log.clear()
        effects: list[Operation] = [(Op.PD, *each, graph) for each in displaced]
        if op == Op.PA:
            effects.append((Op.PA, prefix, iri, graph))
        return effects

    def _copy_bound(self) -> PrefixMap:
        manager = self._target.namespace_manager
        iris = {prefix: URIRef(iri) for prefix, iri in manager.namespaces()}
        found = {iri: manager.store.prefix(iri) for iri in iris.values()}
        names = {iri: prefix for iri, prefix in found.items() if prefix is not None}
        return PrefixMap(iris, names, self._log)


def _flip(changed: dict[_Quad, bool], quad: _Quad, is_there: bool) -> None:
    """Note that a statement is there now and was not, or the other way round."""
    # The second change of a statement takes back the first.
    if changed.pop(quad, None) is None:
        changed[quad] = is_there

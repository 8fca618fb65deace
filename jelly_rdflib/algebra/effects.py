"""What operations would change in a graph or dataset, which itself stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rdflib.graph import Graph
from rdflib.namespace import NamespaceManager
from rdflib.term import Node, URIRef

from jelly_rdflib.graph.stores.statements import check_graph, check_statement
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.terms import strong_key

# The object as `strong_key` has it.
_Quad: TypeAlias = tuple[Node, Node, Any, Node]


class StatementEffects:
    """Which adds and deletes change something, transaction by transaction.

    Only statements that are not as the store has them are remembered.

    Args:
        target: What the operations are for.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._contexts: dict[Node | None, Graph] = {}
        # Which statements are not as in the store, and which not as before the open transaction;
        # and whether they are there.
        self._committed: dict[_Quad, bool] = {}
        self._pending: dict[_Quad, bool] | None = None

    def begin(self) -> None:
        """Start a transaction."""
        self._pending = {}

    def commit(self) -> None:
        """End the transaction."""
        pending, self._pending = self._pending or {}, None
        for quad, is_there in pending.items():
            _flip(self._committed, quad, is_there)

    def abort(self) -> None:
        """End the transaction, as if nothing had come in it."""
        self._pending = None

    def take(self, operation: Operation) -> bool:
        """Take an add or delete.

        Returns:
            Whether it changes anything.

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


def _flip(changed: dict[_Quad, bool], quad: _Quad, is_there: bool) -> None:
    """Take note that a statement is there now and was not, or the other way round."""
    # What is changed a second time is as it was before the first.
    if changed.pop(quad, None) is None:
        changed[quad] = is_there


class PrefixEffects:
    """What operations on prefixes change, transaction by transaction.

    Args:
        target: What the operations are for.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._bound: _Bound | None = None
        self._is_in_transaction = False

    def begin(self) -> None:
        """Start a transaction."""
        self._is_in_transaction = True

    def commit(self) -> None:
        """End the transaction."""
        self._is_in_transaction = False
        if self._bound is not None:
            self._bound.log.clear()

    def abort(self) -> None:
        """End the transaction, as if nothing had come in it."""
        self._is_in_transaction = False
        if self._bound is not None:
            self._bound.undo()

    def take(self, operation: Operation) -> list[Operation]:
        """Take an operation on a prefix, and return operations that each change a part of it."""
        if self._bound is None:
            # Not before: a graph without a namespace manager makes one when it is asked, which
            # binds rdflib's prefixes; but so it does when the patch is applied.
            self._bound = _Bound.of(self._target.namespace_manager)
        op, prefix, iri, graph = operation
        if op == Op.PD:
            unbound = self._bound.unbind(prefix)
        else:
            iri = URIRef(iri)
            if self._bound.has(prefix, iri):
                return []
            unbound = self._bound.bind(prefix, iri)
        if not self._is_in_transaction:
            self._bound.log.clear()
        effects: list[Operation] = [(Op.PD, *each, graph) for each in unbound]
        if op == Op.PA:
            effects.append((Op.PA, prefix, iri, graph))
        return effects


@dataclass
class _Bound:
    """What prefixes stand for, as a store of rdflib keeps it: no IRI has two.

    Attributes:
        iris, prefixes: IRIs by prefix, and prefixes by IRI.
        log: What was there before each change of the open transaction: prefixes and their IRIs that
            were unbound, and prefixes alone that were bound.
    """

    iris: dict[str, URIRef]
    prefixes: dict[URIRef, str]
    log: list[tuple[str, URIRef | None, bool]] = field(default_factory=list)

    @classmethod
    def of(cls, manager: NamespaceManager) -> _Bound:
        iris = {prefix: URIRef(iri) for prefix, iri in manager.namespaces()}
        found = {iri: manager.store.prefix(iri) for iri in iris.values()}
        return cls(iris, {iri: prefix for iri, prefix in found.items() if prefix is not None})

    def undo(self) -> None:
        """Undo the changes that are in the log."""
        while self.log:
            prefix, iri, had_prefix = self.log.pop()
            if iri is None:
                del self.prefixes[self.iris.pop(prefix)]
                continue
            self.iris[prefix] = iri
            if had_prefix:
                self.prefixes[iri] = prefix

    def has(self, prefix: str, iri: URIRef) -> bool:
        return self.iris.get(prefix) == iri and self.prefixes.get(iri) == prefix

    def bind(self, prefix: str, iri: URIRef) -> list[tuple[str, URIRef]]:
        """Bind the prefix, and return what is no longer bound."""
        unbound = self.unbind(prefix)
        if iri in self.prefixes:
            unbound += self.unbind(self.prefixes[iri])
        self.log.append((prefix, None, False))
        self.iris[prefix] = iri
        self.prefixes[iri] = prefix
        return unbound

    def unbind(self, prefix: str) -> list[tuple[str, URIRef]]:
        """Unbind the prefix, and return what it was bound to, if anything."""
        iri = self.iris.pop(prefix, None)
        if iri is None:
            return []
        has_prefix = self.prefixes.get(iri) == prefix
        self.log.append((prefix, iri, has_prefix))
        if has_prefix:
            del self.prefixes[iri]
        return [(prefix, iri)]

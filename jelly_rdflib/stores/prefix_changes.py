"""The changes of transactions to the prefixes of a store."""

from __future__ import annotations

import sys

from rdflib.term import URIRef

from jelly_rdflib.errors import ApplyError, LimitError
from jelly_rdflib.stores.prefixes import Prefixes, open_prefixes
from jelly_rdflib.stores.short_names import forget_short_names
from jelly_rdflib.stores.target import Target

__all__ = ["PrefixChanges"]


class PrefixChanges:
    """Binds and unbinds the prefixes of one transaction after the other.

    They are bound where the graph's namespace manager keeps them: mostly that is the graph's own
    store, but users may give a graph the manager of another.

    Nothing of a transaction is done before its commit: not every store can unbind, so not every
    one could take a binding back.

    Args:
        target: Whose prefixes they are.
        is_atomic: Whether to wait for the commit; else each takes effect as it comes.
        is_exact: Whether a prefix is bound to its IRI whatever it was bound to, as a patch demands.
            Else it is bound as rdflib's parsers do: what the user has bound stays, and the IRI gets
            another prefix.
        max_prefixes: How many prefixes the store may then have, and a transaction change; None for
            any number.
    """

    def __init__(
        self,
        target: Target,
        *,
        is_atomic: bool,
        is_exact: bool = True,
        max_prefixes: int | None = None,
    ) -> None:
        self.operations = 0
        self.added = 0
        self.deleted = 0
        self._target = target
        self._prefixes: Prefixes | None = None
        self._is_atomic = is_atomic
        self._is_exact = is_exact
        self._max_prefixes = sys.maxsize if max_prefixes is None else max_prefixes
        self._waiting: list[tuple[str, URIRef | None]] = []
        # What the open transaction binds: IRIs by prefix, and prefixes by IRI. So what it says over
        # and over takes no time and no memory.
        self._iris: dict[str, URIRef | None] = {}
        self._names: dict[URIRef, str | None] = {}
        # What was bound as rdflib's parsers do, in all transactions: to do it again is to do
        # nothing, but for rdflib it takes long.
        self._bound: set[tuple[str, URIRef]] = set()
        # How many prefixes the store has; None as long as that was not asked.
        self._count: int | None = None
        self._max_count = 0
        self._is_changed = False

    def begin(self) -> None:
        """Start a transaction; what was committed stays."""
        self._forget_waiting()
        self._is_changed = False
        self.added = 0
        self.deleted = 0

    def add(self, prefix: str, iri: str) -> None:
        """Bind the prefix to the IRI."""
        self._take(prefix, URIRef(iri))

    def delete(self, prefix: str) -> None:
        """Unbind the prefix, whatever it is bound to."""
        self._take(prefix, None)

    def commit(self) -> None:
        """Do what waited for the commit; up to the next `begin`, `rollback` can still undo it.

        Raises:
            ApplyError: The store can't unbind, or does not bind.
            LimitError: The store would have more prefixes than the limits allow.
        """
        for prefix, iri in self._waiting:
            self._change(prefix, iri)
        if self._is_changed:
            # It remembers short names that may be others now.
            forget_short_names(self._target.namespace_manager)

    def rollback(self) -> None:
        """End the transaction; what it did is undone. May be called again if interrupted."""
        self._forget_waiting()
        self._bound.clear()
        if self._is_changed and self._prefixes is not None:
            (self._prefixes.rollback if self._is_exact else self._prefixes.restore)()
            forget_short_names(self._target.namespace_manager)
            self._count = None
            self._is_changed = False

    def _forget_waiting(self) -> None:
        if self._waiting:
            self._waiting.clear()
            self._iris.clear()
            self._names.clear()

    def _take(self, prefix: str, iri: URIRef | None) -> None:
        self.operations += 1
        if not self._is_atomic:
            self._change(prefix, iri)
        elif self._is_news(prefix, iri):
            if len(self._waiting) >= self._max_prefixes:
                raise LimitError(
                    f"a transaction changes more than {self._max_prefixes} prefixes"
                    " (limit max_prefixes)"
                )
            self._waiting.append((prefix, iri))

    def _is_news(self, prefix: str, iri: URIRef | None) -> bool:
        """Can it change anything, after what the transaction has said? Take note that it did."""
        if not self._is_exact and iri is not None:
            is_news = (prefix, iri) not in self._bound
            self._bound.add((prefix, iri))
            return is_news
        old_iri = self._iris.get(prefix)
        if prefix in self._iris and old_iri == iri:
            return False
        if old_iri is not None:
            self._names[old_iri] = None
        if iri is not None:
            old_prefix = self._names.get(iri)
            if old_prefix is not None:
                self._iris[old_prefix] = None
            self._names[iri] = prefix
        self._iris[prefix] = iri
        return True

    def _change(self, prefix: str, iri: URIRef | None) -> None:
        if self._prefixes is None:
            # Not before the first change: a graph without a manager makes one when it is asked,
            # which binds rdflib's prefixes. And a manager given by the user may have another store.
            self._prefixes = open_prefixes(self._target.namespace_manager.store)
        if not self._is_changed:
            # A namespace manager binds by itself.
            (self._prefixes.begin if self._is_exact else self._prefixes.save)()
            self._is_changed = True
        if self._count is None:
            # What the user has bound is not held against the input.
            self._count = len(self._prefixes)
            self._max_count = max(self._count, self._max_prefixes)
        if iri is None:
            self.deleted += self._prefixes.unbind(prefix)
            return
        if not self._is_exact:
            try:
                self._target.namespace_manager.bind(prefix, iri)
            except KeyError as error:
                raise ApplyError(f"rdflib can't bind the prefix {prefix!r}: {error}") from error
        else:
            self.added += self._prefixes.bind(prefix, iri)
        self._check_count()

    def _check_count(self) -> None:
        """Check that the store does not have too many prefixes after one was bound."""
        assert self._prefixes is not None
        assert self._count is not None
        # At the most: it may have been bound before.
        self._count += 1
        if self._count > self._max_count:
            self._count = len(self._prefixes)
        if self._count > self._max_count:
            raise LimitError(f"there are more than {self._max_count} prefixes (limit max_prefixes)")

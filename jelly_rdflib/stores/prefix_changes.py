"""The changes of transactions to the prefixes of a store."""

from __future__ import annotations

from rdflib.term import URIRef

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.stores.prefixes import Prefixes, open_prefixes
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
    """

    def __init__(self, target: Target, *, is_atomic: bool, is_exact: bool = True) -> None:
        self.operations = 0
        self.added = 0
        self.deleted = 0
        self._target = target
        self._prefixes: Prefixes | None = None
        self._is_atomic = is_atomic
        self._is_exact = is_exact
        self._waiting: list[tuple[str, URIRef | None]] = []
        self._is_changed = False

    def begin(self) -> None:
        """Start a transaction; what was committed stays."""
        self._waiting.clear()
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
        """
        for prefix, iri in self._waiting:
            self._change(prefix, iri)
        if self._is_changed:
            # It remembers short names that may be others now.
            self._target.namespace_manager.reset()

    def rollback(self) -> None:
        """End the transaction; what it did is undone. May be called again if interrupted."""
        self._waiting.clear()
        if self._is_changed and self._prefixes is not None:
            self._prefixes.restore()
            self._target.namespace_manager.reset()
            self._is_changed = False

    def _take(self, prefix: str, iri: URIRef | None) -> None:
        self.operations += 1
        if self._is_atomic:
            self._waiting.append((prefix, iri))
        else:
            self._change(prefix, iri)

    def _change(self, prefix: str, iri: URIRef | None) -> None:
        if self._prefixes is None:
            # Not before the first change: a graph without a manager makes one when it is asked,
            # which binds rdflib's prefixes. And a manager given by the user may have another store.
            self._prefixes = open_prefixes(self._target.namespace_manager.store)
        if not self._is_changed:
            self._prefixes.save()
            self._is_changed = True
        if iri is None:
            self.deleted += self._prefixes.unbind(prefix)
        elif not self._is_exact:
            try:
                self._target.namespace_manager.bind(prefix, iri)
            except KeyError as error:
                raise ApplyError(f"rdflib can't bind the prefix {prefix!r}: {error}") from error
        else:
            self.added += self._prefixes.bind(prefix, iri)

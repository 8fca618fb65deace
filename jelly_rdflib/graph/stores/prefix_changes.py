"""The changes that transactions make to the prefixes of a store."""

from __future__ import annotations

import sys

from rdflib.term import URIRef

from jelly_rdflib.errors import ApplyError, LimitError
from jelly_rdflib.graph.stores.native import Tap, UndoLog, find_tap
from jelly_rdflib.graph.stores.prefixes import (
    PrefixMap,
    PublicPrefixes,
    clear_qname_cache,
    open_prefixes,
)
from jelly_rdflib.graph.stores.target import Target


class PrefixChanges:
    """Binds and unbinds prefixes, one transaction after another.

    The prefixes come from the graph's namespace manager. Usually the manager uses the graph's own
    store, but users may give a graph the manager of another store.

    Changes wait for the commit: some stores can't unbind, and so could not undo a binding.

    Unless ``is_atomic``, each change takes effect immediately. If ``is_exact``, a prefix is bound
    to its IRI in any case, as a patch demands. Otherwise it is bound as rdflib's parsers would:
    the last declaration of a prefix counts, user bindings stay, and the IRI gets another prefix.
    The store may then have up to ``max_prefixes`` prefixes, and a transaction may change as many;
    None means any number.
    """

    def __init__(
        self,
        target: Target,
        log: UndoLog,
        *,
        is_atomic: bool,
        is_exact: bool,
        max_prefixes: int | None,
    ) -> None:
        self.operations = 0
        self.added = 0
        self.deleted = 0
        self._target = target
        self._log = log
        self._tap: Tap | None = None
        self._prefixes: PrefixMap | PublicPrefixes | None = None
        self._is_atomic = is_atomic
        self._is_exact = is_exact
        self._max_prefixes = sys.maxsize if max_prefixes is None else max_prefixes
        # The pending changes, and the bindings that they lead to: a repeated change takes neither
        # time nor memory.
        self._waiting: list[tuple[str, URIRef | None]] = []
        self._bound = PrefixMap({}, {})
        self._unbound: set[str] = set()
        # The prefixes that will be bound as rdflib's parsers bind them: the last IRI of each
        # prefix, in the order in which the prefixes first occurred.
        self._parsed: dict[str, URIRef] = {}
        # The largest possible number of prefixes in the store; None until it is counted.
        self._count: int | None = None
        self._max_count = 0
        self._is_changed = False

    def begin(self) -> None:
        """Start a transaction; earlier changes stay."""
        self._forget_waiting()
        self._is_changed = False
        self.added = 0
        self.deleted = 0

    def set(self, prefix: str, iri: URIRef | None) -> None:
        """Bind the prefix to the IRI; if the IRI is None, unbind the prefix, whatever its IRI."""
        self.operations += 1
        if not self._is_atomic:
            self._change(prefix, iri)
            return
        if iri is not None and not self._is_exact:
            self._parsed[prefix] = iri
        elif self._is_news(prefix, iri):
            self._waiting.append((prefix, iri))
        if len(self._waiting) + len(self._parsed) > self._max_prefixes:
            raise LimitError(
                f"a transaction changes more than {self._max_prefixes} prefixes",
                limit="max_prefixes",
                value=self._max_prefixes,
            )

    def commit(self) -> None:
        """Make the pending changes; until the next `begin` the log can undo them."""
        self._waiting.extend(self._parsed.items())
        self._parsed.clear()
        for prefix, iri in self._waiting:
            self._change(prefix, iri)
        if self._is_changed:
            # The manager caches short names, which may have changed.
            clear_qname_cache(self._target.namespace_manager)

    def _forget_names(self) -> None:
        """Forget short names after prefixes were restored."""
        clear_qname_cache(self._target.namespace_manager)

    def _forget_waiting(self) -> None:
        self._parsed.clear()
        if self._waiting:
            self._waiting.clear()
            self._bound = PrefixMap({}, {})
            self._unbound.clear()

    def _is_news(self, prefix: str, iri: URIRef | None) -> bool:
        """Return whether a change can have an effect after the pending ones; record it as made."""
        if iri is None:
            is_news = prefix not in self._unbound
            self._bound.unbind(prefix)
            self._unbound.add(prefix)
        else:
            is_news = not self._bound.has(prefix, iri)
            if is_news:
                self._unbound.update(name for name, _ in self._bound.bind(prefix, iri))
                self._unbound.discard(prefix)
        return is_news

    def _change(self, prefix: str, iri: URIRef | None) -> None:
        prefixes = self._prefixes
        if prefixes is None:
            # Ask for the manager only at the first change: if a graph has none, it makes one,
            # which binds rdflib's prefixes. The manager's store may differ from the graph's.
            store = self._target.namespace_manager.store
            log = self._log if self._is_atomic else None
            prefixes = self._prefixes = open_prefixes(store, log)
            self._tap = find_tap(store)
        if not self._is_changed:
            if self._is_atomic:
                self._log.note_step(self._forget_names)
                # Check all changes first: some stores could not undo the earlier ones.
                prefixes.begin(self._waiting)
            if not self._is_exact:
                # The namespace manager changes prefixes without the log, so save all of them.
                prefixes.save()
            self._is_changed = True
        if self._tap is not None:
            self._tap.expect_prefix(prefix, iri)
        if self._count is None:
            # The user's own bindings don't count against the limit.
            self._count = len(prefixes)
            self._max_count = max(self._count, self._max_prefixes)
        if iri is None:
            self.deleted += len(prefixes.unbind(prefix))
            return
        if not self._is_exact:
            try:
                self._target.namespace_manager.bind(prefix, iri)
            except KeyError as error:
                raise ApplyError(f"rdflib can't bind the prefix {prefix!r}: {error}") from error
        elif not prefixes.has(prefix, iri):
            prefixes.bind(prefix, iri)
            self.added += 1
        self._count += 1
        if self._count > self._max_count:
            self._count = len(prefixes)
            if self._count > self._max_count:
                raise LimitError(
                    f"there are more than {self._max_count} prefixes",
                    limit="max_prefixes",
                    value=self._max_count,
                )

"""Prefixes of a store: bound just as a patch says, and really unbound.

rdflib's own ways do neither: `NamespaceManager.bind` picks another prefix where one is taken, and
nothing unbinds. What a prefix stands for is kept by the store, for all of its graphs.
"""

from __future__ import annotations

from typing import Any, Protocol

from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.store import Store
from rdflib.term import URIRef

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.stores.statements import show_term

__all__ = ["DictPrefixes", "Prefixes", "PublicPrefixes", "open_prefixes"]


class Prefixes(Protocol):
    """The prefixes of a store."""

    def bind(self, prefix: str, iri: URIRef) -> bool:
        """Make the prefix stand for the IRI and for no other, and no other for it.

        Returns:
            Whether that changed anything.
        """

    def unbind(self, prefix: str) -> bool:
        """Make the prefix stand for nothing.

        Returns:
            Whether that changed anything.

        Raises:
            ApplyError: The store has no way to do so.
        """

    def begin(self) -> None:
        """Start a transaction: from now on `bind` and `unbind` can be undone."""

    def rollback(self) -> None:
        """Undo what `bind` and `unbind` did since the last `begin`."""

    def save(self) -> None:
        """Keep what is bound now, for `restore`."""

    def restore(self) -> None:
        """Bind again what was bound at the last `save`, and nothing else, whoever changed it."""

    def __len__(self) -> int:
        """How many prefixes are bound."""


class DictPrefixes:
    """Prefixes that a store keeps in two dicts.

    Args:
        iris: Prefix to IRI.
        prefixes: IRI to prefix.

    Examples:
        >>> prefixes = DictPrefixes({"a": URIRef("urn:a#")}, {URIRef("urn:a#"): "a"})
        >>> prefixes.bind("a", URIRef("urn:b#")), prefixes.unbind("a"), prefixes.unbind("a")
        (True, True, False)
    """

    def __init__(self, iris: dict[str, URIRef], prefixes: dict[URIRef, str]) -> None:
        self._iris = iris
        self._prefixes = prefixes
        self._saved = (iris.copy(), prefixes.copy())
        # What stood there before each change: a dict, a key, and its value or None.
        self._log: list[tuple[dict[Any, Any], str, str | None]] = []

    def __len__(self) -> int:
        return len(self._iris)

    def bind(self, prefix: str, iri: URIRef) -> bool:
        """Make the prefix stand for the IRI and for no other, and no other for it."""
        if self._iris.get(prefix) == iri and self._prefixes.get(iri) == prefix:
            return False
        self.unbind(prefix)
        if iri in self._prefixes:
            self.unbind(self._prefixes[iri])
        self._set(self._iris, prefix, iri)
        self._set(self._prefixes, iri, prefix)
        return True

    def unbind(self, prefix: str) -> bool:
        """Make the prefix stand for nothing."""
        if prefix not in self._iris:
            return False
        iri = self._iris[prefix]
        self._set(self._iris, prefix, None)
        if self._prefixes.get(iri) == prefix:
            self._set(self._prefixes, iri, None)
        return True

    def begin(self) -> None:
        """Start a transaction: from now on `bind` and `unbind` can be undone."""
        self._log.clear()

    def rollback(self) -> None:
        """Undo what `bind` and `unbind` did since the last `begin`."""
        while self._log:
            # Undoing what was not done, or is undone already, does no harm.
            place, key, value = self._log[-1]
            _put(place, key, value)
            self._log.pop()

    def _set(self, place: dict[Any, Any], key: str, value: str | None) -> None:
        # Before the change, so that whatever happens in the middle of it can be undone.
        self._log.append((place, key, place.get(key)))
        _put(place, key, value)

    def save(self) -> None:
        """Keep what is bound now, for `restore`."""
        self._saved = (self._iris.copy(), self._prefixes.copy())

    def restore(self) -> None:
        """Bind again what was bound at the last `save`, and nothing else."""
        iris, prefixes = self._saved
        self._iris.clear()
        self._iris.update(iris)
        self._prefixes.clear()
        self._prefixes.update(prefixes)


def _put(place: dict[Any, Any], key: str, value: str | None) -> None:
    if value is not None:
        place[key] = value
    else:
        place.pop(key, None)


class PublicPrefixes:
    """Prefixes by the methods that every store has, among which there is none to unbind.

    Args:
        store: Any store.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._saved: dict[str, URIRef] = {}

    def __len__(self) -> int:
        return sum(1 for _ in self._store.namespaces())

    def bind(self, prefix: str, iri: URIRef) -> bool:
        """Make the prefix stand for the IRI and for no other, and no other for it.

        Raises:
            ApplyError: The store did not do so.
        """
        if self._is_bound(prefix, iri):
            return False
        self._store.bind(prefix, iri, override=True)
        if not self._is_bound(prefix, iri):
            raise ApplyError(
                f"the store ({type(self._store).__name__}) does not bind the prefix {prefix!r} "
                f"to {show_term(iri)}"
            )
        return True

    def unbind(self, prefix: str) -> bool:
        """Make the prefix stand for nothing.

        Raises:
            ApplyError: The prefix is bound, and stays so.
        """
        if self._store.namespace(prefix) is None:
            return False
        raise ApplyError(
            f"the store ({type(self._store).__name__}) can't unbind the prefix {prefix!r}: rdflib "
            f"has no method for it; leave deletions of prefixes out of what is applied to it"
        )

    def begin(self) -> None:
        """Start a transaction: from now on `bind` and `unbind` can be undone."""
        self.save()

    def rollback(self) -> None:
        """Undo what `bind` and `unbind` did since the last `begin`.

        Raises:
            ApplyError: As by `restore`.
        """
        self.restore()

    def save(self) -> None:
        """Keep what is bound now, for `restore`."""
        self._saved = dict(self._store.namespaces())

    def restore(self) -> None:
        """Bind again what was bound at the last `save`.

        Raises:
            ApplyError: A prefix that was not bound then is now.
        """
        for prefix, iri in self._saved.items():
            if not self._is_bound(prefix, iri):
                self._store.bind(prefix, iri, override=True)
        for prefix in dict(self._store.namespaces()).keys() - self._saved.keys():
            self.unbind(prefix)

    def _is_bound(self, prefix: str, iri: URIRef) -> bool:
        return self._store.namespace(prefix) == iri and self._store.prefix(iri) == prefix


def open_prefixes(store: Store) -> Prefixes:
    """Choose how the prefixes of a store are changed.

    Args:
        store: Any store. Of those that come with rdflib, and of oxrdflib's, the dicts are known;
            a wrapped store's prefixes are those of the store inside.

    Examples:
        >>> type(open_prefixes(Memory())).__name__
        'DictPrefixes'
    """
    while isinstance(store, AuditableStore):
        store = store.store
    for cls, iris_name, prefixes_name in (
        (Memory, "_Memory__namespace", "_Memory__prefix"),
        (SimpleMemory, "_SimpleMemory__namespace", "_SimpleMemory__prefix"),
        (Store, "_namespace_for_prefix", "_prefix_for_namespace"),
    ):
        if isinstance(store, cls):
            iris = getattr(store, iris_name, None)
            prefixes = getattr(store, prefixes_name, None)
            if isinstance(iris, dict) and isinstance(prefixes, dict):
                return DictPrefixes(iris, prefixes)
    return PublicPrefixes(store)

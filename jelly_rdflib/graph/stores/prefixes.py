"""Prefixes of a store: bound just as a patch says, and really unbound.

rdflib's own ways do neither: `NamespaceManager.bind` picks another prefix where one is taken, and
nothing unbinds. What a prefix stands for is kept by the store, for all of its graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from functools import partial
from typing import Any, Protocol

from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from rdflib.store import Store
from rdflib.term import URIRef

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.graph.stores.native import UndoLog
from jelly_rdflib.graph.stores.statements import show_term


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
        """Start a transaction, before the log gets to know of a change."""

    def check(self, changes: Iterable[tuple[str, URIRef | None]]) -> None:
        """See that the store can make changes: prefixes with their IRIs, None to unbind them.

        Raises:
            ApplyError: It can't make one of them.
        """

    def watch(self, prefix: str, iri: str | None) -> dict[str, URIRef | None]:
        """Have the log restore what may change when somebody else binds the prefix to the IRI.

        Returns:
            What the prefixes that may change stand for.
        """

    def save(self) -> None:
        """Have the log restore all that is bound now, and unbind all else, whoever changes it."""

    def __len__(self) -> int:
        """How many prefixes are bound."""


class DictPrefixes:
    """Prefixes that a store keeps in two dicts.

    Args:
        iris: Prefix to IRI.
        prefixes: IRI to prefix.
        log: What is told how to undo each change; None for nobody.

    Examples:
        >>> prefixes = DictPrefixes({"a": URIRef("urn:a#")}, {URIRef("urn:a#"): "a"})
        >>> prefixes.bind("a", URIRef("urn:b#")), prefixes.unbind("a"), prefixes.unbind("a")
        (True, True, False)
    """

    def __init__(
        self,
        iris: MutableMapping[str, URIRef],
        prefixes: MutableMapping[URIRef, str],
        log: UndoLog | None = None,
    ) -> None:
        self._iris = iris
        self._prefixes = prefixes
        self._log = log

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
        """Do nothing."""

    def check(self, changes: Iterable[tuple[str, URIRef | None]]) -> None:
        """Do nothing: dicts take any change."""

    def watch(self, prefix: str, iri: str | None) -> dict[str, URIRef | None]:
        """Have the log restore what may change when the prefix is bound to the IRI."""
        names, iris = _find_touched(prefix, iri, self._iris.get, self._prefixes.get)
        for name in names:
            self._note(self._iris, name)
        for each in iris:
            self._note(self._prefixes, each)
        return names

    def save(self) -> None:
        """Have the log restore all that is bound now."""
        if self._log is not None:
            for place in (self._iris, self._prefixes):
                self._log.note_step(partial(_replace, place, dict(place)))

    def _set(self, place: MutableMapping[Any, Any], key: str, value: str | None) -> None:
        # Before the change, so that whatever happens in the middle of it can be undone.
        self._note(place, key)
        _put(place, key, value)

    def _note(self, place: MutableMapping[Any, Any], key: str) -> None:
        if self._log is not None:
            self._log.note_step(partial(_put, place, key, place.get(key)))


def _find_touched(
    prefix: str,
    iri: str | None,
    get_iri: Callable[[str], URIRef | None],
    get_prefix: Callable[[URIRef], str | None],
) -> tuple[dict[str, URIRef | None], dict[URIRef, None]]:
    """Find what may change when a prefix is bound to an IRI: what is bound to either, and so on.

    Returns:
        Prefixes and what they stand for; and IRIs.
    """
    names: dict[str, URIRef | None] = {prefix: get_iri(prefix)}
    iris: dict[URIRef, None] = {}
    waiting = [names[prefix], None if iri is None else URIRef(iri)]
    while waiting:
        each = waiting.pop()
        if each is None or each in iris:
            continue
        iris[each] = None
        name = get_prefix(each)
        if name is not None and name not in names:
            names[name] = get_iri(name)
            waiting.append(names[name])
    return names, iris


def _replace(place: MutableMapping[Any, Any], content: Mapping[Any, Any]) -> None:
    place.clear()
    place.update(content)


def _put(place: MutableMapping[Any, Any], key: str, value: str | None) -> None:
    if value is not None:
        place[key] = value
    else:
        place.pop(key, None)


class _BerkeleyDict(MutableMapping[Any, Any]):
    """A table of rdflib's BerkeleyDB store as a dict of texts.

    Its own ``bind`` takes the empty prefix for none.
    """

    def __init__(self, table: Any, cls: type[str]) -> None:
        self._table = table
        self._class = cls

    def __getitem__(self, key: str) -> str:
        value = self._table.get(key.encode())
        if value is None:
            raise KeyError(key)
        return self._class(value.decode())

    def __setitem__(self, key: str, value: str) -> None:
        self._table[key.encode()] = value.encode()

    def __delitem__(self, key: str) -> None:
        del self._table[key.encode()]

    def __iter__(self) -> Iterator[str]:
        return iter([key.decode() for key in self._table.keys()])  # noqa: SIM118

    def __len__(self) -> int:
        return len(self._table)


class PublicPrefixes:
    """Prefixes by the methods that every store has, among which there is none to unbind.

    Args:
        store: Any store. Some are known to have a way of their own to unbind.
        log: What is told how to undo each change; None for nobody.
    """

    def __init__(self, store: Store, log: UndoLog | None = None) -> None:
        self._store = store
        self._log = log
        # Those that were not bound before the transaction that is being undone.
        self._new: dict[str, None] = {}
        self._unbind = _find_unbind(store)

    def __len__(self) -> int:
        return sum(1 for _ in self._store.namespaces())

    def bind(self, prefix: str, iri: URIRef) -> bool:
        """Make the prefix stand for the IRI and for no other, and no other for it.

        Raises:
            ApplyError: The store did not do so.
        """
        if self._is_bound(prefix, iri):
            return False
        self.watch(prefix, iri)
        _bind(self._store, prefix, iri)
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
        if self._unbind is None:
            raise self._refusal(prefix)
        self._unbind(prefix)
        return True

    def check(self, changes: Iterable[tuple[str, URIRef | None]]) -> None:
        """See that the store can make changes.

        Raises:
            ApplyError: It can't unbind one of the prefixes.
        """
        if self._unbind is not None:
            return
        bound = {prefix for prefix, _ in self._store.namespaces()}
        for prefix, iri in changes:
            if iri is not None:
                bound.add(prefix)
            elif prefix in bound:
                raise self._refusal(prefix)

    def _refusal(self, prefix: str) -> ApplyError:
        return ApplyError(
            f"the store ({type(self._store).__name__}) can't unbind the prefix {prefix!r}: rdflib "
            f"has no method for it; leave deletions of prefixes out of what is applied to it"
        )

    def begin(self) -> None:
        """Start a transaction: when all else is restored, its new prefixes are to be gone."""
        if self._log is not None:
            self._new = {}
            self._log.note_step(partial(self._unbind_all, self._new))

    def watch(self, prefix: str, iri: str | None) -> dict[str, URIRef | None]:
        """Have the log restore what may change when the prefix is bound to the IRI."""
        names, _ = _find_touched(prefix, iri, self._store.namespace, self._store.prefix)
        if self._log is not None:
            self._log.note_step(partial(self.restore, names))
        return names

    def save(self) -> None:
        """Have the log restore all that is bound now."""
        if self._log is not None:
            saved = dict(self._store.namespaces())
            self._log.note_step(partial(self.restore, saved, is_all=True))

    def restore(self, saved: Mapping[str, URIRef | None], *, is_all: bool = False) -> None:
        """Bind prefixes again to what they stood for, and take note of those that were not bound.

        Args:
            saved: What they stood for.
            is_all: Whether others stood for nothing.
        """
        for prefix, iri in saved.items():
            if iri is None:
                continue
            # Undo goes backwards. So a newer step may have put the prefix among the new ones, and
            # this older one says that it was bound.
            self._new.pop(prefix, None)
            if not self._is_bound(prefix, iri):
                _bind(self._store, prefix, iri)
        bound = dict(self._store.namespaces()) if is_all else saved
        self._new.update((prefix, None) for prefix in bound if saved.get(prefix) is None)

    def _unbind_all(self, prefixes: dict[str, None]) -> None:
        for prefix in prefixes:
            self.unbind(prefix)

    def _is_bound(self, prefix: str, iri: URIRef) -> bool:
        return self._store.namespace(prefix) == iri and self._store.prefix(iri) == prefix


def _bind(store: Store, prefix: str, iri: URIRef) -> None:
    """Call a store's ``bind`` as rdflib's namespace manager does."""
    try:
        store.bind(prefix, iri, override=True)
    except TypeError as error:
        # Stores made for rdflib before version 6.2 don't know the argument: rdflib-sqlalchemy's.
        if "override" not in str(error):
            raise
        store.bind(prefix, iri)


def _find_unbind(store: Any) -> Callable[[str], object] | None:
    """Return what unbinds a prefix that is bound; None where no way is known."""
    if isinstance(store, SPARQLStore):
        return store.nsBindings.pop
    if type(store).__module__ == "rdflib_sqlalchemy.store":
        table = store.tables["namespace_binds"]

        def delete(prefix: str) -> None:
            with store.engine.begin() as connection:
                connection.execute(table.delete().where(table.c.prefix == prefix))

        return delete
    return None


def open_prefixes(store: Store, log: UndoLog | None = None) -> Prefixes:
    """Choose how the prefixes of a store are changed.

    Args:
        store: Any store. Of those that come with rdflib, and of oxrdflib's, the dicts are known;
            a wrapped store's prefixes are those of the store inside.
        log: What is told how to undo each change; None for nobody.

    Examples:
        >>> type(open_prefixes(Memory())).__name__
        'DictPrefixes'
    """
    while isinstance(store, AuditableStore):
        store = store.store
    tables: Any = store
    if hasattr(store, "_BerkeleyDB__namespace"):
        return DictPrefixes(
            _BerkeleyDict(tables._BerkeleyDB__namespace, URIRef),
            _BerkeleyDict(tables._BerkeleyDB__prefix, str),
            log,
        )
    for cls, iris_name, prefixes_name in (
        (Memory, "_Memory__namespace", "_Memory__prefix"),
        (SimpleMemory, "_SimpleMemory__namespace", "_SimpleMemory__prefix"),
        (Store, "_namespace_for_prefix", "_prefix_for_namespace"),
    ):
        if isinstance(store, cls):
            iris = getattr(store, iris_name, None)
            prefixes = getattr(store, prefixes_name, None)
            if isinstance(iris, dict) and isinstance(prefixes, dict):
                return DictPrefixes(iris, prefixes, log)
    return PublicPrefixes(store, log)

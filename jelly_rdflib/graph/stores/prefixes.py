"""Prefixes of a store: bind each exactly as a patch says, or unbind it.

rdflib's own methods do neither: `NamespaceManager.bind` picks another prefix if one is taken,
and no method unbinds a prefix. The store keeps the prefixes, for all of its graphs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from collections.abc import Set as AbstractSet
from functools import cache, partial
from typing import Any, TypeAlias

from rdflib.graph import Graph
from rdflib.namespace import NamespaceManager, insert_trie
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from rdflib.store import Store
from rdflib.term import URIRef

from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import ApplyError
from jelly_rdflib.graph.stores.native import UndoLog
from jelly_rdflib.graph.stores.target import get_inner

# None means an unbound prefix.
_Iris: TypeAlias = Mapping[str, URIRef | None]
_Names: TypeAlias = Mapping[URIRef, str | None]

# Prefixes with their IRIs.
Bindings: TypeAlias = AbstractSet[tuple[str, URIRef]]


def find_own_bindings(graph: Graph) -> Bindings:
    """Return the prefixes that rdflib binds to a graph by itself."""
    return _find_bindings(graph._bind_namespaces)


@cache
def _find_bindings(strategy: Any) -> Bindings:
    return frozenset(Graph(bind_namespaces=strategy).namespaces())


def used_in(text: bytes, bindings: Bindings) -> Bindings:
    """Return the bindings whose IRIs occur in the text, as part of an IRI or by coincidence."""
    return {each for each in bindings if each[1].encode() in text}


class _Prefixes(ABC):
    """Prefixes and their IRIs. In rdflib a prefix has one IRI, and an IRI one prefix.

    Before each change the log, if any, gets a step that undoes it.
    """

    def __init__(
        self,
        get_iri: Callable[[str], URIRef | None],
        get_prefix: Callable[[URIRef], str | None],
        log: UndoLog | None,
    ) -> None:
        self._get_iri = get_iri
        self._get_prefix = get_prefix
        self._log = log

    @abstractmethod
    def _read(self) -> tuple[_Iris, _Names]:
        """Copy the IRIs of all prefixes, and the prefixes of all IRIs."""

    @abstractmethod
    def _restore(self, iris: _Iris, names: _Names) -> None:
        """Restore the IRIs of prefixes, and the prefixes of IRIs. May be called again."""

    @abstractmethod
    def begin(self, changes: Iterable[tuple[str, URIRef | None]] = ()) -> None:
        """Start a transaction; raise an ApplyError if the store can't make one of its changes."""

    def has(self, prefix: str, iri: URIRef) -> bool:
        """Return whether the prefix and the IRI are bound to each other."""
        # Compare with None first: an IRI's `__eq__` is Python code.
        found = self._get_iri(prefix)
        return found is not None and found == iri and self._get_prefix(iri) == prefix

    def watch(self, prefix: str, iri: URIRef | None) -> dict[str, URIRef | None]:
        """Record in the log everything that may change when the prefix is bound to the IRI.

        A store's `bind` may break the rule of one prefix for one IRI. So this follows all bindings
        that the prefix and the IRI lead to. Return the prefixes that may change, with their present
        IRIs.
        """
        iris = {prefix: self._get_iri(prefix)}
        names: dict[URIRef, str | None] = {}
        waiting = [iris[prefix], iri]
        while waiting:
            each = waiting.pop()
            if each is not None:
                name = names[each] = self._get_prefix(each)
                # Follow each prefix once.
                if name is not None and name not in iris:
                    iris[name] = self._get_iri(name)
                    waiting.append(iris[name])
        if self._log is not None:
            self._log.note_step(partial(self._restore, iris, names))
        return iris

    def save(self) -> None:
        """Make the log restore all prefixes, whoever changes them."""
        if self._log is not None:
            self._log.note_step(partial(self._restore_all, *self._read()))

    def _restore_all(self, iris: _Iris, names: _Names) -> None:
        new_iris, new_names = self._read()
        self._restore({**dict.fromkeys(new_iris), **iris}, {**dict.fromkeys(new_names), **names})


class PrefixMap(_Prefixes):
    """Prefixes in two dicts, each the inverse of the other."""

    def __init__(
        self,
        iris: MutableMapping[str, URIRef],
        names: MutableMapping[URIRef, str],
        log: UndoLog | None = None,
    ) -> None:
        super().__init__(iris.get, names.get, log)
        self._iris = iris
        self._names = names

    def __len__(self) -> int:
        return len(self._iris)

    def begin(self, changes: Iterable[tuple[str, URIRef | None]] = ()) -> None:
        """Do nothing: dicts accept any change."""

    def bind(self, prefix: str, iri: URIRef) -> list[tuple[str, URIRef]]:
        """Bind the prefix to the IRI, and return the bindings that this replaced."""
        if self._log is not None:
            self.watch(prefix, iri)
        displaced = self._pop(prefix) + self._pop(self._names.get(iri))
        self._iris[prefix] = iri
        self._names[iri] = prefix
        return displaced

    def unbind(self, prefix: str) -> list[tuple[str, URIRef]]:
        """Unbind the prefix, and return the binding that it had, if any."""
        if self._log is not None:
            self.watch(prefix, None)
        return self._pop(prefix)

    def _pop(self, prefix: str | None) -> list[tuple[str, URIRef]]:
        if prefix is None or (iri := self._iris.pop(prefix, None)) is None:
            return []
        if self._names.get(iri) == prefix:
            del self._names[iri]
        return [(prefix, iri)]

    def _read(self) -> tuple[_Iris, _Names]:
        return dict(self._iris), dict(self._names)

    def _restore(self, iris: _Iris, names: _Names) -> None:
        places: list[tuple[MutableMapping[Any, Any], Mapping[Any, Any]]]
        places = [(self._iris, iris), (self._names, names)]
        for place, content in places:
            for key, value in content.items():
                if value is not None:
                    place[key] = value
                else:
                    place.pop(key, None)


class _BerkeleyDict(MutableMapping[Any, Any]):
    """A table of rdflib's BerkeleyDB store as a dict of strings.

    It is used since the store's own ``bind`` mistakes the empty prefix for a missing one.
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


class PublicPrefixes(_Prefixes):
    """Prefixes through the methods that every store has, none of which unbinds a prefix.

    This class knows how some stores unbind a prefix.
    """

    def __init__(self, store: Store, log: UndoLog | None = None) -> None:
        super().__init__(store.namespace, store.prefix, log)
        self._store = store
        # Prefixes that undoing must unbind at the end: they were unbound before the transaction.
        self._new: dict[str, None] = {}
        self._delete = _find_unbind(store)

    def begin(self, changes: Iterable[tuple[str, URIRef | None]] = ()) -> None:
        """Make the log unbind new prefixes after all other steps of the transaction."""
        if self._delete is None:
            # Check before the first change, which could not be undone.
            bound = {prefix for prefix, _ in self._store.namespaces()}
            for prefix, iri in changes:
                if iri is not None:
                    bound.add(prefix)
                elif prefix in bound:
                    self._unbind(prefix)
        if self._log is not None:
            self._log.note_step(partial(self._unbind_all, self._new))

    def __len__(self) -> int:
        return sum(1 for _ in self._store.namespaces())

    def bind(self, prefix: str, iri: URIRef) -> None:
        """Bind the prefix to the IRI; raise an ApplyError if the store does not do so."""
        self.watch(prefix, iri)
        _bind(self._store, prefix, iri)
        if not self.has(prefix, iri):
            raise ApplyError(
                f"the store ({type(self._store).__name__}) does not bind the prefix {prefix!r} "
                f"to {show(iri)}"
            )

    def unbind(self, prefix: str) -> list[tuple[str, URIRef]]:
        """Unbind the prefix; raise an ApplyError if it is bound and the store can't unbind it."""
        iri = self._get_iri(prefix)
        if iri is None:
            return []
        self.watch(prefix, None)
        self._unbind(prefix)
        return [(prefix, iri)]

    def _unbind(self, prefix: str) -> None:
        if self._delete is None:
            raise ApplyError(
                f"the store ({type(self._store).__name__}) can't unbind the prefix {prefix!r}: "
                "rdflib has no method for it; leave deletions of prefixes out of the patch"
            )
        self._delete(prefix)

    def _unbind_all(self, prefixes: dict[str, None]) -> None:
        for prefix in prefixes:
            if self._get_iri(prefix) is not None:
                self._unbind(prefix)

    def _read(self) -> tuple[_Iris, _Names]:
        return dict(self._store.namespaces()), {}

    def _restore(self, iris: _Iris, names: _Names) -> None:
        """Bind prefixes again, and record those that were not bound."""
        for prefix, iri in iris.items():
            if iri is None:
                self._new[prefix] = None
                continue
            # Undoing runs backwards: a newer step may have recorded a prefix that was bound before.
            self._new.pop(prefix, None)
            if not self.has(prefix, iri):
                _bind(self._store, prefix, iri)


def _bind(store: Store, prefix: str, iri: URIRef) -> None:
    """Call a store's ``bind`` as rdflib's namespace manager does."""
    try:
        store.bind(prefix, iri, override=True)
    except TypeError as error:
        # Stores from before rdflib 6.2, such as rdflib-sqlalchemy's, don't have the argument.
        if "override" not in str(error):
            raise
        store.bind(prefix, iri)


def _find_unbind(store: Any) -> Callable[[str], object] | None:
    """Return a function that unbinds a bound prefix, or None if no way is known."""
    if isinstance(store, SPARQLStore):
        return store.nsBindings.pop
    if type(store).__module__ == "rdflib_sqlalchemy.store":
        table = store.tables["namespace_binds"]

        def delete(prefix: str) -> None:
            with store.engine.begin() as connection:
                connection.execute(table.delete().where(table.c.prefix == prefix))

        return delete
    return None


# The private attributes of a namespace manager: the tree in which it looks up the longest namespace
# of an IRI, and its caches.
_TREE = "_NamespaceManager__trie"
_CACHES = (
    "_NamespaceManager__cache",
    "_NamespaceManager__cache_strict",
    "_NamespaceManager__strie",
)


def clear_qname_cache(manager: NamespaceManager) -> None:
    """Clear a manager's cache of short names, so that the next lookups use the current prefixes.

    rdflib's ``reset`` puts all namespaces into a tree immediately. Here the tree is built at the
    next lookup, so that a million transactions don't build it a million times.
    """
    if not all(hasattr(manager, name) for name in (_TREE, *_CACHES)):
        manager.reset()
        return
    for name in _CACHES:
        setattr(manager, name, {})
    setattr(manager, _TREE, _Tree(manager))


class _Tree(dict[str, Any]):
    """The namespaces of a manager as a tree, which is built at the first use of ``in``.

    rdflib uses ``in`` before any other method.
    """

    def __init__(self, manager: NamespaceManager) -> None:
        super().__init__()
        self._manager: NamespaceManager | None = manager

    def __contains__(self, key: object) -> bool:
        if self._manager is not None:
            tree: dict[str, Any] = {}
            for _, namespace in self._manager.namespaces():
                insert_trie(tree, str(namespace))
            self.update(tree)
            self._manager = None
        return super().__contains__(key)


def open_prefixes(store: Store, log: UndoLog | None = None) -> PrefixMap | PublicPrefixes:
    """Choose a way to change the prefixes of a store.

    If the dicts of a store are known, as in rdflib's own stores and oxrdflib's, they are changed. A
    wrapped store has the prefixes of the store inside.
    """
    store = get_inner(store)
    tables: Any = store
    if hasattr(store, "_BerkeleyDB__namespace"):
        return PrefixMap(
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
                return PrefixMap(iris, prefixes, log)
    return PublicPrefixes(store, log)

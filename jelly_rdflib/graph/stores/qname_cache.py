"""What a namespace manager remembers of prefixes, forgotten when they change."""

from __future__ import annotations

from collections.abc import Iterator, KeysView
from typing import Any

from rdflib.namespace import NamespaceManager, insert_trie

# The short names of IRIs, and the namespaces as a tree, in which it looks for the longest.
_CACHES = ("_NamespaceManager__cache", "_NamespaceManager__cache_strict")
_FOUND = "_NamespaceManager__strie"
_TREE = "_NamespaceManager__trie"


def clear_qname_cache(manager: NamespaceManager) -> None:
    """Make a manager find short names anew, by the prefixes that there are when it is asked.

    rdflib's ``reset`` looks through all namespaces for each of them. Here that waits until somebody
    asks for a short name, so that it is not done for each of a million transactions.

    Args:
        manager: Any namespace manager.

    Examples:
        >>> from rdflib import Graph, URIRef
        >>> graph = Graph()
        >>> graph.store.bind("ex", URIRef("urn:ex#"))
        >>> clear_qname_cache(graph.namespace_manager)
        >>> graph.namespace_manager.qname("urn:ex#a")
        'ex:a'
    """
    if not all(hasattr(manager, name) for name in (*_CACHES, _FOUND, _TREE)):
        manager.reset()
        return
    for name in _CACHES:
        setattr(manager, name, {})
    setattr(manager, _FOUND, {})
    setattr(manager, _TREE, _Tree(manager))


class _Tree(dict[str, Any]):
    """The namespaces of a manager as a tree, which grows when it is first looked into."""

    def __init__(self, manager: NamespaceManager) -> None:
        super().__init__()
        self._manager: NamespaceManager | None = manager

    def _grow(self) -> None:
        manager, self._manager = self._manager, None
        if manager is None:
            return
        try:
            for _, namespace in manager.namespaces():
                insert_trie(self, str(namespace))
        except BaseException:
            self.clear()
            self._manager = manager
            raise

    def __contains__(self, key: object) -> bool:
        self._grow()
        return super().__contains__(key)

    def __getitem__(self, key: str) -> Any:
        self._grow()
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[str]:
        self._grow()
        return super().__iter__()

    def keys(self) -> KeysView[str]:  # type: ignore[override]  # which a class of the C API has
        """Return the namespaces that no other one starts."""
        self._grow()
        return super().keys()

"""The short names that a namespace manager remembers, forgotten when prefixes change."""

from __future__ import annotations

from typing import Any

from rdflib.namespace import NamespaceManager, insert_trie

# The short names of IRIs; and the namespaces as a tree, for looking up the longest one.
_TREE = "_NamespaceManager__trie"
_CACHES = (
    "_NamespaceManager__cache",
    "_NamespaceManager__cache_strict",
    "_NamespaceManager__strie",
)


def clear_qname_cache(manager: NamespaceManager) -> None:
    """Have a manager find short names anew, by the prefixes at the time of the lookup.

    rdflib's ``reset`` puts all namespaces into a tree at once. Here that waits for the next lookup,
    so that it is not done for each of a million transactions.

    Examples:
        >>> from rdflib import Graph, URIRef
        >>> graph = Graph()
        >>> graph.store.bind("ex", URIRef("urn:ex#"))
        >>> clear_qname_cache(graph.namespace_manager)
        >>> graph.namespace_manager.qname("urn:ex#a")
        'ex:a'
    """
    if not all(hasattr(manager, name) for name in (_TREE, *_CACHES)):
        manager.reset()
        return
    for name in _CACHES:
        setattr(manager, name, {})
    setattr(manager, _TREE, _Tree(manager))


class _Tree(dict[str, Any]):
    """The namespaces of a manager as a tree, which is built at the first ``in``.

    rdflib asks ``in`` before anything else.
    """

    def __init__(self, manager: NamespaceManager) -> None:
        super().__init__()
        self._manager: NamespaceManager | None = manager

    def __contains__(self, key: object) -> bool:
        manager, self._manager = self._manager, None
        if manager is not None:
            try:
                for _, namespace in manager.namespaces():
                    insert_trie(self, str(namespace))
            except BaseException:
                self.clear()
                self._manager = manager
                raise
        return super().__contains__(key)

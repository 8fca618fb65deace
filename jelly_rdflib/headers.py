"""Headers of patches, with keys compared as Apache Jena compares them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar, overload

from rdflib.term import Node

_T = TypeVar("_T")

ID = "id"
PREV = "prev"
PREVIOUS = "previous"
SQUASHED = "squashed"
"""The header of a squashed patch of a log: the versions that it replaces."""


def header_key(key: str) -> str:
    """Return the normal form of a key: in lower case, and "prev" for "previous"."""
    lower = key.lower()
    return PREV if lower == PREVIOUS else lower


class Headers(dict[str, Node]):
    """The headers of a patch. Keys keep their spelling; lookups compare them by `header_key`.

    Args:
        headers: Keys and values. The last value of a repeated key counts, but ``prev`` has
            precedence over ``previous``.

    Examples:
        >>> from rdflib import URIRef
        >>> headers = Headers([("ID", URIRef("urn:2")), ("previous", URIRef("urn:1"))])
        >>> headers
        {'ID': rdflib.term.URIRef('urn:2'), 'previous': rdflib.term.URIRef('urn:1')}
        >>> headers["id"], headers.get("prev"), "by" in headers
        (rdflib.term.URIRef('urn:2'), rdflib.term.URIRef('urn:1'), False)
    """

    def __init__(self, headers: Iterable[tuple[str, Node]] = ()) -> None:
        found: dict[str, tuple[str, Node]] = {}
        for key, value in headers:
            same = header_key(key)
            if key.lower() != PREVIOUS or found.get(same, (PREVIOUS,))[0].lower() == PREVIOUS:
                found[same] = key, value
        super().__init__(found.values())

    def __missing__(self, key: str) -> Node:
        for each, value in self.items():
            if header_key(each) == header_key(key):
                return value
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.get(key) is not None

    @overload
    def get(self, key: str, default: None = None) -> Node | None: ...
    @overload
    def get(self, key: str, default: Node) -> Node: ...
    @overload
    def get(self, key: str, default: _T) -> Node | _T: ...
    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default."""
        try:
            return self[key]
        except KeyError:
            return default

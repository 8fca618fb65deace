"""Headers of patches: which keys are the same, as Apache Jena has it."""

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
    """Return what keys of the same header have in common: in lower case, "previous" as "prev"."""
    lower = key.lower()
    return PREV if lower == PREVIOUS else lower


class Headers(dict[str, Node]):
    """The headers of a patch: keys as they came, found by any that is the same (`header_key`).

    Args:
        headers: Keys and values. Of a key that comes more than once the last value counts; but
            ``prev`` counts where there is ``previous`` too.

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

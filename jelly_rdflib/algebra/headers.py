"""The headers of a patch that is joined from several patches, and the limit for their memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rdflib.namespace import RDF
from rdflib.term import Literal, Node

from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import LimitError, PatchError
from jelly_rdflib.headers import ID, PREV, Headers, header_key
from jelly_rdflib.operations import Header, Op, Operation
from jelly_rdflib.options import Limits
from jelly_rdflib.terms import TripleTerm, identity

# The bytes of a header apart from its texts: for tuples, and for entries in lists and sets.
_ENTRY = 200
# The text of a literal is in memory three times: in the literal, its value, and the key in a set.
_COPIES = 3
# Bytes of rdflib's tree of an XML literal, and of each tag and attribute in it.
_TREE = 4000
_TAG = 400


class _Header(NamedTuple):
    same: str  # `header_key` of the key
    key: str
    value: Node
    room: int  # bytes of memory

    def strong(self) -> tuple[str, Any]:
        return self.same, identity(self.value)


class JoinedHeaders:
    """The headers of a patch that is joined from patches that follow one another.

    The joined patch has the ``prev`` of the first patch and the ``id`` of the last. All other
    headers are kept in order, without duplicates. Keys are compared as Jena compares them. If keys
    differ only in case, all get the first spelling: Jena can't read a patch that has both.
    """

    def __init__(self) -> None:
        self._current: list[_Header] = []
        # The headers of the patches before the last one, and those of the last one. They are
        # separate, since the next patch replaces the id of the last one.
        self._joined: list[_Header] = []
        self._last: list[_Header] = []
        # All headers so far. The id and prev are excluded, since each patch has its own.
        self._said: set[tuple[str, Any]] = set()
        self._has_patch = False
        self._spellings: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._joined) + len(self._last) + len(self._current)

    def add(self, key: str, value: Node, *, room: int = 0) -> None:
        """Add a header of the current patch, which takes ``room`` bytes of memory."""
        spelled = self._spellings.setdefault(key.lower(), key)
        spelled = spelled if self._has_patch else key
        self._current.append(_Header(header_key(key), spelled, value, room))

    def end_patch(self) -> int:
        """End the current patch, and return the bytes of the headers that are no longer kept."""
        current, self._current = self._current, []
        said = {header.strong() for header in current if header.same not in (ID, PREV)}
        left = 0
        if self._has_patch:
            self._check_follows(current)
            others = [header for header in self._last if header.same != ID]
            kept = [
                header
                for header in current
                if header.same == ID or (header.same != PREV and header.strong() not in self._said)
            ]
            left = _room_of(self._last + current) - _room_of(others + kept)
            self._joined += others
            current = kept
        self._last = current
        self._said |= said
        self._has_patch = True
        return left

    def operations(self) -> list[Operation]:
        """Return the headers of the patches that have ended, as operations."""
        return [(Op.H, each.key, each.value) for each in (*self._joined, *self._last)]

    def _check_follows(self, current: list[_Header]) -> None:
        before = Headers(each[1:3] for each in self._last).get(ID)
        prev = Headers(each[1:3] for each in current).get(PREV)
        if before is not None and prev is not None and before != prev:
            raise PatchError(
                f"the patch comes after {show(prev)} (prev), but the one before it is "
                f"{show(before)} (id)"
            )


def _room_of(headers: list[_Header]) -> int:
    return sum(header.room for header in headers)


def header_rows(header: Mapping[str, Node | str] | None) -> list[Header]:
    """Return headers as operations; a value that is not a term becomes a literal.

    If ``header`` is not a mapping with strings as keys, a TypeError is raised.
    """
    if header is not None and not (
        isinstance(header, Mapping) and all(isinstance(key, str) for key in header)
    ):
        raise TypeError(f'header is a dict such as {{"title": "Release 2"}}, not {header!r}')
    return [
        (Op.H, key, value if isinstance(value, Node) else Literal(value))
        for key, value in (header or {}).items()
    ]


class HeaderRoom:
    """The remaining memory for kept headers, out of ``max_text_size`` bytes.

    A limit is needed since a writer must know all headers of a patch before its first operation,
    and a hostile patch may have nothing but headers. Real patches have a handful.
    """

    def __init__(self, limits: Limits) -> None:
        self._size = self._left = limits.max_text_size

    def reserve(self, key: Any, value: Any) -> int:
        """Reserve memory for a header, and return its size in bytes."""
        size = _ENTRY + sys.getsizeof(key) + sum(map(_size_of_leaf, _leaves(value)))
        if size > self._left:
            raise LimitError(
                f"the headers take more than {self._size} bytes of memory",
                limit="max_text_size",
                value=self._size,
            )
        self._left -= size
        return size

    def give_back(self, size: int) -> None:
        """Release the memory of headers that are no longer kept."""
        self._left += size


def _size_of_leaf(leaf: Any) -> int:
    if not isinstance(leaf, Literal):
        return sys.getsizeof(leaf)
    size = _COPIES * sys.getsizeof(leaf) + _tree_size(leaf)
    return size if leaf.datatype is None else size + sys.getsizeof(leaf.datatype)


def _leaves(term: Any) -> Iterator[Any]:
    """Iterate over the terms in a quoted triple that are not triples, or yield the term itself.

    A triple that is quoted in several places is in memory once, so its terms are yielded once.
    """
    waiting = [term]
    seen = set()
    while waiting:
        part = waiting.pop()
        if not isinstance(part, TripleTerm):
            yield part
        elif id(part) not in seen:
            seen.add(id(part))
            waiting += (part.s, part.p, part.o)


def _tree_size(literal: Literal) -> int:
    """Estimate the bytes of rdflib's tree of an XML literal; 0 if it has no tree."""
    if literal.datatype != RDF.XMLLiteral or literal.value is None:
        return 0
    return _TREE + _TAG * (literal.count("<") + literal.count("="))

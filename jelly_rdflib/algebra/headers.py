"""The headers of a patch that is made of several."""

from __future__ import annotations

from typing import Any, TypeAlias

from rdflib.term import Node

from jelly_rdflib.errors import PatchError
from jelly_rdflib.graph.stores.statements import show_term
from jelly_rdflib.headers import ID, PREV, Headers, header_key
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.terms import strong_key

# Its key and its value, and the room it takes.
_Header: TypeAlias = tuple[str, Node, int]


def _strong(header: _Header) -> tuple[str, Any]:
    key, value, _ = header
    return header_key(key), strong_key(value)


class JoinedHeaders:
    """The headers of the patch that patches make which follow one another.

    It comes after what the first of them comes after (``prev``), and is at its end what the last
    one is (``id``). All other headers are kept, in their order; what a patch says again that one
    before it has said is left out. Keys are compared as Jena does, and one that comes in several
    cases of letters is spelled as it came first: Jena can't read a patch that has both.

    Examples:
        >>> from rdflib import URIRef
        >>> headers = JoinedHeaders()
        >>> for number in (1, 2, 3):
        ...     headers.add("id", URIRef(f"urn:{number}"))
        ...     headers.add("prev", URIRef(f"urn:{number - 1}"))
        ...     _ = headers.end_patch()
        >>> [(key, str(value)) for _, key, value in headers.operations()]
        [('prev', 'urn:0'), ('id', 'urn:3')]
    """

    def __init__(self) -> None:
        self._current: list[_Header] = []
        # Of the patches before the last one, and of the last one, whose id is to be replaced.
        self._joined: list[_Header] = []
        self._last: list[_Header] = []
        # All that they said, but for ids, of which each patch has its own.
        self._said: set[tuple[str, Any]] = set()
        self._has_patch = False
        self._spellings: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._joined) + len(self._last) + len(self._current)

    def add(self, key: str, value: Node, *, room: int = 0) -> None:
        """Take a header of the current patch, which takes so much room."""
        spelled = self._spellings.setdefault(key.lower(), key)
        self._current.append((spelled if self._has_patch else key, value, room))

    def end_patch(self) -> int:
        """End the patch: what is added after this is of the next one.

        Returns:
            The room of the headers that are no longer kept.

        Raises:
            PatchError: The patch comes after another than the one before it.
        """
        left = 0
        if self._has_patch:
            self._check_follows()
            before = _room_of(self._last) + _room_of(self._current)
            others = [header for header in self._last if header_key(header[0]) != ID]
            self._joined += others
            self._last = [
                header
                for header in self._current
                if header_key(header[0]) != PREV
                and (header_key(header[0]) == ID or _strong(header) not in self._said)
            ]
            left = before - _room_of(others) - _room_of(self._last)
        else:
            self._last = self._current
        self._said.update(
            _strong(header) for header in self._current if header_key(header[0]) not in (ID, PREV)
        )
        self._current = []
        self._has_patch = True
        return left

    def operations(self) -> list[Operation]:
        """Return the headers of the patches that have ended, as operations."""
        return [(Op.H, key, value) for key, value, _ in (*self._joined, *self._last)]

    def _check_follows(self) -> None:
        before = Headers((key, value) for key, value, _ in self._last).get(ID)
        prev = Headers((key, value) for key, value, _ in self._current).get(PREV)
        if before is not None and prev is not None and before != prev:
            raise PatchError(
                f"the patch comes after {show_term(prev)} (prev), but the one before it is "
                f"{show_term(before)} (id)"
            )


def _room_of(headers: list[_Header]) -> int:
    return sum(room for _, _, room in headers)

"""The headers of a patch that is made of several."""

from __future__ import annotations

from typing import Any

from rdflib.term import Node

from jelly_rdflib.errors import PatchError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.stores.statements import show_term
from jelly_rdflib.terms import strong_key

__all__ = ["ID", "PREV", "JoinedHeaders"]

ID = "id"
PREV = "prev"


def _strong(header: tuple[str, Node]) -> tuple[str, Any]:
    key, value = header
    return key, strong_key(value)


class JoinedHeaders:
    """The headers of the patch that patches make which follow one another.

    It comes after what the first of them comes after (``prev``), and is at its end what the last
    one is (``id``). All other headers are kept, in their order; what a patch says again that one
    before it has said is left out.

    Examples:
        >>> from rdflib import URIRef
        >>> headers = JoinedHeaders()
        >>> for number in (1, 2, 3):
        ...     headers.add("id", URIRef(f"urn:{number}"))
        ...     headers.add("prev", URIRef(f"urn:{number - 1}"))
        ...     headers.end_patch()
        >>> [(key, str(value)) for _, key, value in headers.operations()]
        [('prev', 'urn:0'), ('id', 'urn:3')]
    """

    def __init__(self) -> None:
        self._current: list[tuple[str, Node]] = []
        # Of the patches before the last one, and of the last one, whose id is to be replaced.
        self._joined: list[tuple[str, Node]] = []
        self._last: list[tuple[str, Node]] = []
        # All that they said, but for ids, of which each patch has its own.
        self._said: set[tuple[str, Any]] = set()
        self._has_patch = False

    def __len__(self) -> int:
        return len(self._joined) + len(self._last) + len(self._current)

    def add(self, key: str, value: Node) -> None:
        """Take a header of the current patch."""
        self._current.append((key, value))

    def end_patch(self) -> None:
        """End the patch: what is added after this is of the next one.

        Raises:
            PatchError: The patch comes after another than the one before it.
        """
        if self._has_patch:
            self._check_follows()
            self._joined += (header for header in self._last if header[0] != ID)
            self._last = [
                header
                for header in self._current
                if header[0] != PREV and (header[0] == ID or _strong(header) not in self._said)
            ]
        else:
            self._last = self._current
        self._said.update(
            _strong(header) for header in self._current if header[0] not in (ID, PREV)
        )
        self._current = []
        self._has_patch = True

    def operations(self) -> list[Operation]:
        """Return the headers of the patches that have ended, as operations."""
        return [(Op.H, key, value) for key, value in (*self._joined, *self._last)]

    def _check_follows(self) -> None:
        before = dict(self._last).get(ID)
        prev = dict(self._current).get(PREV)
        if before is not None and prev is not None and before != prev:
            raise PatchError(
                f"the patch comes after {show_term(prev)} (prev), but the one before it is "
                f"{show_term(before)} (id)"
            )

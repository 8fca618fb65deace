"""How much memory headers may take that are kept."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from rdflib.namespace import RDF
from rdflib.term import Literal

from jelly_rdflib.errors import LimitError
from jelly_rdflib.options import Limits
from jelly_rdflib.terms import TripleTerm

__all__ = ["HeaderRoom"]

# What a header takes beside its texts: tuples, and places in lists and sets.
_ENTRY = 200
# A literal has its text twice, as its value too, and where it is looked up a third time.
_COPIES = 3
# What rdflib's tree of an XML literal takes, and each tag and attribute in it.
_TREE = 4000
_TAG = 400


class HeaderRoom:
    """The memory that is left for headers which are kept: ``max_text_size`` bytes in all.

    Of a patch its headers come first, so who writes one must know them all before the first
    operation, and a patch may be nothing but headers. Real ones have a handful.

    Args:
        limits: What to accept.

    Examples:
        >>> from rdflib import Literal
        >>> from jelly_rdflib import Limits
        >>> room = HeaderRoom(Limits(max_text_size=1000))
        >>> size = room.take("by", Literal("a"))
        >>> room.take("by", Literal("b"))
        Traceback (most recent call last):
        jelly_rdflib.errors.LimitError: the headers take more than 1000 bytes of memory \
(limit max_text_size)
        >>> room.give_back(size)
        >>> room.take("by", Literal("b")) == size
        True
    """

    def __init__(self, limits: Limits) -> None:
        self._size = self._left = limits.max_text_size

    def take(
        self, key: Any, value: Any, *, place_error: Callable[[LimitError], None] | None = None
    ) -> int:
        """Take room for a header.

        Args:
            key: Its key.
            value: Its value.
            place_error: Tells an error where in the input it is.

        Returns:
            How much it takes.

        Raises:
            LimitError: There is not as much left.
        """
        size = _size_of(key, value)
        if size > self._left:
            error = LimitError(
                f"the headers take more than {self._size} bytes of memory (limit max_text_size)"
            )
            if place_error is not None:
                place_error(error)
            raise error
        self._left -= size
        return size

    def give_back(self, size: int) -> None:
        """Give back the room of headers that are no longer kept."""
        self._left += size


def _size_of(key: Any, value: Any) -> int:
    """Return about how much memory a header takes."""
    size = _ENTRY + sys.getsizeof(key)
    waiting = [value]
    # A triple may be quoted in many places, and is there once.
    seen = set()
    while waiting:
        term = waiting.pop()
        if isinstance(term, TripleTerm):
            if id(term) not in seen:
                seen.add(id(term))
                size += _ENTRY
                waiting += (term.s, term.p, term.o)
        else:
            size += _size_of_term(term)
    return size


def _size_of_term(term: Any) -> int:
    if not isinstance(term, Literal):
        return sys.getsizeof(term)
    size = _COPIES * sys.getsizeof(term)
    if term.datatype is not None:
        size += sys.getsizeof(term.datatype)
        if term.datatype == RDF.XMLLiteral:
            size += _TREE + _TAG * (term.count("<") + term.count("="))
    return size

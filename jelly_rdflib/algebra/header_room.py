"""How much memory headers may take that are kept."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from rdflib.term import Literal

from jelly_rdflib.algebra.term_sizes import leaves, tree_size
from jelly_rdflib.errors import LimitError
from jelly_rdflib.options import Limits

# What a header takes beside its texts: tuples, and places in lists and sets.
_ENTRY = 200
# A literal has its text twice, as its value too, and where it is looked up a third time.
_COPIES = 3


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
        >>> room.take("by", Literal("b" * 500))
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
    return _ENTRY + sys.getsizeof(key) + sum(map(_size_of_leaf, leaves(value)))


def _size_of_leaf(leaf: Any) -> int:
    if not isinstance(leaf, Literal):
        return sys.getsizeof(leaf)
    size = _COPIES * sys.getsizeof(leaf) + tree_size(leaf)
    return size if leaf.datatype is None else size + sys.getsizeof(leaf.datatype)

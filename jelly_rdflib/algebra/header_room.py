"""The limit for the memory of kept headers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from rdflib.term import Literal

from jelly_rdflib.algebra.term_sizes import leaves, tree_size
from jelly_rdflib.errors import LimitError
from jelly_rdflib.options import Limits

# Bytes of a header beside its texts: tuples, and places in lists and sets.
_ENTRY = 200
# A literal has its text as its value too, and a third time in the set where it is looked up.
_COPIES = 3


class HeaderRoom:
    """The memory that is left for kept headers: ``max_text_size`` bytes in all.

    A writer must know all headers of a patch before its first operation, and a hostile patch may
    have nothing but headers. Real patches have a handful.
    """

    def __init__(self, limits: Limits) -> None:
        self._size = self._left = limits.max_text_size

    def take(
        self, key: Any, value: Any, *, place_error: Callable[[LimitError], None] | None = None
    ) -> int:
        """Take room for a header, and return its size in bytes.

        ``place_error`` gives the LimitError its place in the input.
        """
        size = _ENTRY + sys.getsizeof(key) + sum(map(_size_of_leaf, leaves(value)))
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
        """Return the room of headers that are no longer kept."""
        self._left += size


def _size_of_leaf(leaf: Any) -> int:
    if not isinstance(leaf, Literal):
        return sys.getsizeof(leaf)
    size = _COPIES * sys.getsizeof(leaf) + tree_size(leaf)
    return size if leaf.datatype is None else size + sys.getsizeof(leaf.datatype)

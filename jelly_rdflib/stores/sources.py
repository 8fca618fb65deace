"""What kinds of things operations can come from."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["is_readable", "is_rereadable"]


def is_readable(source: Any) -> bool:
    """Can `read_operations` read it? Else it may be operations itself.

    Examples:
        >>> is_readable(b""), is_readable("changes.jellyp"), is_readable([])
        (True, True, False)
    """
    return is_rereadable(source) or hasattr(source, "read")


def is_rereadable(source: Any) -> bool:
    """Can it be read as often as one likes, being bytes or a path?

    Examples:
        >>> is_rereadable(memoryview(b""))
        True
    """
    if isinstance(source, str | os.PathLike):
        return True
    try:
        memoryview(source).release()
    except TypeError:
        return False
    return True

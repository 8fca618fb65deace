"""Tells apart the kinds of sources of operations."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jelly_rdflib.types import Readable

if TYPE_CHECKING:
    from typing_extensions import TypeIs


@dataclass(frozen=True)
class OpenedElsewhere:
    """A source whose batches are opened by the caller's ``open``, with its format and limits.

    ``can_reopen`` says whether ``open`` can be called more than once.
    """

    open: Callable[[], Any]
    can_reopen: bool


def is_readable(source: Any) -> TypeIs[Readable]:
    """Return whether limits apply to a source: they do if it has bytes instead of operations."""
    is_file = hasattr(source, "read") or isinstance(source, OpenedElsewhere)
    return is_file or is_rereadable(source)


def is_rereadable(source: Any) -> bool:
    """Return whether a source can be read any number of times, as bytes and a path can."""
    if isinstance(source, str | os.PathLike):
        return True
    try:
        memoryview(source).release()
    except TypeError:
        return False
    return True


def name_of(source: Any) -> str | None:
    """Return the path of a file, or the address of an HTTP response; None for other sources.

    The address is returned without its query, which may contain a secret.
    """
    if isinstance(source, str | os.PathLike):
        return os.fsdecode(source)
    url, name = (getattr(source, each, None) for each in ("url", "name"))
    if isinstance(url, str):
        return url.partition("#")[0].partition("?")[0]
    return name if isinstance(name, str) else None


def is_at_hand(source: Any) -> bool:
    """Return whether a source can be read without waiting, as bytes and files on disk can."""
    # A string in memory that rdflib has wrapped, so that its bytes can be read.
    if isinstance(source, io.BytesIO) or isinstance(getattr(source, "wrapped", None), str):
        return True
    try:
        if isinstance(source, str | os.PathLike):
            mode = os.stat(source).st_mode
        elif hasattr(source, "read"):
            mode = os.fstat(source.fileno()).st_mode
        else:
            return is_rereadable(source)
    except (OSError, AttributeError):
        # Reading a missing file will raise the error.
        return False
    return stat.S_ISREG(mode)

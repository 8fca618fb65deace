"""Kinds of sources of operations."""

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
    """A source whose batches the caller opens, in its own format and with its own limits.

    ``can_reopen`` says whether ``open`` gives the batches each time, and not only once.
    """

    open: Callable[[], Any]
    can_reopen: bool


def is_readable(source: Any) -> TypeIs[Readable]:
    """Does it consist of bytes, so that limits are for it? Else it may have operations."""
    is_file = hasattr(source, "read") or isinstance(source, OpenedElsewhere)
    return is_file or is_rereadable(source)


def is_rereadable(source: Any) -> bool:
    """Can it be read any number of times, since it is bytes or a path?"""
    if isinstance(source, str | os.PathLike):
        return True
    try:
        memoryview(source).release()
    except TypeError:
        return False
    return True


def name_of(source: Any) -> str | None:
    """Return the path of a file, or the address of an answer; None for all other sources.

    The address has no query, which may have a secret.
    """
    if isinstance(source, str | os.PathLike):
        return os.fsdecode(source)
    url, name = (getattr(source, each, None) for each in ("url", "name"))
    if isinstance(url, str):
        return url.partition("#")[0].partition("?")[0]
    return name if isinstance(name, str) else None


def is_at_hand(source: Any) -> bool:
    """Can it be read without waiting for a live source: bytes, or a file on disk?"""
    if isinstance(source, io.BytesIO):
        return True
    try:
        if isinstance(source, str | os.PathLike):
            mode = os.stat(source).st_mode
        elif hasattr(source, "read"):
            mode = os.fstat(source.fileno()).st_mode
        else:
            return is_rereadable(source)
    except (OSError, AttributeError):
        # A missing file fails when it is read.
        return False
    return stat.S_ISREG(mode)

"""Warnings that point to the user's own line."""

from __future__ import annotations

import sys
import warnings

_OURS_AND_RDFLIBS = ("jelly_rdflib.", "rdflib.")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, as if by the line that called this package, or rdflib which called it."""
    level = 1
    frame = sys._getframe(0)
    while frame.f_back and f"{frame.f_globals.get('__name__')}.".startswith(_OURS_AND_RDFLIBS):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def warn_of_dropped() -> None:
    """Warn that a reader has left a base direction out; once a stream."""
    warn("base directions of literals are left out")

"""Warnings that point to the user's own code."""

from __future__ import annotations

import sys
import warnings

_OURS_AND_RDFLIBS = ("jelly_rdflib.", "rdflib.")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the user's line that called this package, directly or through rdflib."""
    level = 1
    frame = sys._getframe(0)
    while frame.f_back and f"{frame.f_globals.get('__name__')}.".startswith(_OURS_AND_RDFLIBS):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def warn_of_dropped() -> None:
    """Warn that a reader has left out base directions; call this once for each stream."""
    warn("base directions of literals are left out")

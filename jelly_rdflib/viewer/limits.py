"""Limits for a page, since a browser keeps all of it in memory."""

from __future__ import annotations

from jelly_rdflib.errors import JellyError

LIMITS = {"changes and headers": 4_000_000, "versions": 100_000, "bytes of terms": 256 << 20}


class TooLargeError(JellyError):
    """A history is too large for a page."""


def check_size(size: int, things: str) -> None:
    """Raise a TooLargeError if a page would have more ``things`` than `LIMITS` allows."""
    if size > LIMITS[things]:
        most = f"{LIMITS[things]:,} {things}"
        raise TooLargeError(f"a page can't have more than {most}: show fewer versions with --last")

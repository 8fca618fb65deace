"""Chooses the media type of an answer (RFC 9110, section 12.5.1)."""

from __future__ import annotations

from collections.abc import Sequence


def choose(accept: str | None, offered: Sequence[str]) -> str | None:
    """Return the offered media type that suits best, the first of several; None if none does.

    Args:
        accept: The header ``Accept``; None: there is none.
        offered: The media types, the preferred one first.

    Examples:
        >>> choose("text/html, application/*;q=0.5", ["text/plain", "application/json"])
        'application/json'
        >>> choose("text/plain;q=0, */*", ["text/plain"]) is None
        True
    """
    if accept is None or not accept.strip():
        return offered[0]
    ranges = dict(map(_parse, accept.split(",")))
    qualities = [_quality(ranges, each) for each in offered]
    best = max(qualities)
    return offered[qualities.index(best)] if best > 0 else None


def _parse(part: str) -> tuple[str, float]:
    name, *parameters = (each.strip().lower() for each in part.split(";"))
    quality = next((each[2:] for each in parameters if each.startswith("q=")), "1")
    try:
        return name, float(quality)
    except ValueError:
        return name, 0.0


def _quality(ranges: dict[str, float], offered: str) -> float:
    kind = offered.partition("/")[0]
    for key in (offered, f"{kind}/*", "*/*"):
        if key in ranges:
            return ranges[key]
    return 0.0

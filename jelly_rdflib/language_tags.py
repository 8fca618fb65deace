"""What a language tag looks like: for RDF's syntaxes, and for BCP 47.

A tag comes from a stranger and may have any size: a regular expression that repeats a group would
take a hundred bytes and more for each subtag.
"""

from __future__ import annotations

import re

__all__ = ["is_language_tag", "is_well_formed"]

# RFC 5646, section 2.1, part by part: none can be taken for another where it ends with its subtag.
_LANGUAGE = r"(?: [a-z]{2,3} (?: -[a-z]{3} ){0,3} | [a-z]{4,8} )"
_SCRIPT = r"(?: -[a-z]{4} )?"
_REGION = r"(?: - (?: [a-z]{2} | [0-9]{3} ) )?"
_VARIANT = r"- (?: [a-z0-9]{5,8} | [0-9][a-z0-9]{3} )"
_SINGLETON = r"-[0-9a-wy-z]"
_EXTENSION = r"-[a-z0-9]{2,8}"
_PRIVATE = r"-[a-z0-9]{1,8}"
# Registered before there were rules.
_REGISTERED = r"""
    en-gb-oed | sgn-be-fr | sgn-be-nl | sgn-ch-de
    | i- (?: ami | bnn | default | enochian | hak | klingon | lux | mingo | navajo | pwn | tao
           | tay | tsu )
"""


def _compile(pattern: str) -> re.Pattern[str]:
    flags = re.VERBOSE | re.IGNORECASE | re.ASCII
    return re.compile(rf"(?: {pattern} ) (?= - | \Z )", flags)


_START = _compile(rf"{_LANGUAGE} {_SCRIPT} {_REGION}")
_VARIANT_PART = _compile(_VARIANT)
_EXTENSION_START = _compile(_SINGLETON)
_EXTENSION_PART = _compile(_EXTENSION)
_PRIVATE_START = _compile("-x")
_PRIVATE_PART = _compile(_PRIVATE)
_ALL_PRIVATE = _compile("x")
_ALL_REGISTERED = _compile(_REGISTERED)


def is_language_tag(tag: bytes) -> bool:
    """Is it the LANGTAG of N-Triples and Turtle, without its @?

    Examples:
        >>> is_language_tag(b"en-GB"), is_language_tag(b"en_GB")
        (True, False)
    """
    return (
        tag.partition(b"-")[0].isalpha()
        and tag.replace(b"-", b"").isalnum()
        and b"--" not in tag
        and not tag.endswith(b"-")
    )


def is_well_formed(tag: str) -> bool:
    """Is it a language tag that is well-formed by BCP 47 (RFC 5646, section 2.1)?

    Examples:
        >>> is_well_formed("de-Latn-CH-1996-u-co-phonebk"), is_well_formed("deutsch-1")
        (True, False)
    """
    if _ALL_REGISTERED.fullmatch(tag):
        return True
    at = _skip(_START, tag, 0)
    if at > 0:
        at = _skip_all(_VARIANT_PART, tag, at)
        at = _skip_groups(_EXTENSION_START, _EXTENSION_PART, tag, at)
        private = _skip(_PRIVATE_START, tag, at)
    else:
        private = _skip(_ALL_PRIVATE, tag, 0)
    if private > at:
        end = _skip_all(_PRIVATE_PART, tag, private)
        return end > private and end == len(tag)
    return 0 < at == len(tag)


def _skip(part: re.Pattern[str], tag: str, at: int) -> int:
    """Return where a part ends, or where it would start."""
    match = part.match(tag, at)
    return at if match is None else match.end()


def _skip_all(part: re.Pattern[str], tag: str, at: int) -> int:
    """Return where a part ends that may be there many times, or not at all."""
    while (end := _skip(part, tag, at)) > at:
        at = end
    return at


def _skip_groups(start: re.Pattern[str], part: re.Pattern[str], tag: str, at: int) -> int:
    """Return where groups end, each of a start and of one part or more."""
    while (begun := _skip(start, tag, at)) > at:
        end = _skip_all(part, tag, begun)
        if end == begun:
            return at
        at = end
    return at

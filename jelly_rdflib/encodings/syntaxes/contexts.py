"""How much text the contexts of JSON-LD stand for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["ContextSize", "measure_context"]

# What a definition takes in pyoxigraph's parser, in bytes, and what was read of it.
_DEFINITION_SIZE = 1000


class ContextSize(NamedTuple):
    """How much a context stands for.

    Args:
        longest: The size of the longest IRI that it makes of a few bytes.
        size: Bytes that all of it takes.
        definitions: How many it has.
        is_scoped: Whether there are contexts in it.
    """

    longest: int
    size: int
    definitions: int
    is_scoped: bool


def measure_context(data: bytes) -> ContextSize:
    """Return how much a context stands for, at the most: without those around it.

    Args:
        data: A JSON object or array, the value of ``@context``.

    Examples:
        >>> measure_context(b'{"ex": "http://example.org/", "a": "ex:abc", "b": "a:bc"}').longest
        29
    """
    try:
        # Numbers say nothing, and may be of any size.
        context = json.loads(data, parse_int=len, parse_float=len, strict=False)
    except ValueError:
        # The parser will say so.
        return ContextSize(len(data), _DEFINITION_SIZE * len(data), len(data), True)
    contexts = list(_contexts(context))
    # Where one is in another, it can refer to that.
    sizes = [_expand(each) for each in contexts]
    definitions = sum(
        1 + (len(value) if isinstance(value, dict) else 0)
        for each in contexts
        for value in each.values()
    )
    return ContextSize(
        sum(map(max, sizes)),
        sum(map(sum, sizes)) + 2 * len(data) + _DEFINITION_SIZE * definitions,
        definitions,
        any(_is_scoped(value) for each in contexts for value in each.values()),
    )


def _contexts(value: Any) -> Iterator[dict[str, Any]]:
    """Give the contexts in a value, those for a part of the data too."""
    if isinstance(value, list):
        for each in value:
            yield from _contexts(each)
    if isinstance(value, dict):
        yield value
        for each in value.values():
            if _is_scoped(each):
                yield from _contexts(each["@context"])


def _is_scoped(value: Any) -> bool:
    return isinstance(value, dict) and "@context" in value


def _expand(context: dict[str, Any]) -> list[int]:
    """Return the sizes of the IRIs that a context stands for, at the most."""
    texts = {term: _text(term, value) for term, value in context.items()}
    # What is put before a name that has no prefix.
    common = sum(len(texts[key].encode()) for key in ("@vocab", "@base") if key in texts)
    sizes: dict[str, int] = {}
    for term in texts:
        chain: list[str] = []
        while term in texts and term not in sizes:
            sizes[term] = 0
            chain.append(term)
            term = _start(texts[term], texts)
        size = sizes.get(term, common)
        for each in reversed(chain):
            size += len(texts[each].encode())
            sizes[each] = size
    others = [
        sizes.get(_start(text, texts), common) + len(text.encode())
        for value in context.values()
        if isinstance(value, dict)
        for text in value.values()
        if isinstance(text, str)
    ]
    return [common, *sizes.values(), *others]


def _start(text: str, texts: dict[str, str]) -> str:
    """Return the term that an IRI may start with."""
    return text if text in texts else text.partition(":")[0]


def _text(term: str, value: Any) -> str:
    """Return the IRI of a term as it stands there."""
    if isinstance(value, dict):
        value = value.get("@id", value.get("@reverse"))
    return value if isinstance(value, str) else term

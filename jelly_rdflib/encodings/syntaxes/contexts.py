"""How much text the contexts of JSON-LD stand for, and what a parser does for it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["ContextSize", "measure_context"]

# What a definition takes in pyoxigraph's parser, in bytes, and what was read of it.
_DEFINITION_SIZE = 1000
# What a context that is in another takes of the stack, in definitions that refer to each other.
_SCOPE_DEPTH = 2
# What an error takes, without the IRI in it, and how long that may be without being counted.
_ERROR_SIZE = 250
_SHORT_TEXT = 200
# All but "@list" and "@set": section 1.7 of JSON-LD 1.1.
_OTHER_KEYWORDS = frozenset(
    (
        *("@base", "@container", "@context", "@direction", "@graph", "@id", "@import"),
        *("@included", "@index", "@json", "@language", "@nest", "@none", "@prefix"),
        *("@propagate", "@protected", "@reverse", "@type", "@value", "@version", "@vocab"),
    )
)

# Containers by which values are graphs, make a list, or stand in a map.
_CONTAINERS = frozenset(("@graph", "@id", "@index", "@language", "@list", "@type"))


class ContextSize(NamedTuple):
    """How much a context stands for, with the scoped contexts in it.

    Args:
        longest: The size of the longest IRI that it makes of a few bytes.
        size: Bytes that all of it takes.
        definitions: How many it has.
        errors: Bytes that the long IRIs take if each is an error.
        protected: Bytes that it takes to tell of each definition that it is protected.
        nulls: How many contexts are null.
        copied: What it takes to copy it, as if that took as much for each byte.
        depth: Over how many levels its definitions refer to each other.
        scopes: How many contexts are in it.
        largest_scope: What it takes to copy the largest of these.
        deepest_scope: How many are in one of these, with itself.
        scope_errors: The most of ``errors`` that one of these has.
        scope_nulls: The most of ``nulls``.
        scoped_terms: The terms that open them, in UTF-8.
        containers: The kinds of containers that its definitions have, but for sets; ``@index`` also
            where a definition says which property it is.
        has_list_alias: Whether there may be another name for ``@list`` or ``@set``.
    """

    longest: int = 0
    size: int = 0
    definitions: int = 0
    errors: int = 0
    protected: int = 0
    nulls: int = 0
    copied: int = 0
    depth: int = 0
    scopes: int = 0
    largest_scope: int = 0
    deepest_scope: int = 0
    scope_errors: int = 0
    scope_nulls: int = 0
    scoped_terms: frozenset[bytes] = frozenset()
    containers: frozenset[str] = frozenset()
    has_list_alias: bool = False


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
        size = _DEFINITION_SIZE * len(data)
        return ContextSize(len(data), size, definitions=len(data), copied=size)
    terms: set[bytes] = set()
    whole = _measure(context, terms)
    return whole._replace(size=whole.size + 2 * len(data), scoped_terms=frozenset(terms))


def _measure(value: Any, scoped_terms: set[bytes]) -> ContextSize:
    """Return the size of a context, and add the terms that open those in it."""
    if isinstance(value, list):
        # Each is read when all is known of those before it. One that is null may keep these.
        whole = _join([_measure(each, scoped_terms) for each in value])
        return whole._replace(depth=whole.depth + value.count(None))
    if value is None:
        return ContextSize(nulls=1)
    if not isinstance(value, dict):
        return ContextSize()
    scopes = {
        term: _measure(each["@context"], scoped_terms)
        for term, each in value.items()
        if isinstance(each, dict) and "@context" in each
    }
    scoped_terms.update(map(_encode, scopes))
    inner = _join(list(scopes.values()))
    sizes = _expand(value)
    definitions = sum(1 + (len(each) if isinstance(each, dict) else 0) for each in value.values())
    return ContextSize(
        # They can refer to those around them.
        longest=max(sizes) + inner.longest,
        size=sum(sizes) + _DEFINITION_SIZE * definitions + inner.size,
        definitions=definitions + inner.definitions,
        errors=2 * sum(size for size in sizes if size > _SHORT_TEXT) + inner.errors,
        protected=_protected(value) + inner.protected,
        nulls=inner.nulls,
        copied=sum(sizes) + _DEFINITION_SIZE * len(value) + inner.copied,
        depth=_measure_depth(value, {term: each.depth for term, each in scopes.items()}),
        scopes=len(scopes) + inner.scopes,
        largest_scope=max((each.copied for each in scopes.values()), default=0),
        deepest_scope=max((1 + each.scopes for each in scopes.values()), default=0),
        scope_errors=max((each.errors for each in scopes.values()), default=0),
        scope_nulls=max((each.nulls for each in scopes.values()), default=0),
        containers=_find_containers(value) | inner.containers,
        has_list_alias=inner.has_list_alias
        or any(_may_name_lists(_text(term, each)) for term, each in value.items()),
    )


def _join(sizes: list[ContextSize]) -> ContextSize:
    """Return the size of contexts that are next to each other."""
    if not sizes:
        return ContextSize()
    return ContextSize(
        longest=sum(each.longest for each in sizes),
        size=sum(each.size for each in sizes),
        definitions=sum(each.definitions for each in sizes),
        errors=sum(each.errors for each in sizes),
        protected=sum(each.protected for each in sizes),
        nulls=sum(each.nulls for each in sizes),
        copied=sum(each.copied for each in sizes),
        depth=max(each.depth for each in sizes),
        scopes=sum(each.scopes for each in sizes),
        largest_scope=max(each.largest_scope for each in sizes),
        deepest_scope=max(each.deepest_scope for each in sizes),
        scope_errors=max(each.scope_errors for each in sizes),
        scope_nulls=max(each.scope_nulls for each in sizes),
        containers=frozenset().union(*(each.containers for each in sizes)),
        has_list_alias=any(each.has_list_alias for each in sizes),
    )


def _may_name_lists(text: str) -> bool:
    """Whether an IRI is a keyword for lists, or something may be put behind it to make it one."""
    return text.startswith("@") and text not in _OTHER_KEYWORDS


def _find_containers(context: dict[str, Any]) -> frozenset[str]:
    words: set[Any] = set()
    for definition in context.values():
        if not isinstance(definition, dict):
            continue
        words.update({"@index"} & definition.keys())
        container = definition.get("@container")
        words.update(
            word
            for word in (container if isinstance(container, list) else [container])
            if isinstance(word, str)
        )
    return _CONTAINERS & words


def _protected(context: dict[str, Any]) -> int:
    """Return what errors take that tell of each definition that it is protected, if any is."""
    if "@protected" not in context and not any(
        isinstance(each, dict) and "@protected" in each for each in context.values()
    ):
        return 0
    return sum(_ERROR_SIZE + 2 * len(_encode(term)) for term in context)


def _expand(context: dict[str, Any]) -> list[int]:
    """Return the sizes of the IRIs that a context stands for, at the most."""
    texts = {term: _text(term, value) for term, value in context.items()}
    # What is put before a name that has no prefix.
    common = sum(len(_encode(texts[key])) for key in ("@vocab", "@base") if key in texts)
    sizes: dict[str, int] = {}
    for term in texts:
        chain: list[str] = []
        while term in texts and term not in sizes:
            # As much if they continue each other in a circle.
            sizes[term] = common
            chain.append(term)
            term = _start(texts[term], texts)
        size = sizes.get(term, common)
        for each in reversed(chain):
            size += len(_encode(texts[each]))
            sizes[each] = size
    others = [
        sizes.get(_start(text, texts), common) + len(_encode(text))
        for value in context.values()
        if isinstance(value, dict)
        for text in value.values()
        if isinstance(text, str)
    ]
    return [common, *sizes.values(), *others]


def _encode(text: str) -> bytes:
    # Half a pair of surrogates is refused by the parser.
    return text.encode("utf-8", "surrogatepass")


def _start(text: str, texts: dict[str, str]) -> str:
    """Return the term that an IRI may start with."""
    return text if text in texts else text.partition(":")[0]


def _text(term: str, value: Any) -> str:
    """Return the IRI of a term as it stands there."""
    if isinstance(value, dict):
        value = value.get("@id", value.get("@reverse"))
    return value if isinstance(value, str) else term


def _measure_depth(context: dict[str, Any], scopes: dict[str, int]) -> int:
    """Return how deep the parser's calls are in each other, in definitions.

    Before a definition it makes those that this refers to.

    Args:
        context: A context.
        scopes: How deep they are for the contexts in its definitions.
    """
    levels = {term: 1 + (_SCOPE_DEPTH + scopes[term] if term in scopes else 0) for term in context}
    missing: dict[str, int] = {}
    followers: defaultdict[str, list[str]] = defaultdict(list)
    for term, value in context.items():
        references = {each for each in _references(term, value) if each in context} - {term}
        missing[term] = len(references)
        for each in references:
            followers[each].append(term)
    # Of what is referred to.
    depths = dict.fromkeys(context, 0)
    deepest = 0
    ready = [term for term, count in missing.items() if count == 0]
    for term in ready:
        depth = depths[term] + levels[term]
        deepest = max(deepest, depth)
        for each in followers[term]:
            depths[each] = max(depths[each], depth)
            missing[each] -= 1
            if missing[each] == 0:
                ready.append(each)
    # The others refer to each other in a circle, where each is begun once.
    return deepest + sum(levels[term] for term, count in missing.items() if count > 0)


def _references(term: str, value: Any) -> Iterator[str]:
    """Give the terms that a definition may refer to."""
    texts = [term, *(value.values() if isinstance(value, dict) else [value])]
    for text in texts:
        if isinstance(text, str):
            yield text
            # A colon that comes first may be none that ends a prefix.
            yield text.partition(":")[0]
            yield text.removeprefix(":").partition(":")[0]

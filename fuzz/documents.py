"""Makes documents of JSON-LD, and mutates texts as such: bytes changed by chance make few."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

__all__ = ["DocumentMutator", "make_document"]

TERMS = ("t", "u", "l", "s", "p", "é")
ODD_TERMS = ("@1", "p:set", "urn:x", "http://e.org/y", "")
IRIS = ("http://e.org/", "http://e.org/a", "urn:a", "p:a", "u:t", "_:b", "#a", "list", "set")
ODD_IRIS = ("", ":", "p:", "t", "@", "@", "@id", "@none", "@unknown")
ALIASES = ("@list", "@set", "@type", "@graph", "@nest", "@value", "@reverse", "@included")
# Elsewhere they are keywords.
KEYS_OF_MAPS = ("@context", "@value", "@id", "@1")
CONTAINERS = ("@graph", "@graph", "@id", "@index", "@language", "@list", "@set", "@type")
TYPES = ("@id", "@vocab", "@json", "@none", "http://e.org/d", "t")
FLAGS = (True, True, False)
LANGUAGES = ("en", "de-AT", "x y", "", None)
DIRECTIONS = ("ltr", "rtl", None)
# In a context, and in one of its definitions.
SETTINGS: dict[str, tuple[Any, ...]] = {
    "@base": ("http://e.org/", "b/", "", None),
    "@vocab": ("http://e.org/", "@", "@", "p:", "", None),
    "@language": LANGUAGES,
    "@direction": DIRECTIONS,
    "@propagate": FLAGS,
    "@protected": FLAGS,
    "@version": (1.1,),
}
DETAILS: dict[str, tuple[Any, ...]] = {
    "@type": TYPES,
    "@language": LANGUAGES,
    "@direction": DIRECTIONS,
    "@index": ("@index", "urn:i", "t"),
    "@nest": ("@nest", "t"),
    "@prefix": FLAGS,
    "@protected": FLAGS,
}
SCALARS = ("x", "", "urn:a", "t", "p:set", "1", 1, -0.5, 1e30, True, None, "\U0001f600", "\u0000")
# Objects and arrays in each other.
DEPTH = 5


def make_document(rng: random.Random) -> Any:
    """Return a document, most of the times a valid one, whose contexts make much of few bytes."""
    if rng.random() < 0.2:
        return [_make_node(rng, 1) for _ in range(rng.randrange(3))]
    node = _make_node(rng, 0)
    if "@context" not in node:
        context = make_context(rng, 0)
        # A parser keeps all that comes before a context.
        node = (
            {"@context": context, **node} if rng.random() < 0.7 else {**node, "@context": context}
        )
    return node


def make_context(rng: random.Random, depth: int) -> Any:
    """Return what may be the value of ``@context``."""
    kind = rng.random()
    if kind < 0.05:
        return None
    if kind < 0.15 and depth < DEPTH:
        return [make_context(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 0.17:
        return "http://e.org/c"
    terms = TERMS if rng.random() < 0.9 else ODD_TERMS
    context: dict[str, Any] = {
        term: make_definition(rng, depth) for term in rng.sample(terms, rng.randrange(5))
    }
    return context | _choose(rng, SETTINGS, 0.2)


def make_definition(rng: random.Random, depth: int) -> Any:
    """Return what may be the definition of a term."""
    if rng.random() < 0.4:
        return rng.choice([*ALIASES, None]) if rng.random() < 0.4 else _make_iri(rng)
    definition: dict[str, Any] = {"@reverse" if rng.random() < 0.1 else "@id": _make_iri(rng)}
    if rng.random() < 0.5:
        containers = rng.sample(CONTAINERS, rng.choice([1, 1, 2]))
        definition["@container"] = containers[0] if len(containers) == 1 else containers
    if rng.random() < 0.2 and depth < DEPTH:
        definition["@context"] = make_context(rng, depth + 1)
    return definition | _choose(rng, DETAILS, 0.08)


def _choose(
    rng: random.Random, settings: dict[str, tuple[Any, ...]], share: float
) -> dict[str, Any]:
    return {key: rng.choice(values) for key, values in settings.items() if rng.random() < share}


def _make_iri(rng: random.Random) -> str:
    return rng.choice(IRIS if rng.random() < 0.9 else ODD_IRIS)


def _make_node(rng: random.Random, depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {}
    if rng.random() < 0.15:
        node["@context"] = make_context(rng, depth)
    if rng.random() < 0.6:
        node["@id"] = _make_iri(rng)
    if rng.random() < 0.3:
        node["@type"] = rng.choice([rng.choice(TERMS), rng.sample(TERMS, 2)])
    if rng.random() < 0.2:
        key = rng.choice(["@graph", "@graph", "@included", "@nest", "@reverse"])
        node[key] = [_make_node(rng, depth + 1)] if depth < DEPTH else {}
    for _ in range(rng.randrange(4)):
        node[rng.choice([*TERMS, *TERMS, *IRIS])] = make_value(rng, depth + 1)
    return node


def make_value(rng: random.Random, depth: int) -> Any:
    """Return what may be the value of a property."""
    kind = rng.randrange(7) if depth < DEPTH else 0
    if kind < 2:
        return rng.choice(SCALARS)
    if kind == 2:
        return [make_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == 3:
        key = rng.choice(["@list", "@set", "l", "s", "p:set", "list", "set"])
        return {key: make_value(rng, depth + 1)}
    if kind == 4:
        value = {"@value": rng.choice(SCALARS)}
        return value | _choose(rng, {"@type": TYPES, "@language": LANGUAGES}, 0.3)
    if kind == 5:
        # A map from languages, indexes, types or names of graphs.
        keys = rng.sample(["en", "@none", "i", "t", *IRIS, *KEYS_OF_MAPS], rng.randrange(3))
        return {key: make_value(rng, depth + 1) for key in keys}
    return _make_node(rng, depth)


class DocumentMutator:
    """Mutates an input.

    Args:
        mutate_bytes: Mutates bytes, to at most so many: what is done to what is no JSON.
    """

    def __init__(self, mutate_bytes: Callable[[bytes, int], bytes]) -> None:
        self._mutate_bytes = mutate_bytes

    def __call__(self, data: bytes, max_size: int, seed: int) -> bytes:
        """Return the input mutated: half of the times as bytes, and if it is no document."""
        rng = random.Random(seed)
        if rng.random() < 0.5:
            return self._mutate_bytes(data, max_size)
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            return self._mutate_bytes(data, max_size)
        for _ in range(rng.choice([1, 1, 2, 5])):
            document = _change(document, rng)
        indent = rng.choice([None, None, 1])
        text = json.dumps(document, ensure_ascii=rng.random() < 0.5, indent=indent)
        if rng.random() < 0.1:
            text = text.replace('"@', '"\\u0040')
        result = text.encode("utf-8", "surrogatepass")
        return result if len(result) <= max_size else self._mutate_bytes(data, max_size)


def _change(value: Any, rng: random.Random, key: str = "", depth: int = 0) -> Any:
    """Change something in a value, or all of it."""
    if isinstance(value, (dict, list)) and value and rng.random() < 0.8 and depth < 50:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        chosen: Any = rng.choice(list(keys))
        if rng.random() < 0.1:
            # Gone, or said again under another name, or further behind.
            moved = value.pop(chosen)
            if isinstance(value, list):
                value.insert(rng.randrange(len(value) + 1), moved)
            elif rng.random() < 0.5:
                value[rng.choice([chosen, *TERMS, *ODD_TERMS, *IRIS])] = moved
            return value
        name = chosen if isinstance(value, dict) else key
        value[chosen] = _change(value[chosen], rng, name, depth + 1)
        return value
    if isinstance(value, dict) and rng.random() < 0.5:
        return value | _make_node(rng, DEPTH - 1)
    if isinstance(value, list) and rng.random() < 0.5:
        return [*value, _make_any(rng, key)]
    return _make_any(rng, key)


def _make_any(rng: random.Random, key: str) -> Any:
    """Return what may stand under a key, most of the times."""
    if key == "@context":
        return make_context(rng, DEPTH - 2)
    if key == "@container":
        return rng.choice([rng.choice(CONTAINERS), rng.sample(CONTAINERS, 2)])
    if rng.random() < 0.3:
        return make_definition(rng, DEPTH - 1)
    return make_value(rng, DEPTH - 2)

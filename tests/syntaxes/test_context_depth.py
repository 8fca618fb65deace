"""Definitions of JSON-LD that refer to each other: the parser's calls are as deep in each other."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import jelly_rdflib as jr
from jelly_rdflib.encodings.syntaxes.contexts import measure_context

from ..strategies import dice
from ..support import run
from .support import attempt, read

SCOPE = 2
KINDS: dict[str, Callable[[str], object]] = {
    "prefix": lambda other: f"{other}:",
    "term": lambda other: other,
    "id": lambda other: {"@id": f"{other}:x"},
    "type": lambda other: {"@id": "urn:x", "@type": other},
    "reverse": lambda other: {"@reverse": f"{other}:x"},
    "index": lambda other: {"@id": "urn:x", "@container": "@index", "@index": other},
}


def depth_of(context: object) -> int:
    return measure_context(json.dumps(context).encode()).depth


def chain(kind: str, count: int) -> dict[str, object]:
    """So many definitions, each of which refers to the one before."""
    context: dict[str, object] = {"t0": "urn:a"}
    return context | {f"t{n}": KINDS[kind](f"t{n - 1}") for n in range(1, count)}


def scoped(count: int) -> dict[str, object]:
    """A context with so many in each other."""
    context: dict[str, object] = {"t": "urn:t"}
    for _ in range(count):
        context = {"t": {"@id": "urn:t", "@context": context}}
    return context


def text_of(context: object, levels: int = 0) -> str:
    inner = json.dumps({"@context": context, "urn:p": 1})
    return '{"urn:p":' * levels + inner + "}" * levels


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({}, 0),
        ({"a": "urn:a", "b": "urn:b", "c": None, "@version": 1.1}, 1),
        ({"a": "urn:a", "b": "a:b", "c": {"@id": "b:c", "@type": "a"}}, 3),
        ({"a": "urn:a", "a:b": {"@type": "@id"}}, 2),
        ({"a": "urn:a", ":a:b": {"@type": "@id"}}, 2),
        ({"name": {"@id": "name"}, "@vocab": "urn:"}, 1),
        # Each is made when all before it are.
        ([{"a": "urn:a"}, {"b": "a:b"}, {"a": "b:a"}], 1),
        ([None, {"a": "urn:a"}, None], 3),
        ({"a": {"@id": "b:a", "@context": {"c": "d:c", "d": "urn:d"}}, "b": "urn:b"}, 4 + SCOPE),
        # Nobody knows where a circle is begun.
        ({"a": "b:", "b": "c:", "c": "a:", "d": "a:", "e": "urn:e"}, 5),
        *((chain(kind, 20_000), 20_000) for kind in KINDS),
        (scoped(10), 11 + 10 * SCOPE),
    ],
    ids=lambda value: str(value)[:40],
)
def test_depth(context: object, expected: int) -> None:
    assert depth_of(context) == expected


def follow(term: str, context: dict[str, str], above: frozenset[str] = frozenset()) -> int:
    """Return how deep it may go to make a definition, each of which is begun once."""
    above |= {term}
    texts = {context[term], context[term].partition(":")[0], term.partition(":")[0]}
    others = texts.intersection(context) - above
    return 1 + max((follow(each, context, above) for each in others), default=0)


@given(dice)
def test_no_order_of_definitions_goes_deeper(r: random.Random) -> None:
    for _ in range(20):
        terms = [*"abcdef", "a:b", "c:d"]
        context = {
            term: r.choice([*terms[: terms.index(term)], "urn"]) + r.choice(["", ":x"])
            for term in r.sample(terms, r.randint(1, len(terms)))
        }
        has_circle = r.randrange(3) == 0
        if has_circle:
            context[r.choice(list(context))] = r.choice(terms)
        deepest = max(follow(term, context) for term in context)
        assert depth_of(context) >= deepest
        assert has_circle or depth_of(context) == deepest


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_deeper_is_refused(kind: str) -> None:
    for count in (65, 15_000):
        text = text_of(chain(kind, count))
        found, error = attempt("[{}," + text + "]", "json-ld")
        assert isinstance(error, jr.LimitError)
        assert found == []
        assert "over more than 64 levels" in str(error)
        # Where the context ends.
        assert error.offset == len("[{}," + text) - len(', "urn:p": 1}') - 1


def test_scoped_contexts_that_are_deeper_are_refused() -> None:
    for context in (scoped(22), {"t": {"@id": "urn:t", "@context": [None] * 100_000}}):
        assert isinstance(attempt(text_of(context), "json-ld")[1], jr.LimitError)
    assert len(read(text_of(scoped(21)), "json-ld")) == 1


READ_IN_A_SMALL_THREAD = """
import json, sys, threading
import jelly_rdflib as jr

texts = json.load(open(sys.argv[1]))
counts = []

def work():
    for text in texts:
        try:
            counts.append(sum(1 for _ in jr.read_statements(text.encode(), format="json-ld")))
        except jr.DecodeError as error:
            counts.append(type(error).__name__)

threading.stack_size(512 << 10)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(json.dumps(counts))
"""


def test_what_is_read_leaves_a_small_stack_enough(tmp_path: Path) -> None:
    """In a process of its own, which would come to an end otherwise.

    The parser takes definitions in any order: most begin with all the others.
    """
    contexts: list[dict[str, object]] = []
    for kind in KINDS:
        context = chain(kind, 63)
        contexts.append(context | {f"e{n}": "t62:x" for n in range(1000)})
    # Each with what makes it deeper.
    contexts.append(scoped(21))
    assert all(depth_of(context) == 64 for context in contexts)
    texts = [text_of(context, levels) for context in contexts for levels in (0, 80)]
    texts += [text_of(chain(kind, 15_000)) for kind in KINDS]
    path = tmp_path / "texts.json"
    path.write_text(json.dumps(texts))
    expected: list[Any] = [levels + 1 for _ in contexts for levels in (0, 80)] + [
        "LimitError"
    ] * len(KINDS)
    counts = json.loads(run(READ_IN_A_SMALL_THREAD, str(path)))
    # A context with a container that is a map has to be in the outermost object.
    in_inner_object = 2 * list(KINDS).index("index") + 1
    expected[in_inner_object] = "DecodeError"
    assert counts == expected


def test_half_a_pair_of_surrogates_is_told() -> None:
    for context in ('{"a":"\\ud800"}', '{"a":{"@id":"\\udfff:b","@context":{}}}'):
        _, error = attempt(f'{{"urn:p":1,"@context":{context}}}', "json-ld")
        assert isinstance(error, jr.DecodeError)


def test_ordinary_contexts_are_read() -> None:
    """With prefixes, types, aliases, and contexts for types and properties."""
    context = {
        "@version": 1.1,
        "id": "@id",
        "type": "@type",
        "xsd": "http://www.w3.org/2001/XMLSchema#",
        "schema": "http://schema.org/",
        "name": "schema:name",
        "born": {"@id": "schema:birthDate", "@type": "xsd:date"},
        **{f"p{n}": {"@id": f"schema:p{n}", "@type": "@id"} for n in range(3000)},
        **{f"T{n}": {"@id": f"schema:T{n}", "@context": {"q": "schema:q"}} for n in range(20)},
        "knows": {"@id": "schema:knows", "@context": {"since": "schema:since"}},
    }
    assert depth_of(context) == 3 + SCOPE
    node = {"id": "urn:s", "type": "T1", "q": 1, "born": "2000-01-01", "knows": {"since": "1"}}
    assert len(read(text_of([context, {"x": "schema:x"}]), "json-ld")) == 1
    assert len(read(json.dumps({"@context": context, **node}), "json-ld")) == 5

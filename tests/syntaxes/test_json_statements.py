"""An object of JSON-LD makes no more statements than it is thought to make."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterator
from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import given

import jelly_rdflib as jr
from fuzz.documents import make_document
from jelly_rdflib.core.json_nesting import JsonNesting
from jelly_rdflib.encodings.syntaxes.contexts import measure_context

from ..strategies import dice

LIST = {"@id": "urn:t", "@container": "@list"}
INDEX = {"@id": "urn:t", "@container": "@index", "@index": "urn:i"}
TYPES = {"@id": "urn:t", "@container": "@type"}
SCOPE = {"@id": "urn:s", "@context": {"t": INDEX}}


def count(document: Any) -> tuple[int, int]:
    """Return how many statements are made, and how many there may be."""
    data = json.dumps(document).encode()
    watch = JsonNesting(128, measure_context=measure_context, is_lenient=True)
    watch.look(data)
    return len(list(ox.parse(data, ox.RdfFormat.JSON_LD, lenient=True))), watch.made


def counts_of(r: random.Random, documents: int) -> Iterator[tuple[int, int]]:
    for _ in range(documents):
        with contextlib.suppress(jr.DecodeError, SyntaxError):
            yield count(make_document(r))


@given(dice)
def test_random_documents(r: random.Random) -> None:
    for made, most in counts_of(r, 50):
        assert made <= most


def test_enough_of_them_say_something() -> None:
    assert sum(made > 1 for made, _ in counts_of(random.Random(1), 1000)) > 150


@pytest.mark.parametrize(
    ("document", "statements"),
    [
        ({"urn:p": {"@list": ["x", "y"]}}, 5),
        ({"@context": {"t": LIST}, "t": [[[]], [[]]]}, 9),
        ({"@context": {"t": LIST}, "t": {"t": "x"}}, 6),
        ({"@context": {"t": INDEX}, "t": {"a": [{}, {}]}}, 4),
        ({"@context": {"s": SCOPE}, "s": {"t": {"a": [{}, {}]}}}, 5),
        ({"@context": {"t": TYPES}, "@id": "urn:a", "t": {"@value": "urn:b", "@id": "urn:c"}}, 4),
        ({"@context": {"t": {"@id": "urn:t", "@container": "@graph"}}, "t": [{}, {}]}, 2),
        ({"@context": {"@1": LIST}, "@1": []}, 1),
    ],
)
def test_what_makes_more_of_a_value(document: Any, statements: int) -> None:
    made, most = count(document)
    assert made == statements
    assert made <= most


def test_two_for_each_value_without_all_that() -> None:
    """What is refused for being too much is not far from it."""
    assert count({"urn:p": ["x"] * 100, "urn:q": {"@id": "urn:a"}}) == (101, 2 * 101)
    assert count([{"urn:p": "x"}, {"urn:p": "x"}]) == (2, 2 * 2)


@pytest.mark.parametrize("container", ["@id", "@index", "@language", "@type", ["@index", "@set"]])
@pytest.mark.parametrize("inner", ["@context", "\\u0040context"])
def test_a_context_in_a_map_is_refused(container: Any, inner: str) -> None:
    """There it is a key like others, and what is in it are values."""
    term = {"@id": "urn:t", "@container": container}
    document = {"t": {"@context": [{"@list": ["x"]}]}, "@context": {"t": term}}
    data = json.dumps(document).replace('{"@context": [', f'{{"{inner}": [').encode()
    with pytest.raises(jr.DecodeError, match="is a map") as caught:
        list(jr.read_statements(data, format="json-ld"))
    assert type(caught.value) is jr.DecodeError
    assert caught.value.offset == len(data) - 1


def test_contexts_in_inner_objects_are_read() -> None:
    terms = {"type": {"@id": "@type", "@type": "@id"}, "t": LIST}
    inner = {"@context": {"x": "urn:x"}, "x": 1}
    assert count({"@context": terms, "t": [inner], "urn:p": inner})[0] == 6

"""What a context of JSON-LD is thought to stand for is no less than what it does stand for."""

from __future__ import annotations

import json
import random

import pyoxigraph as ox
import pytest
from hypothesis import given

from jelly_rdflib.encodings.syntaxes.contexts import measure_context

from ..strategies import dice

TERMS = ["a", "b", "c", "long-term", "ä"]


def random_context(r: random.Random) -> dict[str, object]:
    """A context whose terms continue each other, or themselves, or nothing."""

    def text() -> str:
        start = r.choice(
            ["urn:", "http://example.org/", *(f"{term}:" for term in TERMS), "", "@id"]
        )
        return start if start == "@id" else start + r.choice(["", "x" * r.randrange(50), "é/", "b"])

    def definition() -> object:
        more = {"@type": r.choice(["@id", text()])} if r.randrange(3) == 0 else {}
        more |= {"@context": {"d": text()}} if r.randrange(8) == 0 else {}
        return r.choice([text(), {"@id": text(), **more}, more or None])

    context: dict[str, object] = {term: definition() for term in r.sample(TERMS, r.randint(1, 5))}
    if r.randrange(3) == 0:
        context["@vocab"] = r.choice(["http://vocab.example/", "urn:v:"])
    return context


@given(dice)
def test_no_iri_is_longer(r: random.Random) -> None:
    for _ in range(20):
        context = random_context(r)
        terms = [*TERMS, *(f"{term}:name" for term in TERMS)]
        key = r.choice(terms)
        document = {"@context": context, key: [1, "text", {"@id": r.choice(terms)}]}
        try:
            quads = list(ox.parse(json.dumps(document), ox.RdfFormat.JSON_LD, lenient=True))
        except SyntaxError:
            continue
        size = measure_context(json.dumps(context).encode())
        longest = size.longest + len(b"long-term:name")
        for quad in quads:
            for term in (quad.predicate, quad.object, getattr(quad.object, "datatype", None)):
                if isinstance(term, ox.NamedNode) and not term.value.startswith("http://www.w3."):
                    assert len(term.value.encode()) <= longest, (context, key, term)


@pytest.mark.parametrize(
    ("context", "longest", "is_scoped"),
    [
        ({}, 0, False),
        ({"a": "urn:x"}, 5, False),
        ({"a": "urn:x", "b": "a:yz", "c": {"@id": "b:c"}}, 12, False),
        ([{"a": "urn:x"}, None, {"b": "a:yz"}], 9, False),
        ({"a": {"@id": "urn:x", "@context": {"b": "urn:yz"}}}, 11, True),
        ({"a": "b:x", "b": "a:y"}, 6, False),
        ({"a": {"@id": "urn:x", "@type": "a:yz"}}, 9, False),
        ({"a": 1, "b": None, "@version": 1.1}, 8, False),
        # "a" has no IRI of its own.
        ({"@vocab": "urn:v:", "a": {"@type": "@id"}, "b": {"@type": "a:yzyzyz"}}, 15, False),
    ],
)
def test_sizes(context: object, longest: int, is_scoped: bool) -> None:
    size = measure_context(json.dumps(context).encode())
    assert size.longest == longest
    assert (size.scopes > 0) == bool(size.scoped_terms) == is_scoped


def test_chains_are_followed_once() -> None:
    """Each definition continues the one before: they grow with the square of their number."""
    count = 20_000
    context = {f"t{n}": f"t{n - 1}:x" for n in range(1, count)}
    size = measure_context(json.dumps(context).encode())
    assert size.longest > 6 * count
    assert size.size > 3 * count**2


def test_what_is_no_json_counts_in_full() -> None:
    size = measure_context(b'{"a": "urn:')
    assert size.longest == 11
    assert size.copied > 10_000
    # A number of any size.
    assert measure_context(b'{"a": "urn:x", "b": %s}' % (b"9" * 10_000)).longest == 5

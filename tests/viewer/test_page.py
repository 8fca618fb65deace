"""Tests that hostile data on a page never become code or markup, and that nothing is fetched."""

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.viewer.history import PackedHistory
from jelly_rdflib.viewer.page import page_of
from jelly_rdflib.viewer.versions import read_file
from tests.cli.support import encode
from tests.viewer.reading import Page, read_page

TEMPLATE = files("jelly_rdflib.viewer").joinpath("page.html").read_text("utf-8")
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>--></title><img src=x onerror=alert(1)>",
    "{{summary}}{{blocks}}{{title}}",
    "\\u003c/script> \u2028\u2029 \x00 \u202e",
    '"><style>*{display:none}</style>',
]


def page_with(text: str) -> Page:
    node = URIRef(f"urn:{text}")
    operations: list[Any] = [
        *((Op.H, text, Literal(text)), (Op.H, "title", Literal(text)), (Op.PA, text, node, None)),
        (Op.A, node, node, Literal(text, datatype=node), node),
    ]
    made = PackedHistory(read_file(jr.read_batches(encode(operations))))
    pieces = page_of(made, title=text, source=text, is_whole=True)
    return read_page(b"".join(pieces))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_texts(text: str) -> None:
    page = page_with(text)
    harmless = page_with("harmless")
    assert page.scripts() == harmless.scripts()
    # The page has the same elements in the same order for any data.
    assert [tag for tag, _, _ in page.elements] == [tag for tag, _, _ in harmless.elements]
    assert page.summary["title"] == page.summary["source"] == text
    assert page.summary["versions"]["title"] == [text]
    node = ("iri", f"urn:{text}")
    assert page.changes == [[("A", node, node, ("literal", text, None, node[1]), node)]]
    assert page.summary["prefixes"][text] == f"urn:{text}"


def test_the_policy_lets_only_the_own_script_and_style_run() -> None:
    page = page_with("x")
    (policy,) = (
        attributes["content"]
        for tag, attributes, _ in page.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().partition(" ")[::2] for rule in (policy or "").split(";"))
    assert rules.pop("default-src") == "'none'"
    for kind in ("script", "style"):
        (text,) = re.findall(rf"<{kind}>(.*?)</{kind}>", page.text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules.pop(f"{kind}-src") == f"'sha256-{digest}'"
    assert rules == {"base-uri": "'none'", "form-action": "'none'"}


def test_nothing_is_fetched() -> None:
    for tag, attributes, _ in page_with("x").elements:
        for name in ("src", "href", "srcset", "action", "data"):
            target = attributes.get(name)
            assert target is None or target.startswith("#"), (tag, target)
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|import\(|@import|url\(", TEMPLATE)


def test_the_script_makes_no_markup_of_data() -> None:
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", TEMPLATE
    )


def test_the_summary_is_small() -> None:
    """The summary, which is loaded before the page appears, has a few dozen bytes per version."""
    operations: list[Any] = []
    for number in range(200):
        added = [
            (Op.A, URIRef(f"urn:{number}"), URIRef("urn:p"), Literal(i), None) for i in range(50)
        ]
        operations += [(Op.TX,), *added, (Op.TC,)]
    made = PackedHistory(read_file(jr.read_batches(encode(operations))))
    assert len(json.dumps(made.summary())) < 200 * 60 + 4000

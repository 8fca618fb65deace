"""Tests which IRIs, language tags, labels and prefixes are valid, against other implementations."""

import re
from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import jelly_rdflib as jr
from tests.oracle import build as b


def rules(*rows: object, **options: int) -> list[str]:
    """Return the rules that a stream breaks, except those about options."""
    options = {"rdf_star": True, "max_prefix_table_size": 0, "max_name_table_size": 50, **options}
    data = b.stream([b.options(**options), *rows])
    return [f.rule for f in jr.validate(data) if f.rule != "unused-feature"]


def is_good_iri(iri: str) -> bool:
    found = rules(b.name(iri), b.add("s", b.iri(), "o"))
    assert found in ([], ["iri"])
    return found == []


def oxigraph_takes(iri: str) -> bool:
    try:
        ox.NamedNode(iri)
    except ValueError:
        return False
    return True


PIECES = [
    *("http:", "urn:", "x+-.1:", "1:", ":", "/", "//", "?", "#", "@", "[", "]", "example.org"),
    *("[::1]", "[v1.a:b]", "[::%1]", "[1:2:3:4:5:6:7:8]", "[::ffff:1.2.3.4]", "[g]", ":80", ":8a"),
    *("a", "é", "例", "%41", "%4", "%zz", "%", " ", "<", '"', "{", "|", "\\", "^", "`", "~", "!"),
    *("\x00", "\x7f", "\x80", "\xa0", "\ue000", "\ufdd0", "\uffff", "\U00010000", "\U0001fffe"),
    *("\U000e0001", "\U000f0000", "\U0010fffd", "$&'()*+,;=", "u:p@h"),
]


@given(st.lists(st.sampled_from(PIECES) | st.characters(codec="utf-8"), max_size=8).map("".join))
@example("http://example.org:80/a?b#c")
@example("http://[::1]:80")
@example("http://[::1]a")
@example("http://a@b@c/")
@example("http:")
@example("a://:")
def test_iris_are_those_of_rfc_3987(iri: str) -> None:
    assert is_good_iri(iri) == oxigraph_takes(iri)


@pytest.mark.parametrize(
    ("iri", "what"),
    [
        ("", "is relative"),
        ("a", "is relative"),
        ("//example.org/", "is relative"),
        ("é:a", "is relative"),
        ("urn:a b", "has a character"),
        ("http://a]/", "has a character"),
        ("urn:a#b#c", "has a character"),
        ("urn:\ue000", "has a character"),
        ("urn:%4g", "has a % without"),
        ("urn:%", "has a % without"),
        ("http://a:b/", "has a port"),
        ("http://[::g]/", "has a bad address"),
        ("http://[fe80::1%eth0]/", "has a bad address"),
    ],
)
def test_what_is_wrong_with_an_iri(iri: str, what: str) -> None:
    data = b.stream([b.options(max_prefix_table_size=0), b.name(iri), b.add("s", b.iri(), "o")])
    (fault,) = jr.validate(data)
    assert fault.message.startswith(f"IRI <{iri}> {what}"), fault


START = (
    "A-Za-z_0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
PART = START + "\u00b7\u0300-\u036f\u203f-\u2040-"
LABEL = re.compile(f"[{START}](?:[{PART}.]*[{PART}])?")
odd_names = st.text(
    st.sampled_from("aZ09_-.:é\u00b7\u0301\u203f\u00d7日\U0001f600 ")
    | st.characters(codec="utf-8"),
    max_size=5,
)


@given(odd_names)
def test_labels_are_those_of_n_triples(label: str) -> None:
    found = rules(b.name("urn:p"), b.add("s", b.iri(), label))
    assert found == ([] if LABEL.fullmatch(label) else ["blank-node-label"])


@given(odd_names)
def test_prefix_names_are_those_of_turtle(name: str) -> None:
    found = rules(b.name("urn:p"), b.prefix_add(name, b.iri()))
    is_good = name == "" or (LABEL.fullmatch(name) is not None and re.match("[0-9_]", name) is None)
    assert found == ([] if is_good else ["prefix-name"])


def test_a_prefix_name_is_told_once() -> None:
    names = ("a b", "a b", "b c", "a b")
    found = rules(b.name("urn:p"), *(b.prefix_add(name, b.iri(0, 1)) for name in names))
    assert found == ["prefix-name"] * 2


ONE, OTHER, P = b.iri(0, 1), b.iri(0, 2), b.iri(0, 3)


@pytest.mark.parametrize(
    ("row", "count"),
    [
        (b.add(ONE, P, OTHER, "g"), 2),
        (b.add("s", ONE, "o", "g"), 1),
        (b.delete("s", P, "o", ONE), 1),
        (b.delete("s", P, b.triple("s", P, ONE), "g"), 1),
        (b.delete(b.triple(b.triple(ONE, P, "o"), P, OTHER), P, "o", "g"), 2),
        (b.add("s", P, b.literal("x", None, 1), "g"), 1),
        (b.add("s", P, b.triple("s", P, b.literal("x", None, 1)), "g"), 1),
        (b.add("s", P, b.literal("x", "abcdefghi"), "g"), 1),
        (b.header("k", ONE), 1),
        (b.prefix_add("ex", ONE, OTHER), 2),
        (b.prefix_delete("ex", None, OTHER), 1),
    ],
)
def test_terms_are_found_wherever_they_stand(row: Any, count: int) -> None:
    options = b.options(statement_type=b.QUADS, rdf_star=True, max_prefix_table_size=0)
    entries = [b.name("bad iri"), b.name("worse iri"), b.name("urn:p"), b.datatype("bad datatype")]
    faults = jr.validate(b.stream([options, *entries, row]))
    assert [fault.row for fault in faults if fault.rule != "unused-feature"] == [6] * count


def test_each_term_is_told_once() -> None:
    names = [b.name("a"), b.name("b")]
    rows = [b.add("s", b.iri(0, 1 + n % 2), "o") for n in range(10)]
    data = b.stream([b.options(max_prefix_table_size=0), *names, *rows], rows, rows)
    faults = list(jr.validate(data))
    assert [(fault.frame, fault.row) for fault in faults] == [(1, 4), (1, 5)]

"""Tests the history on a page against a simple computation from the operations."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from rdflib import XSD, BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.viewer import counts, history, terms
from jelly_rdflib.viewer.history import PackedHistory
from jelly_rdflib.viewer.limits import LIMITS, TooLargeError, check_size
from jelly_rdflib.viewer.page import page_of
from jelly_rdflib.viewer.versions import read_file, read_log
from tests.cli.support import encode
from tests.oracle.terms import DEFAULT_GRAPH, Plain
from tests.strategies import RDF, Stream, streams
from tests.support import options_of, read, write
from tests.viewer.reading import Page, read_page

TYPE = ("iri", RDF + "type")
S, P, TYPE_NODE = URIRef("urn:s"), URIRef("urn:p"), URIRef(RDF + "type")


def page_for(made: PackedHistory, *, is_whole: bool = False) -> Page:
    return read_page(b"".join(page_of(made, title="T", source="S", is_whole=is_whole)))


def page_of_file(data: bytes, last: int | None = None) -> Page:
    return page_for(PackedHistory(read_file(jr.read_batches(data), last)))


def page_of_log(log: jr.PatchLog) -> Page:
    return page_for(PackedHistory(read_log(log.patches())))


def expected_versions(operations: list[Plain]) -> list[tuple[list[Plain], list[Plain], int]]:
    """Return each version's changes, prefixes and number of aborted changes, by the docs' rules."""
    versions: list[tuple[list[Plain], list[Plain], int]] = []
    patch: list[Plain] = []
    for operation in operations:
        if operation[0] != "END":
            patch.append(operation)
            continue
        found: list[tuple[list[Plain], list[Plain], int]] = []
        part: list[Plain] = []
        for each in [*patch, ("TX",)]:
            if each[0] in ("TX", "TC", "TA"):
                changes = [op for op in part if op[0] in ("A", "D")]
                prefixes = [op for op in part if op[0] in ("PA", "PD")]
                if each[0] == "TA":
                    changes, prefixes, left_out = [], [], len(changes)
                else:
                    left_out = 0
                if changes or prefixes or left_out:
                    found.append((changes, prefixes, left_out))
                part = []
            else:
                part.append(each)
        if not found and any(op[0] == "H" for op in patch):
            found = [([], [], 0)]
        versions += found
        patch = []
    return versions


def plain_change(change: Plain) -> Plain:
    """Return a change in the page's form: None for the default graph, and normalized literals."""

    def plain_term(term: Any) -> Any:
        if term is not None and term[0] == "triple":
            return ("triple", *map(plain_term, term[1:]))
        if term is not None and term[0] == "literal" and term[2] is not None:
            return ("literal", term[1], term[2].lower(), None)
        if term == ("literal", term and term[1], None, str(XSD.string)):
            return ("literal", term[1], None, None)
        return term

    *terms, graph = change[1:]
    return (
        change[0],
        *map(plain_term, terms),
        None if graph == DEFAULT_GRAPH else plain_term(graph),
    )


@given(streams())
def test_the_page_has_each_change_and_nothing_else(stream: Stream) -> None:
    data = write(stream.operations, options_of(stream.options))
    expected = expected_versions(read(data))
    page = page_of_file(data)
    assert page.changes == [[plain_change(op) for op in changes] for changes, _, _ in expected]
    versions = page.summary["versions"]
    assert versions["number"] == versions["first"] == list(range(1, len(expected) + 1))
    assert versions["left_out"] == [left_out for _, _, left_out in expected]
    assert versions["added"] == [sum(op[0] == "A" for op in each) for each, _, _ in expected]
    prefixes = [
        [({"PA": 5, "PD": 6}[op], name, iri[1] if iri else "") for op, name, iri, _ in each]
        for _, each, _ in expected
    ]
    shown = [
        [(op, page.terms[name][1], page.terms[iri][1] if iri else "") for op, name, iri in rows]
        for rows in (each["prefixes"] for each in page.details)
    ]
    assert shown == prefixes


@given(streams(stream_type=3))
def test_counts_are_those_of_the_changes(stream: Stream) -> None:
    page = page_of_file(write(stream.operations, options_of(stream.options)))
    classes: dict[Any, set[Any]] = {}
    for version, changes in enumerate(page.changes):
        for name, place in (("graphs", 4), ("predicates", 2)):
            assert page.table(version, name) == count_by(changes, lambda op, at=place: [op[at]])
        known = {subject: set(them) for subject, them in classes.items()}
        for op, s, p, o, _ in changes:
            if p == TYPE:
                (classes.setdefault(s, set()).add if op == "A" else classes.get(s, set()).discard)(
                    o
                )
                if op == "A":
                    known.setdefault(s, set()).add(o)
        assert page.table(version, "classes") == count_by(
            changes, lambda op, known=known: known.get(op[1]) or [None]
        )


def count_by(changes: list[Plain], names_of: Any) -> dict[Any, tuple[int, int]]:
    found = Counter((op[0], name) for op in changes for name in names_of(op))
    return {name: (found["A", name], found["D", name]) for _, name in found}


def test_many_names_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "MAX_NAMES", 2)
    operations: list[Any] = [
        (op, S, URIRef(f"urn:p{number}"), Literal(each), None)
        for number in range(5)
        for each in range(5 - number)
        for op in (Op.A, Op.D)[: 1 + (number == 3)]
    ]
    rows, others = page_of_file(encode(operations)).details[0]["predicates"]
    assert [row[1:] for row in rows] == [[5, 0], [4, 0]]
    assert others == [3, 6, 2]


def test_blocks_have_all_rows_terms_and_details(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "BLOCK_ROWS", 7)
    monkeypatch.setattr(history, "BLOCK_VERSIONS", 2)
    monkeypatch.setattr(terms, "BLOCK_TERMS", 3)
    operations: list[Any] = []
    for number in range(11):
        added = [(Op.A, URIRef(f"urn:{number}"), P, Literal(each), None) for each in range(number)]
        operations += [(Op.H, "title", Literal(f"the {number}th")), (Op.TX,), *added, (Op.TC,)]
        operations.append((Op.END,))
    data = encode(operations)
    page = page_of_file(data)
    expected = [each for each, _, _ in expected_versions(read(data))]
    assert page.changes == [[plain_change(op) for op in changes] for changes in expected]
    assert page.summary["versions"]["title"] == [f"the {number}th" for number in range(11)]
    assert len(page.details) == 11
    assert 'id="rows-7"' in page.text
    assert 'id="details-5"' in page.text


def test_a_version_has_the_headers_of_its_patch() -> None:
    operations: list[Any] = [
        *((Op.H, "Label", Literal("first")), (Op.H, "by", URIRef("urn:me"))),
        *((Op.TX,), (Op.A, S, P, Literal(1), None), (Op.TC,)),
        *((Op.TX,), (Op.A, S, P, Literal(2), None), (Op.TC,), (Op.END,)),
        *((Op.A, S, P, Literal(3), None), (Op.END,)),
    ]
    page = page_of_file(encode(operations))
    headers = [
        [[page.terms[term] for term in row] for row in each["headers"]] for each in page.details
    ]
    first = [
        [("string", "Label"), ("literal", "first", None, None)],
        [("string", "by"), ("iri", "urn:me")],
    ]
    assert headers == [first, first, []]
    assert page.summary["versions"]["title"] == ["first", "first", None]


def test_a_log_has_a_version_for_each_patch(tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    log.append([(Op.PA, "ex", URIRef("urn:ex:"), None), (Op.A, S, P, Literal("1"), None)])
    log.append([])
    two = [(Op.TX,), (Op.A, S, P, Literal("2"), None), (Op.TC,)]
    three = [(Op.TX,), (Op.D, S, P, Literal("2"), None), (Op.A, BNode("b"), P, S, S), (Op.TA,)]
    log.append([*two, *three, (Op.D, S, P, Literal("1"), None)])
    log.append([(Op.A, S, P, Literal("4"), None)])
    log.append([(Op.A, S, P, Literal("5"), None)])
    log.squash(4, 5)
    page = page_of_log(log)
    versions = page.summary["versions"]
    assert versions["number"] == [1, 2, 3, 5]
    assert versions["first"] == [1, 2, 3, 4]
    assert versions["added"] == [1, 0, 1, 2]
    assert versions["deleted"] == [0, 0, 1, 0]
    assert versions["left_out"] == [0, 0, 2, 0]
    times = [entry.time.isoformat(timespec="seconds") for entry in log.patches()]
    assert versions["time"] == times
    assert page.summary["prefixes"]["ex"] == "urn:ex:"
    assert page.changes[2] == [
        ("A", ("iri", "urn:s"), ("iri", "urn:p"), ("literal", "2", None, None), None),
        ("D", ("iri", "urn:s"), ("iri", "urn:p"), ("literal", "1", None, None), None),
    ]


@pytest.mark.parametrize(
    ("things", "most"), [("changes and headers", 3), ("versions", 1), ("bytes of terms", 9)]
)
def test_a_page_has_limits(things: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS, things, most)
    one = [(Op.TX,), *((Op.A, S, P, Literal(number), None) for number in range(2)), (Op.TC,)]
    with pytest.raises(TooLargeError, match=f"more than {most} {things}.*--last"):
        page_of_file(encode([*one, *one]))
    check_size(most, things)


def test_a_class_may_be_deleted_and_added_again() -> None:
    classes = counts.Classes()
    classes.count(Counter(), [(Op.D, 1, 5), (Op.A, 1, 5), (Op.A, 2, 5), (Op.D, 2, 5)])
    of_subjects = Counter({(Op.A, 1): 2, (Op.D, 2): 3})
    assert classes.count(of_subjects, []) == {(Op.A, 5): 2, (Op.D, 0): 3}


def test_headers_that_many_versions_share_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared headers count towards a limit, since each transaction repeats its patch's headers."""
    monkeypatch.setitem(LIMITS, "changes and headers", 500)
    operations: list[Any] = [(Op.H, f"k{number}", Literal(number)) for number in range(30)]
    for number in range(30):
        operations += [(Op.TX,), (Op.A, S, P, Literal(number), None), (Op.TC,)]
    with pytest.raises(TooLargeError, match="changes and headers"):
        page_of_file(encode(operations))


def test_long_and_many_prefixes_are_told_but_not_used() -> None:
    long = URIRef("urn:" + "x" * 5000)
    operations: list[Any] = [(Op.PA, "long", long, None), (Op.PA, "short", URIRef("urn:x:"), None)]
    operations += [(Op.PA, f"p{number}", long, None) for number in range(100)]
    operations += [(Op.PA, f"q{number}", URIRef("urn:y:"), None) for number in range(2000)]
    page = page_of_file(encode(operations))
    assert len(page.details[0]["prefixes"]) == len(operations)
    assert page.summary["prefixes"]["short"] == "urn:x:"
    assert "long" not in page.summary["prefixes"]
    assert len(page.summary["prefixes"]) == 1000


def test_the_spellings_of_a_literal_are_one_term() -> None:
    spelled = [
        Literal("x", datatype=XSD.string),
        Literal("x"),
        *[Literal("x", lang=tag) for tag in ("en-GB", "en", "en-gb", "EN-gb")],
    ]
    data = encode([(op, S, P, o, None) for o in spelled for op in (Op.A, Op.D)])
    page = page_of_file(data)
    assert [term for term in page.terms if term is not None and term[0] == "literal"] == [
        ("literal", "x", None, None),
        ("literal", "x", "en-gb", None),
        ("literal", "x", "en", None),
    ]

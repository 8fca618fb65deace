"""Tests that the pages about the suite in ``docs/conformance``, and its README, are current."""

import re
from collections import Counter

from conformance import VERSION
from conformance.rules import RULES
from tests.conformance.patch.in_process import ENTRIES
from tests.conformance.patch.pages import DIFFERENCES, FOLDER, read_report

KEYS = ("jelly-rdflib", "jelly-jvm", "rdf4j", "java")

ROOT = FOLDER.parents[1]
BY_NAME = {entry.name: entry for entry in ENTRIES}


def test_the_reports_are_of_all_cases() -> None:
    reports = {key: read_report(key) for key in KEYS}
    assert set(reports["jelly-rdflib"].values()) == {"passed"}
    page = (FOLDER / "jelly-patch.md").read_text("utf-8")
    for outcomes in reports.values():
        assert outcomes.keys() == BY_NAME.keys()
        count = Counter(outcomes.values())
        assert f"| {count['passed']} of {len(ENTRIES)} | {count['failed']} |" in page
    assert f"Version {VERSION} of the suite" in " ".join(page.split())


def test_the_page_tells_of_each_case_that_differs() -> None:
    page = (FOLDER / "jelly-patch.md").read_text("utf-8")
    failed = {
        name for key in KEYS for name, outcome in read_report(key).items() if outcome == "failed"
    }
    for name in BY_NAME:
        assert (name in failed) == (f"`{name}`" in page), name
    assert DIFFERENCES.keys() <= RULES.keys()
    assert [text for text in DIFFERENCES.values() if text.strip() not in page] == []


def test_the_page_has_each_rule() -> None:
    page = (FOLDER / "jelly-patch.md").read_text("utf-8")
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.MULTILINE) == list(RULES)


def test_open_questions_name_cases_that_there_are() -> None:
    text = (FOLDER / "open-questions.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z]+/(?:pos|neg)_[a-z0-9_]+)`", text))
    known = {entry.name.partition("/")[2] for entry in ENTRIES}
    assert len(named) > 20
    assert named - known == set()
    # If readers may choose, an open question or the text of the rule says so.
    may = [entry for entry in ENTRIES if entry.refusal == "may" and entry.kind == "from_jelly"]
    choices = {entry.rules[0] for entry in may}
    asked = {rule for name in named for e in ENTRIES if e.name.endswith(name) for rule in e.rules}
    assert choices - asked == {
        "iri",
        "prefix-name",
        "quoted-depth",
        "transaction-end",
        "transaction-start",
    }


def test_the_pages_count_the_cases() -> None:
    for path in ("conformance/README.md", "docs/conformance/index.md"):
        assert f"{len(ENTRIES)} cases" in (ROOT / path).read_text("utf-8"), path
    assert f"Version {VERSION}" in (ROOT / "conformance" / "README.md").read_text("utf-8")

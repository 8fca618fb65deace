"""Tests that `jellyp validate` finds the fault of each case, and names its rule the same."""

import jelly_rdflib as jr
from conformance.rules import PARTS, RULES
from tests.conformance.patch.test_cases import READ

# In the package, all limits share one rule, and a bad language tag is only a warning.
OTHER_NAMES = {"quoted-depth": "limit", "language-tag": "format"}


def _found(data: bytes) -> set[jr.Rule]:
    return {fault.rule for fault in jr.validate(data, format="jelly-patch")}


def test_rules_that_cases_break_have_the_same_names() -> None:
    broken = {case.rules[0] for case in READ if case.refusal is not None}
    assert broken - set(jr.Rule) == {"quoted-depth"}


def test_each_rule_of_validate_that_is_one_of_the_drafts_has_a_case() -> None:
    """Rules from the Jelly-RDF sections that the draft includes have cases, too."""
    sections = {part.section.partition(": ")[2] for part in PARTS if part.section[:4] == "RDF:"}
    ours = {
        rule.value
        for rule in jr.Rule
        if "(Jelly-Patch, " in rule.text
        or any(f"(Jelly-RDF, {section})" in rule.text for section in sections)
    }
    assert {"options-first", "lookup-size"} <= ours
    assert ours - RULES.keys() == set()


def test_a_rule_is_as_strong_as_in_the_suite() -> None:
    must = {"MUST", "MUST NOT", "REQUIRED"}
    differ = {
        name
        for name in RULES.keys() & set(jr.Rule)
        if (RULES[name].strength in must) != (jr.Rule(name).severity == "error")
    }
    # A reader MUST skip an unknown field, but a stream may contain one.
    assert differ == {"unknown-field"}


def test_validate_names_the_rule_that_a_case_breaks() -> None:
    missed = {}
    for case in READ:
        if case.refusal is not None and case.data is not None:
            expected = {*case.rules, OTHER_NAMES.get(case.rules[0])}
            found = _found(case.data)
            if not found & expected:
                missed[case.name] = found
    assert missed == {}


def test_validate_finds_no_error_in_what_must_be_read() -> None:
    found = {
        case.name: [rule for rule in _found(case.data) if rule.severity == "error"]
        for case in READ
        if case.refusal is None and case.data is not None
    }
    assert {name: rules for name, rules in found.items() if rules} == {}

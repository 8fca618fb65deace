"""The rules that errors of readers are about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jelly_rdflib as jr
from jelly_rdflib.inspection.validation import RULES
from jelly_rdflib.inspection.validation.reader_rules import _RULES, rule_of

CORE = Path(jr.__file__).parent / "core"
FILES = [*CORE.glob("jelly/*decoder.pxi"), *CORE.glob("jelly/*.pxi"), *CORE.glob("wire/*.px*")]
LITERAL = re.compile(r'b?"([^"\n]*)"')


def _messages() -> set[str]:
    """Return the literals of the readers of Jelly, numbers and names in the places of fields."""
    found = set()
    for path in FILES:
        for text in LITERAL.findall(path.read_text(encoding="utf-8")):
            text = re.sub(r"\{(number|bound|size|self\.end - self\.begin)\}", "7", text)
            found.add(text.replace("{what}", "name"))
    return found


@pytest.mark.parametrize("rule", _RULES)
def test_a_reader_has_a_message_of_each_rule(rule: str) -> None:
    """A message that is changed must be changed in `reader_rules`, too."""
    expression = _RULES[rule].replace("datatype id 0", "name id 7").replace("0 entries", "7 ent")
    missing = [
        part
        for part in re.split(r"\|(?![^(]*\))", expression)
        if not any(re.match(part, message, re.DOTALL) for message in _messages())
    ]
    assert missing == []


def test_all_rules_are_known() -> None:
    assert _RULES.keys() <= RULES.keys()


@pytest.mark.parametrize(
    ("error", "rule"),
    [
        (jr.DecodeError("datatype id 0 is out of range: the lookup has 16 entries"), "datatype-id"),
        (jr.DecodeError("name id 17 is out of range: the lookup has 16 entries"), "lookup-size"),
        (jr.DecodeError("prefix id 1 is out of range: the lookup has 0 entries"), "no-lookup"),
        (jr.DecodeError("expected a term"), "format"),
        (jr.LimitError("string is not UTF-8"), "limit"),
    ],
)
def test_the_rule_of_an_error(error: jr.DecodeError, rule: str) -> None:
    assert rule_of(error) == rule

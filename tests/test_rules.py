"""Tests that code without the GIL names only existing rules, and that each rule is used."""

import re
from pathlib import Path

import pytest

import jelly_rdflib as jr

SOURCES = [
    path.read_text("utf-8")
    for path in Path(jr.__file__).parent.rglob("*")
    if path.suffix in (".py", ".pxi", ".pxd") and path.name != "rules.py"
]
NAMED = {name for text in SOURCES for name in re.findall(r'b"([a-z0-9-]+)"', text)}
NAMED |= {jr.Rule[name] for text in SOURCES for name in re.findall(r"Rule\.([A-Z_0-9]+)", text)}


@pytest.mark.parametrize("rule", jr.Rule)
def test_some_code_names_each_rule(rule: jr.Rule) -> None:
    assert rule in NAMED


def test_what_code_without_the_gil_names_is_a_rule() -> None:
    # The second-last string of a call is the rule; the last is the message.
    call = re.compile(r'\b(?:fail|fail_number|recover)\([^"]*b"([^"]*)",\s*b"')
    named = {name for text in SOURCES for name in call.findall(text)}
    assert len(named) > 20
    assert named <= set(jr.Rule)

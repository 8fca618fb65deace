"""Tests that new commits have a short subject, and a body that says why."""

import subprocess

import pytest

from tests.support import ROOT

LAST_UNCHECKED = "b8258312c2634d360d63d89d8df97214138c1671"
MAX_SUBJECT = 72


def commits() -> list[tuple[str, str, str]]:
    """Return the hash, subject and body of each commit to check."""
    try:
        # The merge commit that hosted CI makes for a pull request has no body.
        done = subprocess.run(
            ["git", "log", "-z", "--no-merges", "--format=%h%n%s%n%b", f"{LAST_UNCHECKED}..HEAD"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this is not a clone with its history: {error}")
    found = []
    for text in filter(None, done.stdout.split("\0")):
        number, subject, body = text.split("\n", 2)
        found.append((number, subject, body))
    return found


def broken_rules(subject: str, body: str) -> list[str]:
    """Return the rules of CONTRIBUTING.md that a commit breaks."""
    broken = []
    if len(subject) > MAX_SUBJECT:
        broken.append(f"the subject has {len(subject)} characters, at most {MAX_SUBJECT}")
    if subject.startswith("fixup!"):
        broken.append("a fixup! that was not squashed")
    if not body.strip():
        broken.append("no body that says why")
    return broken


def test_subjects_are_short_and_bodies_say_why() -> None:
    bad = [
        f"{number} {subject}: {', '.join(broken)}"
        for number, subject, body in commits()
        if (broken := broken_rules(subject, body))
    ]
    hint = "reword these commits; if they are merged already, set LAST_UNCHECKED to the last one"
    assert not bad, "\n".join([*bad, hint])


def test_each_rule_has_a_name() -> None:
    assert broken_rules("x" * 72, "why") == []
    assert broken_rules("x" * 73, "why") == ["the subject has 73 characters, at most 72"]
    assert broken_rules("fixup! x", " \n") == [
        "a fixup! that was not squashed",
        "no body that says why",
    ]

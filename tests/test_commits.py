"""Tests that new commits have a short subject, and a body that says why."""

import subprocess

import pytest

from tests.support import ROOT

LAST_UNCHECKED = "b8258312c2634d360d63d89d8df97214138c1671"
MAX_SUBJECT = 72


def commits() -> list[tuple[str, str, str]]:
    """Return the hash, the subject and the body of each commit that the test checks."""
    try:
        done = subprocess.run(
            ["git", "log", "-z", "--format=%h%n%s%n%b", f"{LAST_UNCHECKED}..HEAD"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this is no clone with its history: {error}")
    found = []
    for text in filter(None, done.stdout.split("\0")):
        number, subject, body = text.split("\n", 2)
        found.append((number, subject, body))
    return found


def test_subjects_are_short_and_bodies_say_why() -> None:
    bad = [
        f"{number} {subject}"
        for number, subject, body in commits()
        if len(subject) > MAX_SUBJECT or not body.strip() or subject.startswith("fixup!")
    ]
    assert not bad, "\n".join(bad)

"""Tests ``jellyp cat``."""

import re
from pathlib import Path

import pytest

import jelly_rdflib as jr
from tests.cli.support import TEXT, G, P, S, run, run_well

COLOR = re.compile(r"\x1b\[[0-9;]*m")


def test_as_text(source: Path) -> None:
    assert run_well("cat", source).text == TEXT
    assert run_well("cat", source, source).text == TEXT * 2
    assert run_well("cat", stdin=source.read_bytes()).text == TEXT
    assert run_well("cat", "-", stdin=TEXT.encode()).text == TEXT


def test_statements_are_shown_as_added(tmp_path: Path) -> None:
    path = tmp_path / "x.jelly"
    with jr.StatementWriter(path) as writer:
        writer.add(S, P, S, G)
    assert run_well("cat", path).text == f"A {S.n3()} {P.n3()} {S.n3()} {G.n3()} .\n"


def test_colors_change_nothing_else(source: Path) -> None:
    shown = run_well("cat", "--color", "always", source).text
    assert COLOR.sub("", shown) == TEXT
    lines = shown.splitlines()
    assert "\x1b[32mA\x1b[0m " in lines[3]
    assert "\x1b[31mD\x1b[0m " in lines[5]
    assert "\x1b[36m<_:b>\x1b[0m" in lines[4]
    assert '\x1b[33m"01"\x1b[0m\x1b[90m^^<urn:d>\x1b[0m' in lines[4]
    assert run_well("cat", "--color", "never", source).text == TEXT


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
@pytest.mark.parametrize("command", ["cat", "stats", "inspect", "validate"])
def test_empty_frames_without_an_end_are_an_error(command: str) -> None:
    """Each zero byte is an empty frame, so endless zeros cause an error."""
    ended = run(command, "/dev/zero")
    assert ended.code == 1
    assert "the first 65,536 frames don't have the stream's options" in ended.text + ended.err

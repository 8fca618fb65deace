"""On a terminal: progress bars and colours."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from pathlib import Path

import pytest

from tests.cli.support import COMMAND, ENVIRONMENT, encode, run_well


def run_on_terminal(*arguments: object) -> tuple[int, str]:
    """Run ``jellyp`` with a terminal as its output and error; return its code and what is seen."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=ENVIRONMENT,
    )
    os.close(follower)
    seen = b""
    try:
        while select.select([leader], [], [], 60)[0]:
            data = os.read(leader, 1 << 16)
            if not data:
                break
            seen += data
    except OSError:
        # How a terminal says that its other side is gone.
        pass
    finally:
        os.close(leader)
    return process.wait(60), seen.decode("utf-8")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large.rdfp"
    rows = "".join(f'A <urn:s{i}> <urn:p> "{i}" .\n' for i in range(200_000))
    path.write_text(f"TX .\n{rows * 12}TC .\n")
    return path


def test_long_work_shows_a_bar_on_a_terminal_only(large: Path) -> None:
    out = large.with_name("out.jellyp")
    code, seen = run_on_terminal("convert", large, out)
    assert code == 0
    assert "large.rdfp" in seen
    assert "MB" in seen
    assert run_well("convert", large, out).out == b""


def test_short_work_shows_none(tmp_path: Path) -> None:
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode())
    assert run_on_terminal("convert", path, tmp_path / "x.rdfp") == (0, "")


def test_colors_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode())
    code, seen = run_on_terminal("cat", path)
    assert code == 0
    assert "\x1b[32mA" in seen
    monkeypatch.setitem(ENVIRONMENT, "NO_COLOR", "1")
    assert "\x1b" not in run_on_terminal("cat", path)[1]


def test_errors_on_a_terminal(tmp_path: Path) -> None:
    code, seen = run_on_terminal("cat", tmp_path / "missing.jellyp")
    assert code == 2
    assert "does not exist" in seen

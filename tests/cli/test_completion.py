"""Tests ``jellyp completion``: scripts in real shells, and man pages."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.support import COMMAND, ENVIRONMENT, run, run_well

SHELLS = {
    "bash": ["bash", "--noprofile", "-i"],
    "zsh": ["zsh", "-i"],
    "fish": ["fish", "-i"],
}
LOADS = {"bash": ".bashrc", "zsh": ".zshrc"}
CONTROL = re.compile(r"\x1b(\[[0-9;?=>]*[a-zA-Z~]|[()][0-9A-Z]|[=>])|\r")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home folder that contains the program ``jellyp`` and no other settings."""
    path = tmp_path / "it's a home"
    (path / "bin").mkdir(parents=True)
    program = path / "bin/jellyp"
    program.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    program.chmod(0o755)
    return path


def settings(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "XDG_DATA_HOME": "",
        "XDG_CONFIG_HOME": "",
        "ZDOTDIR": "",
        "PATH": f"{home / 'bin'}:{ENVIRONMENT['PATH']}",
    }


@contextmanager
def on_terminal(arguments: list[str], home: Path) -> Iterator[int]:
    """Run a shell on a pseudo-terminal; return the file descriptor of the terminal's other side."""
    leader, follower = pty.openpty()
    environment = {**ENVIRONMENT, **settings(home)}
    process = subprocess.Popen(
        # Shells need a terminal that belongs to their session.
        ["setsid", "--ctty", *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        cwd=home,
        env={name: text for name, text in environment.items() if text},
    )
    os.close(follower)
    try:
        yield leader
    finally:
        process.kill()
        process.wait()
        os.close(leader)


def read_until(terminal: int, wanted: str) -> None:
    """Read the output, ignoring control sequences, until a text appears."""
    data = b""
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        text = CONTROL.sub("", data.decode(errors="replace"))
        if wanted in text:
            return
        if select.select([terminal], [], [], 1)[0]:
            data += os.read(terminal, 1 << 16)
    raise AssertionError(f"{wanted!r} is not in {text!r}")


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_new_shell_completes_commands_options_and_files(shell: str, home: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}: apt install {shell}")
    (home / "changes.jellyp").touch()
    run_well("completion", "--install", shell, **settings(home))
    with on_terminal(SHELLS[shell], home) as terminal:
        # The shell may drop keys that are typed before it reads a line.
        os.write(terminal, b"expr 90000 + 1\r")
        read_until(terminal, "90001")
        os.write(terminal, b"jellyp conv\t")
        read_until(terminal, "jellyp convert ")
        os.write(terminal, b"--frame-r\t")
        read_until(terminal, "--frame-rows")
        os.write(terminal, b"7 chan\t")
        read_until(terminal, "changes.jellyp")


@pytest.mark.parametrize("shell", list(SHELLS))
def test_what_is_installed(shell: str, home: Path) -> None:
    if shell in LOADS:
        (home / LOADS[shell]).write_text("mine=1")
    said = run_well("completion", "--install", SHELL=f"/usr/bin/{shell}", **settings(home)).text
    assert f"completion.{shell}" in said or "fish/completions/jellyp.fish" in said
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert any(b"_JELLYP_COMPLETE" in data for data in before.values())
    if shell in LOADS:
        lines = (home / LOADS[shell]).read_text().splitlines()
        assert lines[0] == "mine=1"
        assert len(lines) == 3
    # A second call appends nothing.
    assert run_well("completion", "--install", "--quiet", shell, **settings(home)).out == b""
    assert before == {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}


def test_an_unknown_shell_is_an_error_of_the_call(home: Path) -> None:
    ended = run("completion", "--install", **{**settings(home), "SHELL": "/bin/tcsh"})
    assert ended.code == 2
    assert "bash, zsh, fish" in ended.err


def test_a_home_that_cannot_be_written_to_is_named(home: Path) -> None:
    (home / ".local").write_text("a file")
    ended = run("completion", "--install", "bash", **settings(home))
    assert ended.code == 1
    assert str(home / ".local") in ended.err


def test_man_pages(home: Path) -> None:
    run_well("completion", "--man", **settings(home))
    folder = home / ".local/share/man/man1"
    pages = {path.name for path in folder.iterdir()}
    assert {"jellyp.1", "jellyp-cat.1", "jellyp-log-append.1", "jellyp-spark-replay.1"} <= pages
    text = (folder / "jellyp-cat.1").read_text()
    assert text.startswith('.TH "JELLYP\\-CAT" 1 ')
    for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "OPTIONS"):
        assert f".SH {part}\n" in text
    assert r"\fB\-f, \-\-follow\fR" in text


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man: apt install man-db")
def test_man_shows_the_pages_without_warnings(home: Path) -> None:
    run_well("completion", "--man", **settings(home))
    for path in sorted((home / ".local/share/man/man1").iterdir())[::8]:
        shown = subprocess.run(
            ["man", "--warnings", "--local-file", path],
            env={**ENVIRONMENT, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert shown.stderr == ""
        assert f"{path.stem} - " in re.sub(" +", " ", shown.stdout)

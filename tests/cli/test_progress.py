"""Tests progress bars and colours on a terminal."""

import os
import pty
import select
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.progress import TransferSpeedColumn

from jelly_rdflib import PatchLog
from jelly_rdflib.cli import progress
from tests.cli.support import COMMAND, ENVIRONMENT, encode, run_well

# In tests, bars appear sooner than by default.
PATIENCE = 0.1
QUICK = [
    *(COMMAND[0], "-c"),
    f"from jelly_rdflib.cli import main, progress; progress.PATIENCE = {PATIENCE}; main.main()",
]


def run_on_terminal(
    *arguments: object,
    command: list[str] = COMMAND,
    watch: Callable[[bytes], None] = lambda seen: None,
) -> tuple[int, str]:
    """Run ``jellyp`` with a terminal as its output and error; return the code and all output.

    ``watch`` is called with the output so far.
    """
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*command, *map(str, arguments)],
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
            watch(seen)
    except OSError:
        # Linux raises this error when the other side of a terminal was closed.
        pass
    finally:
        os.close(leader)
    return process.wait(60), seen.decode("utf-8")


def write_slowly(pipe: Path) -> None:
    """Write rows into a pipe with a pause halfway, so that a bar appears on any machine."""

    def write() -> None:
        rows = [f'A <urn:s{i}> <urn:p> "{i}" .\n' for i in range(20_000)]
        with pipe.open("w") as file:
            file.writelines(["TX .\n", *rows])
            file.flush()
            time.sleep(3 * PATIENCE)
            file.writelines([*rows, "TC .\n"])

    # The test does not wait for this thread, which never ends if nothing is read.
    threading.Thread(target=write, daemon=True).start()


def test_long_work_shows_a_bar_on_a_terminal_only(tmp_path: Path) -> None:
    out = tmp_path / "out.jellyp"
    pipe = tmp_path / "long.rdfp"
    os.mkfifo(pipe)
    write_slowly(pipe)
    code, seen = run_on_terminal("convert", pipe, "-o", out, command=QUICK)
    assert code == 0
    assert "long.rdfp" in seen
    assert "MB" in seen
    write_slowly(pipe)
    assert run_well("convert", pipe, "-o", out).out == b""
    for option in ("--quiet", "--no-progress"):
        write_slowly(pipe)
        assert run_on_terminal("convert", option, pipe, "-o", out, command=QUICK) == (0, "")


def test_only_the_last_command_of_a_pipeline_shows_a_bar(tmp_path: Path) -> None:
    pipe = tmp_path / "long.rdfp"
    os.mkfifo(pipe)
    leader, follower = pty.openpty()
    write_slowly(pipe)
    arguments = [*QUICK, "cat", str(pipe)]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=follower, env=ENVIRONMENT
    ) as it:
        os.close(follower)
        out, _ = it.communicate(timeout=60)
    assert out.count(b"\n") > 20_000
    # No bar was written to the terminal.
    with pytest.raises(OSError, match="Input/output error"):
        os.read(leader, 1)
    os.close(leader)


def test_colors_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode())
    code, seen = run_on_terminal("cat", path)
    assert code == 0
    assert "\x1b[32mA" in seen
    monkeypatch.setitem(ENVIRONMENT, "NO_COLOR", "1")
    assert "\x1b" not in run_on_terminal("cat", path)[1]


@pytest.mark.parametrize(
    "command",
    [
        ["convert", "in.jellyp"],
        ["convert", "in.rdfp", "--to", "rdf-patch-thrift"],
        ["convert", "in.jellyp", "in.jellyp"],
        ["patch", "invert", "in.rdfp", "--to", "jelly-patch"],
        ["apply", "/dev/null", "in.rdfp", "--to", "jelly"],
        ["view", "in.jellyp"],
    ],
    ids=" ".join,
)
def test_what_no_person_can_read_is_not_printed_on_a_terminal(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.jellyp").write_bytes(encode())
    Path("in.rdfp").write_text("A <urn:s> <urn:p> <urn:o> .\n")
    code, seen = run_on_terminal(*command)
    assert code == 2
    assert "is not for a terminal: give -o FILE, or -o - to print it" in seen
    assert run_well(*command).out != b""
    code, seen = run_on_terminal("view", "in.jellyp", "-o", "-")
    assert (code, seen[:15]) == (0, "<!doctype html>")


def test_a_bar_has_no_speed_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, is_shown in ((40, False), (80, True)):
        monkeypatch.setenv("COLUMNS", str(columns))
        bar = progress._make_bar(is_bytes=True)
        bar.add_task("big.nq", total=532_600_000, completed=517_300_000)
        with bar.console.capture() as captured:
            bar.console.print(bar)
        assert captured.get().count("\n") == 1
        assert "517.3/532.6 MB" in captured.get()
        assert any(isinstance(each, TransferSpeedColumn) for each in bar.columns) == is_shown


def test_no_bar_is_started_when_the_work_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(progress, "PATIENCE", -1)
    with progress.show_progress("work", None) as advance:
        pass
    threads = threading.active_count()
    advance(1)
    assert threading.active_count() == threads


@pytest.mark.parametrize("option", ["-o", "-"])
def test_what_is_received_is_counted(tmp_path: Path, option: str) -> None:
    log = PatchLog.create(tmp_path / "log")
    target = tmp_path / "target.rdfp"
    is_over = threading.Event()

    def append() -> None:
        while not is_over.wait(PATIENCE / 4):
            log.append([])

    appending = threading.Thread(target=append)
    appending.start()
    # Printing the patches takes long enough for a bar to appear.
    ending = threading.Timer(5 * PATIENCE, is_over.set)

    def watch(seen: bytes) -> None:
        if b"receiving" in seen:
            is_over.set()
        elif option == "-" and not ending.is_alive() and not is_over.is_set():
            ending.start()

    where = ["-o", "-"] if option == "-" else [option, target]
    arguments = ["subscribe", log.path, *where, "--timeout", 10 * PATIENCE]
    try:
        code, seen = run_on_terminal(*arguments, command=QUICK, watch=watch)
    finally:
        is_over.set()
        appending.join()
    assert code == 0, seen
    # No bar appears between printed patches.
    assert ("receiving" in seen) == (option != "-")

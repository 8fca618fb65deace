"""Tests the command as a whole: help, exit codes, errors, signals, pipes."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from jelly_rdflib.cli.commands import COMMANDS
from tests.cli.support import COMMAND, ENVIRONMENT, TEXT, encode, run, run_well


def test_help_lists_the_commands() -> None:
    shown = run_well("--help").text
    for name in COMMANDS:
        assert f"\n  {name} " in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_examples(name: str) -> None:
    shown = run_well(name, "--help").text
    assert shown.startswith("Usage: jellyp")
    assert "Examples:\n    " in shown or "Commands:" in shown
    for option in ("-q", "--no-progress", "--debug", "--limit NAME=NUMBER", "-h, --help"):
        assert option in shown


def test_help_of_a_command() -> None:
    assert run_well("help").out == run_well("--help").out
    assert run_well("help", "spark", "diff").out == run_well("spark", "diff", "--help").out
    for topic in (["nonsense"], ["cat", "x"]):
        ended = run("help", *topic)
        assert (ended.code, "there is no command or topic" in ended.err) == (2, True)


@pytest.mark.parametrize("group", [(), ("log",), ("spark",)])
def test_without_a_command_there_is_the_help(group: tuple[str, ...]) -> None:
    ended = run(*group)
    assert (ended.code, ended.out) == (2, b"")
    assert ended.err.encode() == run_well(*group, "--help").out


def test_version() -> None:
    assert run_well("--version").text.startswith("jellyp, version 0.")
    assert run_well("-V").text == run_well("--version").text


def test_help_does_not_import_the_core() -> None:
    """Help is fast because it does not import the core; benchmarks measure how fast."""
    code = (
        "import sys; sys.argv = ['jellyp', '--help']\n"
        "from jelly_rdflib.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'rich', 'pyoxigraph', 'backports', 'jelly_rdflib.core'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([COMMAND[0], "-c", code], env=ENVIRONMENT, check=True, capture_output=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["convert", "missing.jellyp", "-o", "x.rdfp"],
        ["convert", "in.jellyp", "-o", "x.unknown"],
        ["convert", "--to", "nonsense", "in.jellyp"],
        ["convert", "--frame-rows", "0", "in.jellyp", "-o", "x.jellyp"],
        ["convert", "--preset", "small", "in.jellyp", "-o", "x.rdfp"],
        ["convert", "in.jellyp", "-o", "missing/x.rdfp"],
        ["stats", "--plot", "x.nonsense", "in.jellyp"],
        ["apply", "in.jellyp", "in.jellyp", "-o", "x.nq"],
        ["apply", "-", "-", "--base-format", "nq"],
        ["diff", "--from", "nq", "in.jellyp", "in.jellyp", "-o", "x.nq"],
        ["diff", "in.nt", "in.jellyp"],
        ["diff", "--json", "--side-by-side", "in.nt", "in.nt"],
        ["diff", "--json", "--to", "rdfp", "in.nt", "in.nt"],
        ["diff", "--json", "-o", "x.nq", "in.nt", "in.nt"],
        ["cat", "--follow"],
        ["cat", "--follow", "-"],
        ["cat", "--follow", "in.jellyp", "in.jellyp"],
        ["cat", "--frame", "1", "--patch", "1", "in.jellyp"],
        ["cat", "--frame", "1", "--since", "2020-01-01", "in.jellyp"],
        ["validate", "--max-faults", "0"],
        ["validate", "missing.rdfp"],
        ["validate", "--from", "docx"],
        ["validate", "--compare-ordered"],
        ["validate", "--compare-to-format", "nt"],
        ["validate", "--compare-frames", "1"],
        ["completion", "tcsh"],
    ],
    ids=" ".join,
)
def test_a_call_at_fault_exits_with_2_and_says_why(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "in.jellyp").write_bytes(encode())
    (tmp_path / "in.nt").write_text("<urn:s> <urn:p> <urn:o> .\n")
    ended = run(*arguments, cwd=tmp_path)
    assert ended.code == 2
    assert ended.out == b""
    assert "Error: " in ended.err
    assert "Traceback" not in ended.err
    assert sorted(os.listdir(tmp_path)) == ["in.jellyp", "in.nt"]


@pytest.mark.parametrize("name", ["cat", "stats", "convert"])
def test_bad_input_exits_with_1_and_names_file_and_place(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jellyp"
    path.write_bytes(encode()[:-3])
    more = ["-o", tmp_path / "out.rdfp"] if name == "convert" else []
    ended = run(name, path, *more)
    assert ended.code == 1
    assert ended.err.startswith(f"jellyp: {path}: ")
    assert "byte" in ended.err
    assert ended.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["bad.jellyp"]


def test_standard_input_at_fault_is_named_too() -> None:
    ended = run("cat", "--from", "rdf-patch", stdin=b"TX .\nA <urn:s> .\n")
    assert (ended.code, ended.out) == (1, b"TX .\n")
    assert ended.err == (
        "jellyp: standard input: the row ends where a term is expected (line 2, column 11,"
        " byte 15)\n"
    )


def test_a_failed_write_exits_with_1_and_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "in.jellyp").write_bytes(encode())
    ended = run("convert", "--to", "rdf-patch", tmp_path / "in.jellyp", "-o", "/dev/full")
    assert ended.code == 1
    assert ended.err == "jellyp: /dev/full: No space left on device\n"


@pytest.mark.parametrize(
    ("arguments", "unbuffered"), [(["cat", "in.jellyp"], ""), (["stats", "in.jellyp"], "1")]
)
def test_a_full_disk_at_standard_output_is_named(
    arguments: list[str], unbuffered: str, tmp_path: Path
) -> None:
    (tmp_path / "in.jellyp").write_bytes(encode())
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*COMMAND, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env={**ENVIRONMENT, "PYTHONUNBUFFERED": unbuffered},
            text=True,
        )
    assert ended.returncode == 1
    assert ended.stderr == "jellyp: standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [(["inspct"], "inspect"), (["log", "lst"], "list"), (["spark", "difff"], "diff")],
)
def test_a_misspelled_command_is_told_the_right_one(arguments: list[str], advice: str) -> None:
    ended = run(*arguments)
    assert ended.code == 2
    assert f"Did you mean '{advice}'?" in ended.err


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["merge"], "patch merge"),
        (["checkout"], "log checkout"),
        (["log", "create"], "log init"),
        (["log", "show"], "cat --patch 3 LOG"),
        (["log", "validate"], "validate"),
    ],
)
def test_a_command_of_another_group_is_named(arguments: list[str], command: str) -> None:
    ended = run(*arguments)
    assert ended.code == 2
    assert f"No such command {arguments[-1]!r}: use jellyp {command}\n" in ended.err


def test_debug_shows_where_an_error_came_up(tmp_path: Path) -> None:
    path = tmp_path / "bad.rdfp"
    path.write_text("X .\n")
    message = run("cat", path).err
    assert message.count("\n") == 1
    for arguments in (["cat", "--debug", path], ["--debug", "cat", path]):
        ended = run(*arguments)
        assert ended.code == 1
        assert ended.err.startswith("Traceback")
        assert "DecodeError" in ended.err
        assert ended.err.endswith(message)
    # --debug also shows the traceback of a system error.
    ended = run("convert", "--debug", "--to", "rdfp", path, "-o", "/dev/full")
    assert "Traceback" in ended.err


def test_quiet_leaves_results_and_errors(tmp_path: Path) -> None:
    log, patch = tmp_path / "log", tmp_path / "in.rdfp"
    patch.write_text(TEXT.partition("H id")[2].partition("\n")[2].partition("Z .")[0])
    assert run_well("log", "init", log).out == b""
    assert run_well("log", "append", "--quiet", log, patch).out == b""
    assert run_well("log", "append", log, patch).text.startswith("version 2: ")
    assert run_well("--quiet", "replica", log, tmp_path / "replica").out == b""
    assert run_well("validate", "-q", patch).out == b""
    assert run_well("cat", "-q", patch).out == patch.read_bytes()
    assert "does not exist" in run("cat", "-q", tmp_path / "missing").err


def test_what_an_encoding_lacks_is_no_error(tmp_path: Path) -> None:
    """Characters missing from the encoding are replaced, as on Windows with an old code page."""
    path = tmp_path / "x.nq"
    path.write_text("<urn:s> <urn:日本> <urn:o> .\n", "utf-8")
    shown = run_well("stats", path, PYTHONIOENCODING="cp850").out.decode("cp850")
    assert "\\u65e5\\u672c" in shown
    assert "####" in shown
    assert "<urn:s>" in run_well("cat", path, PYTHONIOENCODING="ascii").text
    ended = run("cat", tmp_path / "日本", PYTHONIOENCODING="ascii")
    assert ended.code == 2
    assert "does not exist" in ended.err


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Return a patch that is larger than any pipe buffer."""
    path = tmp_path / "large.rdfp"
    rows = "".join(f'A <urn:s{i}> <urn:p> "{i}" .\n' for i in range(100_000))
    path.write_text(f"TX .\n{rows}TC .\n")
    return path


def test_a_broken_pipe_is_quiet(large: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "cat", str(large)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"TX .\n"
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait(60) == 128 + signal.SIGPIPE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_quietly_and_leaves_nothing(
    number: signal.Signals, tmp_path: Path
) -> None:
    # The input is endless, so the signal can't come too late.
    lines = subprocess.Popen(
        ["sh", "-c", "echo 'TX .'; exec yes 'A <urn:s> <urn:p> <urn:o> .'"], stdout=subprocess.PIPE
    )
    process = subprocess.Popen(
        [*COMMAND, "convert", "--from", "rdf-patch", "-", "-o", str(tmp_path / "out.jellyp")],
        stdin=lines.stdout,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    with lines:
        try:
            deadline = time.monotonic() + 60
            while not os.listdir(tmp_path):
                assert time.monotonic() < deadline
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
        finally:
            lines.kill()
    assert err == b""
    assert process.returncode == 128 + number
    assert os.listdir(tmp_path) == []


def test_completion(tmp_path: Path) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_JELLYP_COMPLETE" in run_well("completion", shell).text
    ended = run(
        _JELLYP_COMPLETE="bash_complete", COMP_WORDS="jellyp convert --to rdf", COMP_CWORD="3"
    )
    assert "plain,rdf-patch" in ended.text.split()


def test_rows_come_as_soon_as_they_are_there() -> None:
    """Rows of a live stream are printed at once, wherever the stream is split into pieces."""
    process = subprocess.Popen(
        [*COMMAND, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for piece in (b"<urn:s> <ur", b"n:p> <urn:", b"o> .\n<urn:s> <urn:p> <urn:q> .\n"):
        process.stdin.write(piece)
        process.stdin.flush()
    rows = [process.stdout.readline() for _ in range(2)]
    assert rows == [b"A <urn:s> <urn:p> <urn:%b> .\n" % name for name in (b"o", b"q")]
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("pyoxigraph", ["cat", "x.ttl"]),
        ("matplotlib", ["stats", "--plot", "x.svg", "x.nt"]),
        ("click", ["--help"]),
    ],
)
def test_a_missing_library_exits_with_2_and_names_the_extra(
    module: str, arguments: list[str], tmp_path: Path
) -> None:
    for name in ("x.rdfpb", "x.nt", "x.ttl"):
        (tmp_path / name).touch()
    code = (
        f"import sys; sys.modules[{module!r}] = None; sys.argv = ['jellyp', *{arguments!r}]\n"
        "from jelly_rdflib.cli.main import main; main()"
    )
    ended = subprocess.run(
        [COMMAND[0], "-c", code], env=ENVIRONMENT, cwd=tmp_path, capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert "pip install 'jelly-rdflib[" in ended.stderr
    assert "Traceback" not in ended.stderr

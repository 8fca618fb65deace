"""Tests how commands detect an input's format, and how they read growing inputs."""

import gzip
import lzma
import os
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from tests.cli.support import COMMAND, ENVIRONMENT, TEXT, encode, run, run_well

LINE = '<urn:s> <urn:p> "o" .\n'


@pytest.mark.parametrize("name", ["x.nt", "x.nq.gz", "x.jelly"])
def test_jelly_with_a_wrong_name_is_told_by_its_first_bytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(encode()) if name.endswith(".gz") else encode())
    assert run_well("cat", path).text == TEXT
    assert "jelly-patch: " in run_well("inspect", path).text
    # The user's option takes precedence.
    assert run("cat", "--from", "nt", path).code == 1


@pytest.mark.parametrize("size", [10, 5_000, 600_000])
def test_jelly_of_any_size_is_told_under_any_name(size: int, tmp_path: Path) -> None:
    text = f'<urn:s> <urn:p> "{"x" * size}" .\n'
    (tmp_path / "in.nt").write_text(text)
    for name in ("x.jelly", "wrong.nt"):
        run_well("convert", "--to", "jelly-rdf", tmp_path / "in.nt", "-o", tmp_path / name)
        assert run_well("convert", "--to", "nt", tmp_path / name).text == text
        assert run_well("validate", tmp_path / name).code == 0


@pytest.mark.parametrize("command", ["cat", "validate"])
@pytest.mark.parametrize(
    "text",
    [
        LINE,
        LINE.rstrip(),
        LINE.replace(" .", " <urn:g> ."),
        LINE * 3,
        '<urn:s> <urn:p> "%s" .' % ("x" * 9000),
    ],
    ids=["line", "without its end", "quad", "lines", "long"],
)
def test_a_line_of_n_triples_is_guessed(command: str, text: str) -> None:
    ended = run(command, stdin=text.encode())
    assert (ended.code, ended.err) == (0, "")
    if command == "cat":
        assert len(ended.text.splitlines()) == len(text.splitlines())


@pytest.mark.parametrize("text", ["<urn:s> <urn:p> <urn:o> , <urn:q> .\n", "<urn:s>\n <urn:p> 1 ."])
def test_what_may_be_turtle_is_not_guessed(text: str) -> None:
    ended = run("cat", stdin=text.encode())
    assert ended.code == 2
    assert "--from" in ended.err


@pytest.mark.parametrize("name", ["x.nq.xz", "x.nq"])
def test_other_compression_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(lzma.compress(b"<urn:s> <urn:p> <urn:o> .\n"))
    ended = run("cat", name, cwd=tmp_path)
    assert (ended.code, "is compressed with xz" in ended.err) == (1, True)


@contextmanager
def followed(*arguments: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [*COMMAND, "cat", "--follow", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_lines(process: subprocess.Popen[bytes], count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline().decode() for _ in range(count)]


def end(process: subprocess.Popen[bytes]) -> None:
    """End the command with SIGINT, like Ctrl-C, and check that it prints nothing more."""
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=100) == (b"", b"")
    assert process.returncode == 128 + signal.SIGINT


def test_a_growing_text_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "x.rdfp"
    rows = TEXT.splitlines(keepends=True)
    path.write_text("".join(rows[:3]))
    with followed(path) as process:
        assert read_lines(process, 3) == rows[:3]
        with path.open("a") as file:
            # A row is printed as soon as it is complete.
            file.write(rows[3][:10])
            file.flush()
            file.write(rows[3][10:] + rows[4])
            file.flush()
            assert read_lines(process, 2) == rows[3:5]
        # The end of the file does not end an open transaction.
        end(process)


def test_a_file_that_becomes_shorter_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.rdfp"
    path.write_text(TEXT)
    with followed(path) as process:
        read_lines(process, 5)
        os.truncate(path, 3)
        _, err = process.communicate(timeout=100)
        assert f"{path}: the file became shorter" in err.decode()
        assert process.returncode == 1


@pytest.mark.skipif(not hasattr(select, "poll"), reason="the system has no poll")
@pytest.mark.parametrize("command", [("cat", "-f"), ("log", "list", "-f")], ids=" ".join)
def test_what_follows_ends_when_nobody_reads_it(command: tuple[str, ...], tmp_path: Path) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    log.append(b"TX . A <urn:s> <urn:p> <urn:o> . TC .", format="rdf-patch")
    process = subprocess.Popen(
        [*COMMAND, *command, log.path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=100) == 128 + signal.SIGPIPE
    assert process.stderr.read() == b""
    process.stderr.close()


def test_a_log_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = jr.PatchLog(path, create=True)
    statement = b"TX . A <urn:s> <urn:p> <urn:o%d> . TC ."
    log.append(statement % 1, format="rdf-patch")
    with followed("--predicate", "<urn:p>", path) as process:
        lines = read_lines(process, 4)
        assert "<urn:o1>" in lines[2]
        log.append(statement % 2, format="rdf-patch")
        lines = read_lines(process, 6)
        assert lines[0] == "Z .\n"
        assert "<urn:o2>" in lines[4]
        end(process)

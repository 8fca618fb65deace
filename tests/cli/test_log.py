"""Tests ``jellyp log``."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from jelly_rdflib.cli.log import DEFAULT_TIMEOUT
from jelly_rdflib.log import database
from tests.cli.support import run, run_well
from tests.live.http.support import served

SEEN = "uuid:4ad5bd1f-1a62-4b8f-ae0e-ac8d0ec4d6b4"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a log of three patches."""
    path = tmp_path / "log"
    log = jr.PatchLog.create(path)
    for i in range(3):
        patch = tmp_path / f"{i}.rdfp"
        patch.write_text(f"TX . A <urn:s> <urn:p> <urn:o{i}> . TC .")
        log.append(patch)
    return path


def rows(log: Path, *options: Any) -> list[dict[str, Any]]:
    shown = run_well("log", "list", "--json", log, *options).text
    return [json.loads(line) for line in shown.splitlines()]


def objects(data: str) -> list[str]:
    return sorted(line.split()[2] for line in data.splitlines())


def test_init(tmp_path: Path) -> None:
    run_well("log", "init", tmp_path / "a" / "log")
    again = run("log", "init", "a/log", cwd=tmp_path)
    assert (again.code, again.err.endswith("there is a patch log at a/log already\n")) == (2, True)
    run_well("log", "init", "--compression", "zst", tmp_path / "z")
    (tmp_path / "x.rdfp").write_text("TX . TC .")
    run_well("log", "append", tmp_path / "z", tmp_path / "x.rdfp")
    assert rows(tmp_path / "z")[0]["path"].endswith(".zst")


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    for arguments in (
        ("log", "list", "nolog"),
        ("subscribe", "http://localhost", "--log", "nolog"),
        ("subscribe", "nolog"),
        ("publish", "/dev/null", "nolog"),
        ("replica", "nolog", "copy"),
        ("replica", "-f", "nolog", "copy"),
    ):
        ended = run(*arguments, cwd=tmp_path)
        message = "there is no folder 'nolog': jellyp log init makes a log."
        assert (ended.code, message in ended.err) == (2, True)
    assert not list(tmp_path.iterdir())
    ended = run("log", "list", "ftp://x", cwd=tmp_path)
    assert (ended.code, "start with http:// or https://." in ended.err) == (2, True)


def test_append_prints_the_version_and_the_id(log: Path) -> None:
    text = f"H id <{SEEN}> . TX . TC ."
    ended = run_well("log", "append", log, "-", "--from", "rdf-patch", stdin=text.encode())
    assert ended.text == f"version 4: {SEEN}\n"
    assert rows(log)[-1]["id"] == SEEN


def test_append_after_another_patch_is_a_conflict(log: Path) -> None:
    path = log.with_name("0.rdfp")
    ended = run("log", "append", log, path, "--prev", SEEN)
    assert (ended.code, ended.out) == (1, b"")
    head = rows(log)[-1]["id"]
    assert SEEN in ended.err
    assert head in ended.err
    run_well("log", "append", log, path, "--prev", head)
    assert run("log", "append", log, path, "--prev", "nonsense").code == 2


def test_append_of_what_is_no_patch(log: Path) -> None:
    bad = log.with_name("bad.rdfp")
    bad.write_text("TX . A <urn:s> .")
    ended = run("log", "append", log, bad)
    assert ended.code == 1
    assert ended.err.startswith(f"jellyp: {bad}: ")
    statements = log.with_name("s.nq")
    statements.write_text("<urn:s> <urn:p> <urn:o> .\n")
    ended = run("log", "append", log, statements)
    assert ended.code == 2
    assert "has statements; a patch has changes: jellyp diff makes a patch" in ended.err
    assert len(rows(log)) == 3


def write_patches(path: Path, *prevs: Any) -> None:
    """Write a file of several patches, each of which adds an object and has prev as given."""
    with jr.PatchWriter(path) as writer:
        for i, prev in enumerate(prevs):
            if prev is not None:
                writer.write((jr.Op.H, "prev", URIRef(prev)))
            writer.write((jr.Op.A, URIRef("urn:s"), URIRef("urn:p"), URIRef(f"urn:n{i}"), None))
            writer.write((jr.Op.END,))


DIFF = b"TX . A <urn:a> <urn:b> <urn:c> . TC ."


def test_an_empty_diff_makes_no_version(log: Path) -> None:
    """This holds for each file format, and through a pipe."""
    data = log.with_name("old.nq")
    data.write_text("<urn:s> <urn:p> <urn:o> .\n")
    for name in ("none.jellyp", "none.rdfp", "none.rdfpb"):
        run_well("diff", data, data, "-o", log.with_name(name))
        ended = run("log", "append", log, log.with_name(name))
        assert (ended.code, ended.out) == (0, b"")
        assert ended.err == f"{log.with_name(name)}: nothing to append\n"
    printed = run_well("diff", data, data).out
    for options in ([], ["--from", "rdf-patch"]):
        ended = run("log", "append", log, "-", *options, stdin=printed)
        assert (ended.code, ended.err) == (0, "standard input: nothing to append\n")
    assert run("log", "append", "-q", log, "-", stdin=printed).err == ""
    assert len(rows(log)) == 3
    # Other commands that read changes also accept an empty diff.
    assert run_well("patch", "invert", stdin=printed).out == b""
    assert run_well("apply", data, "-", stdin=printed).text == data.read_text()


def test_append_sets_headers(log: Path) -> None:
    options = ("-H", "title=Lamps on", "--header", "by=Ann=Eve")
    text = b'H TITLE "old" . H where "here" . ' + DIFF
    run_well("log", "append", log, "-", "--from", "rdf-patch", *options, stdin=text)
    header = rows(log)[-1]["header"]
    del header["id"], header["prev"]
    assert header == {"title": "Lamps on", "by": "Ann=Eve", "where": "here"}
    for wrong in ("title", "=x", "prev=x", "ID=x"):
        assert run("log", "append", log, "-", "-H", wrong, stdin=text).code == 2


def test_undo_of_an_older_version(log: Path) -> None:
    undo = run_well("patch", "invert", stdin=run_well("cat", "--patch", "1..2", log).out).out
    refused = run("log", "append", log, "-", stdin=undo)
    assert (refused.code, len(rows(log))) == (1, 3)
    assert refused.err.endswith(", version 3: --prev newest appends it anyway\n")
    run_well("log", "append", log, "-", "--prev", "newest", stdin=undo)
    assert len(rows(log)) == 5
    assert objects(run_well("log", "checkout", log).text) == ["<urn:o2>"]


def test_a_log_is_brought_up_to_date_by_the_command_that_append_names(log: Path) -> None:
    mirror = log.with_name("mirror")
    run_well("log", "init", mirror)
    run_well("log", "append", mirror, log)
    run_well("log", "append", log, "-", "--from", "rdf-patch", stdin=DIFF)
    refused = run("log", "append", mirror, log)
    advice = f"jellyp subscribe {log} --log {mirror} appends only what is new"
    assert (refused.code, refused.err.endswith(f": {advice}\n")) == (1, True)
    run_well("subscribe", log, "--log", mirror, "--timeout", "0.5")
    assert [row["id"] for row in rows(mirror)] == [row["id"] for row in rows(log)]


def test_append_of_a_file_with_several_patches(log: Path) -> None:
    path = log.with_name("several.jellyp")
    write_patches(path, rows(log)[-1]["id"], None, None)
    ended = run_well("log", "append", log, path)
    assert [line.split(":")[0] for line in ended.text.splitlines()] == [
        *("version 4", "version 5", "version 6")
    ]
    shown = objects(run_well("log", "checkout", log, 5).text)
    assert shown == ["<urn:n0>", "<urn:n1>", "<urn:o0>", "<urn:o1>", "<urn:o2>"]


def test_append_stops_at_the_first_patch_at_fault(log: Path) -> None:
    path = log.with_name("several.jellyp")
    write_patches(path, None, SEEN, None)
    ended = run("log", "append", log, path, log.with_name("0.rdfp"))
    assert (ended.code, ended.out.count(b"\n")) == (1, 1)
    assert SEEN in ended.err
    assert len(rows(log)) == 4


def test_list(log: Path) -> None:
    assert [row["version"] for row in rows(log)] == [1, 2, 3]
    first, second, third = rows(log)
    assert second["prev"] == first["id"]
    for versions, expected in (
        ("2", [second]),
        ("2..", [second, third]),
        ("..2", [first, second]),
        ("1..3", [first, second, third]),
    ):
        assert rows(log, versions) == expected
    for arguments in (["0"], ["2..1"], ["2", "-n", 1], ["2", "-f"]):
        assert run("log", "list", log, *arguments).code == 2


def test_a_range_may_end_after_the_newest_version_but_not_start_there(log: Path) -> None:
    # Only an open-ended range may start at the next version; such a range is empty.
    assert [row["version"] for row in rows(log, "2..99")] == [2, 3]
    assert rows(log, "4..") == []
    for versions in ("9", "9..", "4..9"):
        for arguments in (("log", "list", log, versions), ("log", "squash", log, versions)):
            ended = run(*arguments)
            wanted = f"{log}: there is no version {versions[0]}: the last one is 3"
            assert (ended.code, ended.out, ended.err) == (1, b"", f"jellyp: {wanted}\n")
    ended = run("log", "squash", log, "4..")
    assert ended.err == "jellyp: there is no version 4; the log has 0 to 3\n"
    assert run_well("log", "squash", log, "2..9").text.startswith("versions 2 to 3: ")


def test_a_squashed_patch_is_in_the_range_of_each_of_its_versions(log: Path) -> None:
    run_well("log", "squash", log, "1..2")
    for versions in ("1", "2", "..2"):
        assert [row["version"] for row in rows(log, versions)] == [2]
    assert [row["version"] for row in rows(log, "2..3")] == [2, 3]
    # The message mentions the version that remains.
    ended = run("log", "checkout", log, "1")
    assert ended.err.endswith("were squashed into one patch, which makes version 2\n")


def test_a_line_says_when_who_and_what(log: Path) -> None:
    rows_of = 'A <urn:s> <urn:p> "a" . A <urn:s> <urn:p> "b" . D <urn:s> <urn:p> <urn:o0> .'
    text = f'H by "Ann" . H title "Fix lamps" . TX . {rows_of} TC .'
    run_well("log", "append", log, "-", "--from", "rdf-patch", stdin=text.encode())
    lines = run_well("log", "list", log).text.splitlines()
    entry = jr.PatchLog(log).entry(4)
    when = entry.time.strftime("%Y-%m-%d %H:%M:%S")
    assert re.split(" {2,}", lines[3]) == ["4", when, "+2 −1", "Ann", "Fix lamps"]  # noqa: RUF001
    row = rows(log, "4")[0]
    assert (row["added"], row["deleted"]) == (2, 1)
    assert (row["header"]["by"], row["header"]["title"]) == ("Ann", "Fix lamps")
    # A patch without a title is listed with its id.
    assert lines[0].split()[-1] == rows(log, "1")[0]["id"]
    run_well("log", "squash", log, "1..3")
    assert run_well("log", "list", log).text.startswith("1..3  ")


def test_verify(log: Path) -> None:
    assert run_well("validate", log).text == f"{log}: no faults; version 3, 0 snapshots\n"
    assert run_well("validate", "--quiet", log).out == b""
    run_well("log", "checkout", "--snapshot", log)
    assert "1 snapshot\n" in run_well("validate", "--deep", log).text
    segment = Path(rows(log)[1]["path"])
    data = bytearray(segment.read_bytes())
    data[-5] ^= 1
    segment.write_bytes(data)
    ended = run("validate", log)
    assert ended.code == 1
    assert str(segment) in ended.text
    assert "restore the file from a copy of the log" in ended.text
    assert ended.text.endswith(f"{log}: 1 error; version 3, 1 snapshot\n")
    assert ended.err == ""
    fault = json.loads(run("validate", "--json", log).text)
    assert (fault["file"], fault["severity"]) == (str(log), "error")
    (log / "log.db").write_text("no database")
    assert run("validate", log).code == 2


def test_checkout(log: Path) -> None:
    assert objects(run_well("log", "checkout", log).text) == ["<urn:o0>", "<urn:o1>", "<urn:o2>"]
    assert objects(run_well("log", "checkout", log, "1").text) == ["<urn:o0>"]
    assert run_well("log", "checkout", log, "0").text == ""
    out = log.with_name("out.jelly")
    run_well("log", "checkout", log, rows(log)[1]["id"], "-o", out)
    assert len(list(jr.read_statements(out))) == 2
    assert run("log", "checkout", log, "9").code == 1
    assert run("log", "checkout", log, "-o", log.with_name("out.jellyp")).code == 2


def test_replay_keeps_a_replica(log: Path) -> None:
    replica = log.with_name("replica")
    assert run_well("replica", log, replica, "--upto", "2").text == "version 0 to 2\n"
    assert run_well("replica", log, replica).text == "version 2 to 3\n"
    assert run_well("replica", log, replica).text == "version 3\n"
    (data,) = replica.glob("*.jelly")
    assert {o for _, _, o, *_ in jr.read_statements(data)} == {
        URIRef(f"urn:o{i}") for i in range(3)
    }


def test_snapshot_and_squash(log: Path) -> None:
    path = Path(run_well("log", "checkout", "--snapshot", log, "2").text.strip())
    assert len(list(jr.read_statements(path))) == 2
    assert run_well("log", "squash", log, "1..2").text.startswith("versions 1 to 2: ")
    assert [(row["first"], row["version"]) for row in rows(log)] == [(1, 2), (3, 3)]
    assert run("log", "checkout", log, "1").code == 1
    assert len(run_well("log", "checkout", log, "2").text.splitlines()) == 2
    assert run("log", "squash", log, "7..9").code == 1


@pytest.mark.parametrize(
    ("command", "begin"),
    [
        *(
            (command, "BEGIN IMMEDIATE")
            for command in ("append LOG ../0.rdfp", "checkout LOG --snapshot", "squash LOG 1..2")
        ),
        # No process can read during another process's commit.
        *((f"{name} LOG", "BEGIN EXCLUSIVE") for name in ("list", "checkout")),
    ],
)
def test_one_may_wait_for_a_shorter_time(log: Path, command: str, begin: str) -> None:
    name, _, *rest = command.split()
    arguments = [name, ".", *rest]
    with closing(sqlite3.connect(log / "log.db", isolation_level=None)) as other:
        other.execute(begin)
        ended = run("log", "--wait", "0", *arguments, cwd=log)
    assert ended.code == 1
    assert "was locked by other processes or threads for 0 seconds" in ended.err
    run_well("log", "--wait", "5", *arguments, cwd=log)


def test_the_time_out_is_that_of_python_by_default() -> None:
    """The default is defined in two places, so that `--help` need not import the log."""
    assert DEFAULT_TIMEOUT == database.DEFAULT_TIMEOUT


def test_the_newest_patches(log: Path) -> None:
    lines = run_well("log", "list", "-n", 2, log).text.splitlines()
    assert [line.split()[0] for line in lines] == ["2", "3"]
    found = json.loads(run_well("log", "list", "-n", 1, "--json", log).text)
    assert found == rows(log)[-1]


def test_a_log_on_a_server_is_an_input_as_its_folder_is(log: Path) -> None:
    commands = (["cat"], ["stats", "--json"], ["patch", "compact"], ["log", "list"])
    with served(log) as address:
        for arguments in commands:
            assert run_well(*arguments, address).text == run_well(*arguments, log).text.replace(
                str(log), address
            )
        refused = run("diff", address, address)
        assert (refused.code, "jellyp log checkout" in refused.err) == (2, True)
    for arguments in (("cat", address), ("log", "--wait", "1", "list", address)):
        ended = run(*arguments)
        assert (ended.code, ended.err.count(address)) == (1, 1)
        assert ended.err.endswith("refused: is jellyp log serve running there?\n")


def test_a_server_that_everybody_reaches_takes_tokens(log: Path) -> None:
    ended = run("log", "serve", log, "--host", "0.0.0.0")
    assert (ended.code, "give --tokens, or --no-tokens" in ended.err) == (2, True)
    for options in (["--key", log / "log.db"], ["--rate", "x"]):
        assert run("log", "serve", log, *options).code == 2

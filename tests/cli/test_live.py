"""Tests ``jellyp publish``, ``subscribe`` and ``replica`` with patch logs as transports."""

from __future__ import annotations

import json
import signal
import subprocess
import zlib
from collections.abc import Callable
from functools import partial
from itertools import count as numbers
from pathlib import Path
from typing import Any

import pytest
import zstandard

import jelly_rdflib as jr
from jelly_rdflib.cli import datasets, subscribe
from jelly_rdflib.live.log import LogSource
from tests.cli.support import COMMAND, ENVIRONMENT, run
from tests.faults.log.system_calls import run_and_kill
from tests.live.http.support import served
from tests.live.patches import patch_of


@pytest.fixture
def log(tmp_path: Path) -> jr.PatchLog:
    found = jr.PatchLog.create(tmp_path / "log")
    for number in range(3):
        found.append(patch_of(number))
    return found


def lines_of(data: Any) -> list[str]:
    return sorted(f"{s.n3()} {p.n3()} {o.n3()}" for s, p, o, _ in data.quads())


def jellyp(*arguments: str, code: int = 0) -> Any:
    ended = run(*arguments)
    assert ended.code == code, ended.err
    return ended


def start(*arguments: str) -> Any:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def test_publish_sends_each_patch_of_files_and_logs(log: jr.PatchLog, tmp_path: Path) -> None:
    other = jr.PatchLog.create(tmp_path / "other")
    path = tmp_path / "more.rdfp"
    patch_of(9).save(path)
    ended = jellyp("publish", str(log.path), str(path), str(other.path))
    assert ended.text == f"4 patches sent to {other.path}\n"
    other.refresh()
    assert other.version == 4
    assert lines_of(other.checkout(3)) == lines_of(log.checkout())


def test_subscribe_prints_rdf_patch(log: jr.PatchLog) -> None:
    ended = jellyp("subscribe", str(log.path), "--timeout", "0.2")
    found = jr.read_operations(ended.out, format="rdf-patch")
    assert [row for row in found if row[0] == jr.Op.A] == [patch_of(n)[1] for n in range(3)]


def test_subscribe_writes_a_file(log: jr.PatchLog, tmp_path: Path) -> None:
    out = tmp_path / "out.jellyp"
    arguments = ["subscribe", str(log.path), "--timeout", "0.2", "-o", str(out)]
    jellyp(*arguments)
    assert [len(patch) for patch in jr.read_patches(out)] == [4, 5, 5]
    assert "--overwrite" in jellyp(*arguments, code=2).err
    jellyp(*arguments, "--overwrite")


# These programs can decompress a file that is still growing.
_OPENERS: dict[str, Callable[[], Any]] = {
    "rdfp.gz": lambda: zlib.decompressobj(wbits=31),
    "rdfp.zst": lambda: zstandard.ZstdDecompressor().decompressobj(),
}


@pytest.mark.parametrize("ending", ["rdfp", *_OPENERS])
def test_what_is_acknowledged_is_in_the_file(
    log: jr.PatchLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    out = tmp_path / f"out.{ending}"
    versions = []

    def acknowledge(source: LogSource) -> None:
        versions.append(source.version)
        data = out.read_bytes()
        if ending in _OPENERS:
            data = _OPENERS[ending]().decompress(data)
        assert data.count(b"TC .\n") == (source.version or 0)

    monkeypatch.setattr(LogSource, "acknowledge", acknowledge)
    arguments = [str(log.path), "--timeout", "0.2", "-o", str(out), "--store-every", "0"]
    subscribe.command.main(arguments, standalone_mode=False)
    assert {1, 2, 3} <= {*versions}


def test_a_position_is_for_what_has_data(log: jr.PatchLog, tmp_path: Path) -> None:
    for more in ([], ["-o", str(tmp_path / "out.jellyp")], ["--log", str(tmp_path / "log")]):
        ended = jellyp("subscribe", str(log.path), "--position", "at", *more, code=2)
        assert "--position is for --apply" in ended.err


def test_subscribe_applies_and_goes_on(log: jr.PatchLog, tmp_path: Path) -> None:
    out = tmp_path / "copy.nq"
    arguments = ["subscribe", str(log.path), "--timeout", "0.2", "--apply", str(out), "--json"]
    first = jellyp(*arguments)
    assert [json.loads(line)["patch"] for line in first.text.splitlines()] == [1, 2, 3]
    log.append(patch_of(3))
    second = jellyp(*arguments)
    assert len(second.text.splitlines()) == 1
    assert len(out.read_text().splitlines()) == 4


def test_followers_refuse_a_patch_that_changes_nothing(log: jr.PatchLog, tmp_path: Path) -> None:
    """With ``--strict``, earlier patches are applied, and the error names the refused patch."""
    log.append(patch_of(0))
    source, copy = str(log.path), tmp_path / "copy.nq"
    strictly = ["--timeout", "0.2", "--strict"]
    for _ in range(2):
        ended = jellyp("subscribe", source, *strictly, "--apply", str(copy), code=1)
        assert f"{source}: the patch at 4 {log.head.id}: operation" in ended.err
        assert len(copy.read_text().splitlines()) == 3
    followed = tmp_path / "followed"
    ended = jellyp("replica", "-f", source, str(followed), *strictly, code=1)
    assert f"the patch at 4 {log.head.id}: operation" in ended.err
    assert jr.Replica(followed).version == 3
    replayed = tmp_path / "replayed"
    ended = jellyp("replica", "--strict", source, str(replayed), code=1)
    assert "version 4, operation" in ended.err
    assert jr.Replica(replayed).version == 0
    jellyp("replica", source, str(replayed))
    assert jr.Replica(replayed).version == 4


def test_a_position_of_another_source_is_refused(log: jr.PatchLog, tmp_path: Path) -> None:
    out = str(tmp_path / "copy.nq")
    jellyp("subscribe", str(log.path), "--timeout", "0.2", "--apply", out)
    other = jr.PatchLog.create(tmp_path / "other")
    ended = jellyp("subscribe", str(other.path), "--timeout", "0.2", "--apply", out, code=2)
    assert "has a position in" in ended.err
    (tmp_path / "copy.nq.position").write_text("[]")
    ended = jellyp("subscribe", str(log.path), "--timeout", "0.2", "--apply", out, code=1)
    assert "is damaged" in ended.err


def test_a_copy_that_is_gone_is_not_begun_in_the_middle(log: jr.PatchLog, tmp_path: Path) -> None:
    out = tmp_path / "copy.nq"
    arguments = ["subscribe", str(log.path), "--timeout", "0.2", "--apply", str(out)]
    jellyp(*arguments)
    out.unlink()
    log.append(patch_of(3))
    assert "is gone" in jellyp(*arguments, code=2).err
    assert not out.exists()


def test_a_copy_that_is_killed_anywhere_has_each_patch_once(
    log: jr.PatchLog, tmp_path: Path
) -> None:
    killed_at = []
    for turn in numbers():
        out = tmp_path / f"{turn}.nq"
        arguments = [str(log.path), "--apply", str(out), "--store-every", "0", "--timeout"]
        work = partial(subscribe.command.main, [*arguments, "5"], standalone_mode=False)
        killed_at.append(run_and_kill(work, turn))
        before = len(out.read_text().splitlines()) if out.exists() else 0
        told = jellyp("subscribe", *arguments, "0.05", "--json").text.splitlines()
        rows = [json.loads(each) for each in told]
        versions = [int(row["position"].split()[0]) for row in rows]
        assert versions == list(range(before + 1, before + 1 + len(rows)))
        assert not rows or len(out.read_text().splitlines()) == versions[-1]
        if not killed_at[-1]:
            break
    assert killed_at.count("replace") == 3


def test_of_two_that_apply_to_a_file_only_one_stores(
    log: jr.PatchLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "copy.nq"
    arguments = [str(log.path), "--timeout", "2", "--apply", str(out), "--store-every", "0"]
    save, kept = datasets.save, [""]

    def save_after_another(*found: Any) -> None:
        monkeypatch.undo()
        jellyp("subscribe", *arguments)
        kept.append(out.read_text())
        save(*found)

    for number in range(2):
        log.append(patch_of(3 + number))
        monkeypatch.setattr(datasets, "save", save_after_another)
        with pytest.raises(jr.LogConflict, match="only one can follow a source"):
            subscribe.command.main(arguments, standalone_mode=False)
        assert out.read_text() == kept[-1] != kept[-2]
        names = {path.name for path in tmp_path.iterdir()}
        assert names == {"log", "copy.nq", "copy.nq.position"}


def test_subscribe_appends_to_a_log_and_goes_on(log: jr.PatchLog, tmp_path: Path) -> None:
    copy = jr.PatchLog.create(tmp_path / "copy")
    arguments = ["subscribe", str(log.path), "--timeout", "0.2", "--log", str(copy.path)]
    jellyp(*arguments)
    log.append(patch_of(3))
    jellyp(*arguments)
    copy.refresh()
    assert [entry.id for entry in copy.patches()] == [entry.id for entry in log.patches()]
    assert lines_of(copy.checkout()) == lines_of(log.checkout())


def test_a_signal_ends_a_replica_that_keeps_its_position(log: jr.PatchLog, tmp_path: Path) -> None:
    folder = tmp_path / "replica"
    with served(log.path) as address:
        process = start("replica", "-f", address, str(folder), "--store-every", "600")
        for _ in range(3):
            process.stdout.readline()
        log.append(patch_of(3))
        assert process.stdout.readline() == "version 4: 5 operations\n"
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (128 + signal.SIGTERM, "", "")
        assert jr.Replica(folder).version == 4
        ended = jellyp("replica", "-f", "--timeout", "0.2", address, str(folder), "--json")
        assert ended.text == ""


@pytest.mark.parametrize("follow", [[], ["-f"]])
def test_a_replica_of_another_log(log: jr.PatchLog, tmp_path: Path, follow: list[str]) -> None:
    other = jr.PatchLog.create(tmp_path / "other")
    other.append(patch_of(9))
    jr.Replica(tmp_path / "copy").update(other)
    with served(log.path) as address:
        ended = jellyp("replica", *follow, address, str(tmp_path / "copy"), code=1)
    assert "the replica may be of another log" in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["publish", "/dev/null", "nats://x/y"], "there is no transport"),
        (["replica", "mqtt://x/y", "copy"], "-f follows a broker or server"),
        (["replica", "-f", "--upto", "2", "{log}", "copy"], "--upto and -f exclude each other"),
        (["replica", "--json", "{log}", "copy"], "--json are for -f"),
        (["subscribe", "kafka://me:pw@x/y"], "has a user name or a password"),
        (["subscribe", "{log}", "--setting", "colour=red"], "no setting 'colour'"),
        (["subscribe", "{log}", "--setting", "tokn=x"], "no setting 'tokn'; did you mean 'token'?"),
        (["subscribe", "{log}", "--setting", "timeout=1"], "timeout can't be given as a setting"),
        (
            ["publish", "/dev/null", "{log}", "--setting", "url=x"],
            "url can't be given as a setting",
        ),
        (
            ["replica", "-f", "{log}", "{log}-", "--setting", "limits=1"],
            "limits can't be given as a setting",
        ),
        (["publish", "/dev/null", "{log}", "--setting", "timeout=1"], "no setting 'timeout'"),
        (["subscribe", "{log}", "--setting", "colour"], "NAME=VALUE"),
        (["subscribe", "{log}", "--log", "{log}", "--apply", "y.nq"], "exclude one another"),
        (["subscribe", "{log}", "--strict", "--log", "{log}"], "--strict is for --apply to a file"),
        (["subscribe", "{log}", "--strict", "--apply", "http://localhost/x"], "to a file"),
    ],
)
def test_what_is_wrong_with_a_call_is_said(
    log: jr.PatchLog, arguments: list[str], message: str
) -> None:
    ended = jellyp(*[each.format(log=log.path) for each in arguments], code=2)
    assert message in ended.err
    assert "pw" not in ended.err

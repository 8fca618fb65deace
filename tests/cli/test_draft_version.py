"""``jellyp`` and a file of Jelly-RDF 1.2: what it shows of it, and how it ends."""

import json
from pathlib import Path

import pytest

from tests.cli.support import run
from tests.core.jelly.draft_streams import DRAFT_STREAMS, REFUSAL, DraftStream

streams = pytest.mark.parametrize("stream", DRAFT_STREAMS.values(), ids=DRAFT_STREAMS)


@streams
def test_inspect(stream: DraftStream, tmp_path: Path) -> None:
    path = tmp_path / "x.jelly"
    path.write_bytes(stream.data)
    ended = run("inspect", path)
    assert (ended.code, ended.err) == (
        1,
        f"jellyp: {path}: {REFUSAL} (byte {stream.offset}, frame 0, row 0)\n",
    )
    lines = [line.split() for line in ended.text.splitlines()]
    for name, value in stream.options.items():
        assert [name, *str(value).split()] in lines
    ended = run("inspect", "--json", stdin=stream.data)
    assert (ended.code, json.loads(ended.out)["draft_options"]) == (1, stream.options)
    assert REFUSAL in ended.err


@streams
def test_validate(stream: DraftStream, tmp_path: Path) -> None:
    path = tmp_path / "x.jelly"
    path.write_bytes(stream.data)
    ended = run("validate", "--json", path)
    assert ended.code == 1
    [fault] = map(json.loads, ended.text.splitlines())
    assert (fault["rule"], fault["severity"]) == ("version-tag", "error")
    physical = stream.options["physical_type"]
    assert fault["message"].startswith(f"{REFUSAL}; its options are physical_type {physical}, ")
    ended = run("validate", stdin=stream.data)
    assert ended.code == 1
    assert f"error: {REFUSAL}; its options are physical_type {physical}, " in ended.text


@streams
@pytest.mark.parametrize(
    "command", [["cat"], ["stats"], ["inspect", "--frames"], ["convert", "-", "-", "--to", "nq"]]
)
def test_what_reads_rows(command: list[str], stream: DraftStream) -> None:
    ended = run(*command, stdin=stream.data)
    assert ended.code == 1
    assert f"{REFUSAL} (byte {stream.offset}, frame 0, row 0)\n" in ended.err


def test_transcode(tmp_path: Path) -> None:
    path, out = tmp_path / "x.jelly", tmp_path / "y.jelly"
    path.write_bytes(DRAFT_STREAMS["two-frames"].data)
    ended = run("transcode", path, "-o", out)
    assert (ended.code, out.exists()) == (1, False)
    assert REFUSAL in ended.err

"""Tests ``jellyp inspect``."""

import gzip
import json
from pathlib import Path

import pytest

import jelly_rdflib as jr
from tests.cli.support import OPERATIONS, encode, run, run_well


def test_as_json(source: Path) -> None:
    assert json.loads(run_well("inspect", "--json", source).out) == jr.inspect(source).as_dict()


def test_as_tables(source: Path) -> None:
    shown = run_well("inspect", source).text
    lines = [line.split() for line in shown.splitlines()]
    report = jr.inspect(source)
    assert lines[0] == [str(source)]
    assert f"jelly-patch: {report.size:,} bytes" in shown
    assert f"2 frames, the largest of {report.largest_frame} bytes" in shown
    assert "2 patches, transactions: 1 committed, 1 aborted" in shown
    assert ["stream_type", "PUNCTUATED"] in lines
    assert ["rdf_star", "no"] in lines
    size = report.rows["statement_add"].size
    assert ["statement_add", "3", str(size), f"{100 * size / report.size:.1f}", "%"] in lines
    names = report.lookups["name"]
    assert ["name", "4,000", *[str(names.entries)] * 2, "0", "0"] == lines[
        next(n for n, line in enumerate(lines) if line[:2] == ["name", "4,000"])
    ][:6]
    assert ["language_literal", "1"] in lines
    assert ["TX", "2"] in lines
    assert "\x1b" not in shown


def test_frame_by_frame(tmp_path: Path) -> None:
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode(frame_rows=3))
    frames = [frame.as_dict() for frame in jr.inspect_frames(path)]
    assert len(frames) > 3
    shown = run_well("inspect", "--frames", path).text.splitlines()
    columns = ["frame", "offset", "bytes", "rows", "entries", "statements", "metadata"]
    assert shown[0].split() == columns
    assert [list(map(int, line.split()))[:6] for line in shown[1:]] == [
        [frame[key] for key in ("number", "offset", "size", "rows", "entries", "statements")]
        for frame in frames
    ]
    shown = run_well("inspect", "--frames", "--json", path).text.splitlines()
    assert list(map(json.loads, shown)) == frames


def test_compressed_standard_input() -> None:
    data = gzip.compress(encode())
    shown = json.loads(run_well("inspect", "--json", stdin=data).out)
    assert (shown["format"], shown["compression"]) == ("jelly-patch", "gzip")
    assert (shown["stored_size"], shown["size"]) == (len(data), len(encode()))
    assert f"{len(data)} bytes as gzip" in run_well("inspect", stdin=data).text


@pytest.mark.parametrize("format", ["rdf-patch-thrift", "n-quads"])
def test_formats_without_frames(format: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    if format == "n-quads":
        path.write_text("<urn:s> <urn:p> <urn:o> .\n")
    else:
        path.write_bytes(encode(OPERATIONS, format))
    report = json.loads(run_well("inspect", "--from", format, "--json", path).out)
    assert report["format"] == format
    assert report["size"] == path.stat().st_size
    assert report["statements"] == (1 if format == "n-quads" else 4)
    ended = run("inspect", "--from", format, "--frames", path)
    assert ended.code == 2
    assert f"{format} has no frames" in ended.err


@pytest.mark.parametrize("arguments", [[], ["--json"], ["--frames"], ["--frames", "--json"]])
def test_what_comes_before_an_error_is_shown(arguments: list[str], tmp_path: Path) -> None:
    path = tmp_path / "x.jellyp"
    path.write_bytes(encode(frame_rows=3)[:-3])
    report = jr.inspect(path)
    assert report.error is not None
    ended = run("inspect", *arguments, path)
    assert ended.code == 1
    assert ended.err == f"jellyp: {report.error}\n"
    if arguments == ["--json"]:
        assert json.loads(ended.out) == report.as_dict()
    elif arguments:
        assert len(ended.text.splitlines()) == report.frames + (arguments == ["--frames"])
    else:
        assert f"{report.frames} frames" in ended.text


def test_several_files_make_one_summary(source: Path, tmp_path: Path) -> None:
    text = tmp_path / "x.rdfp"
    text.write_text("TX .\nA <urn:s> <urn:p> <urn:o> .\nTC .\n")
    single = json.loads(run_well("inspect", "--json", source).text)
    found = json.loads(run_well("inspect", "--json", source, text, source).text)
    assert found["files"][0] == {"file": str(source), **single}
    assert found["total"]["statements"] == 2 * single["statements"] + 1
    assert found["total"]["size"] == 2 * single["size"] + text.stat().st_size
    shown = run_well("inspect", source, text).text
    assert str(text) in shown
    assert "2 files" in shown


def test_an_error_in_one_of_several_files_is_told_behind_the_summary(
    source: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.rdfp"
    bad.write_text("TX .\nX .\n")
    ended = run("inspect", bad, source)
    assert ended.code == 1
    assert "2 files" in ended.text
    assert ended.err.startswith(f"jellyp: {bad}: ")
    assert run("inspect", "--frames", source, source).code == 2

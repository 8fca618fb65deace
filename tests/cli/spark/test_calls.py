"""Tests the commands' calls to the pipelines and to Spark, without a session."""

from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, call

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("pyspark")
from jelly_rdflib.cli.spark import command, session
from jelly_rdflib.cli.spark.job import Job
from jelly_rdflib.spark import pipeline
from jelly_rdflib.spark.pipeline import MARKS, quad_table
from jelly_rdflib.spark.pipeline.quad_table import TableState


class Calls:
    """Stands in for Spark and the pipelines, and records their calls."""

    replay: MagicMock
    diff: MagicMock
    compact: MagicMock
    maintain: MagicMock

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started = MagicMock()
        self.spark = self.started.return_value
        monkeypatch.setattr(session, "_start", self.started)
        reader = self.spark.read.format.return_value.options.return_value
        self.changes = reader.load.return_value
        self.marks = reader.option.return_value.load.return_value
        self.changes.sparkSession = self.spark
        for name in ("replay", "diff", "compact", "maintain"):
            setattr(self, name, MagicMock())
            monkeypatch.setattr(pipeline, name, getattr(self, name))
        table = MagicMock()
        self.last = table.return_value.last
        self.last.return_value = (7, TableState(1234, "<urn:1>", "q", 6))
        monkeypatch.setattr(quad_table, "QuadTable", table)
        self.written: list[Any] = []
        monkeypatch.setattr(Job, "write", lambda job, made: self.written.append(made))

    def invoke(self, *arguments: Any, code: int = 0) -> Result:
        result = CliRunner().invoke(command, list(map(str, arguments)))
        assert result.exit_code == code, result.output
        return result


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


def test_replay(calls: Calls) -> None:
    calls.invoke("replay", "x.jellyp")
    calls.invoke("replay", "x.jellyp", "--upto", 3, "--base", "base.parquet")
    calls.invoke("replay", "x.jellyp", "--upto", "b", "--order-by", "file")
    base = calls.spark.read.format.return_value.load
    calls.spark.read.format.assert_any_call("parquet")
    base.assert_called_once_with("base.parquet")
    assert calls.replay.mock_calls == [
        call(calls.changes, None, None, None, marks=calls.marks),
        call(calls.changes, base.return_value, 3, None, marks=calls.marks),
        call(calls.changes, None, "b", "file", marks=calls.marks),
    ]
    assert calls.written == [calls.replay.return_value] * 3


def test_diff(calls: Calls) -> None:
    calls.replay.side_effect = lambda changes, base, upto, by, marks: (upto, by, marks)
    calls.invoke("diff", "x.jellyp")
    calls.invoke("diff", "x.jellyp", "--old", 2, "--new", "uuid:1")
    calls.invoke("diff", "x.jellyp", "--old", "a", "--order-by", "file")
    assert calls.diff.mock_calls == [
        call((0, None, calls.marks), (None, None, calls.marks)),
        call((2, None, calls.marks), ("uuid:1", None, calls.marks)),
        call(("a", "file", calls.marks), (None, "file", calls.marks)),
    ]
    assert calls.written == [calls.diff.return_value] * 3
    refused = calls.invoke("diff", "x.jellyp", "--order-by", "file", code=2)
    assert "--old has to be given" in refused.output


def test_compact(calls: Calls) -> None:
    calls.invoke("compact", "x.jellyp", "--after", "urn:1")
    calls.invoke("compact", "x.jellyp", "--order-by", "file")
    assert calls.compact.mock_calls == [
        call(calls.changes, None, marks=calls.marks, after="urn:1"),
        call(calls.changes, "file", marks=calls.marks, after=None),
    ]
    assert calls.written == [calls.compact.return_value] * 2
    refused = calls.invoke("compact", "x", "--order-by", "file", "--after", "urn:1", code=2)
    assert "which --order-by does not use" in refused.output


def test_ingest(calls: Calls) -> None:
    arguments = ["ingest", "in", "table", "--checkpoint", "state"]
    assert calls.invoke(*arguments).output == "patches: 1,234\n"
    read = calls.spark.readStream.format
    read.assert_called_once_with("jelly-patch")
    reader = read.return_value.options.return_value
    reader.option.assert_not_called()
    reader.load.assert_called_once_with("in")
    calls.invoke(*arguments, "--max-files", 3, "--follow", "--order-by", "file")
    reader.option.assert_called_once_with("maxFilesPerTrigger", 3)
    few = reader.option.return_value.load
    assert [each for each in calls.maintain.mock_calls if each[0] == ""] == [
        call(
            reader.load.return_value,
            "table",
            "state",
            order_by=None,
            trigger={"availableNow": True},
        ),
        call(few.return_value, "table", "state", order_by="file", trigger=None),
    ]
    assert calls.maintain.return_value.awaitTermination.call_count == 2
    calls.invoke(*arguments, "--max-files", 0, code=2)
    # There was nothing to ingest. If a column determines the order, patches are not counted.
    calls.last.return_value = (0, None)
    assert calls.invoke(*arguments).output == "patches: 0\n"
    calls.last.return_value = (1, TableState(None, None, "q", 0))
    assert calls.invoke(*arguments, "--order-by", "file").output == ""
    settings = calls.started.call_args.args[1]
    assert settings["spark.sql.extensions"] == "io.delta.sql.DeltaSparkSessionExtension"


def test_delta_lake_for_a_base(calls: Calls, tmp_path: Path) -> None:
    """A session loads Delta Lake only for a Delta table."""
    for is_delta in (False, True):
        calls.invoke("replay", "x.jellyp", "--base", tmp_path)
        settings = calls.started.call_args.args[1]
        assert ("spark.sql.extensions" in settings) == is_delta
        calls.spark.read.format.assert_any_call("delta" if is_delta else "parquet")
        (tmp_path / "_delta_log").mkdir(exist_ok=True)


def test_limits_of_each_input(calls: Calls) -> None:
    """The limits become reader options for changes, a base and a stream."""
    for name, *more in (
        ["replay", "x", "--base", "base.jelly"],
        ["diff", "x"],
        ["compact", "x"],
        ["ingest", "in", "table", "--checkpoint", "state"],
    ):
        for read in (calls.spark.read, calls.spark.readStream):
            read.format.return_value.options.reset_mock()
        calls.invoke(name, *more, "--limit", "max_string_size=4")
        asked = [
            each.kwargs["max_string_size"]
            for read in (calls.spark.read, calls.spark.readStream)
            for each in read.format.return_value.options.call_args_list
        ]
        assert asked == [4] * (2 if "--base" in more else 1), name


def test_options_of_each_command(calls: Calls, tmp_path: Path) -> None:
    several = ("--conf", "a=b", "--conf", "c=d", "--spark-log", tmp_path / "log")
    calls.invoke("compact", "x", "y", "--from", "rdf-patch", "--master", "spark://x", *several)
    master, settings, log = calls.started.call_args.args
    assert (master, settings["a"], settings["c"], log) == (
        "spark://x",
        "b",
        "d",
        str(tmp_path / "log"),
    )
    calls.spark.read.format.assert_called_once_with("rdf-patch")
    reader = calls.spark.read.format().options()
    reader.load.assert_called_once_with(["x", "y"])
    reader.option.assert_called_once_with("op", MARKS)
    reader.option().load.assert_called_once_with(["x", "y"])
    calls.spark.stop.assert_called_once_with()
    calls.invoke("compact", "x", "-o", tmp_path, "--overwrite")
    for refused in (
        ["--from", "nq"],
        ["--spark-log", tmp_path],
        ["-o", "y", "--to", "nq"],
        ["-o", tmp_path],
    ):
        calls.invoke("compact", "x", *refused, code=2)
    assert len(calls.written) == 2

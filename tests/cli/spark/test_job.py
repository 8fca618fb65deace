"""Tests the sources, sinks and settings of commands on Spark, without a session."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import click
import pytest

pytest.importorskip("pyspark")
from py4j.protocol import Py4JError
from pyarrow.fs import LocalFileSystem
from pyspark.errors import AnalysisException
from pyspark.sql import Row

import jelly_rdflib as jr
from jelly_rdflib.cli.spark import job as module
from jelly_rdflib.cli.spark import session
from jelly_rdflib.cli.spark.job import OF_CHANGES, OF_QUADS, Job, format_of, load_quads
from jelly_rdflib.cli.spark.session import open_session


def job(formats: tuple[str, ...], output: Any, **options: Any) -> Job:
    given = {"paths": ["x.jellyp"], "to": None, "overwrite": False, "from_": None}
    return Job(formats, output=str(output), **{**given, "order_by": None, **options})


@pytest.mark.parametrize(
    ("formats", "name", "to", "expected"),
    [
        (OF_QUADS, "x", None, ("parquet",)),
        (OF_QUADS, "x.parquet", None, ("parquet",)),
        (OF_QUADS, "x.jelly/", None, ("format", "jelly")),
        (OF_QUADS, "x.jelly", "parquet", ("parquet",)),
        # Jelly-Patch is a format for changes.
        (OF_QUADS, "x.jellyp", None, ("parquet",)),
        (OF_CHANGES, "x.jellyp", None, ("format", "jelly-patch")),
        (OF_CHANGES, "x", "rdfp", ("format", "rdf-patch")),
        (OF_CHANGES, "x.jelly", None, ("parquet",)),
    ],
)
@pytest.mark.parametrize("overwrite", [False, True])
def test_where_a_table_is_written(
    tmp_path: Path, formats: Any, name: str, to: str | None, expected: Any, overwrite: bool
) -> None:
    output = f"{tmp_path}/{name}"
    table = MagicMock()
    job(formats, output, to=to, overwrite=overwrite).write(table)
    source = table
    if formats == OF_CHANGES and len(expected) == 2:
        # A patch is written to a single file.
        table.repartition.assert_called_once_with(1)
        source = table.repartition()
    if len(expected) == 2:
        source.write.format.assert_called_once_with(expected[1])
        writer = source.write.format()
        writer.mode.assert_called_once_with("overwrite" if overwrite else "append")
        writer.mode().save.assert_called_once_with(output)
    else:
        source.write.mode.assert_called_once_with("overwrite" if overwrite else "errorifexists")
        source.write.mode().parquet.assert_called_once_with(output)


def test_a_folder_of_a_store_is_not_written_to_by_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = LocalFileSystem(), str(tmp_path)
    monkeypatch.setattr("jelly_rdflib.spark.storage.connect", lambda start, settings: made)
    (tmp_path / "x.jelly").mkdir()
    output, table = "s3a://bucket/x.jelly", MagicMock()
    with pytest.raises(click.UsageError, match=f"{output} already exists: --overwrite"):
        job(OF_QUADS, output).write(table)
    assert not table.write.mock_calls
    job(OF_QUADS, output, overwrite=True).write(table)
    table.write.format().mode().save.assert_called_once_with(output)


def test_outputs_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match="standard output is text"):
        job(OF_QUADS, "-", to="nq")
    job(OF_QUADS, "-")
    with pytest.raises(click.UsageError, match="already exists: --overwrite replaces it"):
        job(OF_QUADS, tmp_path)
    jr.PatchLog.create(tmp_path / "log").close()
    with pytest.raises(click.UsageError, match="the file is on another host"):
        job(OF_QUADS, "file://host/data")
    for url in ((tmp_path / "log").as_uri(), f"{tmp_path}/log/segments/"):
        with pytest.raises(jr.LogError, match="is a patch log"):
            job(OF_QUADS, url, overwrite=True)
    with pytest.raises(jr.LogError, match="is a patch log: write to another folder"):
        job(OF_QUADS, tmp_path / "log", overwrite=True)
    job(OF_QUADS, tmp_path, overwrite=True)


def test_a_patch_is_shown_by_groups_of_rows(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(module, "_ROWS", 2)
    operations = [("TX", None), ("A", '"1"'), ("D", '"2"'), ("A", '"3"'), ("TC", None)]
    rows = [
        Row(op=op, s=o and "<urn:s>", p=o and "<urn:p>", o=o, g=None, name=None)
        for op, o in operations
    ]
    table = MagicMock(columns=["op", "s", "p", "o", "g", "name"])
    table.toLocalIterator.return_value = rows
    job(OF_CHANGES, "-").write(table)
    assert capsysbinary.readouterr().out.decode().splitlines() == [
        "TX .",
        'A <urn:s> <urn:p> "1" .',
        'D <urn:s> <urn:p> "2" .',
        'A <urn:s> <urn:p> "3" .',
        "TC .",
    ]


def test_quads_are_lines_of_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(module, "_lines", lambda table: table.lines)
    table = MagicMock()
    table.lines.toLocalIterator.return_value = [Row(value='<urn:s> <urn:p> "é" .')] * 2
    job(OF_QUADS, "-").write(table)
    assert capsysbinary.readouterr().out.decode() == '<urn:s> <urn:p> "é" .\n' * 2
    for overwrite, mode in ((False, "errorifexists"), (True, "overwrite")):
        job(OF_QUADS, tmp_path / "x.nq", overwrite=overwrite).write(table)
        table.lines.write.mode.assert_called_with(mode)
        table.lines.write.mode().text.assert_called_with(f"{tmp_path}/x.nq")


def test_the_format_of_the_input() -> None:
    assert [format_of(name, None) for name in ("a", "a.jellyp.gz", "a.rdfp")] == [
        "jelly-patch",
        "jelly-patch",
        "rdf-patch",
    ]
    assert format_of("a.nq", "rdf-patch") == "rdf-patch"
    with pytest.raises(click.UsageError, match=r"a\.jelly: Spark reads changes as jelly-patch or"):
        format_of("a.jelly", None)


def test_tables_of_quads_by_their_names(tmp_path: Path) -> None:
    spark = MagicMock()
    (tmp_path / "_delta_log").mkdir()
    # The limits come from the command's context.
    with click.Context(click.Command("x")) as context:
        context.meta["limits"] = jr.Limits()
        for path, format in ((str(tmp_path), "delta"), (f"{tmp_path}/x", "parquet")):
            assert load_quads(spark, path) is spark.read.format.return_value.load.return_value
            spark.read.format.assert_called_with(format)
        for name in ("x.jelly", "x.jelly/"):
            found = load_quads(spark, f"{tmp_path}/{name}")
            assert found is spark.read.format.return_value.options.return_value.load.return_value
            spark.read.format.assert_called_with("jelly")


class Builder:
    """Stands in for PySpark's session builder; Java writes to standard error when it starts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
        self.spark = MagicMock()
        self.error = error
        self.registered: list[Any] = []
        self.settings: dict[str, str] = {}
        monkeypatch.setattr("pyspark.sql.SparkSession", MagicMock(builder=self))
        monkeypatch.setattr("jelly_rdflib.spark.session.prepare_environment", lambda: None)
        monkeypatch.setattr("jelly_rdflib.spark.register", self.registered.append)

    def config(self, key: str, value: str) -> Builder:
        self.settings[key] = value
        return self

    def master(self, name: str) -> Builder:
        self.settings = {"master": name}
        return self

    def appName(self, name: str) -> Builder:
        return self

    def getOrCreate(self) -> Any:
        os.write(2, b"a line of Java\n")
        if self.error is not None:
            raise self.error
        return self.spark


def test_a_session_is_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    built = Builder(monkeypatch)
    with open_session(None, ["a=b=c", "spark.ui.enabled=true"], None) as spark:
        assert spark is built.spark
        spark.stop.assert_not_called()
    built.spark.stop.assert_called_once_with()
    assert built.registered == [built.spark]
    here = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    given = {"master": "local[*]", "a": "b=c", "spark.ui.enabled": "true"}
    assert built.settings.items() >= {**here, **given}.items()
    for _ in range(2):
        with open_session("spark://x", [], str(tmp_path / "log")):
            assert built.settings["master"] == "spark://x"
            assert "spark.driver.host" not in built.settings
            assert built.settings["spark.ui.enabled"] == "false"
    assert (tmp_path / "log").read_text() == "a line of Java\n" * 2
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"
    with (
        pytest.raises(click.UsageError, match="a setting has the form KEY=VALUE, unlike 'a'"),
        open_session(None, ["a"], None),
    ):
        pass


TRACEBACK = """Job aborted
Traceback (most recent call last):
  File "a.py", line 1
KeyError: 'first'

The above exception was the direct cause:
ValueError: second

The above exception was the direct cause:
{last}

\tat org.apache.spark
"""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (AnalysisException("  what\nwhere"), "what"),
        (Py4JError(TRACEBACK.format(last="jelly_rdflib.errors.DecodeError: bad: x")), "bad: x"),
        (Py4JError(TRACEBACK.format(last="OSError: [Errno 1] x")), "OSError: [Errno 1] x"),
        (ValueError("a\nb"), "a\nb"),
        (RuntimeError("no Delta Lake"), "no Delta Lake"),
    ],
)
def test_errors_are_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    built = Builder(monkeypatch)
    with (
        click.Context(click.Command("x")),
        pytest.raises(click.ClickException) as caught,
        open_session(None, [], None),
    ):
        raise error
    assert caught.value.message == message
    built.spark.stop.assert_called_once_with()


def test_delta_lake(monkeypatch: pytest.MonkeyPatch) -> None:
    """The jars of Delta Lake come from Maven Central, unless a setting names jars."""
    Builder(monkeypatch)
    added = MagicMock()
    monkeypatch.setattr("delta.configure_spark_with_delta_pip", added)
    for conf, is_added in (
        ([], True),
        (["spark.jars=x"], False),
        (["spark.jars.packages=x"], False),
    ):
        added.reset_mock()
        with open_session(None, conf, None, has_delta=True):
            assert added.called == is_added
    with open_session(None, [], None):
        assert not added.called
    monkeypatch.setitem(sys.modules, "delta", None)
    with (
        pytest.raises(ImportError, match=r"Delta Lake table needs delta: pip install"),
        open_session(None, [], None, has_delta=True),
    ):
        pass


def test_no_java_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("no Java")

    monkeypatch.setattr("jelly_rdflib.spark.session.prepare_environment", fail)
    with pytest.raises(click.ClickException, match=r"^no Java$"), open_session(None, [], None):
        pass
    for missing in ("pyspark.sql", "pyarrow"):
        monkeypatch.setitem(sys.modules, missing, None)
        with (
            pytest.raises(ImportError, match=rf"^this needs {missing}: pip install '.*\[spark\]'"),
            open_session(None, [], None),
        ):
            pass


def test_a_session_that_cant_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    error = Py4JError("An error occurred while calling o1.x")
    for expected in ("An error occurred while calling o1.x", "no such master"):
        Builder(monkeypatch, error)
        with (
            pytest.raises(
                click.ClickException,
                match=rf"^Spark can't be started on x: {expected} \(see its log: --spark-log\)$",
            ),
            open_session("x", [], None),
        ):
            pass
        # Java's message takes precedence over Py4J's.
        error.java_exception = MagicMock()
        error.java_exception.getMessage.return_value = " no such master\n\tat org.apache.spark"


def test_what_waits_to_be_written_goes_where_it_was_meant_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    free = os.dup(2)
    os.close(free)
    with open(2, "w", closefd=False) as file:
        monkeypatch.setattr(sys, "stderr", file)
        file.write("before ")
        with session._standard_error_to(str(tmp_path / "log")):
            file.write("inside")
        file.write("after")
    assert (tmp_path / "log").read_text() == "inside"
    assert capfd.readouterr().err == "before after"
    # No file stays open.
    again = os.dup(2)
    os.close(again)
    assert again == free

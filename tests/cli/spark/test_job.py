"""Where a command on Spark reads and writes, and with which settings, without a session."""

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
from pyspark.errors import AnalysisException

import jelly_rdflib as jr
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
        # That is a format of changes.
        (OF_QUADS, "x.jellyp", None, ("parquet",)),
        (OF_CHANGES, "x.jellyp", None, ("format", "jelly-patch")),
        (OF_CHANGES, "x", "rdfp", ("format", "rdf-patch")),
        (OF_CHANGES, "x.jelly", None, ("parquet",)),
    ],
)
@pytest.mark.parametrize("overwrite", [False, True])
def test_where_a_table_is_written(
    tmp_path: Path,
    formats: tuple[str, ...],
    name: str,
    to: str | None,
    expected: tuple[str, ...],
    overwrite: bool,
) -> None:
    output = f"{tmp_path}/{name}"
    table = MagicMock()
    job(formats, output, to=to, overwrite=overwrite).write(table)
    # A patch is written to one file.
    source = table.repartition(1) if formats == OF_CHANGES and len(expected) == 2 else table
    if len(expected) == 2:
        source.write.format.assert_called_once_with(expected[1])
        writer = source.write.format()
        writer.mode.assert_called_once_with("overwrite" if overwrite else "append")
        writer.mode().save.assert_called_once_with(output)
    else:
        source.write.mode.assert_called_once_with("overwrite" if overwrite else "errorifexists")
        source.write.mode().parquet.assert_called_once_with(output)


def test_outputs_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match="standard output is text"):
        job(OF_QUADS, "-", to="nq")
    job(OF_QUADS, "-")
    with pytest.raises(click.UsageError, match="is there already: --overwrite replaces it"):
        job(OF_QUADS, tmp_path)
    job(OF_QUADS, tmp_path, overwrite=True)


def test_the_format_of_the_input() -> None:
    assert [format_of(name, None) for name in ("a", "a.jellyp.gz", "a.rdfp")] == [
        "jelly-patch",
        "jelly-patch",
        "rdf-patch",
    ]
    assert format_of("a.nq", "rdf-patch") == "rdf-patch"
    with pytest.raises(click.UsageError, match=r"a\.jelly: Spark reads changes as jelly-patch or"):
        format_of("a.jelly", None)


def test_tables_of_quads_by_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jelly_rdflib.spark import pipeline

    monkeypatch.setattr(pipeline, "read_maintained", lambda spark, path: ("maintained", path))
    spark = MagicMock()
    (tmp_path / "commits").mkdir()
    # The limits are those of a command.
    with click.Context(click.Command("x")) as context:
        context.meta["limits"] = jr.Limits()
        assert load_quads(spark, str(tmp_path)) == ("maintained", str(tmp_path))
        assert load_quads(spark, f"{tmp_path}/x") is spark.read.parquet.return_value
        for name in ("x.jelly", "x.jelly/"):
            found = load_quads(spark, f"{tmp_path}/{name}")
            assert found is spark.read.format.return_value.options.return_value.load.return_value
            spark.read.format.assert_called_with("jelly")


class Started:
    """Stands in for the start of a session, and keeps what it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.spark = MagicMock()
        monkeypatch.setattr(session, "_start", self.start)

    def start(self, *arguments: Any) -> Any:
        self.master, self.settings, self.log = arguments
        return self.spark


def test_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    started = Started(monkeypatch)
    with open_session(None, ["a=b=c", "spark.ui.enabled=true"], "log") as spark:
        assert spark is started.spark
        spark.stop.assert_not_called()
    started.spark.stop.assert_called_once_with()
    assert (started.master, started.log) == ("local[*]", "log")
    assert started.settings["a"] == "b=c"
    assert started.settings["spark.ui.enabled"] == "true"
    assert started.settings["spark.driver.host"] == "127.0.0.1"
    with open_session("spark://x", [], None):
        assert started.master == "spark://x"
        assert "spark.driver.host" not in started.settings
        assert started.settings["spark.ui.enabled"] == "false"
    with (
        pytest.raises(click.UsageError, match="a setting is KEY=VALUE, not 'a'"),
        open_session(None, ["a"], None),
    ):
        pass


TRACEBACK = """Job aborted
Traceback (most recent call last):
  File "a.py", line 1
KeyError: 'first'

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
    ],
)
def test_errors_are_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    started = Started(monkeypatch)
    with pytest.raises(click.ClickException) as caught, open_session(None, [], None):
        raise error
    assert caught.value.message == message
    started.spark.stop.assert_called_once_with()


def test_no_java_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("no Java")

    monkeypatch.setattr("jelly_rdflib.spark.session.prepare_environment", fail)
    with pytest.raises(click.ClickException, match=r"^no Java$"), open_session(None, [], None):
        pass
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with (
        pytest.raises(ImportError, match=r"needs the package pyspark\.sql: pip install"),
        open_session(None, [], None),
    ):
        pass


def test_standard_error_goes_to_the_log_for_a_while(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for text in (b"one\n", b"two\n"):
        with session._standard_error_to(str(tmp_path / "log")):
            os.write(2, text)
        os.write(2, b"after ")
    assert (tmp_path / "log").read_text() == "one\ntwo\n"
    assert capfd.readouterr().err == "after after "

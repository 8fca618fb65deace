"""A Spark session for the time of a command, and its errors as messages."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
# A machine's own name need not lead to it.
LOCAL_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # As many as there is work for, and not the 200 of a cluster.
    "spark.sql.shuffle.partitions": "32",
}
# What a worker that runs Python reports: the last line of a traceback.
_PYTHON_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w+(?:Error|Exception|Conflict)): (.+)$", re.MULTILINE)
# Errors whose messages say all.
_OURS = ("DecodeError", "EncodeError", "LimitError", "LogError", "PatchError", "ValueError")


@contextmanager
def open_session(
    master: str | None, conf: Sequence[str], spark_log: str | None
) -> Iterator[SparkSession]:
    """Start a session that knows the package's formats, and stop it after the block.

    Args:
        master: The cluster; None for all cores of this machine.
        conf: Settings, as ``KEY=VALUE``.
        spark_log: The file for what Spark says; None for nowhere.

    Raises:
        UsageError: A setting has no "=".
        ClickException: Spark has failed, in the block or before it; the message is that of what
            went wrong first.
        ImportError: There is no PySpark.
    """
    settings = dict(SETTINGS)
    if master is None:
        settings |= LOCAL_SETTINGS
    for setting in conf:
        key, separator, value = setting.partition("=")
        if not separator:
            raise click.UsageError(f"a setting is KEY=VALUE, not {setting!r}")
        settings[key] = value
    spark = _start(master or "local[*]", settings, spark_log)
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield spark
    except (PySparkException, Py4JError) as error:
        raise click.ClickException(_explain(error)) from error
    except ValueError as error:
        # A table that is not what it should be.
        raise click.ClickException(str(error)) from error
    finally:
        spark.stop()


def _start(master: str, settings: dict[str, str], spark_log: str | None) -> SparkSession:
    try:
        from pyspark.sql import SparkSession

        from jelly_rdflib.spark import register
        from jelly_rdflib.spark.session import prepare_environment
    except ModuleNotFoundError as error:
        raise ImportError(
            f"this needs the package {error.name}: pip install 'jelly-rdflib[spark]'"
        ) from error
    try:
        prepare_environment()
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error
    builder: Any = SparkSession.builder.master(master).appName("jellyp")
    for key, value in settings.items():
        builder = builder.config(key, value)
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with _standard_error_to(spark_log or os.devnull):
            spark: SparkSession = builder.getOrCreate()
            register(spark)
    except (PySparkException, Py4JError) as error:
        raise click.ClickException(
            f"Spark can't be started on {master}: {_cause(error)} (--spark-log keeps what it says)"
        ) from error
    return spark


@contextmanager
def _standard_error_to(path: str) -> Iterator[None]:
    """Lead standard error elsewhere: what is started in the block keeps that."""
    sys.stderr.flush()
    saved = os.dup(2)
    try:
        with open(path, "ab") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(saved, 2)
        os.close(saved)


def _cause(error: Exception) -> str:
    """Return what Java said, without its own name for it and where it happened."""
    java = getattr(error, "java_exception", None)
    text = str(error) if java is None else str(java.getMessage())
    return text.strip().partition("\n")[0]


def _explain(error: Exception) -> str:
    """Return what went wrong first: an error in a worker, if it is one, else what Spark says."""
    text = str(error)
    found = _PYTHON_ERROR.findall(text)
    if not found:
        return text.strip().partition("\n")[0]
    name, message = found[-1]
    return str(message if name in _OURS else f"{name}: {message}")

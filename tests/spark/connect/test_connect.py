"""Tests all of `jelly_rdflib.spark` with Spark Connect, whose server is a separate process."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from jelly_rdflib.spark.session import DELTA_SETTINGS, prepare_environment
from tests.java_server import free_port, listens, wait_for
from tests.maven import UnavailableError
from tests.spark.connectors.jars import connector_jars
from tests.spark.session import SETTINGS, check_spark
from tests.support import ROOT

# Each public function has an example.
EXAMPLES = ("jelly_rdflib/spark",)
# What may differ on a server: tables without rows, streams, and batches that a process of the
# server writes.
TESTS = (
    "tests/spark/pipeline/test_chain.py::test_versions_by_number_and_id",
    "tests/spark/pipeline/test_maintain.py::test_a_sink",
    "tests/spark/pipeline/test_maintain.py::test_broken_chain_over_batches",
    "tests/spark/pipeline/test_maintain.py::test_versions",
    "tests/spark/pipeline/test_uses.py::test_compact_over_files_by_a_column",
    "tests/spark/sources/test_folders.py::test_a_stream_has_them",
    "tests/spark/sources/test_folders.py::test_damage_is_told_with_them",
    "tests/spark/sources/test_writer.py::test_what_is_written_is_read_as_the_same_rows",
)


SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@contextmanager
def start_server(folder: Path) -> Iterator[str]:
    """Run a server for the block; yield its address for Spark's variable ``SPARK_REMOTE``.

    Its log is in the folder. The server has Delta Lake if the jars are available.
    """
    import pyspark

    prepare_environment()
    port = free_port()
    settings = {
        **SETTINGS,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    with suppress(UnavailableError):
        settings |= DELTA_SETTINGS | {"spark.jars": ",".join(connector_jars())}
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--class", SERVER]
    command += ["--master", "local[2]"]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    log = folder / "server.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=file,
            stderr=file,
        )
    try:
        wait_for(process, lambda: listens(port), log, SERVER)
        yield f"sc://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(autouse=True)
def _needs_connect() -> None:
    check_spark()
    pytest.importorskip("grpc_status", reason="pip install 'jelly-rdflib[connect]'")


@pytest.mark.parametrize("what", [EXAMPLES, pytest.param(TESTS, marks=pytest.mark.slow)])
def test_with_a_server(tmp_path: Path, what: tuple[str, ...]) -> None:
    with start_server(tmp_path) as address:
        # PySpark then uses the Connect functions.
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-rs", *what],
            cwd=ROOT,
            env={**os.environ, "SPARK_REMOTE": address, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    assert ended.returncode == 0, ended.stdout

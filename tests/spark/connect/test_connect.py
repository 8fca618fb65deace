"""All of `jelly_rdflib.spark` works with a session of Spark Connect, whose server is a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spark.connect.server import start_server
from tests.spark.session import check_spark
from tests.support import ROOT

# Each public function has an example.
EXAMPLES = ("jelly_rdflib/spark",)
# What a server may do otherwise: tables without rows, streams, and batches that a process of the
# server writes.
TESTS = (
    "tests/spark/pipeline/test_chain.py::test_versions_by_number_and_id",
    "tests/spark/pipeline/test_convert.py::test_a_table",
    "tests/spark/pipeline/test_maintain.py::test_a_relative_path",
    "tests/spark/pipeline/test_maintain.py::test_a_sink_in_another_process",
    "tests/spark/pipeline/test_maintain.py::test_a_stream_of_frames[None]",
    "tests/spark/pipeline/test_maintain.py::test_broken_chain_over_batches",
    "tests/spark/pipeline/test_maintain.py::test_versions",
    "tests/spark/pipeline/test_uses.py::test_compact_over_files_by_a_column",
    "tests/spark/sources/test_folders.py::test_a_stream_has_them",
    "tests/spark/sources/test_folders.py::test_damage_is_told_with_them",
    "tests/spark/sources/test_writer.py::TestFiles::test_what_is_written_is_read_as_the_same_rows",
)


@pytest.fixture(autouse=True)
def _needs_connect() -> None:
    check_spark()
    pytest.importorskip("grpc_status", reason="pip install 'jelly-rdflib[connect]'")


def run(address: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the server's address: functions of PySpark are then those of Connect."""
    environment = {**os.environ, "SPARK_REMOTE": address, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("what", [EXAMPLES, pytest.param(TESTS, marks=pytest.mark.slow)])
def test_with_a_server(tmp_path: Path, what: tuple[str, ...]) -> None:
    with start_server(tmp_path, {}) as address:
        ended = run(address, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-rs", *what)
    assert ended.returncode == 0, ended.stdout


REGISTER = """
from pyspark.sql import SparkSession
from jelly_rdflib.spark import register
try:
    register(SparkSession.builder.getOrCreate())
except RuntimeError as error:
    print(error)
"""


def test_a_server_whose_python_lacks_the_package(tmp_path: Path) -> None:
    # A Python that finds PySpark, but not this package.
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    other.chmod(0o755)
    environment = {"PYSPARK_PYTHON": str(other), "PYTHONPATH": ""}
    with start_server(tmp_path, environment) as address:
        shown = run(address, "-c", REGISTER).stdout
    assert "the Python of Spark Connect's server, which can't import jelly_rdflib" in shown
    assert len(shown.splitlines()) == 1

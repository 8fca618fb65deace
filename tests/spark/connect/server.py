"""A server of Spark Connect on this machine: one process."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from jelly_rdflib.spark.session import DELTA_SETTINGS, prepare_environment
from tests.maven import UnavailableError
from tests.spark.connectors.jars import connector_jars
from tests.spark.session import SETTINGS
from tests.support import ROOT

__all__ = ["start_server"]

SECONDS = 120
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@contextmanager
def start_server(folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Run a server for the block; yield its address, as Spark's variable ``SPARK_REMOTE`` has it.

    Its log is in the folder. The server has Delta Lake, if that is to be had.
    """
    import pyspark

    prepare_environment()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = probe.getsockname()
    settings = {
        **SETTINGS,
        "spark.connect.grpc.binding.address": address[0],
        "spark.connect.grpc.binding.port": str(address[1]),
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
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdout=file,
            stderr=file,
        )
    try:
        deadline = time.monotonic() + SECONDS
        while not _answers(address):
            if time.monotonic() > deadline or process.poll() is not None:
                text = log.read_text("utf-8", "replace")
                raise RuntimeError(f"the server did not start:\n{text[-3000:]}")
            time.sleep(0.2)
        yield f"sc://{address[0]}:{address[1]}"
    finally:
        process.terminate()
        process.wait()


def _answers(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address, timeout=1).close()
    except OSError:
        return False
    return True

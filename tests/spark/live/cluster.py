"""Runs a standalone cluster of Spark on this machine: a master and two workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark

from jelly_rdflib.spark.session import prepare_environment
from tests.java_server import free_port, wait_for

HOME = Path(pyspark.__file__).parent
WORKERS = ("one", "two")
SETTINGS = """
spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.executor.memory 512m
spark.executor.extraJavaOptions -XX:TieredStopAtLevel=1
spark.sql.shuffle.partitions 2
spark.ui.enabled false
"""


class Cluster:
    """A cluster whose master and workers keep their files in a folder.

    Each worker has one core. Programs on a worker run with ``environment``, in which they find
    Spark, but no Python with this package or with PySpark.
    """

    def __init__(self, folder: Path) -> None:
        prepare_environment()
        self.folder = folder
        self.port = free_port()
        self._processes: list[subprocess.Popen[Any]] = []
        (folder / "conf").mkdir()
        (folder / "conf" / "spark-defaults.conf").write_text(SETTINGS, encoding="utf-8")
        self.environment = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("PYSPARK_", "SPARK_"))
            and name not in ("PYTHONPATH", "VIRTUAL_ENV")
        } | {
            "SPARK_HOME": str(HOME),
            "SPARK_CONF_DIR": str(folder / "conf"),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PATH": os.pathsep.join([str(HOME / "bin"), *_without(os.environ["PATH"])]),
        }

    def start(self) -> None:
        """Start master and workers, and wait until the workers are registered."""
        master = "org.apache.spark.deploy.master.Master"
        log = self._start("master", master, "--port", str(self.port))
        for name in WORKERS:
            folder = self.folder / name
            folder.mkdir()
            worker = ("org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", "1g")
            address = f"spark://127.0.0.1:{self.port}"
            self._start(name, *worker, "--work-dir", str(folder), address)

        def are_there() -> bool:
            text = log.read_text("utf-8", "replace")
            return text.count("Registering worker") == len(WORKERS)

        wait_for(self._processes[0], are_there, log, "the cluster")

    def stop(self) -> None:
        """Terminate all processes; the workers terminate their executors."""
        for process in reversed(self._processes):
            process.terminate()
            process.wait()

    def executors(self) -> dict[str, int]:
        """Return the number of executors that each worker has started."""
        return {name: len(list((self.folder / name).glob("app-*/*/"))) for name in WORKERS}

    def _start(self, name: str, main: str, *arguments: str) -> Path:
        log = self.folder / f"{name}.log"
        command = [str(HOME / "bin" / "spark-class"), main, *arguments]
        command[2:2] = ["--host", "127.0.0.1", "--webui-port", str(free_port())]
        with log.open("wb") as file:
            self._processes.append(
                subprocess.Popen(
                    command, cwd=self.folder, env=self.environment, stdout=file, stderr=file
                )
            )
        return log


def _without(path: str) -> list[str]:
    """Return the PATH without the folder of this Python environment."""
    own = os.path.dirname(sys.executable)
    return [each for each in path.split(os.pathsep) if each != own]

"""A broker of Kafka on this machine, by Maven: one process, which tests may kill."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path

from tests import maven

__all__ = ["Broker"]

FOLDER = Path(__file__).resolve().parent
SECONDS = 60
PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={folder}/logs
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
"""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Broker:
    """A broker whose topics stay in a folder when it is killed and started again.

    Raises:
        tests.maven.UnavailableError: Maven can't get Kafka.
    """

    def __init__(self, folder: Path) -> None:
        self._classpath = ":".join(maven.build(FOLDER))
        self._folder = folder
        self._properties = folder / "server.properties"
        port = _free_port()
        self.address = f"127.0.0.1:{port}"
        text = PROPERTIES.format(port=port, controller=_free_port(), folder=folder)
        self._properties.write_text(text, encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None
        cluster = self._run("kafka.tools.StorageTool", "random-uuid").strip().splitlines()[-1]
        config = ("--config", str(self._properties))
        self._run("kafka.tools.StorageTool", "format", "--cluster-id", cluster, *config)

    def start(self) -> None:
        """Start the broker, and wait until it answers."""
        with (self._folder / "broker.log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command("kafka.Kafka", str(self._properties)), stdout=log, stderr=log
            )
        deadline = time.monotonic() + SECONDS
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                text = (self._folder / "broker.log").read_text("utf-8", "replace")
                raise RuntimeError(f"the broker did not start:\n{text[-3000:]}")
            time.sleep(0.2)

    def _answers(self) -> bool:
        host, port = self.address.split(":")
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """End the broker's process without a word, if it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def create_topic(self, name: str, partitions: int) -> None:
        """Create a topic."""
        self._run(
            *("org.apache.kafka.tools.TopicCommand", "--bootstrap-server", self.address),
            *("--create", "--topic", name, "--partitions", str(partitions)),
        )

    def _command(self, tool: str, *arguments: str) -> list[str]:
        # Short runs: what costs is to start, and to compile.
        java = ("java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
        return [*java, "-cp", self._classpath, tool, *arguments]

    def _run(self, tool: str, *arguments: str) -> str:
        ended = subprocess.run(
            self._command(tool, *arguments),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if ended.returncode:
            raise RuntimeError(f"{tool} failed:\n{ended.stdout}{ended.stderr}")
        return ended.stdout

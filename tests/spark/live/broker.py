"""A broker of Kafka on this machine, by Maven: one process, which tests may kill."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.spark.live.java_server import SECONDS, JavaServer, free_port

__all__ = ["Broker"]

FOLDER = Path(__file__).resolve().parent
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


class Broker(JavaServer):
    """A broker whose topics stay in a folder when it is killed and started again."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        super().__init__(FOLDER, folder, port)
        self._properties = folder / "server.properties"
        text = PROPERTIES.format(port=port, controller=free_port(), folder=folder)
        self._properties.write_text(text, encoding="utf-8")
        cluster = self._run("kafka.tools.StorageTool", "random-uuid").strip().splitlines()[-1]
        config = ("--config", str(self._properties))
        self._run("kafka.tools.StorageTool", "format", "--cluster-id", cluster, *config)

    def start(self) -> None:
        """Start the broker, and wait until it answers."""
        self.start_main("kafka.Kafka", str(self._properties))

    def create_topic(self, name: str, partitions: int) -> None:
        """Create a topic."""
        self._run(
            *("org.apache.kafka.tools.TopicCommand", "--bootstrap-server", self.address),
            *("--create", "--topic", name, "--partitions", str(partitions)),
        )

    def _run(self, tool: str, *arguments: str) -> str:
        ended = subprocess.run(
            self.command(tool, *arguments),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if ended.returncode:
            raise RuntimeError(f"{tool} failed:\n{ended.stdout}{ended.stderr}")
        return ended.stdout

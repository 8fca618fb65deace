"""Runs a Kafka broker from Maven on this machine, in one process that tests may kill."""

import subprocess
import time
from base64 import urlsafe_b64encode
from functools import cached_property
from pathlib import Path
from uuid import uuid4

from confluent_kafka.admin import AdminClient, NewTopic

from tests.java_server import SECONDS, JavaServer, free_port
from tests.live.certificate import make_certificate

FOLDER = Path(__file__).resolve().parent
USER, PASSWORD = "alice", "ThisMustNotBeTold"
# Clients without a password may do everything; alice, over TLS, only what a test allows.
PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listeners=PLAINTEXT://127.0.0.1:{port},SASL_SSL://127.0.0.1:{sasl},\
BEHIND://127.0.0.1:{behind},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},SASL_SSL://127.0.0.1:{sasl},\
BEHIND://127.0.0.1:{network}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,BEHIND:PLAINTEXT,\
SASL_SSL:SASL_SSL
ssl.keystore.type=PEM
ssl.keystore.location={store}
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=\
org.apache.kafka.common.security.plain.PlainLoginModule required user_{user}="{password}";
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
log.dirs={folder}/logs
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.replication.factor=1
offsets.topic.num.partitions=3
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=3
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
log.retention.check.interval.ms=1000
log.retention.ms=-1
"""


class Broker(JavaServer):
    """A broker whose topics are kept in a folder when it is killed and restarted.

    Attributes:
        sasl_address: The TLS address that requires `USER` and `PASSWORD`.
        certificate: The broker's certificate.
        behind: The broker's address behind a proxy that simulates a network.
        network: The port of that proxy.
    """

    def __init__(self, folder: Path) -> None:
        port, sasl, behind, self.network = (free_port() for _ in range(4))
        super().__init__(FOLDER, folder, port)
        self.sasl_address = f"127.0.0.1:{sasl}"
        self.behind = f"127.0.0.1:{behind}"
        self._properties = folder / "server.properties"
        ports = {"port": port, "sasl": sasl, "behind": behind, "network": self.network}
        ports["controller"] = free_port()
        self.certificate, key = make_certificate(folder)
        store = folder / "store.pem"
        store.write_bytes(key.read_bytes() + self.certificate.read_bytes())
        text = PROPERTIES.format(**ports, folder=folder, store=store, user=USER, password=PASSWORD)
        self._properties.write_text(text, encoding="utf-8")
        cluster = urlsafe_b64encode(uuid4().bytes).decode().rstrip("=")
        config = ("--config", str(self._properties))
        # The argument has "=", since one in 64 ids starts with "-".
        self._run("kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", *config)

    def start(self) -> None:
        """Start the broker, and wait until it responds."""
        self.start_main("kafka.Kafka", str(self._properties))

    @cached_property
    def admin(self) -> AdminClient:
        """Return a client that may do everything."""
        return AdminClient({"bootstrap.servers": self.address})

    def create_topic(self, name: str, partitions: int = 1, **config: str) -> None:
        """Create a topic; in the names of its settings, underscores stand for dots."""
        settings = {key.replace("_", "."): value for key, value in config.items()}
        topic = NewTopic(name, partitions, 1, config=settings)
        self.admin.create_topics([topic])[name].result(SECONDS)
        # The broker learns about the topic slightly later.
        while not self.admin.list_topics(name, SECONDS).topics[name].partitions:
            time.sleep(0.05)

    def delete_topic(self, name: str) -> None:
        """Delete a topic, and wait until it is gone."""
        self.admin.delete_topics([name])[name].result(SECONDS)
        while name in self.admin.list_topics(timeout=SECONDS).topics:
            time.sleep(0.05)

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

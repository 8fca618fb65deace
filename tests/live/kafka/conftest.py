"""Fixtures: a broker that all tests of a run share."""

import re
from collections.abc import Iterator

import pytest

import jelly_rdflib as jr
from jelly_rdflib import live
from tests import maven
from tests.live.kafka.broker import Broker
from tests.live.kafka.support import frame_of, produce


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    try:
        broker = Broker(tmp_path_factory.mktemp("broker"))
    except maven.UnavailableError as error:
        pytest.skip(f"Kafka's broker is not there: {error}")
    try:
        broker.start()
        # The broker is slow until it has created its internal topics.
        broker.create_topic("first")
        produce(broker, "first", (None, frame_of(jr.PatchEncoder(), 0)))
        with live.connect(f"kafka://{broker.address}/first", group="first") as source:
            assert source.receive(60) is not None
            source.acknowledge()
        yield broker
    finally:
        broker.kill()


@pytest.fixture
def topic(broker: Broker, request: pytest.FixtureRequest) -> str:
    """Return the name of a new topic with one partition."""
    name = re.sub(r"\W+", "-", request.node.name)
    broker.create_topic(name)
    return name


@pytest.fixture
def url(broker: Broker, topic: str) -> str:
    return f"kafka://{broker.address}/{topic}"

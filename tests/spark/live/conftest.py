"""Fixtures: stores that all live tests of a run share, and a broker for each test."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from tests import maven
from tests.live.kafka.broker import Broker
from tests.spark.live.driver import TOPIC
from tests.spark.live.stores import S3, Hdfs
from tests.spark.session import needs_connectors

_Server = TypeVar("_Server", S3, Hdfs)


def _running(kind: type[_Server], factory: pytest.TempPathFactory) -> Iterator[_Server]:
    try:
        server = kind(factory.mktemp("store"))
    except maven.UnavailableError as error:
        pytest.skip(f"the server is not there: {error}")
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    yield from _running(S3, tmp_path_factory)


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    yield from _running(Hdfs, tmp_path_factory)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    needs_connectors()
    (tmp_path / "broker").mkdir()
    try:
        broker = Broker(tmp_path / "broker")
    except maven.UnavailableError as error:
        pytest.skip(f"Kafka's broker is not there: {error}")
    try:
        broker.start()
        broker.create_topic(TOPIC, 3)
        yield broker
    finally:
        broker.kill()

"""The stores that all live tests of a run share."""

from collections.abc import Iterator
from typing import TypeVar

import pytest

from tests import maven
from tests.spark.live.stores import S3, Hdfs

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

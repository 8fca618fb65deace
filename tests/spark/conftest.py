"""The fixtures of a Spark session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.spark.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    """Return the session that all tests share: two cores of this machine."""
    return open_session()


@pytest.fixture(scope="session")
def registered(spark: SparkSession) -> None:
    """Register the package's formats with the session."""
    from jelly_rdflib.spark import register

    register(spark)

"""Tests store settings: where they come from, what they mean, and who may see them."""

import sys
from typing import Any
from unittest.mock import MagicMock

import pytest

pytest.importorskip("pyspark")
import pyarrow.fs
from pyspark.sql import SparkSession

from jelly_rdflib.spark.connections import (
    check_no_secrets,
    connect,
    is_known,
    settings_of_session,
    take_settings,
)
from jelly_rdflib.spark.sources.source import make_sources
from jelly_rdflib.spark.storage import Storage

KEYS = {"fs.s3a.access.key": "me", "fs.s3a.secret.key": "hush"}

ANONYMOUS = "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Record the arguments of each new S3 file system."""
    made: list[dict[str, Any]] = []

    def make(**arguments: Any) -> str:
        made.append({name: value for name, value in arguments.items() if value})
        return "S3"

    monkeypatch.setattr(pyarrow.fs, "S3FileSystem", make)
    monkeypatch.setattr(pyarrow.fs, "resolve_s3_region", lambda bucket: f"region-of-{bucket}")
    connect.cache_clear()
    yield made
    connect.cache_clear()


def fields(text: str) -> dict[str, Any]:
    """Return the fields ``name=value`` of a string, separated by spaces."""
    return dict(each.split("=", 1) for each in text.split())


@pytest.mark.parametrize("scheme", ["s3", "s3a", "s3n"])
@pytest.mark.parametrize(
    ("settings", "expected", "flag"),
    [
        ("", "scheme=https region=region-of-b", ""),
        ("endpoint.region=x", "scheme=https region=x", ""),
        ("endpoint=http://host:9000/", "scheme=http endpoint_override=host:9000", ""),
        ("endpoint=host:9000", "scheme=https endpoint_override=host:9000", ""),
        (
            "endpoint=host connection.ssl.enabled=false path.style.access=false",
            "scheme=http endpoint_override=host",
            "force_virtual_addressing",
        ),
        ("endpoint=host path.style.access=true", "scheme=https endpoint_override=host", ""),
        (
            "endpoint.region=x access.key=a secret.key=b session.token=c bucket.b.secret.key=d"
            " bucket.c.access.key=e",
            "scheme=https region=x access_key=a secret_key=d session_token=c",
            "",
        ),
        (
            f"endpoint.region=x aws.credentials.provider={ANONYMOUS}",
            "scheme=https region=x",
            "anonymous",
        ),
    ],
)
def test_settings_of_s3(
    made: list[dict[str, Any]], scheme: str, settings: str, expected: str, flag: str
) -> None:
    given = tuple((f"fs.s3a.{name}", text) for name, text in fields(settings).items())
    # Each process connects once.
    for _ in range(2):
        assert connect(f"{scheme}://b", given) == ("S3", "b")
        assert made == [fields(expected) | ({flag: True} if flag else {})]


def test_settings_among_options() -> None:
    options = {**KEYS, "dfs.x": "1", "fs.s3a.bucket.a.b-c.endpoint": "h", "mode": "FAILFAST"}
    settings, others = take_settings(options)
    assert others == {"mode": "FAILFAST"}
    assert settings == {name: text for name, text in options.items() if name != "mode"}
    for name in ("fs.s3a.secret", "fs.s3.secret.key", "fs.s3a.bucket.secret.key.x", "fs.gs.x"):
        with pytest.raises(ValueError, match=f"there is no option '{name}'") as caught:
            take_settings({name: "hush"})
        assert "hush" not in str(caught.value)


def test_settings_of_a_session(spark: SparkSession) -> None:
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[union-attr]
    # Hadoop's own defaults are ignored.
    assert hadoop.get("fs.s3a.path.style.access") is not None
    of_hadoop = {
        "fs.s3a.endpoint": "a",
        "fs.s3a.bucket.b.secret.key": "b",
        "fs.s3a.access.key": "c",
        "fs.s3a.connection.maximum": "1",
        "dfs.nameservices": "d",
    }
    of_session = {"fs.s3a.access.key": "e", "fs.s3a.session.token": "f"}
    try:
        for name, text in of_hadoop.items():
            hadoop.set(name, text)
        for name, text in of_session.items():
            spark.conf.set(name, text)
        expected = {**of_hadoop, **of_session}
        del expected["fs.s3a.connection.maximum"]
        assert settings_of_session(spark) == expected
    finally:
        for name in of_hadoop:
            hadoop.unset(name)
        for name in of_session:
            spark.conf.unset(name)


def test_a_table_has_no_secrets() -> None:
    check_no_secrets({"fs.s3a.endpoint": "h", "mode": "FAILFAST"})
    for name in ("access.key", "secret.key", "session.token", "bucket.b.secret.key"):
        options = {"provider": "jelly", "owner": "me", "path": "s3a://b/x"}
        source = make_sources({})[2](options={**options, f"option.fs.s3a.{name}": "hush"})
        with pytest.raises(ValueError, match="a table must not contain a password") as caught:
            source.schema()
        assert f"spark.hadoop.fs.s3a.{name}" in str(caught.value)
        assert "hush" not in str(caught.value)


def test_no_text_of_storage_has_secrets() -> None:
    assert "hush" not in repr(Storage.of(KEYS))
    assert Storage.of(KEYS) == Storage.of(dict(reversed(KEYS.items())))


@pytest.mark.parametrize("scheme", ["hdfs", "webhdfs"])
def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    """The error names the extra; Arrow's own HDFS client needs a Hadoop library."""
    for name in ("hdfs_native", "fsspec", "fsspec.implementations.webhdfs"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    connect.cache_clear()
    with pytest.raises(ImportError, match=r"://host: .* pip install 'jelly-rdflib\[hdfs\]'"):
        Storage().at(f"{scheme}://host/a")


def test_google_is_tried_for_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    made = MagicMock()
    made.from_uri.side_effect = lambda uri: (uri, "bucket/")
    monkeypatch.setattr(pyarrow.fs, "FileSystem", made)
    for start, limit in (("gs://bucket", "?retry_limit_seconds=60"), ("abfs://bucket", "")):
        assert connect(start, ()) == (f"{start}/{limit}", "bucket")
    connect.cache_clear()


def test_schemes() -> None:
    assert all(map(is_known, ("s3", "s3a", "s3n", "hdfs", "viewfs", "webhdfs", "gs", "abfs")))
    assert not any(map(is_known, ("ftp", "http", "file", "")))

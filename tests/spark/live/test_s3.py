"""Tests S3's credentials, a lost server, and Spark's own connector."""

import os
from pathlib import Path

import pytest

from tests.spark.files import make_operations, write_file
from tests.spark.live.stores import S3, SECRET

pytest.importorskip("pyspark")
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("registered")

WRONG = "ThisIsWrongAndNotToBeToldEither"


@pytest.fixture
def folder(spark: SparkSession, s3: S3, tmp_path: Path) -> str:
    """Return the URL of a folder with one file, which is also on this machine."""
    path = write_file(tmp_path / "0.jellyp", make_operations(2, 30))
    s3.put(spark, path, f"{tmp_path.name}/0.jellyp")
    return f"{s3.url}/{tmp_path.name}"


def load(spark: SparkSession, path: str, settings: dict[str, str]) -> DataFrame:
    return spark.read.format("jelly-patch").options(**settings).load(path)


@pytest.mark.parametrize("key", ["fs.s3a.access.key", "fs.s3a.secret.key"])
def test_wrong_credentials_are_an_error_that_does_not_tell_them(
    spark: SparkSession,
    s3: S3,
    folder: str,
    tmp_path: Path,
    key: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    settings = {**s3.settings, key: WRONG}
    local = spark.read.format("jelly-patch").load(str(tmp_path / "0.jellyp"))
    writer = local.write.format("jelly-patch").mode("append").options(**settings)
    for use in (
        lambda: load(spark, folder, settings),
        lambda: writer.save(f"{folder}/out"),
    ):
        with pytest.raises(
            Exception, match="in bucket 'bucket': AWS Error ACCESS_DENIED"
        ) as caught:
            use()
        told = str(caught.value) + "".join(capfd.readouterr())
        assert SECRET not in told
        assert WRONG not in told


def test_plans_do_not_tell_credentials(
    spark: SparkSession, s3: S3, folder: str, capfd: pytest.CaptureFixture[str]
) -> None:
    table = load(spark, folder, s3.settings)
    table.explain("extended")
    table.where("op = 'A'").explain("formatted")
    told = "".join(capfd.readouterr())
    assert "Physical Plan" in told
    assert SECRET not in told


def test_a_stream_goes_on_when_the_server_is_back(
    spark: SparkSession, s3: S3, folder: str, tmp_path: Path
) -> None:
    from pyspark.sql import functions as F

    def run() -> None:
        stream = spark.readStream.format("jelly-patch").options(**s3.settings).load(folder)
        # The server is killed while a task writes.
        stream = stream.withColumn("seq", F.udf(end_at_30, "long")("seq"))
        writer = stream.writeStream.format("jelly-patch").options(**s3.settings)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start(f"{folder}/out").awaitTermination()

    process, flag = s3.process_id(), str(tmp_path / "is-killed")

    def end_at_30(number):  # type: ignore[no-untyped-def]
        if number == 30 and not os.path.exists(flag):
            Path(flag).touch()
            os.kill(process, 9)
        return number

    with pytest.raises(Exception, match="AWS Error NETWORK_CONNECTION"):
        run()
    assert Path(flag).exists()
    s3.kill()
    s3.start()
    out = [name for name in s3.names(spark) if name.startswith(f"{tmp_path.name}/out/part-")]
    assert out == []
    for _ in range(2):
        run()
        rows = load(spark, f"{folder}/out", s3.settings)
        assert rows.count() == len(make_operations(2, 30))

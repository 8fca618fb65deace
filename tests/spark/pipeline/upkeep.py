"""Keeps a table up to date, in this process or in a process that a test kills.

Usage: ``python -m tests.spark.pipeline.upkeep FOLDER [BROKER TOPIC]``. The changes are in the
folder, or in a Kafka topic.
"""

import sys
from pathlib import Path
from typing import Any

from jelly_rdflib.spark import read_frames
from jelly_rdflib.spark.pipeline import CHANGES, maintain


def start(spark: Any, folder: Path, **options: Any) -> Any:
    """Start a query that keeps the table ``quads`` up to date with ``changes``, file by file."""
    stream = (
        spark.readStream.schema(CHANGES)
        .option("maxFilesPerTrigger", 1)
        .parquet(str(folder / "changes"))
    )
    options = {"checkpoint": "checkpoint", "trigger": {"availableNow": True}, **options}
    table = None if "sink" in options else str(folder / options.pop("table", "quads"))
    return maintain(stream, table, str(folder / options.pop("checkpoint")), **options)


def start_topic(spark: Any, folder: Path, broker: str, topic: str) -> Any:
    """Start a query that keeps the table ``quads`` up to date with a topic, message by message."""
    messages = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", broker)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 1)
        .load()
    )
    return maintain(
        read_frames(messages),
        str(folder / "quads"),
        str(folder / "checkpoint"),
        trigger={"availableNow": True},
    )


def main() -> None:
    from tests.spark.session import open_session

    folder, *topic = sys.argv[1:]
    begin = start_topic if topic else start
    begin(open_session(), Path(folder), *topic).awaitTermination()


if __name__ == "__main__":
    main()

"""A driver that copies a topic into a Delta table; tests run it as a process and kill it.

Arguments: the broker's address, the table, the checkpoint, and the number of a batch. The driver
kills itself after writing this batch, before Spark has recorded it as done; -1 means never.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from jelly_rdflib.spark import read_frames
from tests.spark.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TOPIC = "changes"


def main(address: str, table: str, checkpoint: str, last: int) -> None:
    spark = open_session()
    messages = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", address)
        .option("subscribe", TOPIC)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 14)
        .load()
    )

    def add(batch: DataFrame, number: int) -> None:
        # Delta Lake skips a batch that it already has, but Spark needs each batch's states, which
        # this call computes.
        batch.persist().count()
        writer = batch.write.format("delta").mode("append")
        writer.option("txnAppId", "test").option("txnVersion", number).save(table)
        batch.unpersist()
        if number == last:
            os.killpg(os.getpgrp(), signal.SIGKILL)

    query = read_frames(messages, on_repeated_options="restart").writeStream.foreachBatch(add)
    query.option("checkpointLocation", checkpoint).start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))

"""Keeps a table up to date in a process of its own, which may stop at a point to be killed.

Usage: ``python -m tests.spark.pipeline.upkeep FOLDER [POINT BATCH]``.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from jelly_rdflib.spark.pipeline import CHANGES, maintain
from jelly_rdflib.spark.pipeline.quad_table import QuadTable

# Where a batch can be when it is killed: before it is merged, and after.
POINTS = ("before", "after")


def start(spark: Any, folder: Path, **options: Any) -> Any:
    """Start to keep the table ``quads`` up to date: a file of ``changes`` at a time."""
    stream = (
        spark.readStream.schema(CHANGES)
        .option("maxFilesPerTrigger", 1)
        .parquet(str(folder / "changes"))
    )
    options = {"checkpoint": "checkpoint", "trigger": {"availableNow": True}, **options}
    table = None if "sink" in options else str(folder / options.pop("table", "quads"))
    return maintain(stream, table, str(folder / options.pop("checkpoint")), **options)


def stop_at(point: str, batch: int) -> None:
    """Have the process stop before or after it merges the batch with a number."""
    merge = QuadTable.merge

    def stopping(table: QuadTable, operations: Any, version: int, state: Any) -> None:
        if state.batch != batch or point == "after":
            merge(table, operations, version, state)
        if state.batch == batch:
            print("stopped", flush=True)
            time.sleep(600)

    QuadTable.merge = stopping  # type: ignore[method-assign]


def main() -> None:
    from tests.spark.session import open_session

    folder, *where = sys.argv[1:]
    if where:
        stop_at(where[0], int(where[1]))
    start(open_session(), Path(folder)).awaitTermination()


if __name__ == "__main__":
    main()

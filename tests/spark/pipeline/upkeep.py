"""Keeps a table up to date in a process of its own, which stops at a point and waits to be killed.

Usage: ``python -m tests.spark.pipeline.upkeep FOLDER POINT BATCH``.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from jelly_rdflib.spark.pipeline import CHANGES, maintain
from jelly_rdflib.spark.pipeline.quad_table import QuadTable

# Where a batch can be when it is killed: before its quads are written, after that and before the
# commit, after the commit and before old versions are deleted, after all.
POINTS = ("update", "commit", "delete_old", "end")


def start(spark: Any, folder: Path, **options: Any) -> Any:
    """Start to keep the table ``quads`` up to date: a file of ``changes`` at a time."""
    stream = (
        spark.readStream.schema(CHANGES)
        .option("maxFilesPerTrigger", 1)
        .parquet(str(folder / "changes"))
    )
    options = {"buckets": 4, "trigger": {"availableNow": True}, **options}
    return maintain(stream, str(folder / "quads"), str(folder / "checkpoint"), **options)


def stop_at(point: str, batch: int) -> None:
    """Have the process stop before it does something for a batch; ``end``: after all of it."""
    name = "delete_old" if point == "end" else point
    function = getattr(QuadTable, name)
    calls = 0

    def stopping(*arguments: Any) -> Any:
        nonlocal calls
        # The commit of the empty table is none of a batch.
        calls += not (name == "commit" and arguments[1].batch < 0)
        result = function(*arguments) if point == "end" or calls <= batch else None
        if calls > batch:
            print("stopped", flush=True)
            time.sleep(600)
        return result

    setattr(QuadTable, name, stopping)


def main() -> None:
    from tests.spark.session import open_session

    folder, point, batch = sys.argv[1:]
    stop_at(point, int(batch))
    start(open_session(), Path(folder)).awaitTermination()


if __name__ == "__main__":
    main()

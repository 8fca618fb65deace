"""Keeps a table up to date, in this process or in one that a test kills.

Usage: ``python -m tests.spark.pipeline.upkeep FOLDER``.
"""

import sys
from pathlib import Path
from typing import Any

from jelly_rdflib.spark.pipeline import CHANGES, maintain


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


def main() -> None:
    from tests.spark.session import open_session

    start(open_session(), Path(sys.argv[1])).awaitTermination()


if __name__ == "__main__":
    main()

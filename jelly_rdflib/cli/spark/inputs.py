"""The inputs of commands on Spark."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from jelly_rdflib.cli.options import chosen_limits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMATS = ("jelly-patch", "rdf-patch")


class Changes:
    """Files of changes.

    Args:
        paths: Files, folders, globs, or logs.
        format: Their format; None if the name of the first path tells it.

    Raises:
        UsageError: The first path is of another format.
    """

    def __init__(self, paths: Sequence[str], format: str | None) -> None:
        from jelly_rdflib.formats import guess_by_name

        if format is None:
            found = guess_by_name(paths[0])
            format = FORMATS[0] if found is None else found.name
            if format not in FORMATS:
                raise click.UsageError(f"{paths[0]}: Spark reads changes as {' or '.join(FORMATS)}")
        self.format = format
        self.paths = list(paths)

    def load(self, spark: SparkSession) -> tuple[DataFrame, DataFrame]:
        """Return the table of changes, and the table of its marks."""
        from jelly_rdflib.spark.pipeline import MARKS

        reader = spark.read.format(self.format).options(**reader_limits())
        return reader.load(self.paths), reader.option("op", MARKS).load(self.paths)


def reader_limits() -> dict[str, int]:
    """Return the chosen limits as options of Spark's reader, which hands them to its workers."""
    return dataclasses.asdict(chosen_limits())


def load_quads(spark: SparkSession, path: str) -> DataFrame:
    """Load a table of quads: a table of `maintain`, .jelly files, or Parquet."""
    from jelly_rdflib.spark.pipeline import read_maintained

    if path.rstrip("/").endswith(".jelly"):
        return spark.read.format("jelly").options(**reader_limits()).load(path)
    if os.path.isdir(os.path.join(path, "commits")):
        return read_maintained(spark, path)
    return spark.read.parquet(path)

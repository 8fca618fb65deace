"""The outputs of commands on Spark: folders of files, or text on standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

OF_QUADS = ("parquet", "jelly", "nq")
OF_CHANGES = ("parquet", "jellyp", "rdfp")

STANDARD_OUTPUT = "-"
# Rows are turned into text in groups of this size.
_ROWS = 1 << 14


class Output:
    """The output of a table.

    Args:
        path: The folder, or "-".
        to: The format; None if the path tells it, or for the default.
        formats: The possible formats: `OF_QUADS` or `OF_CHANGES`.
        overwrite: Whether the folder may exist.

    Raises:
        UsageError: The folder exists, or there is a format for standard output.
    """

    def __init__(
        self, path: str, to: str | None, formats: tuple[str, ...], *, overwrite: bool
    ) -> None:
        if path == STANDARD_OUTPUT and to is not None:
            raise click.UsageError("standard output is text: --to is for -o")
        if os.path.exists(path) and not overwrite:
            raise click.UsageError(f"{path} is there already: --overwrite replaces it")
        if to is None:
            extension = os.path.splitext(path.rstrip("/"))[1].removeprefix(".")
            to = extension if extension in formats else formats[0]
        self._path = path
        self._to = to
        self._formats = formats
        self._overwrite = overwrite

    def write(self, table: DataFrame) -> None:
        """Write a table of quads, or a table of changes with one patch."""
        if self._path == STANDARD_OUTPUT:
            _print(table, is_quads=self._formats == OF_QUADS)
            return
        mode = "overwrite" if self._overwrite else "errorifexists"
        if self._to == "nq":
            _lines(table).write.mode(mode).text(self._path)
        elif self._to == "parquet":
            table.write.mode(mode).parquet(self._path)
        else:
            names = {"jelly": "jelly", "jellyp": "jelly-patch", "rdfp": "rdf-patch"}
            if self._formats == OF_CHANGES:
                # A patch must be in one file.
                table = table.repartition(1)
            # Data sources in Python have only these modes.
            mode = "overwrite" if self._overwrite else "append"
            table.write.format(names[self._to]).mode(mode).save(self._path)


def _lines(quads: DataFrame) -> DataFrame:
    """Return quads as lines of N-Quads."""
    from pyspark.sql import functions as F

    # `concat_ws` leaves out nulls: the default graph.
    return quads.select(F.concat_ws(" ", *quads.columns, F.lit(".")).alias("value"))


def _print(table: DataFrame, *, is_quads: bool) -> None:
    """Write text to standard output; memory holds one partition at a time."""
    if is_quads:
        for row in _lines(table).toLocalIterator():
            sys.stdout.buffer.write(row[0].encode() + b"\n")
    else:
        from jelly_rdflib.arrow import write_arrow

        write_arrow(_record_batches(table), sys.stdout.buffer, format="rdf-patch")
    sys.stdout.buffer.flush()


def _record_batches(table: DataFrame) -> Iterator[Any]:
    import pyarrow as pa

    from jelly_rdflib.arrow import arrow_schema

    schema = arrow_schema(table.columns)
    rows: Iterable[Any] = iter(table.toLocalIterator())
    while some := list(islice(rows, _ROWS)):
        columns = zip(*some, strict=True)
        arrays = [pa.array(*column) for column in zip(columns, schema.types, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)

"""The job of a command on Spark: it reads changes, and writes a folder or standard output."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.options import chosen_limits, chosen_repeated_options
from jelly_rdflib.cli.outputs import error_of_existing
from jelly_rdflib.cli.spark.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMATS = ("jelly-patch", "rdf-patch")
OF_QUADS = ("parquet", "jelly", "nq")
OF_CHANGES = ("parquet", "jellyp", "rdfp")

# Rows are turned into text in groups of this size.
_ROWS = 1 << 14


class Job:
    """The files and the output of a command, from its options; wrong ones raise a UsageError.

    ``formats`` are the possible formats of the output: `OF_QUADS` or `OF_CHANGES`. ``session`` is
    for `open_session`.
    """

    def __init__(
        self,
        formats: tuple[str, ...],
        *,
        paths: Sequence[str],
        output: str,
        to: str | None,
        overwrite: bool,
        from_: str | None,
        order_by: str | None,
        **session: Any,
    ) -> None:
        from jelly_rdflib.spark.paths import check_no_log
        from jelly_rdflib.spark.storage import Machine, full_path, start_of

        self.order_by = order_by
        self._format = format_of(paths[0], from_)
        self._paths = list(paths)
        self._session = session
        if output == "-" and to is not None:
            raise click.UsageError("standard output is text: --to is for -o")
        if start_of(output) is None or output.startswith("file:"):
            try:
                path = full_path(output)
            except ValueError as error:
                raise click.UsageError(str(error)) from error
            if os.path.exists(path) and not overwrite:
                raise error_of_existing(output)
            check_no_log(Machine(), path)
        if to is None:
            extension = os.path.splitext(output.rstrip("/"))[1].removeprefix(".")
            to = extension if extension in formats else formats[0]
        self._output = output
        self._to = to
        self._is_quads = formats == OF_QUADS
        self._overwrite = overwrite

    @contextmanager
    def open(self, base: str | None = None) -> Iterator[tuple[DataFrame, DataFrame]]:
        """Open a session for the block; yield all changes, and a second table of only the `MARKS`.

        The session can read the table of quads at ``base``.
        """
        with open_session(**self._session, has_delta=is_delta(base)) as spark:
            from jelly_rdflib.spark.pipeline import MARKS

            reader = spark.read.format(self._format).options(**reader_options())
            yield reader.load(self._paths), reader.option("op", MARKS).load(self._paths)

    def write(self, table: DataFrame) -> None:
        """Write a table of quads, or a table of changes with one patch."""
        mode = "overwrite" if self._overwrite else "errorifexists"
        if self._output == "-":
            _print(table, is_quads=self._is_quads)
        elif self._to == "nq":
            _lines(table).write.mode(mode).text(self._output)
        elif self._to == "parquet":
            table.write.mode(mode).parquet(self._output)
        else:
            from jelly_rdflib.spark.connections import settings_of_session
            from jelly_rdflib.spark.storage import Storage, full_path

            path = full_path(self._output)
            store = Storage.of(settings_of_session(table.sparkSession)).at(path)
            if store.find(path) is not None and not self._overwrite:
                raise error_of_existing(path)
            names = {"jelly": "jelly", "jellyp": "jelly-patch", "rdfp": "rdf-patch"}
            # Make one partition for a patch, which must be in one file.
            table = table if self._is_quads else table.repartition(1)
            # Data sources in Python support only these two modes.
            mode = "overwrite" if self._overwrite else "append"
            table.write.format(names[self._to]).mode(mode).save(self._output)


def format_of(path: str, format: str | None) -> str:
    """Return the format of files of changes: the given one, or else that of the first path.

    Raise a UsageError if this is not a format of changes.
    """
    from jelly_rdflib.formats import guess_by_name

    if format is None:
        found = guess_by_name(path)
        format = FORMATS[0] if found is None else found.name
        if format not in FORMATS:
            raise click.UsageError(f"{path}: Spark reads changes as {' or '.join(FORMATS)}")
    return format


def reader_options() -> dict[str, Any]:
    """Return the user's choices for reading as options of Spark's reader."""
    return {**dataclasses.asdict(chosen_limits()), "onRepeatedOptions": chosen_repeated_options()}


def is_delta(path: str | None) -> bool:
    """Return whether a folder is a Delta table, such as `maintain` writes."""
    return path is not None and os.path.isdir(os.path.join(path, "_delta_log"))


def load_quads(spark: SparkSession, path: str) -> DataFrame:
    """Load a table of quads: a Delta table, .jelly files, or Parquet."""
    if path.rstrip("/").endswith(".jelly"):
        return spark.read.format("jelly").options(**reader_options()).load(path)
    return spark.read.format("delta" if is_delta(path) else "parquet").load(path)


def _lines(quads: DataFrame) -> DataFrame:
    """Return quads as lines of N-Quads."""
    from pyspark.sql import functions as F

    # `concat_ws` leaves out nulls, and so the default graph.
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
    rows = iter(table.toLocalIterator())
    while some := [row.asDict() for row in islice(rows, _ROWS)]:
        yield pa.RecordBatch.from_pylist(some, schema=schema)

"""Indexes of long files, on this machine and in stores: the parts in which to read each file."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from jelly_rdflib.options import Limits, as_limits
from jelly_rdflib.spark.connections import settings_of_session
from jelly_rdflib.spark.paths import find_files
from jelly_rdflib.spark.planning import Look
from jelly_rdflib.spark.storage import Entry, Machine, Storage, Store, full_path
from jelly_rdflib.streams.index import (
    SPACING,
    FilePart,
    StaleIndexError,
    index_path,
    load_index,
    pack_index,
    unpack_index,
    write_index,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_READ_SIZE = 1 << 16


def load_parts(
    place: Machine | Store, file: Entry, *, is_statements: bool, spacing: int
) -> list[FilePart] | None:
    """Return the parts of a file from the index next to it; otherwise act as `load_index`."""
    if isinstance(place, Machine):
        return load_index(file.path, is_statements=is_statements, spacing=spacing)
    path = index_path(file.path)
    if place.find(path) is None:
        return None
    identity = place.identity(file)
    with place.open(path, _READ_SIZE) as opened:
        return unpack_index(opened, path, identity, is_statements=is_statements, spacing=spacing)


def index_files(
    spark: SparkSession,
    *paths: str,
    statements: bool = False,
    spacing: int = SPACING,
    limits: Limits | None = None,
) -> list[str]:
    """Save an index next to each long file, as ``FILE.idx``, in a job with a task for each file.

    With an index, a read can be planned without scanning the file. An index is valid as long as
    its file has the same size and time, or in a store the same size and ETag. A valid index is not
    rewritten.

    Args:
        spark: The session, whose settings for stores are used.
        paths: Files, folders, globs and patch logs, as for the data sources.
        statements: Whether the files contain statements (Jelly-RDF) instead of changes.
        spacing: The minimum size of a part, in bytes. Shorter or compressed files get no index.
        limits: The limits of the input.

    Returns:
        The paths of the indexes that were written.

    Raises:
        FileNotFoundError: A path does not exist.
        PythonException: Raised by Spark: a file can't be read, or its folder can't be written to.

    Examples:
        >>> import os, tempfile
        >>> import rdflib
        >>> import jelly_rdflib as jr
        >>> path = f"{tempfile.mkdtemp()}/long.jellyp"
        >>> with jr.PatchWriter(path, jr.PatchOptions(frame_rows=10)) as writer:
        ...     for number in range(1000):
        ...         writer.header("number", rdflib.Literal(number))
        >>> os.path.basename(*index_files(spark, path, spacing=1000))
        'long.jellyp.idx'
    """
    from pyspark.sql.functions import udf

    storage = Storage.of(settings_of_session(spark))
    files = find_files(list(map(full_path, paths)), storage)
    long = [(file.path,) for file in files if file.size > spacing]
    if not long:
        return []
    limits = as_limits(limits)

    @udf("string", useArrow=False)
    def write(path: str) -> str | None:
        file = storage.at(path).find(path)
        return file and _write(Look(file, storage, statements, spacing, limits))

    # Repartitioning a single partition gives each row its own task.
    table = spark.createDataFrame(long, "path string").coalesce(1).repartition(len(long))
    written = table.select(write("path").alias("path")).collect()
    return [row.path for row in written if row.path is not None]


def _write(look: Look) -> str | None:
    """Write the index of a file, unless a valid index exists or the file is one part."""
    file, storage, is_statements, spacing, _ = look
    place, target = storage.at(file.path), index_path(file.path)
    with suppress(StaleIndexError):
        if load_parts(place, file, is_statements=is_statements, spacing=spacing) is not None:
            return None
    identity = None if isinstance(place, Machine) else place.identity(file)
    parts = look.parts()
    if len(parts) == 1:
        return None
    if identity is None:
        return write_index(file.path, parts, is_statements=is_statements)
    # In some stores the index becomes visible in pieces, but a reader notices if it is cut off.
    with place.create(target) as made:
        made.writelines(pack_index(parts, identity, is_statements=is_statements))
    return target

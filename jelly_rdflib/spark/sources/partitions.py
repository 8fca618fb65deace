"""Distributes files, and parts of files, to tasks."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import lru_cache
from typing import Any

from pyspark.sql.datasource import InputPartition

from jelly_rdflib.core.batch import Batch, BatchSource
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.options import Limits, PatchOptions, PhysicalStreamType, StreamOptions
from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.options import FAILFAST, ReadOptions
from jelly_rdflib.spark.paths import stats_of
from jelly_rdflib.streams.index import SPACING, Part, StaleIndexError, find_parts, load_index
from jelly_rdflib.streams.open_input import open_input

# A smaller part is not worth the start of a task.
LEAST_BYTES = 4 << 20
# A file longer than the target by less than this factor stays whole.
SLACK = 1.25


class FilePartition(InputPartition):
    """The files that a task reads one after another, or parts of them; None is a whole file.

    ``first`` is a file whose statements are known, and what they are: those of all files must be.
    """

    def __init__(
        self, parts: list[tuple[str, Part | None]], first: tuple[str, str] | None = None
    ) -> None:
        super().__init__(parts)
        self.parts = parts
        self.first = first


def open_file(file: str, kind: Kind, limits: Limits, **settings: Any) -> BatchSource:
    """Open a whole file, with settings of a `Reading`; a DecodeError if it is the other Jelly."""
    holds_changes = not kind.is_statements
    return open_input(
        file, format=kind.format, holds_changes=holds_changes, limits=limits, **settings
    ).batches()


def find_statement_type(
    files: Iterable[str], kind: Kind, options: ReadOptions
) -> tuple[str, str] | None:
    """Return the first file that tells whether it has triples or quads, and which.

    The driver opens this file, and those before it; tasks check the others. A fault of a file is a
    DecodeError in the mode FAILFAST; in other modes it is skipped here: its row reports it.
    """
    for file in files if kind.has_frames else ():
        if (found := _look(file, kind, options)) is not None:
            return file, found
    return None


def _look(file: str, kind: Kind, options: ReadOptions) -> str | None:
    try:
        with closing(open_file(file, kind, options.limits, is_quiet=True)) as batches:
            next(batches, None)
            return _statement_type(batches.options)
    except DecodeError as error:
        if options.mode == FAILFAST:
            raise DecodeError(f"{file}: {error}") from None
        return None
    except FileNotFoundError:
        if not options.ignores_missing:
            raise
        return None


def _statement_type(options: PatchOptions | StreamOptions | None) -> str | None:
    if isinstance(options, StreamOptions):
        return "TRIPLES" if options.physical_type == PhysicalStreamType.TRIPLES else "QUADS"
    return None if options is None else options.statement_type.name


def checked(batches: BatchSource, path: str, first: tuple[str, str] | None) -> Iterator[Batch]:
    """Yield the batches of a file; a ValueError if its statements are not as of the first file."""
    for batch in batches:
        # In any mode triples may not come with quads: this is no damage of a file.
        found = _statement_type(batches.options)
        if first is not None and found != first[1]:
            raise ValueError(
                f"{path}: a stream of {found}, but {first[0]} is one of {first[1]}: read them one"
                " by one, and give the triples a graph"
            )
        yield batch


def plan(files: list[str], kind: Kind, options: ReadOptions) -> list[FilePartition]:
    """Distribute files in their order: large files in parts, small files together.

    Files that are missing are left out if the options say so; else they are a FileNotFoundError.
    In the mode FAILFAST an empty file is a DecodeError, and so are those of `find_statement_type`.

    Files are read in parts only in the mode FAILFAST. In other modes, a task would read the part
    after some damage as if nothing was missing.
    """
    found = stats_of(files) if options.ignores_missing else ((f, os.stat(f)) for f in files)
    sizes = {file: status.st_size for file, status in found}
    if options.mode == FAILFAST and 0 in sizes.values():
        raise DecodeError(f"{min(sizes, key=sizes.__getitem__)}: the file is empty")
    first = find_statement_type((file for file, size in sizes.items() if size > 0), kind, options)
    target = options.partition_bytes
    if target is None:
        share = sum(sizes.values()) // (2 * (os.cpu_count() or 1))
        target = min(SPACING, max(LEAST_BYTES, share))
    partitions: list[FilePartition] = []
    room = -1
    for file, size in sizes.items():
        parts: list[Part] = []
        if kind.has_frames and options.mode == FAILFAST and size > SLACK * target:
            parts = _parts_of(file, kind, target, options.limits)
        if len(parts) > 1:
            partitions.extend(FilePartition([(file, part)], first) for part in parts)
            room = -1
        elif size <= room:
            partitions[-1].parts.append((file, None))
            room -= max(size, 1)
        else:
            partitions.append(FilePartition([(file, None)], first))
            room = target - max(size, 1)
    return partitions


def _parts_of(file: str, kind: Kind, spacing: int, limits: Limits) -> list[Part]:
    try:
        parts = load_index(file, is_statements=kind.is_statements, spacing=spacing)
    except StaleIndexError as error:
        warnings.warn(f"{error}; the file is scanned instead", stacklevel=2)
        parts = None
    if parts is not None:
        return parts
    status = os.stat(file)
    return _found_parts(
        file, kind.is_statements, spacing, limits, status.st_size, status.st_mtime_ns
    )


@lru_cache(maxsize=16)
def _found_parts(
    file: str, is_statements: bool, spacing: int, limits: Limits, size: int, modified: int
) -> list[Part]:
    """Find the parts of a file once, though each query over it plans again."""
    return find_parts(file, is_statements=is_statements, spacing=spacing, limits=limits)

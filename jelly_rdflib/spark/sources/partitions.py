"""Distributes files, and parts of files, to tasks."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from contextlib import closing
from functools import lru_cache

from pyspark.sql.datasource import InputPartition

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.options import Limits, PatchOptions, PhysicalStreamType
from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.options import FAILFAST, ReadOptions
from jelly_rdflib.streams.index import SPACING, Part, StaleIndexError, find_parts, load_index
from jelly_rdflib.streams.open_input import open_input

# A smaller part is not worth the start of a task.
LEAST_BYTES = 4 << 20
# A file longer than the target by less than this factor stays whole.
SLACK = 1.25


class FilePartition(InputPartition):
    """The files that a task reads one after another, or parts of them; None is a whole file."""

    def __init__(self, parts: list[tuple[str, Part | None]]) -> None:
        super().__init__(parts)
        self.parts = parts


def check_files(files: Iterable[str], kind: Kind, options: ReadOptions) -> None:
    """Check, by their first frames, that files have the format and the same kind of statements.

    If not, it is a DecodeError. In any mode, triples may not come with quads. Outside of the mode
    FAILFAST, other faults of files are skipped here: their rows report the damage.
    """
    first: tuple[str, str] | None = None
    for file in files:
        try:
            statements = _statement_type(file, kind, options.limits)
        except DecodeError as error:
            if options.mode == FAILFAST:
                raise DecodeError(f"{file}: {error}") from None
            continue
        if statements is None:
            continue
        first = first or (file, statements)
        if first[1] != statements:
            raise DecodeError(
                f"{file}: a stream of {statements}, but {first[0]} is one of {first[1]}: read them"
                " one by one, and give the triples a graph"
            )


def _statement_type(file: str, kind: Kind, limits: Limits) -> str | None:
    """Return whether a file has triples or quads; None if its start does not tell."""
    if os.path.getsize(file) == 0:
        raise DecodeError("the file is empty")
    if not kind.has_frames:
        return None
    batches = open_input(file, format=kind.format, limits=limits, is_quiet=True).batches()
    with closing(batches):
        next(batches, None)
        found = batches.options
    if found is None:
        return None
    has_changes = isinstance(found, PatchOptions)
    if has_changes == kind.is_statements:
        others = "Jelly-Patch" if has_changes else "Jelly-RDF"
        raise DecodeError(f"this is {others}, not {kind.name}")
    if isinstance(found, PatchOptions):
        return found.statement_type.name
    return "TRIPLES" if found.physical_type == PhysicalStreamType.TRIPLES else "QUADS"


def plan(files: list[str], kind: Kind, options: ReadOptions) -> list[FilePartition]:
    """Distribute files in their order: large files in parts, small files together.

    Files are read in parts only in the mode FAILFAST. In other modes, a task would read the part
    after some damage as if nothing was missing.
    """
    sizes = {file: os.path.getsize(file) for file in files}
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
            partitions.extend(FilePartition([(file, part)]) for part in parts)
            room = -1
        elif size <= room:
            partitions[-1].parts.append((file, None))
            room -= max(size, 1)
        else:
            partitions.append(FilePartition([(file, None)]))
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

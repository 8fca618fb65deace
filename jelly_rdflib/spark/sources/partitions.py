"""Distributes files, and parts of files, to tasks."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from typing import Any, BinaryIO

from pyspark.sql.datasource import InputPartition

from jelly_rdflib.core.batch import BatchSource
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.log.names import FileName
from jelly_rdflib.log.staging import check_digest, hash_file
from jelly_rdflib.options import Limits, RepeatedOptions
from jelly_rdflib.spark.indexes import load_parts
from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.options import FAILFAST, ReadOptions
from jelly_rdflib.spark.planning import Cluster, Look
from jelly_rdflib.spark.sources.rows import statement_type
from jelly_rdflib.spark.storage import Entry, Storage
from jelly_rdflib.streams.index import SPACING, FilePart, StaleIndexError, read_part
from jelly_rdflib.streams.open_input import open_input

# A part with fewer bytes is not worth the start of a task.
LEAST_BYTES = 4 << 20
# The number of bytes that the driver requests from a store at once.
LOOK_SIZE = 1 << 16
# If the size of a partition is given, a file counts as at least 1/256 of it, however small it is.
LEAST_SHARE = 256
# A file is cut only if its size is more than this many times the target size.
SLACK = 1.25


class FilePartition(InputPartition):
    """The files that a task reads in turn, each with the part to read; None: the whole file.

    ``first`` is the first file whose kind of statements is known, and the kind: triples or quads.
    All files must have the same kind.
    """

    def __init__(
        self, parts: list[tuple[str, FilePart | None]], first: tuple[str, str] | None = None
    ) -> None:
        super().__init__(parts)
        self.parts = parts
        self.first = first


def is_patch(path: str) -> bool:
    """Return whether a path is a log's patch file, which a squash may replace by another file."""
    return FileName.parse(os.path.basename(path)) is not None


@contextmanager
def opened(
    file: str,
    storage: Storage,
    kind: Kind,
    options: ReadOptions,
    part: FilePart | None = None,
    *,
    is_quiet: bool = False,
) -> Iterator[BatchSource]:
    """Open a file, or a part of it; ``is_quiet`` turns off warnings and the digest check.

    The reader raises a DecodeError if the file has the other kind of Jelly. In every mode a
    LogError is raised if a log's file doesn't match the digest in its name. To check this, the
    task that reads the start of the file reads all of it before the first row, since Spark may
    want only a few rows.
    """
    is_statements = kind.is_statements
    settings: dict[str, Any] = {
        "limits": options.limits,
        "on_repeated_options": options.on_repeated_options,
    }
    place = storage.at(file)
    # With `is_quiet` the driver reads only the first frame, so request few bytes.
    with closing(place.open(file, LOOK_SIZE) if is_quiet else place.open(file)) as source:
        is_checked = not is_quiet and (part is None or part.state is None)
        data = _check_file(source, file) if is_checked else None
        if part is None:
            batches = open_input(
                source if data is None else data,
                format=kind.format,
                holds_changes=not is_statements,
                is_quiet=is_quiet,
                **settings,
            ).batches()
        else:
            batches = read_part(
                source, part, is_statements=is_statements, open_index=place.open, **settings
            )
        with closing(batches):
            yield batches


def _check_file(source: BinaryIO, path: str) -> bytes | None:
    """Check a log's file against the digest in its name; return its bytes if the file is small."""
    name = FileName.parse(os.path.basename(path))
    if name is None:
        return None
    data, found = hash_file(source)
    check_digest(found, name.digest, path)
    source.seek(0)
    return data


def find_statement_type(
    files: Iterable[Entry], storage: Storage, kind: Kind, options: ReadOptions
) -> tuple[str, str] | None:
    """Return the first file that shows whether it has triples or quads, and which it has.

    The driver reads the first frame of this file, and of those before it; tasks check the other
    files. In the mode FAILFAST a faulty file raises a DecodeError. In other modes it is skipped
    here, since the task that reads it reports the fault.
    """
    for file in files if kind.has_frames else ():
        if (found := _try_to_look(file, storage, kind, options)) is not None:
            return file.path, found
    return None


def _try_to_look(file: Entry, storage: Storage, kind: Kind, options: ReadOptions) -> str | None:
    try:
        return _look(file, storage, kind, options.limits, options.on_repeated_options)
    except DecodeError as error:
        if options.mode == FAILFAST:
            kind.explain(error, file.path)
            raise error.with_traceback(None) from None
        return None
    except FileNotFoundError:
        if is_patch(file.path) or not options.ignores_missing:
            raise
        return None


@lru_cache(maxsize=1 << 12)
def _look(
    file: Entry, storage: Storage, kind: Kind, limits: Limits, on_repeated: RepeatedOptions
) -> str | None:
    # The first frame is read in the same way in all modes, so `mode` is left out.
    options = ReadOptions(limits=limits, on_repeated_options=on_repeated)
    with opened(file.path, storage, kind, options, is_quiet=True) as batches:
        next(batches, None)
        return statement_type(batches.options)


def plan(
    files: list[Entry], storage: Storage, kind: Kind, options: ReadOptions, cluster: Cluster
) -> list[FilePartition]:
    """Distribute files in their order: large files in parts, small files together.

    Missing files are left out if the options allow it and they don't belong to a log; otherwise
    they raise a FileNotFoundError. In the mode FAILFAST an empty file raises a DecodeError, and so
    do the faults that `find_statement_type` finds.

    Files are read in parts only in the mode FAILFAST. In other modes, a task would read the part
    after damaged data as if nothing were missing. A file in which streams may restart is read as a
    whole.
    """
    for file in files:
        if file.is_missing and (is_patch(file.path) or not options.ignores_missing):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file.path)
        if file.size == 0 and options.mode == FAILFAST:
            raise DecodeError(f"{file.path}: the file is empty")
    files = [file for file in files if not file.is_missing]
    filled = (file for file in files if file.size > 0)
    first = find_statement_type(filled, storage, kind, options)
    target = most = share = options.partition_bytes or 0
    open_cost = min(cluster.open_cost, target // LEAST_SHARE)
    if options.partition_bytes is None:
        open_cost, tasks = cluster.open_cost, cluster.least_tasks()
        size = sum(file.size for file in files)
        target = min(SPACING, max(LEAST_BYTES, size // tasks))
        # Leave some spare room: files of almost the same size then need no additional task.
        most = target + target // 16
        share = max(SPACING, (size + len(files) * open_cost) // tasks)
    is_divisible = options.mode == FAILFAST and options.on_repeated_options != "restart"
    long = [file for file in files if file.size > SLACK * target]
    if not (kind.has_frames and is_divisible):
        long = []
    found = _parts_of(long, storage, kind, target, options.limits, cluster)
    partitions: list[FilePartition] = []
    # The capacity left in a partition, in bytes: without and with the cost of opening files.
    room = share_left = -1
    for file in files:
        path, size = file.path, file.size
        parts = found.get(file, [])
        if len(parts) > 1:
            partitions.extend(FilePartition([(path, part)], first) for part in parts)
            room = -1
        elif size <= min(room, share_left):
            partitions[-1].parts.append((path, None))
            room -= size
            share_left -= max(size + open_cost, 1)
        else:
            partitions.append(FilePartition([(path, None)], first))
            room = most - size
            share_left = share - max(size + open_cost, 1)
    return partitions


def _parts_of(
    files: list[Entry],
    storage: Storage,
    kind: Kind,
    spacing: int,
    limits: Limits,
    cluster: Cluster,
) -> dict[Entry, list[FilePart]]:
    """Return the parts of long files, from the index next to a file, or else by scanning it."""
    found: dict[Entry, list[FilePart]] = {}
    for file in files:
        try:
            place = storage.at(file.path)
            parts = load_parts(place, file, is_statements=kind.is_statements, spacing=spacing)
        except StaleIndexError as error:
            warnings.warn(f"{error}; the file is scanned instead", stacklevel=2)
            parts = None
        if parts is not None:
            found[file] = parts
    left = [file for file in files if file not in found]
    looks = [Look(file, storage, kind.is_statements, spacing, limits) for file in left]
    return found | dict(zip(left, cluster.parts_of(looks), strict=True))

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
from jelly_rdflib.options import Limits
from jelly_rdflib.spark.kinds import Kind
from jelly_rdflib.spark.options import FAILFAST, ReadOptions
from jelly_rdflib.spark.sources.rows import statement_type
from jelly_rdflib.spark.storage import Entry, Storage
from jelly_rdflib.streams.index import (
    SPACING,
    FilePart,
    StaleIndexError,
    find_parts,
    load_index,
    read_part,
)
from jelly_rdflib.streams.open_input import open_input

# A smaller part is not worth the start of a task, and nor are fewer files.
LEAST_BYTES = 4 << 20
LEAST_FILES = 256
# A file longer than the target by less than this factor stays whole.
SLACK = 1.25


class FilePartition(InputPartition):
    """The files that a task reads one after another, or parts of them; None is a whole file.

    ``first`` is a file whose statements are known, and what they are: those of all files must be.
    """

    def __init__(
        self, parts: list[tuple[str, FilePart | None]], first: tuple[str, str] | None = None
    ) -> None:
        super().__init__(parts)
        self.parts = parts
        self.first = first


def is_patch(path: str) -> bool:
    """Is this the file of a patch of a log? If it is missing, the patch is in another one now."""
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
    """Open a file, or a part of it; with ``is_quiet`` nothing is warned of, no digest is checked.

    Its reader raises a DecodeError if it is the other Jelly. In each mode this raises a LogError if
    the file of a log is not the one that its name says. The task that reads its start reads all of
    it to check that, before the first row: Spark may want only a few.
    """
    is_statements = kind.is_statements
    settings: dict[str, Any] = {
        "limits": options.limits,
        "on_repeated_options": options.on_repeated_options,
    }
    place = storage.at(file)
    with closing(place.open(file)) as source:
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
            batches = read_part(source, part, is_statements=is_statements, **settings)
        with closing(batches):
            yield batches


def _check_file(source: BinaryIO, path: str) -> bytes | None:
    """Check an opened file of a log by the digest in its name; return its bytes if they are few."""
    name = FileName.parse(os.path.basename(path))
    if name is None:
        return None
    data, found = hash_file(source)
    check_digest(found, name.digest, path)
    source.seek(0)
    return data


def find_statement_type(
    files: Iterable[str], storage: Storage, kind: Kind, options: ReadOptions
) -> tuple[str, str] | None:
    """Return the first file that tells whether it has triples or quads, and which.

    The driver opens this file, and those before it; tasks check the others. A fault of a file is a
    DecodeError in the mode FAILFAST; in other modes it is skipped here: its row reports it.
    """
    for file in files if kind.has_frames else ():
        if (found := _look(file, storage, kind, options)) is not None:
            return file, found
    return None


def _look(file: str, storage: Storage, kind: Kind, options: ReadOptions) -> str | None:
    try:
        with opened(file, storage, kind, options, is_quiet=True) as batches:
            next(batches, None)
            return statement_type(batches.options)
    except DecodeError as error:
        if options.mode == FAILFAST:
            error.source = file
            raise
        return None
    except FileNotFoundError:
        if is_patch(file) or not options.ignores_missing:
            raise
        return None


def plan(
    files: list[Entry], storage: Storage, kind: Kind, options: ReadOptions
) -> list[FilePartition]:
    """Distribute files in their order: large files in parts, small files together.

    Files that are missing are left out if the options say so; else, and if they are of a log, they
    are a FileNotFoundError. In the mode FAILFAST an empty file is a DecodeError, and so are those
    of `find_statement_type`.

    Files are read in parts only in the mode FAILFAST. In other modes, a task would read the part
    after some damage as if nothing was missing. A file in which streams may start anew is read as a
    whole.
    """
    for file in files:
        if file.is_missing and (is_patch(file.path) or not options.ignores_missing):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file.path)
        if file.size == 0 and options.mode == FAILFAST:
            raise DecodeError(f"{file.path}: the file is empty")
    files = [file for file in files if not file.is_missing]
    filled = (file.path for file in files if file.size > 0)
    first = find_statement_type(filled, storage, kind, options)
    tasks = 2 * (os.cpu_count() or 1)
    most_files = max(LEAST_FILES, -(-len(files) // tasks))
    target = most = options.partition_bytes or 0
    if options.partition_bytes is None:
        share = sum(file.size for file in files) // tasks
        target = min(SPACING, max(LEAST_BYTES, share))
        # With a bit more, files of almost the same size take no further task.
        most = target + target // 16
    partitions: list[FilePartition] = []
    room = -1
    for file in files:
        path, size = file.path, file.size
        parts: list[FilePart] = []
        is_divisible = options.mode == FAILFAST and options.on_repeated_options != "restart"
        if kind.has_frames and is_divisible and size > SLACK * target:
            parts = _parts_of(file, storage, kind, target, options.limits)
        if len(parts) > 1:
            partitions.extend(FilePartition([(path, part)], first) for part in parts)
            room = -1
        elif size <= room and len(partitions[-1].parts) < most_files:
            partitions[-1].parts.append((path, None))
            room -= max(size, 1)
        else:
            partitions.append(FilePartition([(path, None)], first))
            room = most - max(size, 1)
    return partitions


def _parts_of(
    file: Entry, storage: Storage, kind: Kind, spacing: int, limits: Limits
) -> list[FilePart]:
    parts = None
    try:
        # An index knows its file by its time, which is another one in a store.
        if not storage.at(file.path).is_remote:
            parts = load_index(file.path, is_statements=kind.is_statements, spacing=spacing)
    except StaleIndexError as error:
        warnings.warn(f"{error}; the file is scanned instead", stacklevel=2)
    if parts is not None:
        return parts
    return _found_parts(file, storage, kind.is_statements, spacing, limits)


@lru_cache(maxsize=16)
def _found_parts(
    file: Entry, storage: Storage, is_statements: bool, spacing: int, limits: Limits
) -> list[FilePart]:
    """Find the parts of a file once, though each query over it plans again."""
    with closing(storage.at(file.path).open(file.path)) as source:
        return find_parts(source, is_statements=is_statements, spacing=spacing, limits=limits)

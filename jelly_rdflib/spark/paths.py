"""Finds the files of paths: files, folders, globs and patch logs."""

from __future__ import annotations

import fnmatch
import glob
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from urllib.parse import unquote, urlsplit

from jelly_rdflib.errors import LogError
from jelly_rdflib.log import PatchLog
from jelly_rdflib.log.names import FileName

INDEX = ".idx"
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""The value of a folder ``key=value`` that stands for null."""
_SEGMENTS = "segments"
# Choices in a glob, the innermost ones first: {a,b}.
_CHOICES = re.compile(r"\{([^{}]*)\}")


def paths_of(options: Mapping[str, str], format: str) -> list[str]:
    """Return the paths of ``load``, as local paths; a ValueError if there are none."""
    paths = json.loads(options.get("paths", "[]"))
    if "path" in options:
        paths.append(options["path"])
    if not paths:
        raise ValueError(
            f'{format} needs a path: spark.read.format("{format}").load(path), or a table that is'
            " created with a LOCATION and without columns"
        )
    return [local_path(path) for path in paths]


def local_path(path: str) -> str:
    """Return an absolute path of this machine's file system, also for a URL with scheme ``file``.

    A ValueError if it is of another file system.
    """
    scheme, separator, _ = path.partition(":")
    if separator and scheme == "file":
        parts = urlsplit(path)
        if parts.netloc not in ("", "localhost"):
            raise ValueError(f"{path}: a file of another host")
        return os.path.abspath(unquote(parts.path))
    if separator and "/" not in scheme and path[len(scheme) + 1 :].startswith("//"):
        raise ValueError(
            f"{path}: only paths that all executors can open as files are read and written, not"
            f" {scheme}: mount it, or copy the files to where all can reach them"
        )
    return os.path.abspath(path)


def list_folder(folder: str, *, pattern: str = "*", is_recursive: bool = False) -> Iterator[str]:
    """Yield the files of a folder and of its folders ``key=value``, sorted by name.

    Hidden files (``.x``, ``_x``), such as unfinished output, and indexes (``x.idx``) are left out.
    """
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        is_hidden = name.startswith((".", "_"))
        if os.path.isdir(path):
            has_value = "=" in name[1:] and not name.startswith(".")
            if has_value or (is_recursive and not is_hidden):
                yield from list_folder(path, pattern=pattern, is_recursive=is_recursive)
        elif not (is_hidden or name.endswith(INDEX)) and fnmatch.fnmatchcase(name, pattern):
            yield path


def base_of(path: str) -> str:
    """Return what exists of an absolute path: for a glob, the folder before its first sign."""
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path


def folder_values(file: str, bases: Iterable[str]) -> dict[str, str | None]:
    """Return the values of the folders ``key=value`` between the longest base and a file."""
    under = [base for base in bases if file.startswith(os.path.join(base, ""))]
    folders = os.path.relpath(os.path.dirname(file), max(under, key=len)) if under else ""
    parts = (folder.partition("=") for folder in folders.split(os.sep))
    return {
        unquote(key): None if value == NO_VALUE else unquote(value)
        for key, sign, value in parts
        if key and sign
    }


def folder_names(files: Iterable[str], bases: Iterable[str]) -> list[str]:
    """Return the keys of the files' folders ``key=value``.

    A ValueError if they are not the same for all files.
    """
    first: tuple[str, list[str]] | None = None
    for file in files:
        names = list(folder_values(file, bases))
        first = first or (file, names)
        if names != first[1]:
            raise ValueError(
                f"{file}: its folders key=value give the columns {names}, but those of {first[0]}"
                f" give {first[1]}: load them one by one, or without these columns, by"
                " recursiveFileLookup=true"
            )
    return first[1] if first else []


def find_files(paths: list[str], *, pattern: str = "*", is_recursive: bool = False) -> list[str]:
    """Return the files of absolute paths: files, folders, and globs of both.

    Globs have ``*``, ``?``, ``[…]``, ``**`` and ``{…,…}``. The files of a patch log, or of its
    folder ``segments``, are those that its database lists. ``pattern`` is a glob for the names of
    files in folders. A FileNotFoundError if a path does not exist, a ValueError if a file comes
    twice, a LogError if a log is broken, or of an earlier format.
    """
    files: list[str] = []
    for path in paths:
        matches = [path] if os.path.exists(path) else _find_matches(path)
        if not matches or not os.path.exists(matches[0]):
            raise FileNotFoundError(f"{path}: there is no such file or folder")
        for match in matches:
            log = _log_of(match)
            if log is not None:
                found = [os.fspath(entry.path) for entry in PatchLog(log).patches()]
                found = [file for file in found if os.path.isdir(match) or file == match]
                files += (f for f in found if fnmatch.fnmatchcase(os.path.basename(f), pattern))
            elif os.path.isdir(match):
                files.extend(list_folder(match, pattern=pattern, is_recursive=is_recursive))
            else:
                files.append(match)
    seen: dict[str, str] = {}
    for file in files:
        real = os.path.realpath(file)
        if real in seen:
            raise ValueError(f"{file}: this file is to be read twice (as {seen[real]} before)")
        seen[real] = file
    return files


def stats_of(files: Iterable[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Yield files and what the system says of them; files that were deleted are left out."""
    for file in files:
        with suppress(FileNotFoundError):
            yield file, os.stat(file)


def _log_of(path: str) -> str | None:
    """Return the patch log of a path; None if it belongs to no log.

    A LogError if the database of the log is missing.
    """
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    if os.path.basename(folder) == _SEGMENTS:
        folder = os.path.dirname(folder)
    elif folder != path:
        return None
    database, segments = os.path.join(folder, "log.db"), os.path.join(folder, _SEGMENTS)
    exists = os.path.exists(database)
    if os.path.exists(os.path.join(folder, "log.json")) or (exists and os.path.getsize(database)):
        return folder
    is_log = os.path.isdir(segments) and os.path.isdir(os.path.join(folder, "staging"))
    if is_log and any(map(FileName.parse, os.listdir(segments))):
        raise LogError(
            f"{folder}: the folder has the segments of a patch log, but its log.db is missing or"
            " empty: put a copy of it back"
        )
    return folder if exists else None


def _find_matches(path: str) -> list[str]:
    """Return the matches of a glob, each once and sorted."""
    matches = chain.from_iterable(glob.iglob(each, recursive=True) for each in _choices(path))
    return sorted({match for match in matches if not match.endswith(INDEX)})


def _choices(path: str) -> Iterator[str]:
    """Expand ``{…,…}`` in a glob, as Spark's own sources do."""
    found = _CHOICES.search(path)
    if found is None:
        yield path
        return
    for choice in found[1].split(","):
        yield from _choices(path[: found.start()] + choice + path[found.end() :])

"""Finds the files that paths refer to: files, folders, globs and patch logs."""

from __future__ import annotations

import fnmatch
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from urllib.parse import unquote

from jelly_rdflib.errors import LogError
from jelly_rdflib.log import LogEntry, PatchLog
from jelly_rdflib.log.history import NAME as DATABASE
from jelly_rdflib.log.names import FileName
from jelly_rdflib.spark.storage import (
    Entry,
    Machine,
    Storage,
    Store,
    full_path,
    parent_of,
    start_of,
)

INDEX = ".idx"
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""The value of a folder ``key=value`` that stands for null."""
_SEGMENTS = "segments"
# Alternatives in a glob, innermost first: {a,b}.
_CHOICES = re.compile(r"\{([^{}]*)\}")
_SIGNS = re.compile(r"[*?[]")


def paths_of(options: Mapping[str, str], format: str) -> list[str]:
    """Return the paths given to ``load``, made absolute; raise a ValueError if there are none."""
    paths = json.loads(options.get("paths", "[]"))
    if "path" in options:
        paths.append(options["path"])
    if not paths:
        raise ValueError(
            f'{format} needs a path: spark.read.format("{format}").load(path), or a table that is'
            " created with a LOCATION and without columns"
        )
    return [full_path(path) for path in paths]


def list_folder(
    place: Machine | Store, entries: list[Entry], *, pattern: str = "*", is_recursive: bool = False
) -> Iterator[Entry]:
    """Yield the files of a folder with these entries, and of its folders ``key=value``.

    Hidden files (``.x``, ``_x``), such as unfinished output, and indexes (``x.idx``) are left out.
    """
    for each in entries:
        name = os.path.basename(each.path)
        is_hidden = name.startswith((".", "_"))
        if each.is_folder:
            has_value = "=" in name[1:] and not name.startswith(".")
            if has_value or (is_recursive and not is_hidden):
                inner = place.list(each.path)
                yield from list_folder(place, inner, pattern=pattern, is_recursive=is_recursive)
        elif not (is_hidden or name.endswith(INDEX)) and fnmatch.fnmatchcase(name, pattern):
            yield each


def base_of(path: str, storage: Storage) -> str:
    """Return the fixed part of an absolute path: for a glob, the folder before any wildcard."""
    place = storage.at(path)
    while path != parent_of(path) and place.find(path) is None:
        path = parent_of(path)
    return path


def folder_values(file: str, bases: Iterable[str]) -> dict[str, str | None]:
    """Return the values of the folders ``key=value`` between a file and its nearest base."""
    under = [base for base in bases if file.startswith(os.path.join(base, ""))]
    folders = parent_of(file)[len(max(under, key=len)) :] if under else ""
    parts = (folder.partition("=") for folder in folders.replace(os.sep, "/").split("/"))
    return {
        unquote(key): None if value == NO_VALUE else unquote(value)
        for key, sign, value in parts
        if key and sign
    }


def folder_names(files: Iterable[str], bases: Iterable[str]) -> list[str]:
    """Return the keys of the files' folders ``key=value``.

    Raise a ValueError if they are not the same for all files.
    """
    first: tuple[str, list[str]] | None = None
    for file in files:
        names = list(folder_values(file, bases))
        first = first or (file, names)
        if names != first[1]:
            raise ValueError(
                f"{file}: its folders key=value give the columns {names}, but those of {first[0]}"
                f" give {first[1]}: load them one by one, or without these columns with"
                " recursiveFileLookup=true"
            )
    return first[1] if first else []


def find_files(
    paths: list[str],
    storage: Storage | None = None,
    *,
    pattern: str = "*",
    is_recursive: bool = False,
    list_patches: Callable[[PatchLog], list[LogEntry]] = PatchLog.patches,
) -> list[Entry]:
    """Return the files at absolute paths, which may be files, folders, or globs of both.

    Globs may contain ``*``, ``?``, ``[…]``, ``**`` and ``{…,…}``. For a patch log, or its folder
    ``segments``, return the files of the patches that ``list_patches`` returns. ``pattern`` is a
    glob for the names of files in folders. Raise a FileNotFoundError if a path does not exist, a
    ValueError if a file is found twice, and a LogError if a log is broken or is in a store.
    """
    files: list[Entry] = []
    logs: dict[tuple[str, bool], str | None] = {}
    patches: dict[str, list[str]] = {}
    for path in paths:
        place = (storage or Storage()).at(path)
        entry = place.find(path)
        matches = _find_matches(place, path) if entry is None else [entry]
        if not matches or matches[0].is_missing:
            raise FileNotFoundError(f"{path}: there is no such file or folder")
        for match in matches:
            folder = match.path if match.is_folder else parent_of(match.path)
            entries = place.list(folder) if match.is_folder else []
            key = folder, match.is_folder
            if key not in logs:
                logs[key] = _log_of(place, folder, entries)
            log = logs[key]
            if log is not None:
                if log not in patches:
                    patches[log] = [entry.location for entry in list_patches(PatchLog(log))]
                found = [file for file in patches[log] if match.is_folder or file == match.path]
                names = (f for f in found if fnmatch.fnmatchcase(os.path.basename(f), pattern))
                files += (place.find(name) or Entry(name) for name in names)
            elif match.is_folder:
                files += list_folder(place, entries, pattern=pattern, is_recursive=is_recursive)
            else:
                files.append(match)
    seen: dict[str, str] = {}
    for file, *_ in files:
        real = file if start_of(file) else os.path.realpath(file)
        if real in seen:
            raise ValueError(f"{file}: this file would be read twice (also as {seen[real]})")
        seen[real] = file
    return files


def check_no_log(place: Machine | Store, folder: str) -> None:
    """Raise a LogError if a folder to write to is a patch log, or a folder of a log's files."""
    is_part = os.path.basename(folder) in (_SEGMENTS, "snapshots", "staging")
    for each in (folder, parent_of(folder)) if is_part else (folder,):
        if place.find(os.path.join(each, DATABASE)) is not None:
            raise LogError(
                f"{each} is a patch log: write to another folder; PatchLog.append adds patches to"
                " the log"
            )


def _log_of(place: Machine | Store, folder: str, entries: list[Entry]) -> str | None:
    """Return the folder of the log to which a folder belongs; None if it belongs to none.

    Raise a LogError if the database of the log is missing, or the log is in a store.
    """
    if os.path.basename(folder) == _SEGMENTS:
        folder = parent_of(folder)
        entries = place.list(folder)
    there = {os.path.basename(entry.path): entry for entry in entries}
    database = there.get(DATABASE)
    if database is not None and place.is_remote:
        raise LogError(
            f"{folder}: this is a patch log, whose database can only be read as a local file:"
            " copy the log to this machine, or the log's segments to a folder of their own"
        )
    if database is not None and database.size:
        return folder
    has_folders = all(name in there and there[name].is_folder for name in (_SEGMENTS, "staging"))
    segments = place.list(there[_SEGMENTS].path) if has_folders else []
    if any(FileName.parse(os.path.basename(entry.path)) for entry in segments):
        raise LogError(
            f"{folder}: the folder has the segments of a patch log, but its log.db is missing or"
            " empty: put a copy of it back"
        )
    return None if database is None else folder


def _find_matches(place: Machine | Store, path: str) -> list[Entry]:
    """Return the distinct matches of a glob, sorted."""
    start = (start_of(path) or os.path.splitdrive(path)[0]) + os.sep
    found: set[Entry] = set()
    for each in _choices(path):
        names = [name for name in each[len(start) :].replace(os.sep, "/").split("/") if name]
        found.update(_match(place, start, names))
    return sorted(match for match in found if not match.path.endswith(INDEX))


def _match(place: Machine | Store, folder: str, names: list[str]) -> Iterator[Entry]:
    """Yield the entries below a folder that match the globs: one glob for each level."""
    plain = list(takewhile(lambda name: not _SIGNS.search(name), names))
    folder = os.path.join(folder, *plain)
    if plain == names:
        entry = place.find(folder)
        if entry is not None:
            yield entry
        return
    first, *rest = names[len(plain) :]
    if first == "**" and rest:
        yield from _match(place, folder, rest)
    try:
        entries = place.list(folder)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    for entry in entries:
        name = os.path.basename(entry.path)
        if name.startswith(".") and not first.startswith("."):
            continue
        if first == "**" and entry.is_folder:
            yield from _match(place, entry.path, [first, *rest])
        elif rest and entry.is_folder and fnmatch.fnmatchcase(name, first):
            yield from _match(place, entry.path, rest)
        elif not rest and fnmatch.fnmatchcase(name, first):
            yield entry


def _choices(path: str) -> Iterator[str]:
    """Expand ``{…,…}`` in a glob, as Spark's own sources do."""
    found = _CHOICES.search(path)
    if found is None:
        yield path
        return
    for choice in found[1].split(","):
        yield from _choices(path[: found.start()] + choice + path[found.end() :])

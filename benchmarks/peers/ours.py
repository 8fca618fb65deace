"""The tasks of this package."""

from __future__ import annotations

import io
from typing import Any

import jelly_rdflib as jr
from benchmarks import data

from .inputs import FORMATS, Changes
from .task import READ, WRITE, Task, in_python, length

__all__ = ["tasks"]

WHO = "jelly-rdflib"
STATEMENTS = ("jelly", "nq")


def tasks(changes: Changes) -> list[Task]:
    """Return the readers and writers."""
    return [
        *(
            _reader(changes, extension, is_batches=True)
            for extension in ("jellyp", "rdfp", "rdfpb", "jelly")
        ),
        *(
            _reader(changes, extension, is_batches=False)
            for extension in ("jellyp", "rdfp", "rdfpb", "jelly")
        ),
        *(
            _writer(changes, extension, is_batches=True)
            for extension in ("jellyp", "rdfp", "rdfpb", "jelly")
        ),
        *(
            _writer(changes, extension, is_batches=False)
            for extension in ("jellyp", "rdfp", "rdfpb", "jelly")
        ),
    ]


def _reader(changes: Changes, extension: str, *, is_batches: bool) -> Task:
    content = changes.read(extension)
    has_statements = extension in STATEMENTS
    # The end of the patch is also an operation.
    rows = changes.count if has_statements else len(changes.operations) + 1

    def read() -> int:
        if is_batches:
            return sum(map(len, jr.read_batches(content)))
        read_rows: Any = jr.read_statements if has_statements else jr.read_operations
        return length(read_rows(content, format=FORMATS[extension]))

    how = "to batches" if is_batches else "to rdflib terms"
    return Task(READ, WHO, how, extension, in_python(read), rows, is_ours=True)


def _writer(changes: Changes, extension: str, *, is_batches: bool) -> Task:
    rows: list[Any]
    if is_batches:
        rows = list(jr.read_batches(changes.read("jelly" if extension == "jelly" else "jellyp")))
    elif extension in STATEMENTS:
        rows = [each[1:] for each in changes.operations if each[0] in (jr.Op.A, jr.Op.D)]
    else:
        rows = changes.operations

    def write() -> int:
        file = io.BytesIO()
        with _open(file, extension) as writer:
            for part in rows if is_batches else [rows]:
                writer.write_all(part)
        return file.tell()

    how = "from batches" if is_batches else "from rdflib terms"
    return Task(WRITE, WHO, how, extension, in_python(write), is_ours=True)


def _open(file: io.BytesIO, extension: str) -> Any:
    format: Any = FORMATS[extension]
    if extension in STATEMENTS:
        options = data.stream_options() if extension == "jelly" else None
        return jr.StatementWriter(file, options, format=format)
    return jr.PatchWriter(file, format=format)

"""The inputs: five sets of changes to read, write and apply, three of them in every format.

They are made once, in ``.cache/bench/peers``. Statement formats can't express deletes, so adds and
deletes are both written as statements.
"""

from __future__ import annotations

import functools
import io
import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jelly_rdflib as jr
from benchmarks import data, log_works, shapes, store_works

__all__ = ["FORMATS", "Changes", "load"]

# This is part of the names of cached files: change it when the code below makes different files.
EDITION = 1
FORMATS = {
    "jellyp": "jelly-patch",
    "rdfp": "rdf-patch",
    "rdfpb": "rdf-patch-thrift",
    "jelly": "jelly",
    "nq": "n-quads",
}
MILLION = 1_000_000


@dataclass(frozen=True)
class Changes:
    """One set of changes, in a folder.

    Attributes:
        name: The name of the set.
        about: A sentence that describes the set.
        folder: The folder with ``data.EXTENSION`` for each of `FORMATS`, or only for ``jellyp``.
        is_applied_only: Whether the set is only applied, not read or written.
    """

    name: str
    about: str
    folder: Path
    is_applied_only: bool = False

    def path(self, extension: str) -> Path:
        """Return the path of the file in a format."""
        return self.folder / f"data.{extension}"

    def read(self, extension: str) -> bytes:
        """Return the bytes of the file in a format."""
        return self.path(extension).read_bytes()

    @functools.cached_property
    def operations(self) -> list[jr.Operation]:
        """The operations, with rdflib's terms."""
        read = jr.read_operations(self.read("jellyp"), normalize=False)
        return [each for each in read if each[0] != jr.Op.END]

    @functools.cached_property
    def count(self) -> int:
        """The number of added and deleted statements."""
        return sum(each[0] in (jr.Op.A, jr.Op.D) for each in self.operations)

    @functools.cached_property
    def quads(self) -> int:
        """The number of quads after all operations."""
        found = set()
        for operation, *quad in self.operations:
            if operation == jr.Op.A:
                found.add(tuple(quad))
            elif operation == jr.Op.D:
                found.discard(tuple(quad))
        return len(found)


def load(share: float = 1) -> list[Changes]:
    """Return all five sets, or a share of each; the history to apply is always complete.

    Raises:
        DataError: An input differs from the expected data.
    """
    million = int(MILLION * share)
    return [
        _changes(
            "schema.org, all releases",
            "The statements of the releases of schema.org, with a graph for each release: one"
            " transaction that adds.",
            f"quads-{share}",
            lambda: _first(iter(data.load().operations), share),
        ),
        _changes(
            "schema.org, its history",
            "The deletions and additions of each release of schema.org, with a transaction for"
            " each release, repeated up to a million operations.",
            f"history-{share}",
            lambda: _history(million),
        ),
        _changes(
            "sensors",
            "A generated stream of observations, as in the Internet of Things: each transaction"
            " adds six statements with a number and a time, and deletes the statement that named"
            " the sensor's previous observation as the newest. A million operations.",
            f"sensors-{share}",
            lambda: shapes.observations(million),
        ),
        _changes(
            "schema.org, its history once",
            "The changes from each release of schema.org to the next, with a transaction for each"
            " release. They are applied once; at the end the store contains the last release.",
            "history-once",
            lambda: itertools.chain.from_iterable(log_works.history(data.load()).patches),
            is_applied_only=True,
        ),
        _changes(
            "distinct quads",
            "The generated quads of `make bench-store`, all different, in ten graphs: one"
            " transaction that adds.",
            f"distinct-{share}",
            lambda: shapes.distinct(int(store_works.COUNT * share)),
            is_applied_only=True,
        ),
    ]


def _first(operations: Iterator[jr.Operation], share: float) -> Iterator[jr.Operation]:
    return itertools.islice(operations, int(250_000 * share)) if share < 1 else operations


def _history(count: int) -> Iterator[jr.Operation]:
    patches = log_works.history(data.load()).patches
    endless = itertools.chain.from_iterable(itertools.cycle(patches))
    return itertools.islice(endless, count)


def _changes(
    name: str,
    about: str,
    key: str,
    make: Callable[[], Iterator[jr.Operation]],
    *,
    is_applied_only: bool = False,
) -> Changes:
    folder = data.CACHE / "peers" / f"{key}-{EDITION}"
    if not folder.exists():
        # The folder is renamed when it is complete, so an interrupted run leaves no part of it.
        unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
        unfinished.mkdir(parents=True)
        operations = list(make())
        if operations[-1][0] not in (jr.Op.TC, jr.Op.TA):
            operations.append((jr.Op.TC,))
        for extension in ["jellyp"] if is_applied_only else FORMATS:
            content = encode(operations, FORMATS[extension])
            (unfinished / f"data.{extension}").write_bytes(content)
        unfinished.rename(folder)
    return Changes(name, about, folder, is_applied_only)


def encode(operations: list[jr.Operation], format: Any) -> bytes:
    """Write operations, or only their statements if the format can't express changes."""
    file = io.BytesIO()
    if format in ("jelly", "n-quads"):
        # A stream of statements has our default options for patches, so that both can be compared.
        options = data.stream_options() if format == "jelly" else None
        with jr.StatementWriter(file, options, format=format) as statements:
            statements.write_all(each[1:] for each in operations if each[0] in (jr.Op.A, jr.Op.D))
    else:
        with jr.PatchWriter(file, format=format) as changes:
            changes.write_all(operations)
    return file.getvalue()

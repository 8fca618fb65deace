"""Timed tasks on patch logs: the history of schema.org, each release a version of one graph."""

from __future__ import annotations

import functools
import io
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rdflib import Dataset, Graph

import jelly_rdflib as jr

from .data import CACHE, Inputs, Quad
from .works import Work

__all__ = [
    "append_history",
    "checkout_versions",
    "count_changes",
    "rdflib_parse_releases",
    "rdflib_replay",
    "replay_history",
    "write_files",
]

SNAPSHOT_EVERY = 4


@dataclass(frozen=True)
class History:
    """The releases as versions of one graph."""

    sizes: list[int]
    """The number of statements of each version."""
    patches: list[list[jr.Operation]]
    """The patch from each version to the next."""
    n_triples: list[str]
    """Each version as a separate file."""
    rdf_patch: list[str]
    """The patches as text."""


def history(inputs: Inputs) -> History:
    return make_history(tuple(inputs.quads))


@functools.lru_cache(maxsize=1)
def make_history(quads: tuple[Quad, ...]) -> History:
    releases: dict[Any, dict[Any, None]] = {}
    for s, p, o, g in quads:
        releases.setdefault(g, {})[s, p, o] = None
    result = History([], [], [], [])
    old: dict[Any, None] = {}
    for new in releases.values():
        patch: list[jr.Operation] = [(jr.Op.TX,)]
        patch += ((jr.Op.D, *each, None) for each in old if each not in new)
        patch += ((jr.Op.A, *each, None) for each in new if each not in old)
        patch.append((jr.Op.TC,))
        result.sizes.append(len(new))
        result.patches.append(patch)
        result.rdf_patch.append(as_text(patch))
        added = as_text((jr.Op.A, *each, None) for each in new)
        result.n_triples.append("".join(row.removeprefix("A ") for row in added.splitlines(True)))
        old = new
    return result


def as_text(operations: Iterable[jr.Operation]) -> str:
    file = io.BytesIO()
    with jr.PatchWriter(file, format="rdf-patch") as writer:
        writer.write_all(operations)
    return file.getvalue().decode()


def count_changes(inputs: Inputs) -> int:
    """Return the number of statements that the patches add and delete."""
    return sum(len(patch) - 2 for patch in history(inputs).patches)


class Folder:
    """A new folder on the disk, deleted with the object."""

    def __init__(self) -> None:
        CACHE.mkdir(parents=True, exist_ok=True)
        self.path = Path(tempfile.mkdtemp(dir=CACHE))
        weakref.finalize(self, shutil.rmtree, self.path)


@functools.lru_cache(maxsize=1)
def ready_log(quads: tuple[Quad, ...]) -> tuple[Folder, jr.PatchLog]:
    """Return a log of the history, with some snapshots."""
    folder = Folder()
    log = jr.PatchLog.create(folder.path / "log")
    for patch in make_history(quads).patches:
        log.append(patch)
    for version in range(SNAPSHOT_EVERY, log.version + 1, SNAPSHOT_EVERY):
        log.snapshot(version)
    if log.verify(deep=True):
        raise AssertionError("the log is broken")
    return folder, log


def append_history(inputs: Inputs) -> Work:
    patches = history(inputs).patches

    def run(folder: Folder) -> tuple[Folder, jr.PatchLog]:
        log = jr.PatchLog.create(folder.path / "log")
        for patch in patches:
            log.append(patch)
        return folder, log

    def check(result: tuple[Folder, jr.PatchLog]) -> bool:
        _, log = result
        return log.version == len(patches) and not log.verify()

    return Work("PatchLog.append, the history", run, prepare=Folder, check=check)


def write_files(inputs: Inputs) -> Work:
    patches = history(inputs).patches

    def run(folder: Folder) -> Folder:
        for number, patch in enumerate(patches):
            with (folder.path / f"{number}.jellyp").open("wb") as file:
                with jr.PatchWriter(file) as writer:
                    writer.write_all(patch)
                file.flush()
                os.fsync(file.fileno())
        return folder

    return Work(
        "PatchWriter, a file for each",
        run,
        prepare=Folder,
        check=lambda folder: len(list(folder.path.iterdir())) == len(patches),
    )


def replay_history(inputs: Inputs) -> Work:
    _, log = ready_log(tuple(inputs.quads))

    def run(dataset: Dataset) -> Dataset:
        log.replay(dataset)
        return dataset

    return Work("PatchLog.replay", run, prepare=Dataset, check=has_newest(inputs))


def rdflib_replay(inputs: Inputs) -> Work:
    texts = history(inputs).rdf_patch

    def run(dataset: Dataset) -> Dataset:
        for text in texts:
            dataset.parse(data=text, format="patch")
        return dataset

    return Work("rdflib patch as text, each", run, prepare=Dataset, check=has_newest(inputs))


def has_newest(inputs: Inputs) -> Callable[[Dataset], bool]:
    size = history(inputs).sizes[-1]
    return lambda dataset: len(dataset) == size


def checkout_versions(inputs: Inputs) -> Work:
    _, log = ready_log(tuple(inputs.quads))
    sizes = history(inputs).sizes
    return Work(
        "PatchLog.checkout, each version",
        lambda _: [len(log.checkout(entry.version)) for entry in log.patches()],
        check=lambda found: found == sizes,
    )


def rdflib_parse_releases(inputs: Inputs) -> Work:
    texts, sizes = history(inputs).n_triples, history(inputs).sizes
    return Work(
        "rdflib nt, each release",
        lambda _: [len(Graph().parse(data=text, format="nt")) for text in texts],
        check=lambda found: found == sizes,
    )

"""Make the inputs, each of which is large in a different way."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from rdflib import Literal, URIRef

import jelly_rdflib as jr

from ..spark_replay.patches import make_patch

__all__ = ["INPUTS", "Input"]

CACHE = Path(__file__).resolve().parents[2] / ".cache/bench/spark-limits"
# This is part of the names of cached files: change it when the code below makes different files.
EDITION = 1
P = URIRef("http://example.org/vocabulary#value")
GRAPH = URIRef("http://example.org/graph/large")

Operations: TypeAlias = Iterator[tuple[Any, ...]]


@dataclass(frozen=True)
class Input:
    """An input at one size.

    Attributes:
        name: A key of `INPUTS`.
        size: The number of things that the name counts, such as files.
    """

    name: str
    size: int

    def make(self) -> Path:
        """Return the folder with the files; make them if they are missing."""
        return INPUTS[self.name].make(self.size)


@dataclass(frozen=True)
class Kind:
    """A kind of input: its title, its full size, and the function that makes its patches."""

    title: str
    full_size: int
    files: Callable[[int], int]
    patches: Callable[[int, int], Operations]

    def make(self, size: int) -> Path:
        """Make the files: ``patches`` yields the operations of each, given the file's number."""
        folder = CACHE / f"{EDITION}-{self.title.replace(' ', '-')}-{size}"
        if folder.exists():
            return folder
        unfinished = folder.with_name(f"{folder.name}-unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for number in range(self.files(size)):
            with jr.PatchWriter(unfinished / f"{number:06}.jellyp") as writer:
                writer.write_all(self.patches(size, number))
        unfinished.rename(folder)
        return folder


def patch(number: int, operations: Operations) -> Operations:
    """Yield a patch of one transaction whose number determines its id."""
    yield from _head(number)
    yield (jr.Op.TX,)
    yield from operations
    yield (jr.Op.TC,)
    yield (jr.Op.END,)


def _head(number: int) -> Operations:
    yield (jr.Op.H, "id", URIRef(f"urn:patch:{number}"))
    if number > 0:
        yield (jr.Op.H, "prev", URIRef(f"urn:patch:{number - 1}"))


def additions(number: int, count: int, graph: URIRef | None = None) -> Operations:
    for i in range(count):
        s = URIRef(f"http://example.org/thing/{number}-{i // 5}")
        yield (jr.Op.A, s, P, Literal(f"value {i} of patch {number}"), graph)


def mixed(size: int, number: int) -> Operations:
    """Yield a patch of additions and deletions, like those of ``spark_replay``."""
    yield from make_patch(number, size // 64, [], random.Random(number))


def tiny(size: int, number: int) -> Operations:
    return patch(number, additions(number, 10))


def transactions(size: int, number: int) -> Operations:
    """Yield one patch with ``size`` transactions."""
    yield from _head(0)
    for operation in additions(0, size):
        yield (jr.Op.TX,)
        yield operation
        yield (jr.Op.TC,)
    yield (jr.Op.END,)


def long_literals(size: int, number: int) -> Operations:
    """Yield literals of 1 MB that do not compress well."""
    chance = random.Random(number)

    def operations() -> Operations:
        for i in range(size // 8):
            text = f"{chance.getrandbits(4_000_000):x}"
            yield (jr.Op.A, URIRef(f"urn:{number}-{i}"), P, Literal(text), None)

    return patch(number, operations())


def skewed(size: int, number: int) -> Operations:
    """Yield quads: nine in ten are in one graph, the others are spread over a thousand graphs."""

    def operations() -> Operations:
        for i, quad in enumerate(additions(number, size // 16)):
            other = URIRef(f"http://example.org/graph/{i % 1_000}")
            yield (*quad[:4], other if i % 10 == 0 else GRAPH)

    return patch(number, operations())


def long_chain(size: int, number: int) -> Operations:
    """Yield patches of two operations, a twentieth of the patches in each file."""
    for each in range(number * (size // 20), (number + 1) * (size // 20)):
        yield from patch(each, additions(each, 2))


INPUTS = {
    "operations": Kind("operations in 64 files", 50_000_000, lambda size: 64, mixed),
    "files": Kind("files of 10 operations", 20_000, lambda size: size, tiny),
    "transactions": Kind("transactions in one patch", 10_000_000, lambda size: 1, transactions),
    "literals": Kind("literals of 1 MB", 800, lambda size: 8, long_literals),
    "skew": Kind("quads, 90 % in one graph", 10_000_000, lambda size: 16, skewed),
    "chain": Kind("patches in a chain", 100_000, lambda size: 20, long_chain),
}

"""The patches to replay: a chain that adds quads, and deletes some earlier ones."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rdflib import Literal, URIRef

import jelly_rdflib as jr

__all__ = ["Chain"]

CACHE = Path(__file__).resolve().parents[2] / ".cache/bench/spark-replay"
# This is part of the names of cached files: change it when the code below makes different files.
EDITION = 2


@dataclass(frozen=True)
class Chain:
    """A chain of patches, in files with equal numbers of patches.

    ``operations`` counts the additions and deletions in all patches.
    """

    operations: int
    files: int = 20
    patches: int = 20

    def folder(self, kind: str) -> Path:
        """Return the folder for the files of a kind: ``jellyp``, ``rdfp`` or ``parquet``."""
        return CACHE / f"{EDITION}-{self.operations}-{self.files}-{self.patches}" / kind

    def make(self, kind: str) -> Path:
        """Return the folder for ``jellyp`` or ``rdfp``; make its files if they are missing."""
        folder = self.folder(kind)
        if folder.exists():
            return folder
        unfinished = folder.with_name(f"{kind}-unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        changes = self._patches()
        for number in range(self.files):
            with jr.PatchWriter(unfinished / f"{number:05}.{kind}") as writer:
                for _ in range(self.patches // self.files):
                    writer.write_all(next(changes))
        unfinished.rename(folder)
        return folder

    def _patches(self) -> Iterator[Iterator[tuple[Any, ...]]]:
        chance = random.Random(1)
        state: list[tuple[Any, ...]] = []
        for number in range(self.patches):
            yield make_patch(number, self.operations // self.patches, state, chance)


def make_patch(
    number: int, count: int, state: list[tuple[Any, ...]], chance: random.Random
) -> Iterator[tuple[Any, ...]]:
    """Make a patch: three in four operations add a quad, the others delete an earlier quad."""
    predicates = [URIRef(f"http://example.org/vocabulary#property{i}") for i in range(30)]
    graphs = [URIRef(f"http://example.org/graph/{i}") for i in range(10)]
    subjects = [URIRef(f"http://example.org/thing/{number}-{i}") for i in range(count // 10 + 1)]
    yield (jr.Op.H, "id", URIRef(f"urn:patch:{number}"))
    if number > 0:
        yield (jr.Op.H, "prev", URIRef(f"urn:patch:{number - 1}"))
    yield (jr.Op.TX,)
    for i in range(count):
        if i % 4 == 3 and state:
            quad = state[chance.randrange(len(state))]
            yield (jr.Op.D, *quad)
            continue
        o: Any = chance.choice(subjects)
        if i % 3:
            o = Literal(f"value {chance.randrange(10**6)} of a property, in some words")
        quad = (chance.choice(subjects), chance.choice(predicates), o, chance.choice(graphs))
        # Only some quads are remembered for deletion, to save memory.
        if i % 16 == 0:
            state.append(quad)
        yield (jr.Op.A, *quad)
    yield (jr.Op.TC,)
    yield (jr.Op.END,)

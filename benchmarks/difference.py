"""Measure the memory that a difference of two large graphs needs in addition to the graphs.

``python -m benchmarks.difference TRIPLES`` makes two graphs of that many triples in rdflib's
default store. A third of the triples have blank nodes, and a few triples differ. It measures the
peak of Python's allocations during `diff`, by labels and by canonical labels.

It runs in a separate process, so that all of this memory is freed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rdflib import BNode, Graph, Literal, URIRef

import jelly_rdflib as jr

__all__ = ["Difference", "measure"]

ROOT = Path(__file__).resolve().parents[1]
TARGET = 64_000_000
# The number of triples per group, and which groups change.
GROUP = 6
CHANGED = 1000


@dataclass(frozen=True)
class Difference:
    """The measurements of a difference.

    Args:
        kind: The kind of labels by which blank nodes were compared.
        triples: The number of triples of each graph.
        operations: The number of operations of the difference.
        peak: The peak memory in addition to the graphs, in bytes.
        seconds: The processor time, without memory measurement.
        target: The limit that the peak must stay below, in bytes.
    """

    kind: str
    triples: int
    operations: int
    peak: int
    seconds: float
    target: int | None

    @property
    def is_met(self) -> bool | None:
        return None if self.target is None else self.peak < self.target


def measure(triples: int) -> list[Difference]:
    """Measure the differences of graphs with ``triples`` triples."""
    command = [sys.executable, "-m", "benchmarks.difference", str(triples)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return [Difference(**each) for each in json.loads(done.stdout)]


def run(triples: int) -> Iterator[Difference]:
    """Make the graphs, and measure their differences."""
    groups = triples // GROUP
    old, new = make_graph(groups, changes=False), make_graph(groups, changes=True)
    for kind, target in (("labels", TARGET), ("canonical labels", None)):
        is_canonical = target is None
        start = time.process_time()
        patch = jr.diff(old, new, canonical=is_canonical)
        seconds = time.process_time() - start
        tracemalloc.start()
        jr.diff(old, new, canonical=is_canonical)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        if len(patch) != 2 + 4 * len(range(0, groups, CHANGED)):
            raise AssertionError(f"a difference of {len(patch)} operations is wrong")
        yield Difference(kind, len(new), len(patch), peak, seconds, target)


def make_graph(groups: int, *, changes: bool) -> Graph:
    """Return a graph of groups of statements, each about a thing and its blank node."""
    example = "http://example.org/"
    has, value = URIRef(f"{example}has"), URIRef(f"{example}value")

    def operations() -> Iterator[jr.Operation]:
        for number in range(groups):
            s, node = URIRef(f"{example}{number}"), BNode(f"b{number}")
            changed = " changed" if changes and number % CHANGED == 0 else ""
            for property in range(GROUP - 2):
                text = f"property {property} of {number}{changed if property == 0 else ''}"
                yield jr.Op.A, s, URIRef(f"{example}property{property}"), Literal(text), None
            yield jr.Op.A, s, has, node, None
            yield jr.Op.A, node, value, Literal(f"value {number}{changed}"), None

    graph = Graph()
    jr.apply(operations(), graph, atomic=False)
    return graph


if __name__ == "__main__":
    print(json.dumps([asdict(each) for each in run(int(sys.argv[1]))]))

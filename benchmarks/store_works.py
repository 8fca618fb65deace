"""Timed tasks on stores: the same in a `JellyStore` and in rdflib's own or another store.

The data is 500,000 generated, distinct quads in ten graphs: eight for each subject, half of them
with literals. Some tasks use the same triples in the default graph; their operations are given as
tuples. Files are made once, and kept in ``.cache/bench``.
"""

from __future__ import annotations

import functools
import io
import itertools
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyoxigraph as ox
from rdflib import RDF, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr

from .data import CACHE, Inputs
from .works import Work, exhaust

__all__ = ["COUNT", "STORE_WORKS", "StoreWork", "additions", "quad"]

COUNT = 500_000
LOOK_UPS = 5_000
EXAMPLE = "http://example.org/"
QUERIES = {
    "SPARQL: group by type": (
        "SELECT ?t (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s a ?t } } GROUP BY ?t"
    ),
    "SPARQL: three-way join": (
        f"SELECT (COUNT(*) AS ?n) WHERE {{ GRAPH <{EXAMPLE}graph/1> {{"
        f" ?s a <{EXAMPLE}type/1> . ?s <{EXAMPLE}next> ?o . ?o <{EXAMPLE}p/2> ?v }} }}"
    ),
    "SPARQL: path": (
        f"SELECT (COUNT(*) AS ?n) WHERE {{ GRAPH <{EXAMPLE}graph/2> {{"
        f" ?s a <{EXAMPLE}type/3> . ?s <{EXAMPLE}next>/<{EXAMPLE}next>+ ?o }} }}"
    ),
}
PLAIN_QUERIES = {
    "SPARQL: scan": f"SELECT ?s ?o WHERE {{ ?s <{EXAMPLE}next> ?o }}",
    "SPARQL: group by type": "SELECT ?t (COUNT(*) AS ?n) WHERE { ?s a ?t } GROUP BY ?t",
    "SPARQL: three-way join": (
        f"SELECT ?s ?v WHERE {{ ?s a <{EXAMPLE}type/1> . ?s <{EXAMPLE}next> ?o ."
        f" ?o <{EXAMPLE}p/2> ?v }}"
    ),
}


def quad(number: int) -> tuple[URIRef, URIRef, Any, URIRef]:
    """Return one of the quads."""
    subject, field = divmod(number, 8)
    s = URIRef(f"{EXAMPLE}resource/{subject}")
    graph = URIRef(f"{EXAMPLE}graph/{number * 10 // COUNT}")
    if field == 0:
        return s, RDF.type, URIRef(f"{EXAMPLE}type/{subject % 20}"), graph
    if field == 1:
        # The subjects form chains of twenty.
        after = subject + 1 if subject % 20 else subject - 19
        return s, URIRef(f"{EXAMPLE}next"), URIRef(f"{EXAMPLE}resource/{max(after, 0)}"), graph
    if field % 2:
        o: Any = URIRef(f"{EXAMPLE}value/{number * 7919 % 100_003}")
    else:
        o = Literal(f"the value of number {number}")
    return s, URIRef(f"{EXAMPLE}p/{field}"), o, graph


def made(name: str, make: Callable[[Path], None]) -> Path:
    """Return the path of a cached file; make the file if it is missing."""
    path = CACHE / f"store-3-{name}"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        make(path)
    return path


def made_patch(name: str, transactions: Iterable[list[jr.Operation]], end: jr.Operation) -> Path:
    """Return the path of a patch; each transaction ends with TC or TA."""

    def write(path: Path) -> None:
        with jr.PatchWriter(path) as writer:
            for changes in transactions:
                writer.write_all([(jr.Op.TX,), *changes, end])

    return made(name, write)


def sample(seed: int, count: int) -> list[int]:
    """Return the numbers of a random sample of the quads."""
    return random.Random(seed).sample(range(COUNT), count)


def replaced(numbers: Iterable[int], what: str) -> list[jr.Operation]:
    """Return operations that delete quads, and add each again with a different object."""
    changes: list[jr.Operation] = []
    for s, p, o, g in map(quad, numbers):
        changes += [(jr.Op.D, s, p, o, g), (jr.Op.A, s, p, Literal(f"{what}: {o}"), g)]
    return changes


@functools.cache
def additions() -> Path:
    changes: Iterable[list[jr.Operation]] = (
        [(jr.Op.A, *quad(n)) for n in range(COUNT)] for _ in range(1)
    )
    return made_patch("add.jellyp", changes, (jr.Op.TC,))


@functools.cache
def deletions() -> Path:
    """Return the path of a patch that deletes a fifth of the quads."""
    changes: Iterable[list[jr.Operation]] = (
        [(jr.Op.D, *quad(n)) for n in sample(1, COUNT // 5)] for _ in range(1)
    )
    return made_patch("delete.jellyp", changes, (jr.Op.TC,))


@functools.cache
def mixed() -> Path:
    """Return 1,000 transactions, each of which deletes and adds 50 quads."""
    numbers = iter(sample(2, COUNT // 10))
    parts = (replaced(itertools.islice(numbers, 50), f"changed in {n}") for n in range(1000))
    return made_patch("mixed.jellyp", parts, (jr.Op.TC,))


@functools.cache
def aborted() -> Path:
    """Return an aborted transaction of 100,000 changes."""
    changes = (replaced(sample(3, 50_000), "never") for _ in range(1))
    return made_patch("aborted.jellyp", changes, (jr.Op.TA,))


@functools.cache
def text(name: str) -> Path:
    """Return the triples as N-Triples or Turtle."""

    def write(path: Path) -> None:
        with jr.StatementWriter(path) as writer:
            writer.add_namespace("ex", EXAMPLE)
            for n in range(COUNT):
                writer.add(*quad(n)[:3])

    return made(name, write)


@functools.cache
def log() -> jr.PatchLog:
    """Return a log of 1,000 versions: the quads, then the mixed transactions, one by one."""
    path = CACHE / "store-3-log"
    if not path.exists():
        history = jr.PatchLog(path, create=True)
        history.append(additions())
        part: list[Any] = []
        for operation in jr.read_operations(mixed()):
            part.append(operation)
            if operation[0] == jr.Op.TC:
                if history.version < 1000:
                    history.append(part)
                part = []
    return jr.PatchLog(path)


@functools.cache
def make_files() -> None:
    """Make all files before anything is timed."""
    for make in (additions, deletions, mixed, aborted, log):
        make()
    for name in ("data.nt", "data.ttl"):
        text(name)


@functools.cache
def plain_operations() -> list[jr.Operation]:
    """Return additions of the triples to the default graph."""
    return [(jr.Op.A, *quad(number)[:3], None) for number in range(COUNT)]


@functools.cache
def plain_aborted() -> list[jr.Operation]:
    """Return an aborted transaction of 50,000 deletions."""
    deleted: list[jr.Operation] = [
        (jr.Op.D, *quad(number)[:3], None) for number in sample(5, COUNT // 10)
    ]
    return [(jr.Op.TX,), *deleted, (jr.Op.TA,)]


def empty_dataset(store: str) -> Dataset:
    plain_operations()
    return Dataset(store=store)


def plain(store: str) -> Dataset:
    plain_aborted()
    return loaded(store, plain_operations())


@functools.cache
def ready_plain(store: str) -> Dataset:
    """Return a dataset that is only read from."""
    return plain(store)


def loaded(store: str, operations: Path | list[jr.Operation] | None = None) -> Dataset:
    """Return a dataset with the quads, or with the result of the given operations."""
    dataset = Dataset(store=store)
    jr.apply(additions() if operations is None else operations, dataset)
    dataset.commit()
    return dataset


@functools.cache
def ready(store: str) -> Dataset:
    """Return a dataset that is only read from."""
    return loaded(store)


@functools.cache
def changed(store: str) -> Dataset:
    """Return the next version, in which one in a hundred quads differs."""
    dataset = loaded(store)
    changes = itertools.islice(jr.read_operations(mixed()), 100 * 102)
    jr.apply([change for change in changes if len(change) == 5], dataset)
    return dataset


def ready_patterns(places: str, ready: Callable[[str], Dataset] = ready) -> Callable[[str], Any]:
    """Return a function that makes a dataset and patterns in which only ``places`` are set."""

    def prepare(store: str) -> Any:
        dataset = ready(store)
        numbers = sample(4, LOOK_UPS)
        patterns = [
            tuple(
                term if place in places else None
                for place, term in zip("spog", quad(number), strict=True)
            )
            for number in numbers
        ]
        return dataset, patterns

    return prepare


def look_up(prepared: tuple[Dataset, list[Any]]) -> int:
    dataset, patterns = prepared
    return sum(1 for pattern in patterns for _ in dataset.quads(pattern))


def look_up_in_graphs(prepared: tuple[Dataset, list[Any]]) -> int:
    dataset, patterns = prepared
    graphs = {g: dataset.get_context(g) for *_, g in patterns}
    return sum(1 for *pattern, g in patterns for _ in graphs[g].triples(tuple(pattern)))


LOOK_UP_PLACES = {
    "look-ups by subject": "s",
    "look-ups by predicate and object": "po",
    "look-ups by object": "o",
    "look-ups by subject in a graph": "sg",
}


@dataclass(frozen=True)
class StoreWork:
    """A task that is done in two stores, or by another program.

    Args:
        name: The name of the task.
        run: Does the task with the result of ``prepare``.
        target: How many times as fast as the peer a `JellyStore` should be.
        prepare: Makes the argument of ``run``, for a store.
        peer: The peer's task; by default the same task in rdflib's own store.
        rounds: How often each task is timed.
        check: Returns whether the result of ``run`` is correct.
    """

    name: str
    run: Callable[[Any], Any]
    target: float
    prepare: Callable[[str], Any] = loaded
    peer: Callable[[], Work] | None = None
    rounds: int = 3
    check: Callable[[Any], bool] = lambda result: True

    def ours(self, _: Inputs) -> Work:
        return self._work("Jelly")

    def theirs(self, _: Inputs) -> Work:
        return self._work("default") if self.peer is None else self.peer()

    def _work(self, store: str) -> Work:
        make_files()
        name = {"Jelly": "JellyStore", "default": "Memory"}[store]
        return Work(f"{name}: {self.name}", self.run, lambda: self.prepare(store), self.check)


def apply_to(path: Callable[[], Path]) -> Callable[[Any], Any]:
    return lambda dataset: jr.apply(path(), dataset)


def select(query: str) -> Callable[[Dataset], Any]:
    return lambda dataset: list(dataset.query(query))


def bulk_load() -> Work:
    def run(_: Any) -> int:
        store = ox.Store()
        store.bulk_load(path=str(text("data.nt")), format=ox.RdfFormat.N_TRIPLES)
        return len(store)

    return Work("pyoxigraph.Store.bulk_load", run)


def parse_turtle() -> Work:
    path = str(text("data.ttl"))
    return Work(
        "a loop over pyoxigraph.parse",
        lambda _: exhaust(ox.parse(path=path, format=ox.RdfFormat.TURTLE)),
    )


def serialize(format: str) -> Callable[[Dataset], Any]:
    return lambda dataset: dataset.serialize(io.BytesIO(), format=format)


def empty_graph(store: str) -> Graph:
    return Graph(store=store)


def is_full(count: int) -> bool:
    return count == COUNT


STORE_WORKS = (
    StoreWork(
        "apply a patch of additions",
        apply_to(additions),
        15,
        lambda store: Dataset(store=store),
        check=lambda result: result.added == COUNT,
    ),
    StoreWork(
        "apply deletions",
        apply_to(deletions),
        15,
        check=lambda result: result.deleted == COUNT // 5,
    ),
    StoreWork(
        "apply mixed transactions",
        apply_to(mixed),
        15,
        check=lambda result: result.committed == 1000,
    ),
    StoreWork(
        "abort a transaction of 100,000",
        apply_to(aborted),
        15,
        check=lambda result: result.aborted == 1,
    ),
    StoreWork(
        "parse N-Triples",
        lambda graph: len(graph.parse(text("data.nt"))),
        30,
        empty_graph,
        check=is_full,
    ),
    StoreWork(
        "parse N-Triples",
        lambda graph: len(graph.parse(text("data.nt"))),
        1.5,
        empty_graph,
        bulk_load,
        check=is_full,
    ),
    StoreWork(
        "parse Turtle",
        lambda graph: len(graph.parse(text("data.ttl"))),
        0.5,
        empty_graph,
        parse_turtle,
        rounds=7,
        check=is_full,
    ),
    StoreWork(
        "quads()",
        lambda dataset: sum(1 for _ in dataset.quads()),
        3,
        check=is_full,
    ),
    *(
        StoreWork(
            name,
            look_up_in_graphs if "g" in places else look_up,
            3,
            ready_patterns(places),
            rounds=9 if "s" in places else 3,
            check=lambda count: count >= LOOK_UPS,
        )
        for name, places in LOOK_UP_PLACES.items()
    ),
    *(
        StoreWork(name, select(query), bar, ready)
        for (name, query), bar in zip(QUERIES.items(), (3, 3, 1.2), strict=True)
    ),
    StoreWork(
        "diff of two versions",
        lambda pair: len(jr.diff(*pair)),
        15,
        lambda store: (ready(store), changed(store)),
    ),
    StoreWork(
        "checkout of the last of 1,000 versions",
        lambda store: len(log().checkout(store=store)),
        10,
        lambda store: (log(), store)[1],
        rounds=2,
        check=is_full,
    ),
    StoreWork('serialize(format="jelly-rdf")', serialize("jelly-rdf"), 4, ready),
    StoreWork('serialize(format="nquads")', serialize("nquads"), 4, ready),
    StoreWork(
        "apply a list, default graph",
        lambda dataset: jr.apply(plain_operations(), dataset),
        8,
        empty_dataset,
        check=lambda result: result.added == COUNT,
    ),
    StoreWork(
        "abort 50,000 deletions of a list, default graph",
        lambda dataset: jr.apply(plain_aborted(), dataset),
        8,
        plain,
        check=lambda result: result.aborted == 1,
    ),
    StoreWork(
        "quads(), default graph",
        lambda dataset: sum(1 for _ in dataset.quads()),
        1.5,
        ready_plain,
        check=is_full,
    ),
    *(
        StoreWork(
            f"{name}, default graph",
            look_up,
            1.2,
            ready_patterns(LOOK_UP_PLACES[name], ready_plain),
            rounds=9 if "s" in LOOK_UP_PLACES[name] else 3,
            check=lambda count: count >= LOOK_UPS,
        )
        for name in ("look-ups by subject", "look-ups by object")
    ),
    *(
        StoreWork(f"{name}, default graph", select(query), bar, ready_plain)
        for (name, query), bar in zip(PLAIN_QUERIES.items(), (1.5, 3, 3), strict=True)
    ),
)

"""All installed rdflib stores, each new and empty for each test."""

import functools
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from oxrdflib import OxigraphStore
from rdflib import Dataset, Graph, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore

from tests.faults.targets import (
    ForeignStore,
    OtherJelly,
    OtherMemory,
    OtherOxigraph,
    TransactionalStore,
)
from tests.sanitized import UNDER_SANITIZERS

FUSEKI = "SPARQLUpdateStore on Apache Jena Fuseki"

ANYTHING = (None, None, None)
# Without this name each new Graph would have a different name.
NAME = URIRef("urn:target")


class Failure(Exception):
    """The exception that ends the block of a recording."""


@dataclass(frozen=True)
class StoreAtHand:
    """A kind of store.

    Args:
        name: The name of the store for people.
        make: Makes a context with a new and empty target. It skips the test if something is
            missing.
        is_dataset: Whether the target is a Dataset; if not, it is a Graph.
        is_endpoint: Whether the store is accessed over a network. Its blank nodes then have no
            stable labels, and the store does not keep prefixes.
        merges_languages: Whether the store has separate rows for ``"x"@en`` and ``"x"@EN``, but
            iterates over only the older one.
        unbinds: Whether a prefix can be removed; rdflib has no method for this.
        is_slow: Whether the store responds slowly.
    """

    name: str
    make: Callable[[], AbstractContextManager[Graph]]
    is_dataset: bool = True
    is_endpoint: bool = False
    merges_languages: bool = False
    unbinds: bool = True
    is_slow: bool = False

    def __str__(self) -> str:
        return self.name


def spelled(term: Any) -> str:
    """Return a string that identifies a term, or the name of a graph, exactly."""
    return repr(term.identifier if isinstance(term, Graph) else term)


def exact_state(target: Graph) -> dict[str, Any]:
    """Return everything that a store reports, with each term as the store spells it.

    Each graph is also queried for the statements of each of its terms, because a store may have an
    index for them. For rdflib's Memory and SimpleMemory, the result includes their private dicts.
    """
    # If rdflib created the namespace manager later, it would bind its own prefixes then.
    _ = target.namespace_manager
    store = target.store
    listed = list(store.contexts()) if store.context_aware else []
    names = {each.identifier if isinstance(each, Graph) else each for each in listed}
    names.add(DATASET_DEFAULT_GRAPH_ID if isinstance(target, Dataset) else target.identifier)
    places = [None, *(Graph(store, name) for name in names)] if store.context_aware else [None]
    return {
        "statements": {
            None if place is None else spelled(place): statements_of(store, place)
            for place in places
        },
        "of all graphs": sorted(
            # Some stores list a graph twice.
            (" ".join(map(spelled, triple)), sorted(set(map(spelled, graphs or ()))))
            for triple, graphs in store.triples(ANYTHING, None)
        )
        if store.context_aware
        else None,
        # Other stores can't be made to list a graph, or to stop listing it.
        "graphs": sorted(map(spelled, listed)) if store.graph_aware else None,
        "prefixes": sorted(map(repr, store.namespaces())),
        "iris": sorted((str(iri), store.prefix(iri)) for _, iri in store.namespaces()),
        "inside": inside(store),
    }


def statements_of(store: Any, graph: Graph | None) -> set[tuple[Any, ...]]:
    """Return the statements of a graph, or of all graphs, and the statements found by each term."""
    triples = [triple for triple, _ in store.triples(ANYTHING, graph)]
    found: set[tuple[Any, ...]] = {tuple(map(spelled, triple)) for triple in triples}
    if isinstance(store, SPARQLStore):
        # For an endpoint each query is a request.
        return found
    for number in range(3):
        # A set would keep one of two equal terms, and which one would depend on their order.
        for name, term in {spelled(triple[number]): triple[number] for triple in triples}.items():
            pattern = tuple(term if n == number else None for n in range(3))
            for triple, _ in store.triples(pattern, graph):
                rest = (*triple[:number], *triple[number + 1 :])
                found.add((number, name, *map(spelled, rest)))
    return found


def inside(store: Any) -> list[Any]:
    """Return the statements that rdflib's in-memory stores keep."""
    while isinstance(store, AuditableStore):
        store = store.store
    if not isinstance(store, Memory | SimpleMemory):
        return []
    prefix = "_Memory__" if isinstance(store, Memory) else "_SimpleMemory__"
    kept = [
        sorted(repr((key, sorted(map(repr, value)))) for key, value in vars(store)[name].items())
        for name in (prefix + "contextTriples", prefix + "tripleContexts")
        if name in vars(store)
    ]
    spo = vars(store)[prefix + "spo"]
    return [
        *kept,
        sorted(repr((s, p, o)) for s, rest in spo.items() for p in rest for o in rest[p]),
    ]


def graph_on(store: Any) -> Graph:
    """Return a Graph on `store` that always has the same name."""
    return Graph(store, NAME)


@functools.cache
def _folder() -> Path:
    # The cache keeps the folder alive; both end at the same time.
    folder = tempfile.TemporaryDirectory()
    _FOLDERS.append(folder)
    return Path(folder.name)


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []


@functools.cache
def _oxigraph_folder() -> pyoxigraph.Store:
    return pyoxigraph.Store(str(_folder() / "oxigraph"))


@contextmanager
def _oxigraph_on_disk() -> Iterator[Graph]:
    # The store is opened only once, because opening takes longer than most examples.
    inner = _oxigraph_folder()
    inner.clear()
    yield Dataset(OxigraphStore(store=inner))


@functools.cache
def _berkeley_store() -> Any:
    from rdflib.plugins.stores import berkeleydb

    if not berkeleydb.has_bsddb:
        pytest.skip(
            "there is no Berkeley DB: apt install libdb-dev, pip install --group berkeleydb"
        )
    if UNDER_SANITIZERS:
        pytest.skip("the sanitizers would watch Berkeley DB's own C code")
    store = berkeleydb.BerkeleyDB()
    store.open(str(_folder() / "berkeley"), create=True)
    return store


@contextmanager
def _berkeley() -> Iterator[Graph]:
    # The store is opened only once, because closing takes up to a second.
    store = _berkeley_store()
    for index in store._BerkeleyDB__indicies:
        index.truncate()
    for name in ("contexts", "namespace", "prefix", "k2i", "i2k"):
        getattr(store, f"_BerkeleyDB__{name}").truncate()
    yield Dataset(store)


@functools.cache
def _sqlalchemy_store() -> Any:
    with warnings.catch_warnings():
        # The module asks setuptools for its own version, which causes a warning.
        warnings.simplefilter("ignore")
        module = pytest.importorskip("rdflib_sqlalchemy.store")
        store = module.SQLAlchemy(identifier=NAME)
        store.open("sqlite://", create=True)
    return store


@contextmanager
def sqlalchemy() -> Iterator[Graph]:
    # The store is opened only once, because creating its tables takes longer than most examples.
    store = _sqlalchemy_store()
    with store.engine.begin() as connection:
        for table in store.tables.values():
            connection.execute(table.delete())
    yield graph_on(store)


def endpoint(url: str) -> Callable[[], AbstractContextManager[Graph]]:
    """Return a function that makes an empty target on a SPARQL endpoint.

    Args:
        url: The URL of a Fuseki dataset that may be emptied.
    """

    @contextmanager
    def target() -> Iterator[Graph]:
        store = SPARQLUpdateStore(f"{url}/query", f"{url}/update", returnFormat="json")
        store.update("DROP ALL")
        yield Dataset(store)

    return target


AT_HAND = [
    StoreAtHand("Memory", lambda: nullcontext(Dataset())),
    StoreAtHand("SimpleMemory", lambda: nullcontext(graph_on(SimpleMemory())), is_dataset=False),
    StoreAtHand(
        "AuditableStore around Memory",
        lambda: nullcontext(graph_on(AuditableStore(Memory()))),
        is_dataset=False,
    ),
    StoreAtHand("Jelly", lambda: nullcontext(Dataset("Jelly"))),
    StoreAtHand("Oxigraph in memory", lambda: nullcontext(Dataset("Oxigraph"))),
    StoreAtHand("Oxigraph on disk", _oxigraph_on_disk, is_slow=True),
    StoreAtHand("BerkeleyDB", _berkeley, is_slow=True),
    StoreAtHand(
        "SQLAlchemy on SQLite", sqlalchemy, is_dataset=False, merges_languages=True, is_slow=True
    ),
]
"""The stores that docs/stores.md lists."""

MORE = [
    StoreAtHand("Memory, a Graph", lambda: nullcontext(Graph(identifier=NAME)), is_dataset=False),
    StoreAtHand("another Memory", lambda: nullcontext(Dataset(OtherMemory()))),
    StoreAtHand("Memory, all graphs as default", lambda: nullcontext(Dataset(default_union=True))),
    StoreAtHand("another JellyStore", lambda: nullcontext(Dataset(OtherJelly()))),
    StoreAtHand("Jelly, a Graph", lambda: nullcontext(Graph("Jelly", NAME)), is_dataset=False),
    StoreAtHand("another Oxigraph", lambda: nullcontext(Dataset(OtherOxigraph()))),
    StoreAtHand("of a third party", lambda: nullcontext(Dataset(ForeignStore())), unbinds=False),
    StoreAtHand("transactional", lambda: nullcontext(Dataset(TransactionalStore()))),
    StoreAtHand(
        "AuditableStore around SimpleMemory",
        lambda: nullcontext(graph_on(AuditableStore(SimpleMemory()))),
        is_dataset=False,
    ),
    StoreAtHand(
        "AuditableStore around Oxigraph",
        lambda: nullcontext(graph_on(AuditableStore(OtherOxigraph()))),
        is_dataset=False,
    ),
]
"""Stores that exercise other code paths of the package."""

each_store = pytest.mark.parametrize(
    "store",
    [
        pytest.param(each, marks=pytest.mark.slow if each.is_slow else (), id=each.name)
        for each in (*AT_HAND, *MORE)
    ],
)

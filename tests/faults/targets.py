"""Stores that take other code paths through the package than rdflib's stores, and an endpoint."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs

import pyoxigraph
from oxrdflib import OxigraphStore
from rdflib import Dataset, Graph
from rdflib.plugins.stores.memory import Memory
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore
from rdflib.store import Store

from jelly_rdflib import JellyStore


class OtherMemory(Memory):
    """A Memory store that `apply` treats like any store, because a subclass may differ."""


class OtherJelly(JellyStore):
    """A JellyStore that `apply` treats like any store."""


class OtherOxigraph(OxigraphStore):
    """An OxigraphStore that `apply` treats like any store."""


class TransactionalStore(Memory):
    """A store whose transactions are copies of its content; a rollback is one step."""

    transaction_aware = True

    def __init__(self) -> None:
        super().__init__()
        self.saved: dict[str, Any] = {}
        self.calls: list[str] = []
        self.commit()
        self.calls.clear()

    def commit(self) -> None:
        self.calls.append("commit")
        # A store's prefixes are not part of a transaction.
        names = [name for name in vars(self) if name.startswith("_Memory")]
        names = [name for name in names if not name.endswith(("__namespace", "__prefix"))]
        self.saved = {name: _copied(getattr(self, name)) for name in names}

    def rollback(self) -> None:
        self.calls.append("rollback")
        vars(self).update(_copied(self.saved))


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return set(value) if isinstance(value, set) else value


class ForeignStore(Store):
    """A store like those of other projects: rdflib's interface, with one set of quads.

    As in a database, each change is one call of C code, which happens or not.
    """

    context_aware = True
    graph_aware = True

    def __init__(self, configuration: Any = None, identifier: Any = None) -> None:
        super().__init__(configuration, identifier)
        self.quads: set[Any] = set()
        self.names: dict[Any, Graph] = {}
        self.iris: dict[str, Any] = {}

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
        self.names.setdefault(context.identifier, context)
        self.quads.add((*triple, context.identifier))

    def remove(self, triple: Any, context: Any = None) -> None:
        found = [(*each, name) for each, name in self._find(triple, context)]
        self.quads.difference_update(found)

    def triples(self, triple: Any, context: Any = None) -> Iterator[Any]:
        for each, name in self._find(triple, context):
            yield each, iter([self.names[name]])

    def _find(self, pattern: Any, context: Any) -> list[Any]:
        name = None if context is None else context.identifier
        return [
            (quad[:3], quad[3])
            for quad in self.quads
            if all(
                want is None or want == have
                for want, have in zip((*pattern, name), quad, strict=True)
            )
        ]

    def __len__(self, context: Any = None) -> int:
        return len(self._find((None, None, None), context))

    def contexts(self, triple: Any = None) -> Iterator[Any]:
        if triple is None:
            yield from list(self.names.values())
        else:
            yield from (self.names[name] for _, name in self._find(triple, None))

    def add_graph(self, graph: Graph) -> None:
        self.names.setdefault(graph.identifier, graph)

    def remove_graph(self, graph: Graph) -> None:
        self.remove((None, None, None), graph)
        self.names.pop(graph.identifier, None)

    # One dict stores the IRI of each prefix, and no IRI has two prefixes.
    def bind(self, prefix: str, namespace: Any, override: bool = True) -> None:
        if override or (prefix not in self.iris and namespace not in self.iris.values()):
            kept = {name: iri for name, iri in self.iris.items() if iri != namespace}
            self.iris = {**kept, prefix: namespace}

    def prefix(self, namespace: Any) -> str | None:
        return next((name for name, iri in self.iris.items() if iri == namespace), None)

    def namespace(self, prefix: str) -> Any:
        return self.iris.get(prefix)

    def namespaces(self) -> Iterator[Any]:
        yield from list(self.iris.items())


class Endpoint:
    """A SPARQL endpoint over HTTP on this machine.

    Attributes:
        url: The address of the endpoint.
        turn: The number of the request that fails, counted from 0; None if none fails.
        does_it: Whether the endpoint executes the request before it fails.
        requests: The number of requests.
    """

    def __init__(self) -> None:
        self.store = pyoxigraph.Store()
        self.turn: int | None = None
        self.does_it = False
        self.requests = 0
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.answer(parse_qs(body) if body.startswith(("query=", "update=")) else body)

            def do_GET(self) -> None:
                self.answer(parse_qs(self.path.partition("?")[2]))

            def answer(self, asked: Any) -> None:
                is_hit = endpoint.requests == endpoint.turn
                endpoint.requests += 1
                data = b""
                if not is_hit or endpoint.does_it:
                    data = endpoint.run(asked)
                self.send_response(503 if is_hit else 200)
                self.send_header("Content-Type", "application/sparql-results+json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def run(self, asked: Any) -> bytes:
        if isinstance(asked, dict) and "query" in asked:
            named = [pyoxigraph.NamedNode(iri) for iri in asked.get("default-graph-uri", ())]
            results = self.store.query(asked["query"][0], default_graph=named or None)
            return bytes(results.serialize(format=pyoxigraph.QueryResultsFormat.JSON))
        self.store.update(asked["update"][0] if isinstance(asked, dict) else asked)
        return b""

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@contextmanager
def oxigraph_on_disk() -> Iterator[Dataset]:
    with TemporaryDirectory() as folder:
        dataset = Dataset("Oxigraph")
        dataset.open(str(Path(folder, "store")), create=True)
        yield dataset
        dataset.close()


@contextmanager
def endpoint_store() -> Iterator[Dataset]:
    endpoint = Endpoint()
    try:
        dataset = Dataset(SPARQLUpdateStore(endpoint.url, endpoint.url, returnFormat="json"))
        dataset.endpoint = endpoint
        yield dataset
    finally:
        endpoint.close()

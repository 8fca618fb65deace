"""Runs a real Apache Jena Fuseki with a dataset on disk. Tests may kill it."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore

from tests.interop.jvm import project

CONFIGURATION = """
PREFIX fuseki: <http://jena.apache.org/fuseki#>
PREFIX tdb2: <http://jena.apache.org/2016/tdb#>
[] a fuseki:Server ; fuseki:passwd "{folder}/passwords" .
<#service> a fuseki:Service ; fuseki:name "data" ; fuseki:dataset <#dataset> ;
  fuseki:endpoint [ fuseki:operation fuseki:query ; fuseki:name "query" ] ;
  fuseki:endpoint [ fuseki:operation fuseki:update ; fuseki:name "update" ] ;
  fuseki:endpoint [ fuseki:operation fuseki:patch ; fuseki:name "patch" ] ;
  fuseki:endpoint [ fuseki:operation fuseki:patch ; fuseki:name "guarded" ;
                    fuseki:allowedUsers "writer" ] .
<#dataset> a tdb2:DatasetTDB2 ; tdb2:location "{folder}/database" .
"""


class Fuseki:
    """A server that uses the same port each time it is started."""

    def __init__(self, folder: Path) -> None:
        try:
            project.build()
        except project.UnavailableError as error:
            pytest.skip(f"Fuseki can't be run: {error}")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.dataset_url = f"http://127.0.0.1:{self._port}/data"
        self.url = f"{self.dataset_url}/patch"
        self._configuration = folder / "configuration.ttl"
        self._configuration.write_text(CONFIGURATION.format(folder=folder), "utf-8")
        (folder / "passwords").write_text("writer: writer-secret\n", "utf-8")
        (folder / "database").mkdir()
        self._process: Any = None

    def start(self) -> None:
        arguments = (str(self._port), str(self._configuration))
        self._process = subprocess.Popen(
            project.command("interop.Endpoint", *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout.readline(), "Fuseki does not start"

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Fuseki:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def dataset(self) -> Dataset:
        """Return a dataset with rdflib's store for endpoints, which sends changes at a commit."""
        store = SPARQLUpdateStore(
            f"{self.dataset_url}/query",
            f"{self.dataset_url}/update",
            returnFormat="json",
            autocommit=False,
        )
        return Dataset(store, default_union=False)

    def quads(self) -> set[tuple[Any, ...]]:
        """Return all statements; blank nodes and graphs are in text form."""
        query = "SELECT * { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"
        return {(row.s, row.p, row.o, row.g) for row in self.dataset().store.query(query)}

    def clear(self) -> None:
        dataset = self.dataset()
        dataset.update("DROP ALL")
        dataset.commit()

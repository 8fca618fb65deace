"""Runs Apache Jena Fuseki, a real SPARQL endpoint, in its own process."""

import subprocess
from collections.abc import Iterator

from tests.graph.stores.at_hand import FUSEKI, StoreAtHand, endpoint
from tests.interop.jvm import project


def run_fuseki() -> Iterator[StoreAtHand]:
    """Yield the endpoint while its process runs.

    Raises:
        UnavailableError: Java, Maven or a library is missing.
    """
    project.build()
    process = subprocess.Popen(
        project.command("interop.Endpoint"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert url, "Fuseki does not start"
    yield StoreAtHand(FUSEKI, endpoint(url), is_endpoint=True)
    process.communicate(timeout=60)

"""Apache Jena Fuseki in a process of its own: a real SPARQL endpoint."""

import subprocess
from collections.abc import Iterator

from tests.graph.stores.at_hand import FUSEKI, StoreAtHand, endpoint
from tests.interop.jvm import project


def run_fuseki() -> Iterator[StoreAtHand]:
    """Yield the endpoint while its process runs.

    Raises:
        UnavailableError: Something is missing that it takes.
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

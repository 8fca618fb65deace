from collections.abc import Iterator

import pytest

from tests.graph.stores.at_hand import StoreAtHand
from tests.interop.jvm import project
from tests.interop.jvm.fuseki import run_fuseki
from tests.interop.jvm.peer import Peer


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """Yield Jelly-JVM and Jena; skip the test if they are not available."""
    build()
    peer = Peer(tmp_path_factory.mktemp("peer"))
    yield peer
    peer.close()


@pytest.fixture(scope="session")
def fuseki() -> Iterator[StoreAtHand]:
    """Yield a real SPARQL endpoint; skip the test if the endpoint is not available."""
    build()
    yield from run_fuseki()


def build() -> None:
    try:
        project.build()
    except project.UnavailableError as error:
        pytest.skip(f"Jelly-JVM and Jena can't be run: {error}")

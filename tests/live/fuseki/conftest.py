from collections.abc import Iterator

import pytest

from tests.live.fuseki.support import Fuseki


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuseki]:
    """Return a server; skip the test if Java or Maven is missing."""
    with Fuseki(tmp_path_factory.mktemp("fuseki")) as server:
        yield server


@pytest.fixture
def fuseki(running: Fuseki) -> Fuseki:
    """Return the server with an empty dataset."""
    running.clear()
    return running

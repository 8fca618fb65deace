from collections.abc import Iterator

import pytest

from tests.live.fuseki.support import Fuseki


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuseki]:
    """A server; what asks for it is skipped where Java or Maven is missing."""
    with Fuseki(tmp_path_factory.mktemp("fuseki")) as server:
        yield server


@pytest.fixture
def fuseki(running: Fuseki) -> Fuseki:
    """The server with an empty dataset."""
    running.clear()
    return running

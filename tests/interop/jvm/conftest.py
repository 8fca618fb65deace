from __future__ import annotations

from collections.abc import Iterator

import pytest

from . import project
from .peer import Peer


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """Jelly-JVM and Jena; what asks for them is skipped where they are not to be had."""
    try:
        project.build()
    except project.UnavailableError as error:
        pytest.skip(f"Jelly-JVM can't be run: {error}")
    peer = Peer(tmp_path_factory.mktemp("peer"))
    yield peer
    peer.close()

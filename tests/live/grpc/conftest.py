"""The peer is made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.grpc.support import Peer

# It runs where the generated modules are.
collect_ignore = ["peer.py"]


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Peer:
    folder: Path = tmp_path_factory.mktemp("stubs")
    return Peer(folder)

"""A log, and a server of it in another process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import jelly_rdflib as jr

if TYPE_CHECKING:
    from tests.live.grpc.support import Server


@pytest.fixture
def log(tmp_path: Path) -> jr.PatchLog:
    return jr.PatchLog.create(tmp_path / "log")


@pytest.fixture
def server(log: jr.PatchLog) -> Iterator[Server]:
    """A server by HTTP and gRPC."""
    from tests.live.grpc.support import Server

    with Server(log.path) as found:
        yield found

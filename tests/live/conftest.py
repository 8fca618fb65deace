"""Logs in memory, servers that all tests of a module share, and retries that come soon."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from ssl import SSLContext
from typing import Any

import httpx2
import pytest

import jelly_rdflib as jr
from jelly_rdflib.live import waiting
from jelly_rdflib.live.http import events
from jelly_rdflib.log import history
from tests.live.grpc import support as grpc
from tests.live.http import support as http
from tests.log import conftest as logs

tmp_path = logs.tmp_path
works = logs.works


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder of logs, which has one already: else it could be one of another kind."""
    for path in logs.make_folder():
        jr.PatchLog.create(path / "first")
        yield path


@cache
def context_of(file: str | None, **options: Any) -> SSLContext:
    return httpx2.create_ssl_context(**options)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a client try again, and all look for patches of others, after a short time.

    And a client does not read all authorities' certificates anew, which takes longer than a test.
    """
    monkeypatch.setattr(waiting, "_FIRST_WAIT", 0.01)
    monkeypatch.setattr(waiting, "_LONGEST_WAIT", 0.1)
    monkeypatch.setattr(events, "_INTERVAL", 0.02)
    monkeypatch.setattr(history, "_INTERVAL", 0.02)
    make = "httpx2._transports.default.create_ssl_context"
    monkeypatch.setattr(make, lambda **more: context_of(os.environ.get("SSL_CERT_FILE"), **more))


@pytest.fixture(scope="module")
def http_server(folder: Path) -> Iterator[str]:
    """The address of a server of all logs in the folder."""
    with http.served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def grpc_server(folder: Path) -> Iterator[str]:
    with grpc.served(folder) as found:
        yield found


@pytest.fixture
def log(folder: Path) -> jr.PatchLog:
    """A log that the servers have by its name."""
    return jr.PatchLog.create(folder / f"log{len(list(folder.iterdir()))}")


@pytest.fixture
def server(log: jr.PatchLog) -> Iterator[grpc.Server]:
    """A server of the log by HTTP and gRPC, in another process."""
    with grpc.Server(log.path) as found:
        yield found


@pytest.fixture
def url(log: jr.PatchLog, request: pytest.FixtureRequest) -> str:
    """The address of the log: by what the test asks for, or by gRPC."""
    server = getattr(request, "param", "grpc_server")
    return f"{request.getfixturevalue(server)}/{log.path.name}"

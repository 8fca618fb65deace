"""Fixtures: in-memory logs, servers that a module's tests share, and quick retries."""

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
    """Yield a folder that contains a log, so that it is recognized as a folder of logs."""
    for path in logs.make_folder():
        jr.PatchLog.create(path / "first")
        yield path


@cache
def context_of(file: str | None, **options: Any) -> SSLContext:
    return httpx2.create_ssl_context(**options)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten a client's wait before a retry, and the interval of checks for others' patches.

    Clients also share the CA certificates, since reading them takes longer than a test.
    """
    monkeypatch.setattr(waiting, "_FIRST_WAIT", 0.01)
    monkeypatch.setattr(waiting, "_LONGEST_WAIT", 0.1)
    monkeypatch.setattr(events, "_INTERVAL", 0.02)
    monkeypatch.setattr(history, "_INTERVAL", 0.02)
    make = "httpx2._transports.default.create_ssl_context"
    monkeypatch.setattr(make, lambda **more: context_of(os.environ.get("SSL_CERT_FILE"), **more))


@pytest.fixture(scope="module")
def http_server(folder: Path) -> Iterator[str]:
    """Return the address of a server of all logs in the folder."""
    with http.served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def grpc_server(folder: Path) -> Iterator[str]:
    with grpc.served(folder) as found:
        yield found


@pytest.fixture
def log(folder: Path) -> jr.PatchLog:
    """Return a log that the servers serve under its name."""
    return jr.PatchLog.create(folder / f"log{len(list(folder.iterdir()))}")


@pytest.fixture
def server(log: jr.PatchLog) -> Iterator[grpc.Server]:
    """Yield a server for the log over HTTP and gRPC, in another process."""
    with grpc.Server(log.path) as found:
        yield found


@pytest.fixture
def url(log: jr.PatchLog, request: pytest.FixtureRequest) -> str:
    """Return the log's address for the protocol that the test names, or for gRPC."""
    server = getattr(request, "param", "grpc_server")
    return f"{request.getfixturevalue(server)}/{log.path.name}"

"""Tests servers and clients that send too much, too slowly, or endlessly."""

import json
import socket
import threading
import time
import tracemalloc
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from jelly_rdflib.cli.connections import protocol
from jelly_rdflib.live.fuseki import apply_to_fuseki
from jelly_rdflib.live.http import answers, watched, wire
from tests.live.http.support import served
from tests.log.support import fill, patch_id

S = URIRef("urn:s")
CLIENTS: dict[str, Callable[[str], Any]] = {
    "log": lambda url: jr.PatchLog(url, timeout=1),
    "fuseki": lambda url: apply_to_fuseki([(jr.Op.A, S, S, S, None)], url, timeout=1),
}
OK = b"HTTP/1.1 200 OK\r\n"


@contextmanager
def answering(make: Callable[[bytes], Iterator[bytes]]) -> Iterator[str]:
    """Respond to each connection with bytes that are generated from its first request."""

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            for part in make(connection.recv(1 << 16)):
                connection.sendall(part)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=[listening.accept()[0]], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def dripping(data: bytes, pause: float = 0.05) -> Iterator[bytes]:
    """Yield a byte now and then, endlessly."""
    while True:
        for byte in data:
            yield bytes([byte])
            time.sleep(pause)


def endless(status: str, coding: str) -> Iterator[bytes]:
    """Yield an endless response, each KiB of which may decompress to a MiB."""
    yield f"HTTP/1.1 {status}\r\nContent-Encoding: {coding}\r\n\r\n".encode()
    packer = zlib.compressobj(wbits={"gzip": 31}.get(coding, 15))
    many = b" " * (1 << 20)
    while True:
        yield packer.compress(many) + packer.flush(zlib.Z_FULL_FLUSH) if coding else many


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("status", ["200 OK", "401 No"])
@pytest.mark.parametrize("coding", ["", "gzip"])
def test_an_answer_without_an_end_takes_little_memory(
    client: str, status: str, coding: str
) -> None:
    with answering(lambda _: endless(status, coding)) as url:
        tracemalloc.start()
        with pytest.raises((jr.JellyError, OSError)) as caught:
            CLIENTS[client](url)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 50 << 20
    assert isinstance(caught.value, PermissionError) == (status == "401 No")


CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
SLOW: dict[str, Callable[[], Iterator[bytes]]] = {
    "head": lambda: dripping(OK + b"A: " + b"x" * 1000),
    "heads": lambda: dripping(b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.005),
    "body": lambda: iter([OK + b"\r\n", *[b" "] * 3]),
    "error": lambda: iter([b"HTTP/1.1 500 Oh\r\n\r\n"]),
    "chunk": lambda: iter([CHUNKED, b"1;"]),
    "trailer": lambda: iter([CHUNKED, b"1\r\n \r\n0\r\nA:"]),
}


@pytest.mark.parametrize(
    ("client", "slow"), [*(("log", slow) for slow in SLOW), ("fuseki", "body")]
)
def test_an_answer_that_drips_is_broken_off(
    client: str, slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # This is less than the time limit per byte, so the limit on the whole time is also checked.
    monkeypatch.setattr(watched, "GRACE", -0.8)

    def make(_: bytes) -> Iterator[bytes]:
        yield from SLOW[slow]()
        yield from dripping(b" ")

    with (
        answering(make) as url,
        pytest.raises(ConnectionError, match=r"the response did not arrive within 0\.2 seconds"),
    ):
        CLIENTS[client](url)


ENTRY = {
    "version": 3,
    "first": 3,
    "id": patch_id(3),
    "prev": patch_id(2),
    "bytes": 1 << 30,
    "digest": "0" * 64,
    "time": "2026-01-01T00:00:00+00:00",
}
LOG = {"id": "0" * 32, "compression": None, "snapshots": [], "head": ENTRY}


def answered(fields: dict[str, Any]) -> bytes:
    return OK + b"Connection: close\r\n\r\n" + json.dumps(fields).encode()


@pytest.mark.parametrize("following", [1, 3, 4, -1, 10**30, "x"])
@pytest.mark.parametrize("page", [[], [ENTRY], [ENTRY | {"version": 1}]])
def test_pages_go_forward(page: list[Any], following: Any) -> None:
    """A list of versions that is endless, goes backwards or is not the log's is refused."""
    body = answered(LOG | {"patches": page, "next": following})
    with answering(lambda _: iter([body])) as url:
        log = jr.PatchLog(url, timeout=0.3)
        with pytest.raises(jr.LogError, match=r"is not a patch log|the log is broken"):
            list(log.patches(0 if following == 4 else None))
        with pytest.raises(jr.LogError, match=r"is not a patch log|the log is broken"):
            list(log.follow(0, timeout=0))


@pytest.mark.parametrize(("pause", "speed"), [(0.05, 1000), (0.02, 10)])
def test_a_patch_may_take_as_long_as_its_bytes_need(
    pause: float, speed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "GRACE", 0.2)
    monkeypatch.setattr(watched, "LEAST_SPEED", speed)

    def make(request: bytes) -> Iterator[bytes]:
        if b"patches" not in request:
            yield answered(LOG)
        else:
            yield OK + b"Connection: close\r\n\r\n"
            for part, _ in zip(dripping(b"x", pause), range(50), strict=False):
                yield part

    with answering(make) as url:
        entry: Any = jr.PatchLog(url, timeout=0.3).head
        is_late = speed == 1000
        error: Any = ConnectionError if is_late else jr.LogError
        with pytest.raises(error, match="did not arrive within" if is_late else "is damaged"):
            entry.read()


def test_news_that_drip_are_a_lost_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "GRACE", 0.2)
    monkeypatch.setattr(wire, "HEARTBEAT", 0.1)

    def make(request: bytes) -> Iterator[bytes]:
        if b"/events" not in request:
            yield answered(LOG | {"patches": [], "next": None})
        else:
            yield OK + f"Content-Type: x\r\n{wire.LOG_ID}: {LOG['id']}\r\n\r\n".encode()
            yield from dripping(b" ")

    with answering(make) as url, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert list(jr.PatchLog(url, timeout=0.3).follow(timeout=0.5)) == []
    assert any("the response did not arrive within" in str(each.message) for each in told)


def test_events_must_name_their_log() -> None:
    events = OK + f"Content-Type: {wire.EVENTS_WITH_PATCHES}\r\n\r\n".encode()

    def make(request: bytes) -> Iterator[bytes]:
        yield events if b"/events" in request else answered(LOG | {"patches": [], "next": None})

    with answering(make) as url, pytest.raises(jr.LogError, match="is not a patch log"):
        list(jr.PatchLog(url, timeout=0.3).follow(timeout=1))


# --- hostile clients ------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b"", b'{"detail":"Not Found"}'])
def test_a_path_that_a_server_does_not_have_is_no_missing_patch(body: bytes) -> None:
    def answer(request: bytes) -> Iterator[bytes]:
        if b" /events" in request:
            yield b"HTTP/1.1 404 Not Found\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        else:
            fields = {"id": "0" * 32, "compression": None, "head": None, "snapshots": []}
            yield answered(fields)

    with answering(answer) as address:
        with pytest.raises(jr.LogError, match=f"^{address}: ") as caught:
            next(jr.PatchLog(address).follow())
        assert not isinstance(caught.value, jr.errors.MissingVersion)


@contextmanager
def connected(address: str, data: bytes) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), 5) as client:
        client.sendall(data)
        yield client


GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "data",
    [b"", GET + b"A: " + b"x" * 99, GET + b"\r\n" + GET],
    ids=["nothing", "header", "second"],
)
def test_the_head_of_a_request_has_a_time(tmp_path: Path, data: bytes) -> None:
    folder = jr.PatchLog.create(tmp_path / "log").path
    with (
        served(folder, http=protocol(10, 0.2)) as address,
        connected(address, data) as client,
        suppress(OSError),
    ):
        # Each byte restarts uvicorn's time-out between requests.
        while client.recv(1 << 16):
            if data:
                time.sleep(0.05)
                client.sendall(b"x")


def test_a_host_has_half_of_the_connections(tmp_path: Path) -> None:
    folder = jr.PatchLog.create(tmp_path / "log").path
    with served(folder, http=protocol(6, 5)) as address, ExitStack() as stack:
        held = [stack.enter_context(connected(address, b"GET")) for _ in range(5)]
        for client in held[3:]:
            with suppress(ConnectionResetError):
                assert client.recv(1) == b""
        transport = httpx2.HTTPTransport(local_address="127.0.0.9")
        with httpx2.Client(transport=transport) as other:
            assert other.get(f"{address}/").status_code == 200


def test_a_request_that_lasts_is_not_cut(tmp_path: Path) -> None:
    """The server does not cut off a follower or a client that sends many requests."""
    folder = jr.PatchLog.create(tmp_path / "log").path
    with served(folder, http=protocol(10, 0.1)) as address:
        follower = jr.PatchLog(address).follow(0)
        threading.Timer(0.3, lambda: jr.PatchLog(folder).append([])).start()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert next(follower).version == 1
        with connected(address, b"") as client:
            for _ in range(10):
                client.sendall(GET + b"\r\n")
                answer = b""
                while not answer.endswith(b"}"):
                    answer += client.recv(1 << 16)
                assert b"200 OK" in answer
                time.sleep(0.05)


def test_a_body_that_drips_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "SILENCE", 0.3)
    folder = jr.PatchLog.create(tmp_path / "log").path
    head = b"POST /patches HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/rdf-patch\r\n"
    with (
        served(folder) as address,
        connected(address, head + b"Content-Length: 999\r\n\r\n") as client,
    ):
        client.settimeout(0.02)
        start = time.monotonic()
        while time.monotonic() < start + 5:
            with suppress(TimeoutError):
                assert client.recv(1 << 16).startswith(b"HTTP/1.1 408 ")
                return
            client.sendall(b" ")
    raise AssertionError("it was not refused")


@pytest.mark.parametrize("number", [10**30, -(10**30), -1, 7])
def test_a_number_that_is_no_version(log: jr.PatchLog, http_server: str, number: int) -> None:
    fill(log, 5)
    address = f"{http_server}/{log.path.name}"
    for path in ("snapshots/{}", "patches/{}", "patches?since={}", "events?since={}"):
        assert httpx2.get(f"{address}/{path.format(number)}").status_code == 404
    event = {"Last-Event-ID": str(number)}
    assert httpx2.get(f"{address}/events", headers=event).status_code == 404
    for each in (log, jr.PatchLog(address)):
        for method in (each.checkout, each.patches, each.entry, each.snapshot, each.squash):
            with pytest.raises(jr.MissingVersion, match="there is no version"):
                method(number)
        assert len(each.latest(number)) == (5 if number > 0 else 0)


def test_a_log_that_is_not_there_for_a_moment_comes_back(tmp_path: Path) -> None:
    folder = fill(jr.PatchLog.create(tmp_path / "log"), 2).path
    with served(folder) as address:
        log = jr.PatchLog(address, timeout=5)
        for part in (folder / "log.db", folder):
            part.rename(tmp_path / "away")
            for path in ("", "patches/2", "events"):
                answer = httpx2.get(f"{address}/{path}")
                assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
                assert str(folder) not in answer.text
            threading.Timer(0.3, (tmp_path / "away").rename, [part]).start()
            assert len(log.entry(2).read()) > 0

"""Tests log servers over HTTP and gRPC under faults and load."""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from jelly_rdflib.live.grpc.wire import PATCH_SERVICE
from jelly_rdflib.live.log import append_from
from tests.live.fault_table import closer
from tests.live.faults import check_outages_are_told, kill_followers, memory_of, numbers_in
from tests.live.grpc.support import Server
from tests.live.http.support import Network
from tests.live.patches import numbers, patch_of
from tests.oracle.schema import message_class


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("kind", ["grpc", "http"])
def test_a_server_that_is_restarted(
    log: jr.PatchLog, server: Server, kind: str, number: signal.Signals
) -> None:
    url = server.url if kind == "grpc" else server.address
    found: list[int] = []

    # A failed first connection is not retried.
    source = live.connect(url)

    def follow() -> None:
        with source:
            for patch in source:
                found.extend(numbers([patch]))
                if len(found) == 300:
                    return

    thread = threading.Thread(target=follow)
    thread.start()
    with live.open_sink(url) as sink:
        for patch in range(300):
            if patch in (100, 200):
                server.restart(number)
            sink.send(patch_of(patch))
    thread.join(60)
    assert found == list(range(300))
    assert numbers_in("log", log.path) == list(range(300))


@pytest.mark.parametrize("url", ["grpc_server", "http_server"], indirect=True)
def test_a_server_that_is_gone_is_told_once_and_so_is_its_return(url: str) -> None:
    with Network(url.rpartition("/")[0], seed=0, most=0) as network:
        way = url.replace(url.split("/")[2], network.address.split("/")[2])
        check_outages_are_told(way, network.stop, network.start)


@pytest.mark.slow
@pytest.mark.parametrize("url", ["grpc_server", "http_server"], indirect=True)
@pytest.mark.parametrize("kind", ["log", "replica"])
def test_a_consumer_is_killed_50_times(
    log: jr.PatchLog, url: str, tmp_path: Path, kind: str
) -> None:
    def send(turn: int) -> None:
        for number in range(turn * 8, turn * 8 + 8):
            log.append(patch_of(number))

    kill_followers(kind, url, tmp_path / "copy", send, kills=50, seed=1, timeout=1)
    assert numbers_in(kind, tmp_path / "copy") == list(range(400))


def opened(opener: Any, url: str) -> Any:
    """Open a source or sink whose first connection may be cut."""
    while True:
        with suppress(ConnectionError):
            return opener(url)


@pytest.mark.parametrize(
    ("url", "most"), [("grpc_server", 20_000), ("http_server", 6000)], indirect=["url"]
)
def test_connections_that_are_cut(log: jr.PatchLog, url: str, most: int, tmp_path: Path) -> None:
    count = 60
    with Network(url.rpartition("/")[0], seed=0, most=most) as network:
        way = url.replace(url.split("/")[2], network.address.split("/")[2])
        copy = jr.PatchLog.create(tmp_path / "copy")
        sink, source = (opened(opener, way) for opener in (live.open_sink, live.connect))
        progress = {"progress": closer(source, count)}
        thread = threading.Thread(target=append_from, args=[source, copy], kwargs=progress)
        thread.start()
        for number in range(count):
            sink.send(patch_of(number, 30))
        network.mend()
        sink.close()
        thread.join(120)
    assert network.breaks >= 1
    for path in (log.path, copy.path):
        assert numbers_in("log", path) == list(range(count))
        assert jr.PatchLog(path).verify(deep=True) == []


@pytest.mark.parametrize("url", ["grpc_server", "http_server"], indirect=True)
def test_a_start_that_the_log_does_not_have(log: jr.PatchLog, url: str) -> None:
    unknown = "uuid:0686c69d-8f89-4496-acb5-744f0157a8db"
    for number in range(2):
        log.append(patch_of(number))
    log.squash()
    for start, message in (
        ("9", "there is no version 9"),
        ("1" * 30, "there is no version 1{30}"),
        ("1", "squashed"),
        (unknown, f"has no patch <{unknown}>"),
        ("junk", "'junk' can't be the id of a patch"),
    ):
        with pytest.raises(jr.LogError, match=message):
            live.connect(f"{url}?start={start}", timeout=1).receive(5)


@contextmanager
def stalled(server: Server, kind: str) -> Iterator[None]:
    """Follow the log from its start, without reading anything."""
    if kind == "grpc":
        options = [("grpc.use_local_subchannel_pool", 1)]
        with grpc.insecure_channel(server.url.partition("://")[2], options) as channel:
            channel.unary_stream(f"/{PATCH_SERVICE}/SubscribePatches")(FROM_START)
            yield
    else:
        place = ("127.0.0.1", int(server.address.rpartition(":")[2]))
        with socket.create_connection(place) as follower:
            follower.sendall(b"GET /events?since=0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            yield


FROM_START = message_class("RdfPatchSubscribe")(since_version=0).SerializeToString()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["grpc", "http"])
def test_followers_that_read_nothing_take_no_memory_and_no_threads(
    log: jr.PatchLog, server: Server, kind: str
) -> None:
    before = 0
    with ExitStack() as slow, live.connect(server.address) as source:
        for _ in range(20):
            slow.enter_context(stalled(server, kind))
        for number in range(400):
            word = Literal(f"{number} " + "x" * 40_000)
            log.append([(Op.A, URIRef("urn:s"), URIRef("urn:p"), word, None)])
            assert source.receive(30) is not None
            if number == 100:
                before = memory_of(server.process.pid)
        after = memory_of(server.process.pid)
        threads = len(list(Path(f"/proc/{server.process.pid}/task").iterdir()))
    # The server's events are 54 kB each. Without a limit, 20 followers would use 320 MB more.
    assert after - before < 40 << 20
    assert threads < 80

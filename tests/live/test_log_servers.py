"""What servers of a log, by HTTP and by gRPC, have to bear."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import ExitStack

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from tests.live.faults import check_outages_are_told, memory_of, numbers_in
from tests.live.grpc.support import Server
from tests.live.http.support import Network
from tests.live.test_log_transport import numbers, patch_of


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("kind", ["grpc", "http"])
def test_a_server_that_is_restarted(
    log: jr.PatchLog, server: Server, kind: str, number: signal.Signals
) -> None:
    url = server.url if kind == "grpc" else server.address
    found: list[int] = []

    # The first connection is not tried again.
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


@pytest.mark.parametrize("url", ["grpc_server", "http_server"], indirect=True)
def test_a_start_that_the_log_does_not_have(url: str) -> None:
    unknown = "uuid:0686c69d-8f89-4496-acb5-744f0157a8db"
    for start, message in (
        ("9", "there is no version 9"),
        ("1" * 30, "there is no version 1{30}"),
        (unknown, f"has no patch <{unknown}>"),
        ("junk", "'junk' can't be the id of a patch"),
    ):
        with pytest.raises(jr.LogError, match=message):
            live.connect(f"{url}?start={start}", timeout=1).receive(5)


@pytest.mark.slow
def test_followers_by_http_that_read_nothing_take_no_memory(
    log: jr.PatchLog, server: Server
) -> None:
    place = ("127.0.0.1", int(server.address.rpartition(":")[2]))
    request = f"GET /events?since=0 HTTP/1.1\r\nHost: {place[0]}\r\n\r\n".encode()
    before = 0
    with ExitStack() as slow, live.connect(server.address) as source:
        for _ in range(20):
            follower = slow.enter_context(socket.create_connection(place))
            follower.sendall(request)
        for number in range(400):
            word = Literal(f"{number} " + "x" * 40_000)
            log.append([(Op.A, URIRef("urn:s"), URIRef("urn:p"), word, None)])
            assert source.receive(30) is not None
            if number == 100:
                before = memory_of(server.process.pid)
        after = memory_of(server.process.pid)
    # The server's events have 54 kB each: without a bound 20 followers would hold 320 MB more.
    assert after - before < 40 << 20

"""Tests faults between a log's server and its clients: no patch is lost or applied twice."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import chain, repeat
from typing import Any

import grpc
import grpc.aio
import pytest

import jelly_rdflib as jr
from jelly_rdflib import LogError, live
from jelly_rdflib.live.frames import LiveEncoder
from jelly_rdflib.live.grpc import client
from jelly_rdflib.live.http.access import Right, Tokens
from tests.live.faults import numbers_in
from tests.live.grpc.support import served
from tests.live.http.support import Network
from tests.live.patches import numbers, patch_of, with_id
from tests.oracle.schema import message_class

SERVICE = "jelly_rdflib.live.v1.RdfPatchStreamService"


def test_a_server_that_is_slow_to_take_a_connection(url: str) -> None:
    server, _, name = url.rpartition("/")
    with Network(server, seed=0, most=0, delay=0.4) as network:
        live.connect(f"{network.address.replace('http', 'grpc')}/{name}").close()


class Fake:
    """A patch server with given responses."""

    def __init__(self, *answers: Iterable[bytes]) -> None:
        self._answers = iter(answers)
        self._server = grpc.server(ThreadPoolExecutor())
        handler = grpc.unary_stream_rpc_method_handler(self._subscribe)
        publish = grpc.stream_stream_rpc_method_handler(self._subscribe)
        methods = {"SubscribePatches": handler, "PublishPatches": publish}
        handlers = grpc.method_handlers_generic_handler(SERVICE, methods)
        self._server.add_generic_rpc_handlers((handlers,))
        self.url = f"grpc://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self.asked: list[Any] = []
        self.log: str | None = "one"
        self._end = threading.Event()

    def _subscribe(self, request: Any, context: Any) -> Iterator[bytes]:
        self.asked.append(request)
        if self.log is None:
            self._end.wait(20)
            return
        context.send_initial_metadata((("version", "0"), ("log", self.log)))
        yield from next(self._answers, [])

    def __enter__(self) -> Fake:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._server.stop(0)


def test_a_server_that_stays_away_is_told_with_what_it_did_not_take() -> None:
    answer = message_class("RdfPatchReceived")(version=1, id=str(with_id(1).header["id"]))
    end = threading.Event()

    def answers() -> Iterator[bytes]:
        # The first patch was received.
        next(fake.asked[0])
        yield answer.SerializeToString()
        end.wait(30)

    with Fake(answers()) as fake:
        sink = live.open_sink(fake.url, wait=0.3)
        sink.send(with_id(1))
        sink.flush()
        sink.send(with_id(2))
        sink.send(with_id(3))
        end.set()
        with pytest.raises(ConnectionError, match=r"patches from <uuid:0+2-[^>]*> on \(2\)"):
            sink.flush()
        sink.close()


def test_garbage_of_a_server_is_an_error_with_its_place() -> None:
    frames = [bytes(frame) for frame in LiveEncoder().encode(with_id(1))]
    with Fake([], [*frames, b"\xff garbage"]) as fake, live.connect(fake.url) as source:
        assert numbers([source.receive(10)]) == [1]  # type: ignore[list-item]
        with pytest.raises(jr.DecodeError, match=f"{fake.url}.* after version 1, <uuid:0+1-"):
            source.receive(10)


@pytest.mark.parametrize(
    ("options", "patch", "error", "message"),
    [
        ({"max_name_table_size": 1 << 24}, with_id(1), jr.LimitError, "max_name_table_size"),
        ({}, patch_of(1), jr.DecodeError, "has no id"),
    ],
)
def test_what_is_no_stream_of_a_log(
    options: Any, patch: jr.Patch, error: Any, message: str
) -> None:
    frames = map(bytes, LiveEncoder(jr.PatchOptions(**options)).encode(patch))
    with Fake([], frames) as fake, live.connect(fake.url) as source:  # noqa: SIM117
        with pytest.raises(error, match=message):
            source.receive(10)


def test_another_log_at_the_same_address_ends_a_source() -> None:
    with Fake() as fake, live.connect(fake.url) as source:
        fake.log = "other"
        with pytest.raises(LogError, match="was replaced by another log"):
            source.receive(10)


def test_a_call_that_is_not_answered_is_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_FIRST_SECONDS", 0.1)
    with Fake() as fake, live.connect(fake.url) as source:
        fake.log = None
        for _ in range(200):
            if source.is_connected:
                assert source.receive(0.1) is None
        assert "it does not respond" in str(source.last_error)
        for open_ in (live.connect, live.open_sink):
            with pytest.raises(ConnectionError, match=f"{fake.url}/?: it does not respond"):
                open_(fake.url)


def test_frames_with_nothing_in_them_for_ever_are_an_error() -> None:
    frames = [bytes(frame) for frame in LiveEncoder().encode(with_id(1))]
    answer = chain(repeat(frames[0], 1), repeat(b""))
    with Fake([], answer) as fake, live.connect(fake.url) as source:
        assert numbers([source.receive(10)]) == [1]  # type: ignore[list-item]
        with pytest.raises(jr.DecodeError, match="101 frames in a row have no patch"):
            source.receive(10)


@pytest.mark.parametrize("answer", [b"", b"\xff", b"\x12\x03abc"])
def test_an_answer_for_another_patch_is_none(answer: bytes) -> None:
    with Fake(*[[answer]] * 99) as fake:
        sink = live.open_sink(fake.url, wait=0.3)
        sink.send(with_id(1))
        with pytest.raises(ConnectionError, match=r"\(1\) may not have been accepted"):
            sink.close()


def test_who_may_not_follow_is_told_before_it_has_asked(log: jr.PatchLog) -> None:
    tokens = Tokens({"a" * 20: Right.READ})
    with served(log.path, tokens=tokens) as address, ExitStack() as stack:
        channel = stack.enter_context(grpc.insecure_channel(address.partition("://")[2]))
        end = threading.Event()
        stack.callback(end.set)
        silent = channel.stream_stream(f"/{SERVICE}/SubscribePatches")(
            b"" for _ in iter(end.wait, True)
        )
        with pytest.raises(grpc.RpcError) as caught:
            next(silent)
        assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED


def test_a_stream_that_ends_in_the_middle_of_a_patch_is_started_again() -> None:
    encoder = LiveEncoder(jr.PatchOptions(frame_rows=2))
    first, *rest = (bytes(frame) for frame in encoder.encode(with_id(1)))
    with Fake([], [first], [first, *rest]) as fake, live.connect(fake.url) as source:
        assert numbers([source.receive(10)]) == [1]  # type: ignore[list-item]
        assert len(fake.asked) == 3


def test_a_sink_waits_for_a_slow_server(
    log: jr.PatchLog, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jelly_rdflib.live.grpc import patches

    monkeypatch.setattr(patches, "_MOST_PATCHES", 10)
    with live.open_sink(url) as sink:
        sent: Any = sink
        for number in range(50):
            sink.send(patch_of(number))
            assert len(sent._sent) <= 10
    assert numbers_in("log", log.path) == list(range(50))

"""Tests a patch log over gRPC: server, sources, sinks, and other implementations."""

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from jelly_rdflib.live.frames import LiveDecoder, LiveEncoder
from jelly_rdflib.live.grpc import log_server, patches
from jelly_rdflib.live.http.access import Right, Tokens
from tests.live.certificate import Certificate, make_certificate
from tests.live.grpc.support import call, served
from tests.live.patches import numbers, patch_of, take, with_id
from tests.log.support import patch_id
from tests.oracle.schema import message_class

SUBSCRIBE = "/jelly_rdflib.live.v1.RdfPatchStreamService/SubscribePatches"
PUBLISH = "/jelly_rdflib.live.v1.RdfPatchStreamService/PublishPatches"
READ, APPEND = "a-token-to-read-01", "a-token-to-append-1"
G = URIRef("urn:g")


@pytest.fixture
def address(url: str) -> str:
    return url


def ask(address: str, *metadata: tuple[str, Any], **fields: Any) -> tuple[Any, str, str]:
    """Subscribe with a protobuf request that must be refused."""
    request = message_class("RdfPatchSubscribe")(**fields)
    return call(address, "unary_stream", SUBSCRIBE, request.SerializeToString(), *metadata)


def publish(address: str, frames: list[Any], *metadata: tuple[str, Any]) -> tuple[Any, str, str]:
    answers, *rest = call(address, "stream_stream", PUBLISH, map(bytes, frames), *metadata)
    read = message_class("RdfPatchReceived").FromString
    return [(read(each).version, read(each).id) for each in answers], *rest


# Sources and sinks.


@pytest.mark.parametrize("is_long", [False, True])
def test_faults_of_a_server_that_stay_end_a_source(
    log: jr.PatchLog, address: str, is_long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Repeated faults end a source, unless they are far apart, as when a proxy ends calls."""
    log.append(patch_of(0))
    tries = []

    def fail(*arguments: Any) -> Any:
        tries.append(arguments)
        raise RuntimeError("a fault")

    monkeypatch.setattr(log_server.PatchLogServer, "_frames", fail)
    monkeypatch.setattr(patches, "waits", lambda: repeat(0.0))
    with live.connect(address) as source:
        if is_long:
            monkeypatch.setattr(patches, "_FIRST_SECONDS", -1.0)
            while len(tries) < 20:
                assert source.receive(0.1) is None
        else:
            with pytest.raises(ConnectionError, match="see its standard error"):
                source.receive(30)
            assert len(tries) <= patches._MOST_STRANGE + 2


def test_a_long_patch_is_cut_and_comes_whole(log: jr.PatchLog, address: str) -> None:
    rows = [(Op.A, URIRef(f"urn:{n}"), URIRef("urn:p"), Literal("x" * 9000), G) for n in range(400)]
    patch = jr.Patch([(Op.TX,), *rows, (Op.TC,)])
    with live.open_sink(address) as sink:
        sink.send(patch)
        sink.send(patch_of(1))
    with live.connect(address) as source:
        assert list(source.receive(30) or ())[1:] == list(patch)
        assert take(source, 1) == [1]
    log.refresh()
    assert log.version == 2


@pytest.mark.parametrize("compression", [None, "zst"])
def test_a_patch_that_is_not_kept_for_others_comes_whole(tmp_path: Path, compression: Any) -> None:
    """A patch of more than 4 MiB is not cached for other followers, but arrives completely."""
    log = jr.PatchLog.create(tmp_path / "big", compression=compression)
    words = [Literal(random.Random(n).randbytes(3000).hex()) for n in range(900)]
    rows = [(Op.A, URIRef("urn:s"), URIRef("urn:p"), word, G) for word in words]
    with served(log.path) as address, live.connect(address) as source:
        with live.open_sink(address) as sink:
            sink.send(rows)
            sink.send(patch_of(1))
        patch = source.receive(30)
        assert take(source, 1) == [1]
    assert patch is not None
    assert [row for row in patch if row[0] == Op.A] == rows


# --- the rules of the service ---------------------------------------------------------------------


# The sent frames, the number of accepted patches, and the status of the call.
SENT: dict[str, tuple[list[jr.Patch | bytes], int, str]] = {
    "two": ([with_id(1), with_id(2)], 2, "OK"),
    "what comes after a conflict": ([with_id(1), with_id(2, prev=5), with_id(3)], 1, "ABORTED"),
    "garbage after a patch": ([with_id(1), b"\xff garbage"], 1, "INVALID_ARGUMENT"),
}


@pytest.mark.parametrize("name", SENT)
def test_an_answer_says_the_version_and_the_id(log: jr.PatchLog, address: str, name: str) -> None:
    sent, count, code = SENT[name]
    encoder = LiveEncoder()
    parts = [[each] if isinstance(each, bytes) else encoder.encode(each) for each in sent]
    answers = [(number, str(patch_id(number))) for number in range(1, count + 1)]
    assert publish(address, [*chain.from_iterable(parts)])[:2] == (answers, code)
    log.refresh()
    ids = [None, *map(patch_id, range(1, count))]
    assert [entry.prev for entry in log.patches()] == ids


def test_a_patch_counts_once(log: jr.PatchLog, address: str) -> None:
    """A patch that is sent again counts once, even if another patch already follows it."""
    for _ in range(2):
        frames = [*LiveEncoder().encode(with_id(1))]
        assert publish(address, frames) == ([(1, str(patch_id(1)))], "OK", "")
        log.refresh()
        if log.version == 1:
            log.append(with_id(2))
    log.refresh()
    assert log.version == 2


def test_a_patch_follows_the_one_that_it_names(log: jr.PatchLog, address: str) -> None:
    with live.open_sink(address) as sink:
        sink.send(with_id(1))
        sink.send(with_id(2, prev=1))
    with pytest.raises(jr.LogConflict) as caught, live.open_sink(address) as sink:
        sink.send(with_id(3, prev=1))
    assert (caught.value.head, caught.value.version) == (str(patch_id(2)), 2)
    assert f"<{patch_id(3)}>" in str(caught.value)
    _, code, _ = publish(address, LiveEncoder().encode(with_id(3, prev=1)))
    assert code == "ABORTED"
    # The log has a patch with this id at another position.
    _, code, _ = publish(address, LiveEncoder().encode(with_id(2, prev=3)))
    assert code == "ABORTED"
    log.refresh()
    assert log.version == 2


# Each input is refused, and no part of it is appended.
WRONG: dict[str, list[bytes | memoryview]] = {
    "nothing": [],
    "no options": [b""],
    "garbage": [b"\xff garbage"],
    "half a patch": [*LiveEncoder(jr.PatchOptions(frame_rows=2)).encode(patch_of(1, 9))][:-1],
    "no id": [*LiveEncoder().encode(jr.Patch([(Op.H, "id", URIRef("urn:x")), *patch_of(1)]))],
    "huge lookups": [*LiveEncoder(jr.PatchOptions(max_name_table_size=1 << 24)).encode(with_id(1))],
}


@pytest.mark.parametrize("name", WRONG)
def test_what_may_not_be_published(log: jr.PatchLog, address: str, name: str) -> None:
    assert publish(address, WRONG[name])[:2] == ([], "INVALID_ARGUMENT")
    assert log.refresh() is None


HUGE = {"statement_type": 2, "stream_type": 3, "version": 1, "max_name_table_size": 1 << 30}


@pytest.mark.parametrize(
    "change",
    [{"statement_type": 1}, {"stream_type": 1}, {"version": 2}, {"max_name_table_size": 1 << 30}],
)
def test_requested_options_must_be_possible(address: str, change: dict[str, int]) -> None:
    options = {**HUGE, "max_name_table_size": 100, **change}
    assert ask(address, requested_options=options)[1] == "INVALID_ARGUMENT"


def test_requested_options_are_kept(log: jr.PatchLog, address: str) -> None:
    log.append(patch_of(1))
    quoted = jr.TripleTerm(URIRef("urn:a"), URIRef("urn:b"), URIRef("urn:c"))
    row = (Op.A, URIRef("urn:s"), URIRef("urn:p"), quoted, None)
    log.append([row], options=jr.PatchOptions(rdf_star=True))
    options = {**HUGE, "max_name_table_size": 9, "max_datatype_table_size": 3}
    frames, code, detail = ask(address, requested_options=options, since_version=0)
    assert (code, "rdf_star" in detail) == ("INVALID_ARGUMENT", True), detail
    decoder = LiveDecoder()
    assert [numbers([patch]) for frame in frames for patch in decoder.decode(frame)] == [[1]]
    found = decoder.options
    assert found is not None
    assert (found.max_name_table_size, found.rdf_star) == (9, False)


def test_a_request_that_is_garbage_is_refused(address: str) -> None:
    for garbage in (b"\xff" * 20, b"\x22\x01\xff", b"\x1a\x7f"):
        found = call(address, "unary_stream", SUBSCRIBE, garbage)
        assert (found[1], "Traceback" in found[2]) == ("INVALID_ARGUMENT", False)


def test_an_error_of_the_log_names_no_path(log: jr.PatchLog, address: str) -> None:
    log.append(patch_of(0)).path.write_bytes(b"\x00")
    _, code, detail = ask(address, since_version=0)
    assert (code, str(log.path) in detail) == ("DATA_LOSS", False)


def test_a_patch_that_is_too_large_is_refused(
    log: jr.PatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[Exception] = []
    explain = log_server._explain

    def explained(error: Exception) -> Any:
        errors.append(error)
        return explain(error)

    monkeypatch.setattr(log_server, "_explain", explained)
    with served(log.path, max_body=10_000) as address:
        patch = jr.Patch(
            [*patch_of(1), (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("x" * 10_001), None)]
        )
        with pytest.raises(ConnectionError, match="10000 bytes"), live.open_sink(address) as sink:
            sink.send(patch)
        told = [(each.limit, each.value) for each in errors if isinstance(each, jr.LimitError)]
        assert told == [("max_body", 10_000)]
        with live.open_sink(address) as sink:
            for number in range(100):
                sink.send(patch_of(number))
        # grpc itself refuses this message.
        assert publish(address, [b"\x0a" * (5 << 20)])[1] == "RESOURCE_EXHAUSTED"
    log.refresh()
    assert log.version == 100


# Access rights.


def test_tokens_have_rights(log: jr.PatchLog, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = Tokens({READ: Right.READ, APPEND: Right.APPEND})
    with served(log.path, tokens=tokens) as address:
        for opener in (live.connect, live.open_sink):
            for token, what in (
                ("", "a bearer token is needed: set the environment variable JELLYP_TOKEN"),
                ("another-token-0001", "this token is not accepted$"),
            ):
                with pytest.raises(PermissionError, match=what) as caught:
                    opener(address, token=token)
                assert "another" not in str(caught.value)
            assert ask(address)[1] == "UNAUTHENTICATED"
            assert ask(address, ("authorization", f"Basic {READ}"))[1] == "UNAUTHENTICATED"
        with pytest.raises(PermissionError, match="right append"):
            live.open_sink(address, token=READ)
        frames = LiveEncoder().encode(with_id(1))
        assert (
            publish(address, frames, ("authorization", f"Bearer {READ}"))[1] == "PERMISSION_DENIED"
        )
        assert log.refresh() is None
        monkeypatch.setenv("JELLYP_TOKEN", APPEND)
        with live.open_sink(address) as sink:
            sink.send(patch_of(1))
        with live.connect(address, token=READ) as source:
            assert take(source, 1) == [1]
            assert READ not in repr(source)


def test_without_tokens_other_machines_are_not_let_in(log: jr.PatchLog) -> None:
    from jelly_rdflib.live.grpc.log_server import PatchLogServer

    async def serve() -> None:
        async with PatchLogServer(log.path).serving("0.0.0.0", 0):
            pass

    with pytest.raises(ValueError, match="give tokens"):
        asyncio.run(serve())


def test_requests_have_a_rate(log: jr.PatchLog) -> None:
    with served(log.path, rate="2/minute") as address:
        assert [ask(address, since_version=9)[1] for _ in range(3)][1:] == [
            "NOT_FOUND",
            "RESOURCE_EXHAUSTED",
        ]


def test_there_are_only_so_many_followers(log: jr.PatchLog) -> None:
    with served(log.path, max_followers=1) as address, live.connect(address) as source:
        log.append(patch_of(1))
        assert take(source, 1) == [1]
        with pytest.raises(ConnectionError, match="too many followers"):
            live.connect(address)


def test_patches_that_come_at_once_have_a_limit_together(log: jr.PatchLog) -> None:
    patch = jr.Patch([*patch_of(1), *(row for n in range(200) for row in patch_of(n))])
    *begin, _ = LiveEncoder(jr.PatchOptions(frame_rows=50)).encode(patch)
    size = sum(map(len, begin))
    end, started = threading.Event(), threading.Semaphore(0)

    def frames() -> Iterator[bytes]:
        yield from map(bytes, begin)
        started.release()
        end.wait()

    with served(log.path, max_body=size) as address:
        held = [
            threading.Thread(target=call, args=[address, "stream_stream", PUBLISH, frames()])
            for _ in range(4)
        ]
        for thread in held:
            thread.start()
        for _ in held:
            started.acquire()
        time.sleep(0.5)
        assert publish(address, begin)[1:] == (
            "UNAVAILABLE",
            "too many patches arrive at once",
        )
        end.set()
        for thread in held:
            thread.join()
        with live.open_sink(address) as sink:
            sink.send(patch_of(1))


def test_who_sends_half_a_patch_and_no_more_is_cut_off(
    log: jr.PatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jelly_rdflib.live.http.answers.SILENCE", 0.3)
    first, *_ = LiveEncoder(jr.PatchOptions(frame_rows=4)).encode(jr.Patch([*patch_of(1)] * 9))
    end = threading.Event()

    def frames() -> Iterator[bytes]:
        yield bytes(first)
        end.wait(30)

    with served(log.path) as address:
        _, code, detail = call(address, "stream_stream", PUBLISH, frames())
        end.set()
        assert (code, detail) == (
            "DEADLINE_EXCEEDED",
            "too little of a patch arrived within 0.3 seconds",
        )
        # The time between patches has no limit.
        with live.open_sink(address) as sink:
            for number in range(2):
                sink.send(patch_of(number))
                sink.flush()
                time.sleep(0.4)
    assert log.refresh() is not None
    assert log.version == 2


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


def test_tls(log: jr.PatchLog, certificate: Certificate) -> None:
    with served(log.path, tls=certificate) as address:
        assert address.startswith("grpcs://")
        with live.open_sink(address, ca=str(certificate[0])) as sink:
            sink.send(patch_of(1))
        with live.connect(address, ca=str(certificate[0])) as source:
            assert take(source, 1) == [1]
        for url in (address, address.replace("grpcs", "grpc")):
            with pytest.raises(ConnectionError):
                live.connect(url)
    with pytest.raises(ValueError, match="grpcs"):
        live.connect("grpc://localhost:1", ca=str(certificate[0]))


def test_a_server_that_is_not_there_is_an_error_at_once() -> None:
    for opener in (live.connect, live.open_sink):
        with pytest.raises(ConnectionError, match=r"grpc://127\.0\.0\.1:1/"):
            opener("grpc://127.0.0.1:1")

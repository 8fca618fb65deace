"""Tests Jelly-RDF over gRPC: the rules of the specification, and other implementations."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib.live.grpc import RdfStreamServer, publish_rdf, subscribe_rdf
from tests.live.grpc.support import call
from tests.oracle.schema import message_class

SUBSCRIBE = "/eu.ostrzyciel.jelly.core.proto.v1.RdfStreamService/SubscribeRdf"
PUBLISH = "/eu.ostrzyciel.jelly.core.proto.v1.RdfStreamService/PublishRdf"
QUADS = [
    (URIRef(f"http://example.org/{n % 50}"), URIRef("urn:p"), Literal(n), URIRef("urn:g"))
    for n in range(1000)
]
TRIPLES = [quad[:3] for quad in QUADS]
TRIPLES_ASKED = jr.StreamOptions(physical_type="TRIPLES")


def serving(statements: Any, options: jr.StreamOptions | None = None, **more: Any) -> Any:
    """Return a server that sends the same stream to each subscriber."""
    return RdfStreamServer(subscribe=lambda topic, asked: statements, options=options, **more)


def ask(server: RdfStreamServer, topic: str = "", **fields: Any) -> tuple[list[bytes], str, str]:
    """Subscribe with requested options as protobuf fields."""
    request = message_class("RdfStreamSubscribe")(topic=topic)
    for name, value in fields.items():
        setattr(request.requested_options, name, value)
    with server:
        address = server.start("127.0.0.1", 0)
        frames, code, detail = call(address, "unary_stream", SUBSCRIBE, request.SerializeToString())
    return frames, code, detail


ASKED = {
    "physical_type": 2,
    "max_name_table_size": 100,
    "max_prefix_table_size": 10,
    "max_datatype_table_size": 8,
    "version": 2,
}


def read(frames: list[bytes]) -> tuple[jr.StreamOptions, list[Any]]:
    decoder = jr.StatementDecoder()
    statements = [each for frame in frames for each in decoder.decode_frame(frame)]
    decoder.finish()
    assert decoder.options is not None
    return decoder.options, statements


def publish(frames: list[bytes], **more: Any) -> tuple[Any, list[int]]:
    """Publish frames; return the response, and the sizes of the received frames."""
    taken: list[int] = []
    with RdfStreamServer(publish=lambda frames: taken.extend(map(len, frames)), **more) as server:
        address = server.start("127.0.0.1", 0)
        return call(address, "stream_unary", PUBLISH, frames), taken


# Options handling.


@pytest.mark.parametrize("topic", ["", "changes", "été/☃ 𝄞"])
def test_a_topic_is_any_text_and_empty_by_default(topic: str) -> None:
    asked = []

    def subscribe(topic: str, options: jr.StreamOptions | None) -> list[Any]:
        asked.append((topic, options))
        return []

    assert ask(RdfStreamServer(subscribe=subscribe), topic)[1] == "OK"
    with RdfStreamServer(subscribe=subscribe) as server:
        list(subscribe_rdf(server.start("127.0.0.1", 0), topic))
    assert asked == [(topic, None)] * 2


def test_without_requested_options_the_server_chooses() -> None:
    frames, code, _ = ask(serving(TRIPLES, TRIPLES_ASKED))
    assert code == "OK"
    assert read(frames) == (TRIPLES_ASKED, TRIPLES)


def test_the_physical_type_must_be_the_requested_one() -> None:
    _, code, detail = ask(serving(TRIPLES, TRIPLES_ASKED), **ASKED)
    assert (code, detail) == (
        "INVALID_ARGUMENT",
        "physical_type is TRIPLES here, but QUADS is requested",
    )
    assert ask(serving(TRIPLES, TRIPLES_ASKED), **{**ASKED, "physical_type": 1})[1] == "OK"


@pytest.mark.parametrize("name", ["generalized_statements", "rdf_star"])
@pytest.mark.parametrize("has", [False, True])
@pytest.mark.parametrize("asked", [False, True])
def test_flags_must_be_as_requested_or_false(name: str, has: bool, asked: bool) -> None:
    options = jr.StreamOptions(**{name: has})
    frames, code, _ = ask(serving(QUADS, options), **ASKED, **{name: asked})
    assert code == ("INVALID_ARGUMENT" if has and not asked else "OK")
    if code == "OK":
        assert getattr(read(frames)[0], name) == has


@settings(max_examples=10, deadline=None)
@given(st.integers(8, 4096), st.integers(0, 1024), st.integers(1, 256))
def test_each_lookup_must_be_at_most_the_requested_size(name: int, prefix: int, kind: int) -> None:
    sizes = dict(
        zip([each for each in ASKED if "table" in each], (name, prefix, kind), strict=True)
    )
    frames, code, _ = ask(serving(QUADS), **{**ASKED, **sizes})
    assert code == "OK"
    options, statements = read(frames)
    assert all(getattr(options, each) <= size for each, size in sizes.items())
    assert statements == QUADS


def test_the_version_must_be_at_most_the_requested_one() -> None:
    options = jr.StreamOptions(namespace_declarations=True)
    _, code, detail = ask(serving(QUADS, options), **{**ASKED, "version": 1})
    assert (code, detail) == ("INVALID_ARGUMENT", "version is 2 here, but 1 is requested")
    assert ask(serving(QUADS, options), **ASKED)[1] == "OK"


def test_the_name_and_the_logical_type_are_free() -> None:
    options = jr.StreamOptions(stream_name="ours", logical_type="DATASETS")
    frames, code, _ = ask(serving([QUADS], options), **ASKED, stream_name="x", logical_type=2)
    assert code == "OK"
    assert (read(frames)[0].stream_name, read(frames)[0].logical_type) == ("ours", 4)


def test_a_server_without_options_of_its_own_takes_the_requested_types() -> None:
    fields = {**ASKED, "physical_type": 1, "logical_type": 1, "rdf_star": True}
    frames, code, _ = ask(serving(TRIPLES), **fields)
    assert code == "OK"
    options, statements = read(frames)
    assert (options.physical_type.name, options.rdf_star, statements) == ("TRIPLES", True, TRIPLES)


def test_a_server_bounds_the_lookups_that_subscribers_ask_for() -> None:
    for name in (each for each in ASKED if "table" in each):
        _, code, detail = ask(serving(QUADS), **{**ASKED, name: 1 << 30})
        assert (code, f"limit {name}" in detail) == ("INVALID_ARGUMENT", True)


@pytest.mark.parametrize("fields", [{"version": 0}, {"max_name_table_size": 7}, {"version": 99}])
def test_requested_options_that_are_none_are_refused(fields: dict[str, int]) -> None:
    assert ask(serving(QUADS), **{**ASKED, **fields})[1] == "INVALID_ARGUMENT"


def test_a_server_bounds_the_lookups_that_publishers_ask_for() -> None:
    frame = jr.StatementEncoder(jr.StreamOptions(max_name_table_size=1 << 24)).encode_frame(QUADS)
    (_, code, detail), taken = publish([frame])
    assert (code, "max_name_table_size" in detail, taken) == ("INVALID_ARGUMENT", True, [])


def test_a_published_stream_must_have_a_frame() -> None:
    assert publish([])[0][1] == "INVALID_ARGUMENT"


def test_the_first_row_of_a_published_stream_must_be_the_options() -> None:
    encoder = jr.StatementEncoder()
    first, second = encoder.encode_frame(QUADS[:1]), encoder.encode_frame(QUADS[:1])
    for frames in ([second], [b""], [b"", first]):
        assert publish(frames)[0][1] == "INVALID_ARGUMENT"
    assert publish([first, second, b""]) == (([b""], "OK", ""), [1, 1, 0])


def test_a_published_stream_that_can_not_be_processed_is_refused() -> None:
    frame = jr.StatementEncoder().encode_frame(QUADS)
    (_, code, _), taken = publish([frame, b"\xff garbage"])
    assert (code, taken) == ("INVALID_ARGUMENT", [1000])


def test_the_answer_comes_after_the_stream_is_complete() -> None:
    """The server responds after the whole stream, even if its function does not read it."""
    encoder, sent = jr.StatementEncoder(), []

    def frames() -> Iterator[bytes]:
        for _ in range(3):
            time.sleep(0.05)
            sent.append(1)
            yield encoder.encode_frame(QUADS[:1])

    with RdfStreamServer(publish=lambda frames: None) as server:
        address = server.start("127.0.0.1", 0)
        answer = call(address, "stream_unary", PUBLISH, frames())
    assert (answer, len(sent)) == (([b""], "OK", ""), 3)


def test_frames_stay_well_below_4_MB() -> None:
    long = [(BNode(f"b{n}"), URIRef("urn:p"), Literal("x" * 100_000)) for n in range(100)]
    frames, code, _ = ask(serving(long))
    assert (code, max(map(len, frames)) < 2 << 20) == ("OK", True)
    assert len(read(frames)[1]) == 100


def test_a_statement_that_is_too_large_for_a_frame_ends_the_stream() -> None:
    _, code, detail = ask(serving([(URIRef("urn:s"), URIRef("urn:p"), Literal("x" * (5 << 20)))]))
    assert (code, "frame" in detail) == ("INVALID_ARGUMENT", True)


# Typical uses.


def raiser(error: Exception) -> Any:
    def function(*_: object) -> Any:
        raise error

    return function


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (KeyError("no such topic"), "INVALID_ARGUMENT", ConnectionError),
        (ValueError("no such topic"), "INVALID_ARGUMENT", ConnectionError),
        (PermissionError("not for you"), "PERMISSION_DENIED", PermissionError),
        (RuntimeError("a secret"), "INTERNAL", ConnectionError),
    ],
)
def test_an_exception_refuses_a_call(error: Exception, code: str, kind: type[Exception]) -> None:
    function = raiser(error)
    found = ask(RdfStreamServer(subscribe=function))
    assert (found[1], "secret" in found[2]) == (code, False)
    with RdfStreamServer(subscribe=function, publish=function) as server:
        address = server.start("127.0.0.1", 0)
        with pytest.raises(kind):
            list(subscribe_rdf(address))
        with pytest.raises(kind):
            publish_rdf(address, QUADS)


def test_frames_batches_lists_and_statements_can_be_sent() -> None:
    batch = jr.StatementDecoder().decode_frame(jr.StatementEncoder().encode_frame(QUADS)).batch
    taken: list[jr.Frame] = []
    with RdfStreamServer(publish=taken.extend) as server:
        address = server.start("127.0.0.1", 0)
        for items in ([batch], [jr.Frame(batch)], [QUADS], QUADS, iter(QUADS)):
            taken.clear()
            publish_rdf(address, items)
            assert [each for frame in taken for each in frame] == QUADS


def test_metadata_namespaces_and_graphs_come_frame_by_frame() -> None:
    options = jr.StreamOptions(logical_type="DATASETS", namespace_declarations=True)
    encoder, decoder = jr.StatementEncoder(options), jr.StatementDecoder()
    sent = [
        decoder.decode_frame(
            encoder.encode_frame(
                QUADS[:n], namespaces=[("ex", "urn:ex#")], metadata={"n": b"%d" % n}
            )
        )
        for n in (2, 0, 5)
    ]
    with serving(sent, options) as server:
        found = list(subscribe_rdf(server.start("127.0.0.1", 0)))
    assert [list(frame) for frame in found] == [list(frame) for frame in sent]
    assert [frame.metadata for frame in found] == [{"n": b"2"}, {"n": b"0"}, {"n": b"5"}]
    assert found[0].namespaces == [("ex", URIRef("urn:ex#"))]


def test_a_live_stream_comes_as_it_is_made_and_ends_with_its_reader() -> None:
    made, is_closed = [], threading.Event()

    def subscribe(topic: str, options: jr.StreamOptions | None) -> Iterator[Any]:
        try:
            while True:
                made.append(1)
                yield QUADS[:1]
                time.sleep(0.01)
        finally:
            is_closed.set()

    with RdfStreamServer(subscribe=subscribe) as server:
        frames = subscribe_rdf(server.start("127.0.0.1", 0))
        for _ in range(3):
            assert len(next(frames)) == 1
        frames.close()  # type: ignore[attr-defined]
        assert is_closed.wait(10)


@pytest.mark.parametrize("url", ["http://localhost:1", "grpc://u:p@h:1", "grpc://h:1?colour=red"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"address|setting"):
        subscribe_rdf(url)


def test_a_request_that_is_garbage_is_refused() -> None:
    for garbage in (b"\xff" * 20, b"\x0a\x7f", b"\x12\x02\xff\xff", b"\x0a\x01\xff"):
        with serving(QUADS) as server:
            address = server.start("127.0.0.1", 0)
            assert call(address, "unary_stream", SUBSCRIBE, garbage)[1] == "INVALID_ARGUMENT"


# A server that uses protobuf's own classes.


@contextmanager
def foreign() -> Iterator[tuple[str, list[Any]]]:
    """Serve the last published stream; yield the address and the requested options."""
    asked: list[Any] = []
    frames: list[bytes] = []
    read = message_class("RdfStreamFrame").FromString

    def subscribe(request: bytes, context: Any) -> Iterator[bytes]:
        asked.append(message_class("RdfStreamSubscribe").FromString(request))
        if asked[-1].topic == "nothing":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no such topic")
        yield from frames

    def take(requests: Iterator[bytes], context: Any) -> bytes:
        frames[:] = [read(each).SerializeToString() for each in requests]
        return b""

    methods = {
        "SubscribeRdf": grpc.unary_stream_rpc_method_handler(subscribe),
        "PublishRdf": grpc.stream_unary_rpc_method_handler(take),
    }
    service = SUBSCRIBE.split("/")[1]
    server = grpc.server(ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"grpc://127.0.0.1:{port}", asked
    server.stop(0)


def test_a_foreign_server() -> None:
    options = jr.StreamOptions.small(physical_type="TRIPLES", rdf_star=True)
    with foreign() as (address, asked):
        publish_rdf(address, TRIPLES, options)
        frames = list(subscribe_rdf(f"{address}/été", options=options))
        assert [each for frame in frames for each in frame] == TRIPLES
        found = asked[0].requested_options
        assert (asked[0].topic, found.max_name_table_size, found.physical_type) == ("été", 128, 1)
        with pytest.raises(ConnectionError, match="there is no such topic"):
            list(subscribe_rdf(address, "nothing"))


def test_options_of_a_server_that_were_not_asked_for_are_refused() -> None:
    with foreign() as (address, _):
        publish_rdf(address, QUADS)
        with pytest.raises(jr.DecodeError, match="which exceeds"):
            list(subscribe_rdf(address, options=jr.StreamOptions.small()))
        with pytest.raises(ValueError, match="physical_type"):
            list(subscribe_rdf(address, options=TRIPLES_ASKED))

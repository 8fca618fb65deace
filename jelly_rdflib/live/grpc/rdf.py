"""Jelly-RDF over gRPC, with the specification's publish/subscribe service."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import chain, islice
from typing import Any, TypeAlias

import grpc

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import DecodeError, JellyError
from jelly_rdflib.formats.protobuf.messages import parse_message
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.frames import FrameBuffer
from jelly_rdflib.live.grpc.client import GrpcClient
from jelly_rdflib.live.grpc.wire import (
    LOOKUPS,
    MAX_FRAME,
    RDF_SERVICE,
    SERVER_OPTIONS,
    narrowed,
    open_port,
    requested_options,
    subscribe_message,
)
from jelly_rdflib.operations import GivenStatement
from jelly_rdflib.options import Limits, StreamOptions, as_limits
from jelly_rdflib.streams.codecs import StatementDecoder
from jelly_rdflib.streams.frames import Frame
from jelly_rdflib.streams.writing import StatementWriter

Statements: TypeAlias = Iterable[GivenStatement | Batch | Frame | Iterable[GivenStatement]]
"""Items to send: single statements, or frames, each as a `Frame`, a `Batch` or a list."""

_log = logging.getLogger(__name__)


class RdfStreamServer:
    """A server of the official ``RdfStreamService``: clients subscribe to or publish statements.

    Each call has a thread, in which your functions run. If a function raises an exception, the call
    ends with a status and the exception's message: ``INVALID_ARGUMENT`` for a ValueError, a
    LookupError or a `JellyError`, and ``PERMISSION_DENIED`` for a PermissionError. For any other
    exception the status is ``INTERNAL``, and the exception is logged instead.

    Args:
        subscribe: A function that is called with a topic, and with the options that the subscriber
            asks for, or None. It returns what to send to the subscriber. Without this function
            nobody can subscribe.
        publish: A function that is called with an iterator of the frames of a published stream.
            The response is sent when the function has returned and the stream is complete. Without
            this function nobody can publish.
        options: The options of the streams for subscribers; a subscriber who asks for smaller
            lookups gets them. By default the options that the subscriber asks for, or
            `StreamOptions()`.
        limits: The limits for published streams, and for the options that subscribers ask for.
        max_calls: How many calls may run at the same time.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> triple = (URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        >>> with RdfStreamServer(subscribe=lambda topic, options: [triple]) as server:
        ...     address = server.start("127.0.0.1", 0)
        ...     for frame in subscribe_rdf(address, "everything"):
        ...         print(len(frame))
        1
    """

    def __init__(
        self,
        *,
        subscribe: Callable[[str, StreamOptions | None], Statements] | None = None,
        publish: Callable[[Iterator[Frame]], object] | None = None,
        options: StreamOptions | None = None,
        limits: Limits | None = None,
        max_calls: int = 100,
    ) -> None:
        self._functions: tuple[Any, Any] = subscribe, publish
        self._options = options
        self._limits = as_limits(limits)
        # Without serializers grpc passes messages as bytes, which this package decodes itself.
        methods = {}
        if subscribe is not None:
            methods["SubscribeRdf"] = grpc.unary_stream_rpc_method_handler(self._subscribe)
        if publish is not None:
            methods["PublishRdf"] = grpc.stream_unary_rpc_method_handler(self._publish)
        handlers = [grpc.method_handlers_generic_handler(RDF_SERVICE, methods)]
        self._threads = ThreadPoolExecutor(max_calls, thread_name_prefix="RdfStreamServer")
        self._grpc = grpc.server(
            self._threads, handlers, options=SERVER_OPTIONS, maximum_concurrent_rpcs=max_calls
        )

    def start(
        self,
        host: str = "127.0.0.1",
        port: int = 8981,
        *,
        certificate: str | os.PathLike[str] | None = None,
        key: str | os.PathLike[str] | None = None,
    ) -> str:
        """Listen on a port; 0 picks a free one. With ``certificate`` the server uses TLS.

        Returns:
            The address.

        Raises:
            OSError: The port can't be used, or a file can't be read.
        """
        address = open_port(self._grpc, host, port, certificate, key)
        self._grpc.start()
        return address

    def stop(self, grace: float | None = None) -> None:
        """Stop listening, and end all calls, after ``grace`` seconds at most."""
        self._grpc.stop(grace).wait()
        # Don't wait for the threads: they run the user's functions, which may be slow.
        self._threads.shutdown(wait=False)

    def __enter__(self) -> RdfStreamServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _subscribe(self, data: bytes, context: Any) -> Iterator[bytes]:
        with _explained(context):
            request = parse_message("grpc.proto", "RdfStreamSubscribe", data)
            requested = requested_options(request, StatementDecoder(self._limits))
            options = self._options or StreamOptions()
            if requested is not None:
                if self._options is None:
                    options = replace(requested, stream_name="", **LOOKUPS)
                options = narrowed(options, requested, "physical_type")
            items = self._functions[0](request.topic, requested)
            yield from _encoded(items, options)

    def _publish(self, messages: Iterator[bytes], context: Any) -> bytes:
        with _explained(context):
            frames = _decoded(messages, self._limits)
            self._functions[1](frames)
            # Read the frames that the function has left unread, since the response confirms that
            # the stream is complete.
            for _ in frames:
                pass
            return b""


def subscribe_rdf(
    url: str,
    topic: str = "",
    options: StreamOptions | None = None,
    *,
    limits: Limits | None = None,
    timeout: float | None = None,
    **settings: Any,
) -> Iterator[Frame]:
    """Subscribe to statements on a gRPC server, and iterate over the frames as they arrive.

    Args:
        url: The address, ``grpc://host:8981/topic``, or ``grpcs://…`` for TLS.
        topic: The topic; it overrides the one in the address.
        options: The types and the largest lookups to ask the server for. By default the
            server chooses.
        limits: The limits for the stream; by default `jelly_rdflib.Limits()`.
        timeout: The seconds after which the stream must have ended; None: no limit.
        settings: ``token``, ``ca``, ``certificate``, ``key``; see the documentation's page on
            gRPC.

    Raises:
        ConnectionError: The server can't be reached, or refuses the request.
        PermissionError: The server does not allow the call.
        DecodeError: A frame breaks a rule, or the stream exceeds the requested options.
        LimitError: The stream exceeds the limits.
        ValueError: A setting is unknown.

    Examples:
        See `RdfStreamServer`.
    """
    client = GrpcClient(_address(url, settings), as_limits(limits), topic)
    request = subscribe_message("grpc.proto", "RdfStreamSubscribe", options, topic=client.topic)

    def frames() -> Iterator[Frame]:
        with closing(client):
            call = client.call("unary_stream", f"/{RDF_SERVICE}/SubscribeRdf", request, timeout)
            try:
                yield from _decoded(call, as_limits(limits), options)
            except grpc.RpcError as error:
                raise client.error(error) from None

    return frames()


def publish_rdf(
    url: str,
    statements: Statements,
    options: StreamOptions | None = None,
    *,
    timeout: float | None = None,
    **settings: Any,
) -> None:
    """Publish statements to a gRPC server; return when the server has accepted all of them.

    Args:
        url: The address, ``grpc://host:8981``, or ``grpcs://…`` for TLS.
        statements: Tuples, or frames: each a `Frame`, a `jelly_rdflib.Batch` or a list of tuples.
        options: The options of the stream; by default `StreamOptions()`.
        timeout, settings: As for `subscribe_rdf`.

    Raises:
        ConnectionError, PermissionError, ValueError: As for `subscribe_rdf`.
        EncodeError: A statement can't be expressed with the options.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> triple = (URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        >>> with RdfStreamServer(publish=lambda frames: print(sum(map(len, frames)))) as server:
        ...     publish_rdf(server.start("127.0.0.1", 0), [triple, triple])
        2
    """
    failed: list[BaseException] = []

    def messages() -> Iterator[bytes]:
        try:
            yield from _encoded(statements, options or StreamOptions())
        except BaseException as error:
            # Keep the error, since grpc's client would only log it.
            failed.append(error)
            raise

    with closing(GrpcClient(_address(url, settings), Limits())) as client:
        try:
            client.call("stream_unary", f"/{RDF_SERVICE}/PublishRdf", messages(), timeout)
        except grpc.RpcError as error:
            raise (failed[0] if failed else client.error(error)) from None


def _address(url: str, settings: dict[str, Any]) -> Address:
    address = Address(url, settings)
    if address.scheme not in ("grpc", "grpcs"):
        raise ValueError(f"{address} is not a gRPC address: write grpc://host:port/topic")
    return address


def _encoded(items: Statements, options: StreamOptions) -> Iterator[bytes]:
    """Yield the frames of a stream, at least one."""
    buffer = FrameBuffer(MAX_FRAME)
    writer = StatementWriter(buffer, replace(options, delimited=True))
    writer.encoder.leave_lengths_out()
    given = iter(items)
    for first in given:
        if isinstance(first, tuple):
            part: Any = chain([first], islice(given, options.frame_rows - 1))
            writer.write_all(part)
        else:
            writer.write_all(first.batch if isinstance(first, Frame) else first)
            writer.end_frame(first.metadata if isinstance(first, Frame) else None)
        yield from buffer.drain()
    writer.close()
    yield from buffer.drain()


def _decoded(
    messages: Iterable[bytes], limits: Limits, requested: StreamOptions | None = None
) -> Iterator[Frame]:
    """Yield the frames of a stream; its first row must be options that fit the requested ones."""
    decoder = StatementDecoder(limits)
    for number, message in enumerate(messages):
        frame = decoder.decode_frame(message)
        if number == 0:
            found = decoder.options
            if found is None:
                raise DecodeError("the first frame must start with the options of the stream")
            if requested is not None and narrowed(found, requested, "physical_type") != found:
                raise DecodeError(f"the stream has {found}, which exceeds {requested}")
        yield frame
    decoder.finish()


@contextmanager
def _explained(context: Any) -> Iterator[None]:
    """Turn an exception into the status of a call."""
    code = grpc.StatusCode
    try:
        yield
    except (grpc.RpcError, GeneratorExit):
        raise
    except PermissionError as error:
        status = code.PERMISSION_DENIED, str(error)
    except (JellyError, LookupError, ValueError) as error:
        status = code.INVALID_ARGUMENT, str(error)
    except Exception as error:
        _log.error("gRPC", exc_info=error)
        status = code.INTERNAL, "the server can't do that now: see its log"
    else:
        return
    context.abort(*status)

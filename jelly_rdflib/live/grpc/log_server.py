"""A server of patch logs over HTTP and gRPC: ``jellyp log serve --grpc-port``."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, closing
from dataclasses import replace
from typing import Any

import grpc
import grpc.aio
import uvicorn
from anyio.to_thread import run_sync
from fastapi import HTTPException
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from jelly_rdflib.core.batch import BatchSlice
from jelly_rdflib.errors import DecodeError, LimitError, LogError
from jelly_rdflib.formats.protobuf.messages import message_class, parse_message
from jelly_rdflib.headers import ID
from jelly_rdflib.live.frames import LiveDecoder, LiveEncoder
from jelly_rdflib.live.grpc.wire import (
    MAX_FRAME,
    PATCH_SERVICE,
    SERVER_OPTIONS,
    narrowed,
    open_port,
    requested_options,
)
from jelly_rdflib.live.http import answers
from jelly_rdflib.live.http.access import Right, is_local
from jelly_rdflib.live.http.logs import Served
from jelly_rdflib.live.http.server import LogServer
from jelly_rdflib.live.http.wire import answer_to
from jelly_rdflib.live.log import append_newest
from jelly_rdflib.log import LogEntry
from jelly_rdflib.log.incoming import default_options
from jelly_rdflib.log.names import parse_patch_id
from jelly_rdflib.log.versions import Point, Version
from jelly_rdflib.operations import Op
from jelly_rdflib.options import PatchOptions
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.streams.codecs import PatchDecoder

_log = logging.getLogger(__name__)

# In bytes: the maximum size of a patch that is encoded once for all followers, and the maximum
# total size of such patches that are kept.
_MOST_SHARED, _MOST_KEPT = 4 << 20, 32 << 20
# The gRPC codes for HTTP statuses.
_CODES = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    401: grpc.StatusCode.UNAUTHENTICATED,
    403: grpc.StatusCode.PERMISSION_DENIED,
    404: grpc.StatusCode.NOT_FOUND,
    412: grpc.StatusCode.ABORTED,
    413: grpc.StatusCode.RESOURCE_EXHAUSTED,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED,
    500: grpc.StatusCode.INTERNAL,
}
# The seconds that calls have to finish when the server stops.
_LAST_SECONDS = 1
# The seconds between two checks of the logs for the health service.
_INTERVAL = 2


class PatchLogServer(LogServer):
    """A `LogServer` that also serves its logs over gRPC; the arguments are those of that class.

    Followers share the work: a patch is read and encoded once for all followers that ask for the
    same options, and no follower has its own thread.

    Examples:
        >>> import tempfile
        >>> from jelly_rdflib import PatchLog, live
        >>> async def count(folder: str) -> int:
        ...     async with PatchLogServer(folder).serving("127.0.0.1", 0) as address:
        ...         source = await asyncio.to_thread(live.connect, address, timeout=0.5)
        ...         async with source:
        ...             return len([patch async for patch in source])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     entry = PatchLog.create(folder).append([])
        ...     asyncio.run(count(folder))
        1
    """

    @asynccontextmanager
    async def serving(
        self,
        host: str,
        port: int,
        *,
        certificate: str | os.PathLike[str] | None = None,
        key: str | os.PathLike[str] | None = None,
        started: Callable[[str], object] | None = None,
    ) -> AsyncIterator[str]:
        """Listen on a port while the block runs, and yield the address; port 0 picks a free one.

        With ``certificate`` and ``key`` the server uses TLS. ``started`` is called with
        the address.

        Raises:
            OSError: The port can't be used, or a file can't be read.
            ValueError: No tokens are given, and other machines could reach the server.
        """
        if self.tokens is None and not self.is_open and not is_local(host):
            raise ValueError(f"anyone who can reach {host} could change the log: give tokens")
        self._kept: OrderedDict[Any, list[bytes]] = OrderedDict()
        self._kept_size = 0
        self._encoding = asyncio.Lock()
        # Declare the request as a stream, too: then the handler runs before the request is read,
        # and can check the client's right first.
        subscribe = grpc.stream_stream_rpc_method_handler(
            self._handler(self._subscribe, Right.READ)
        )
        publish = grpc.stream_stream_rpc_method_handler(self._handler(self._publish, Right.APPEND))
        methods = {"SubscribePatches": subscribe, "PublishPatches": publish}
        handlers = [grpc.method_handlers_generic_handler(PATCH_SERVICE, methods)]
        server = grpc.aio.server(handlers=handlers, options=SERVER_OPTIONS)
        # The health service needs no token. Its type stubs lack the variant for asyncio.
        service: Any = vars(health)["aio"].HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(service, server)
        address = open_port(server, host, port, certificate, key, lambda: self.certificate)
        await server.start()
        looking = asyncio.create_task(self._look(service))
        if started is not None:
            started(address)
        try:
            yield address
        finally:
            self.followers.is_ending = lambda: True
            for log in self.logs.all().values():
                log.feed.look()
            looking.cancel()
            await service.enter_graceful_shutdown()
            await server.stop(_LAST_SECONDS)

    async def _look(self, service: Any) -> None:
        """Report to the health service whether the logs can be read."""
        status = health_pb2.HealthCheckResponse.ServingStatus
        while True:
            now = status.NOT_SERVING if await self.metrics.problem() else status.SERVING
            for name in ("", PATCH_SERVICE):
                await service.set(name, now)
            await asyncio.sleep(_INTERVAL)

    def runner(
        self, config: uvicorn.Config, host: str, port: int, started: Callable[[str], object]
    ) -> uvicorn.Server:
        """Return a server that serves both HTTP and gRPC, with one certificate."""
        files = {"certificate": config.ssl_certfile, "key": config.ssl_keyfile}
        return _Both(config, self.serving(host, port, started=started, **files))

    def _handler(self, work: Callable[[Any, Any, Served], Awaitable[None]], right: Right) -> Any:
        """Return a grpc handler that checks the client's right and turns errors into a status."""

        async def handle(messages: Any, context: Any) -> None:
            try:
                metadata = dict(context.invocation_metadata())
                topic = metadata.get("topic-bin", b"").decode("utf-8", "replace")
                kind, _, token = str(metadata.get("authorization", "")).partition(" ")
                told = token if kind.lower() == "bearer" else None
                self._gate.admit(_host_of(context), right, told, topic or self.logs.single)
                if right == Right.READ:
                    data = await asyncio.wait_for(anext(messages, b""), answers.SILENCE)
                    messages = parse_message("patch_grpc.proto", "RdfPatchSubscribe", data)
                    topic = messages.topic or topic
                    self._gate.check(right, told, topic or self.logs.single)
                log = await run_sync(self.logs.find, topic or self.logs.single)
                await work(messages, context, log)
            except Exception as error:
                await context.abort(*_explain(error))

        return handle

    async def _subscribe(self, request: Any, context: Any, log: Served) -> None:
        requested = requested_options(request, PatchDecoder(log.history.limits))
        options = PatchOptions(rdf_star=True, generalized_statements=True)
        if requested is not None:
            # Allow the requested kinds of terms, since those of future patches are unknown. A patch
            # with other kinds ends the response.
            options = _with_terms(options, requested)
            options = narrowed(options, requested, "statement_type", "stream_type")
        since = request.WhichOneof("since")
        point, told = await run_sync(_locate, log, since and getattr(request, since))
        self.followers.check_room(_host_of(context))
        async with aclosing(log.feed.pages(point, _host_of(context))) as pages:
            await context.send_initial_metadata(told)
            async for page in pages:
                for entry in page:
                    async for frame in self._frames(entry, options):
                        await context.write(frame)
                        self.metrics.sent.inc(len(frame))

    async def _frames(self, entry: LogEntry, options: PatchOptions) -> AsyncIterator[bytes]:
        frames = _encoded(entry, options)
        # Estimate the size of a compressed segment: decompressed, it may be many times larger.
        if entry.size * (16 if entry.row[4].endswith(".zst") else 1) > _MOST_SHARED:
            while (frame := await run_sync(next, frames, None)) is not None:
                yield frame
            return
        place = (entry.digest, options)
        # Only one of the followers that wait for a new patch encodes it.
        async with self._encoding:
            if (kept := self._kept.get(place)) is None:
                kept = self._kept[place] = await run_sync(list, frames)
                self._kept_size += sum(map(len, kept))
                while self._kept_size > _MOST_KEPT:
                    self._kept_size -= sum(map(len, self._kept.popitem(last=False)[1]))
        for frame in kept:
            yield frame

    async def _publish(self, frames: Any, context: Any, log: Served) -> None:
        await context.send_initial_metadata((await run_sync(_locate, log, None))[1])
        decoder = LiveDecoder(log.history.limits, on_repeated_options="continue")
        received, size = message_class("patch_grpc.proto", "RdfPatchReceived"), 0
        start = 0.0
        try:
            while True:
                # A part of a patch takes up memory, so the client must send the rest in time.
                wait = answers.patience(start, size) if size else None
                if (frame := await asyncio.wait_for(anext(frames, None), wait)) is None:
                    break
                start = start if size else time.monotonic()
                # Count empty frames, too: a client could send any number of them.
                count = len(frame) or 1
                size += count
                self._bodies.hold(count)
                if size > self.max_body:
                    what = f"the patch has more than {self.max_body} bytes"
                    raise LimitError(what, limit="max_body", value=self.max_body)
                for patch in await run_sync(list, decoder.decode(frame)):
                    with log.feed.appending():
                        entry = await run_sync(_append, log, patch, decoder.options)
                    self._bodies.hold(-size)
                    size = 0
                    # Respond with the patch's own id, even if it was squashed into another patch.
                    id = parse_patch_id(patch.header[ID]) if ID in patch.header else entry.id
                    answer = received(version=entry.version, id=str(id))
                    await context.write(answer.SerializeToString())
        finally:
            self._bodies.hold(-size)
        if decoder.options is None or decoder.is_open:
            what = "has no frame" if decoder.options is None else "ends inside a patch"
            raise DecodeError(f"the stream {what}")


class _Both(uvicorn.Server):
    """An HTTP server that also runs a gRPC server."""

    def __init__(self, config: uvicorn.Config, beside: Any) -> None:
        super().__init__(config)
        self._beside = beside
        self._error: OSError | None = None

    async def main_loop(self) -> None:
        try:
            async with self._beside:
                await super().main_loop()
        except OSError as error:
            # `run` raises this error after the shutdown.
            self._error = error

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        super().run(sockets)
        if self._error is not None:
            raise self._error


def _locate(log: Served, version: Version) -> tuple[Point, tuple[tuple[str, str], ...]]:
    """Return a version, and the metadata that identifies it and its log."""
    with log.history.reading() as state:
        point = state.locate(version)
    told = {"version": str(point.version), "id": str(point.id or ""), "log": log.history.id}
    return point, tuple(told.items())


def _append(log: Served, patch: Patch, stream: Any) -> LogEntry:
    """Append a patch, unless the log already has it."""
    return append_newest(log.open(), patch, _with_terms(default_options(patch), stream))


def _host_of(context: Any) -> str:
    return str(context.peer()).rpartition(":")[0]


def _with_terms(options: PatchOptions, others: PatchOptions) -> PatchOptions:
    """Return options that allow the same kinds of terms as ``others``."""
    generalized = others.generalized_statements
    return replace(options, rdf_star=others.rdf_star, generalized_statements=generalized)


def _encoded(entry: LogEntry, options: PatchOptions) -> Iterator[bytes]:
    """Yield a patch's frames: they start with the options, and don't depend on earlier frames."""
    encoder, end = LiveEncoder(options, max_frame_size=MAX_FRAME), bytes([Op.END])
    with closing(entry.batches()) as batches:
        # Leave out the operation END, since the encoder writes it.
        lengths = ((batch, len(bytes(batch.ops).removesuffix(end))) for batch in batches)
        parts = (BatchSlice(batch, 0, length).as_batch() for batch, length in lengths)
        yield from encoder.encode_parts(parts)


def _explain(error: Exception) -> tuple[Any, str, tuple[tuple[str, str], ...]]:
    """Return the status, the text and the metadata for an error.

    Details that only the server's owner may see are logged.
    """
    code = grpc.StatusCode
    if isinstance(error, asyncio.TimeoutError):
        what = f"too little of a patch arrived within {answers.SILENCE} seconds"
        return code.DEADLINE_EXCEEDED, what, ()
    # The client has asked for lookups that exceed a limit.
    is_wrong = isinstance(error, LimitError) and str(error.limit).endswith("_table_size")
    if is_wrong or type(error) is ValueError:
        return code.INVALID_ARGUMENT, str(error), ()
    if isinstance(error, HTTPException):
        status, fields = error.status_code, {"detail": str(error.detail)}
    else:
        status, fields = answer_to(error)
    more: tuple[tuple[str, str], ...] = ()
    if status == 412:
        more = ("head", fields["head"] or ""), ("version", str(fields["version"]))
    if status == 500:
        _log.error("gRPC", exc_info=error)
    if status == 500 and isinstance(error, LogError):
        # A damaged log stays damaged: a client should not try again.
        return code.DATA_LOSS, fields["detail"], more
    # The other errors, such as too many followers, may be temporary, so a client may try again.
    return _CODES.get(status, code.UNAVAILABLE), fields["detail"], more

"""Reports for operators: whether a server's logs can be read, and how many requests it gets."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

from anyio.to_thread import run_sync
from fastapi import HTTPException, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder

from jelly_rdflib.live.http.events import Followers
from jelly_rdflib.live.http.logs import Logs, Served

MEDIA_TYPES = ["text/plain", "application/openmetrics-text"]
# Count all other methods as one: clients may invent any number.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
# The kinds of `Feed.counts`.
_OF_A_LOG: dict[str, tuple[Any, str]] = {
    "followers": (GaugeMetricFamily, "Current followers."),
    "readable": (GaugeMetricFamily, "1 if the log can be read, else 0."),
    "version": (GaugeMetricFamily, "The newest version when the log could last be read."),
    "appends": (CounterMetricFamily, "Patches that were accepted."),
    "conflicts": (CounterMetricFamily, "Patches that were refused because another came first."),
    "failures": (CounterMetricFamily, "Followers that got an error instead of a patch."),
}


class Metrics:
    """The state of a server's logs, and counts for Prometheus."""

    def __init__(self, logs: Logs, followers: Followers) -> None:
        self._logs, self._followers = logs, followers
        self._known: dict[str, Served] = {}
        self._looking, self._next = asyncio.Lock(), 0.0
        self.registry = registry = CollectorRegistry()
        registry.register(self)
        ProcessCollector(registry=registry)
        self.received = Counter("jellyp_received_bytes", "Bytes of patches.", registry=registry)
        self.sent = Counter("jellyp_sent_bytes", "Bytes of responses.", registry=registry)
        what, labels = "Seconds until the head of an HTTP response.", ["method", "route", "status"]
        self._seconds = Histogram("jellyp_request_seconds", what, labels, registry=registry)

    async def problem(self) -> str | None:
        """Return why the server is not ready, without naming logs; None if it is ready."""
        async with self._looking:
            # Anyone may ask, as often as they like, so check at most once a second.
            if time.monotonic() > self._next:
                self._known = await run_sync(self._logs.all)
                for log in self._known.values():
                    await run_sync(log.feed.check_log)
                self._next = time.monotonic() + 1
        if self._followers.is_ending():
            return "the server is shutting down"
        lost = sum(not log.feed.counts["readable"] for log in self._known.values())
        return f"{lost} of {len(self._known)} logs can't be read" if lost else None

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of each log."""
        for kind, (make, what) in _OF_A_LOG.items():
            family = make(f"jellyp_{kind}", what, labels=["log"])
            for name, log in self._known.items():
                family.add_metric([name], log.feed.counts[kind])
            yield family

    async def get_health(self) -> Response:
        """Report whether the server is running. This needs no token."""
        return JSONResponse({"status": "ok"})

    async def get_ready(self) -> Response:
        """Report whether all logs can be read. This needs no token.

        A server that is shutting down is not ready.
        """
        if problem := await self.problem():
            raise HTTPException(503, problem, {"Retry-After": "1"})
        return JSONResponse({"status": "ready"})

    async def get_metrics(self, request: Request) -> Response:
        """Return the server's metrics for Prometheus."""
        await self.problem()
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(self.registry), media_type=media_type)

    def counting(self, app: Any) -> Any:
        """Return an ASGI application that counts another application's responses."""

        async def run(scope: Any, receive: Any, send: Any) -> None:
            start, is_answered = time.perf_counter(), False

            async def count(message: Any) -> None:
                nonlocal is_answered
                if message["type"] == "http.response.start":
                    is_answered = True
                    method = scope["method"] if scope["method"] in _METHODS else "other"
                    labels = method, getattr(scope.get("route"), "path", ""), message["status"]
                    self._seconds.labels(*labels).observe(time.perf_counter() - start)
                self.sent.inc(len(message.get("body", b"")))
                await send(message)

            try:
                await app(scope, receive, count)
            except asyncio.CancelledError:
                # The server is shutting down. Send 503, unless a response has begun: then the
                # client notices that it is incomplete.
                if not is_answered:
                    await count({"type": "http.response.start", "status": 503, "headers": []})
                    await count({"type": "http.response.body"})

        return run

"""What an operator asks a server: can it read its logs, and how much does it do?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from typing import Any

from anyio.to_thread import run_sync
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from jelly_rdflib.live.http.events import Feed

# A client may send any other word.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
# The kinds of `Feed.counts`.
_OF_A_LOG: dict[str, tuple[Any, str]] = {
    "followers": (GaugeMetricFamily, "Followers now."),
    "readable": (GaugeMetricFamily, "1 if the log can be read, else 0."),
    "version": (GaugeMetricFamily, "The newest version, when the log could be read."),
    "appends": (CounterMetricFamily, "Patches that were taken."),
    "conflicts": (CounterMetricFamily, "Patches that were refused since another one came first."),
    "failures": (CounterMetricFamily, "Followers that got an error in place of a patch."),
}


class Metrics:
    """The state of a server's logs, by their names, and counts as Prometheus reads them."""

    def __init__(self, logs: Mapping[str, Feed]) -> None:
        self._logs = logs
        self._looking, self._next = asyncio.Lock(), 0.0
        self.registry = registry = CollectorRegistry()
        registry.register(self)
        ProcessCollector(registry=registry)
        self.received = Counter("jellyp_received_bytes", "Bytes of patches.", registry=registry)
        self.sent = Counter("jellyp_sent_bytes", "Bytes of answers.", registry=registry)
        what, labels = "Until the head of an answer by HTTP.", ["method", "route", "status"]
        self._seconds = Histogram("jellyp_request_seconds", what, labels, registry=registry)

    async def problem(self) -> str | None:
        """Return why the server can't do its work; None if it can. This names no log."""
        async with self._looking:
            # Strangers may ask as often as they like: that is one look each second.
            if time.monotonic() > self._next:
                for feed in list(self._logs.values()):
                    await run_sync(feed.check_log)
                self._next = time.monotonic() + 1
        if any(feed.is_ending() for feed in self._logs.values()):
            return "the server is ending"
        lost = sum(not feed.counts["readable"] for feed in self._logs.values())
        return f"{lost} of {len(self._logs)} logs can't be read" if lost else None

    def collect(self) -> Iterator[Metric]:
        """Yield what is known of each log."""
        for kind, (make, what) in _OF_A_LOG.items():
            family = make(f"jellyp_{kind}", what, labels=["log"])
            for name, feed in self._logs.items():
                family.add_metric([name], feed.counts[kind])
            yield family

    def counting(self, app: Any) -> Any:
        """Return an application (ASGI) that counts what another one answers."""

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
                # The server ends. What has begun is cut off, so that it can't pass for the whole.
                if not is_answered:
                    await count({"type": "http.response.start", "status": 503, "headers": []})
                    await count({"type": "http.response.body"})

        return run

"""Requests to the server of a patch log, with a second try where that is safe."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from jelly_rdflib.errors import LogConflict, LogError
from jelly_rdflib.live.http.wire import JSON
from jelly_rdflib.log.versions import MissingVersion

TOKEN = "JELLYP_TOKEN"
"""The name of the environment variable with the bearer token."""

_CONNECT_TIMEOUT = 10.0
# Seconds between two tries: the first wait, and the longest.
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
# Answers of a server, or of a proxy before it, that is not there at the moment.
_TRY_AGAIN = (429, 502, 503, 504)


class Client:
    """Makes requests to a server of a patch log.

    Args:
        address: The address of the log, ``http://…`` or ``https://…``.
        token: The bearer token; None: that of the environment variable ``JELLYP_TOKEN``, if it is
            set.
        timeout: The seconds for which a request that only reads is tried again, while the server
            does not answer.
    """

    def __init__(self, address: str, token: str | None, timeout: float) -> None:
        self.address = address.rstrip("/")
        self.timeout = timeout
        token = token if token is not None else os.environ.get(TOKEN)
        headers = {} if not token else {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(
            base_url=f"{self.address}/",
            headers=headers,
            timeout=httpx.Timeout(timeout or _CONNECT_TIMEOUT, connect=_CONNECT_TIMEOUT),
            follow_redirects=True,
        )

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def json(self, path: str, **parameters: Any) -> Any:
        """Return an answer in JSON."""
        with self.stream("GET", path, {"Accept": JSON}, parameters) as response:
            response.read()
            return self._parse(response)

    def post(self, path: str, **options: Any) -> Any:
        """Send a request that changes the log, once; return the answer in JSON."""
        with self._named():
            response = self._http.post(path, **options)
        self._check(response)
        return self._parse(response)

    @contextmanager
    def stream(
        self,
        method: str,
        path: str,
        headers: dict[str, str],
        parameters: dict[str, Any] | None = None,
        *,
        read_timeout: float | None = None,
    ) -> Iterator[httpx.Response]:
        """Open an answer, whose body is still to be read, in the block."""
        timeout: Any = httpx.USE_CLIENT_DEFAULT
        if read_timeout is not None:
            timeout = httpx.Timeout(read_timeout, connect=_CONNECT_TIMEOUT)
        known = {key: value for key, value in (parameters or {}).items() if value is not None}
        request = self._http.build_request(
            method, path, headers=headers, params=known, timeout=timeout
        )
        response = self._send(request)
        try:
            self._check(response)
            with self._named():
                yield response
        finally:
            response.close()

    def _send(self, request: httpx.Request) -> httpx.Response:
        """Send a request that only reads, again and again until the server answers."""
        end = time.monotonic() + self.timeout
        for wait in waits():
            try:
                with self._named():
                    response = self._http.send(request, stream=True)
            except ConnectionError:
                if time.monotonic() + wait > end:
                    raise
            else:
                if response.status_code not in _TRY_AGAIN or time.monotonic() + wait > end:
                    return response
                response.close()
            time.sleep(wait)
        raise AssertionError("the waits never end")

    def _check(self, response: httpx.Response) -> None:
        """Raise the error that an answer stands for."""
        status = response.status_code
        if response.is_success:
            return
        with self._named():
            response.read()
        detail, fields = self._detail(response)
        if status == 412:
            head, version = fields.get("head"), fields.get("version")
            raise LogConflict(
                detail,
                expected=fields.get("expected"),
                head=head if isinstance(head, str) else None,
                version=version if isinstance(version, int) else 0,
            )
        if status in (401, 403):
            raise PermissionError(f"{self.address}: {detail}")
        if status == 404:
            raise MissingVersion(detail)
        if status in _TRY_AGAIN:
            raise ConnectionError(f"{self.address}: {detail}")
        raise LogError(f"{self.address}: {detail}")

    def _detail(self, response: httpx.Response) -> tuple[str, dict[str, Any]]:
        """Return what an error says, and its other fields."""
        try:
            fields = response.json()
            return str(fields["detail"]), fields
        except (ValueError, KeyError, TypeError):
            return f"the server answers {response.status_code} {response.reason_phrase}", {}

    def _parse(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError:
            raise self.is_none() from None

    def is_none(self) -> LogError:
        """Return the error for answers that no server of a patch log gives."""
        return LogError(f"{self.address} is no patch log: the server answers something else")

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Make an error of the network a ConnectionError, with the address."""
        try:
            yield
        except httpx.TimeoutException as error:
            raise ConnectionError(f"{self.address}: the server does not answer") from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise ConnectionError(f"{self.address}: {error or type(error).__name__}") from error


def waits() -> Iterator[float]:
    """Yield the seconds to wait before each further try: more and more, and never all the same."""
    wait = _FIRST_WAIT
    while True:
        # Many clients that have lost one server should not come back at the same time.
        yield wait * random.uniform(0.5, 1.0)
        wait = min(wait * 2, _LONGEST_WAIT)

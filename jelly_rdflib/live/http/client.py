"""Requests to the server of a patch log, with a second try where that is safe."""

from __future__ import annotations

import os
import random
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx2
from rdflib.term import URIRef

from jelly_rdflib.errors import LogConflict, LogError, MissingVersion
from jelly_rdflib.live.http.wire import JSON

_T = TypeVar("_T")
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
        self._http = httpx2.Client(
            base_url=f"{self.address}/",
            headers=headers,
            timeout=httpx2.Timeout(timeout or _CONNECT_TIMEOUT, connect=_CONNECT_TIMEOUT),
            follow_redirects=True,
        )
        # A PatchLog of a folder need not be closed, so neither does this.
        self.close = weakref.finalize(self, self._http.close)
        """Closes all connections."""

    def json(self, path: str, *, patience: float | None = None, **parameters: Any) -> Any:
        """Return an answer in JSON; ``patience`` is in place of the timeout."""

        def take(response: httpx2.Response) -> Any:
            response.read()
            return self._parse(response)

        return self.get(path, {"Accept": JSON}, take, parameters, patience=patience)

    def get(
        self,
        path: str,
        headers: dict[str, str],
        take: Callable[[httpx2.Response], _T],
        parameters: dict[str, Any] | None = None,
        *,
        patience: float | None = None,
    ) -> _T:
        """Return what ``take`` makes of an answer: again and again, until one comes as a whole."""
        end = time.monotonic() + (self.timeout if patience is None else patience)
        for wait in waits():
            try:
                with self.stream(path, headers, parameters) as response:
                    return take(response)
            except ConnectionError:
                if time.monotonic() + wait > end:
                    raise
            time.sleep(wait)
        raise AssertionError("the waits never end")

    def post(self, path: str, **options: Any) -> Any:
        """Send a request that changes the log, once; return the answer in JSON."""
        with self._named():
            response = self._http.post(path, **options)
        self._check(response)
        return self._parse(response)

    @contextmanager
    def stream(
        self,
        path: str,
        headers: dict[str, str],
        parameters: dict[str, Any] | None = None,
        *,
        silence: float | None = None,
    ) -> Iterator[httpx2.Response]:
        """Open an answer, whose body is still to be read, in the block.

        With ``silence`` the server may say nothing for so many seconds.
        """
        timeout: Any = httpx2.USE_CLIENT_DEFAULT
        if silence is not None:
            timeout = httpx2.Timeout(silence, connect=_CONNECT_TIMEOUT)
        known = {key: value for key, value in (parameters or {}).items() if value is not None}
        options = {"headers": headers, "params": known, "timeout": timeout}
        with self._named(), self._http.stream("GET", path, **options) as response:
            self._check(response)
            yield response

    def _check(self, response: httpx2.Response) -> None:
        """Raise the error that an answer stands for."""
        status = response.status_code
        if response.is_success:
            return
        with self._named():
            response.read()
        detail, fields = self._detail(response)
        if status == 412:
            version = fields.get("version")
            raise LogConflict(
                detail,
                expected=_id(fields.get("expected")),
                head=_id(fields.get("head")),
                version=version if isinstance(version, int) else 0,
            )
        if status in (401, 403):
            raise PermissionError(f"{self.address}: {detail}")
        if status == 404:
            raise MissingVersion(detail)
        if status in _TRY_AGAIN:
            raise ConnectionError(f"{self.address}: {detail}")
        raise LogError(f"{self.address}: {detail}")

    def _detail(self, response: httpx2.Response) -> tuple[str, dict[str, Any]]:
        """Return what an error says, and its other fields."""
        try:
            fields = response.json()
            return str(fields["detail"]), fields
        except (ValueError, KeyError, TypeError):
            return f"the server answers {response.status_code} {response.reason_phrase}", {}

    def _parse(self, response: httpx2.Response) -> Any:
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
        except httpx2.TimeoutException as error:
            raise ConnectionError(f"{self.address}: the server does not answer") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            raise ConnectionError(
                f"{self.address}: {str(error) or type(error).__name__}"
            ) from error


def _id(value: Any) -> URIRef | None:
    return URIRef(value) if isinstance(value, str) else None


def waits() -> Iterator[float]:
    """Yield the seconds to wait before each further try: more and more, and never all the same."""
    wait = _FIRST_WAIT
    while True:
        # Many clients that have lost one server should not come back at the same time.
        yield wait * random.uniform(0.5, 1.0)
        wait = min(wait * 2, _LONGEST_WAIT)

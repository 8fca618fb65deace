"""Requests to the server of a patch log, with a second try where that is safe."""

from __future__ import annotations

import errno
import json
import os
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import httpx2

from jelly_rdflib.errors import LogError
from jelly_rdflib.live.http.wire import JSON, error_of
from jelly_rdflib.live.waiting import waits

_T = TypeVar("_T")
TOKEN = "JELLYP_TOKEN"
"""The name of the environment variable with the bearer token."""

_CONNECT_TIMEOUT = 10.0
LONG = 600.0
"""Seconds for the server to do what may take long: to append or squash patches, to check a log."""
# The most that an answer in JSON may have, in bytes.
_MOST_JSON = 1 << 26


class Unanswered(ConnectionError):
    """A request may have reached the server, and no answer says what became of it."""


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
        if httpx2.URL(address).userinfo:
            # Addresses are shown in messages.
            raise ValueError(f"an address has no user name or password: give a token, or {TOKEN}")
        self.address = address.rstrip("/")
        self.timeout = timeout
        token = token if token is not None else os.environ.get(TOKEN)
        self._http = httpx2.Client(
            base_url=f"{self.address}/",
            headers={"Accept": JSON, **({"Authorization": f"Bearer {token}"} if token else {})},
        )
        # A PatchLog of a folder need not be closed, so neither does this.
        self.close = weakref.finalize(self, self._http.close)
        """Closes all connections."""

    @contextmanager
    def ask(
        self, method: str, path: str, silence: float | None = None, **options: Any
    ) -> Iterator[httpx2.Response]:
        """Send a request; yield the answer, whose body is still to be read, in the block.

        Args:
            method, path: The request; the path is relative to the address.
            silence: The seconds for which the server may say nothing; by default the timeout.
            options: Those of httpx2.

        Raises:
            Unanswered: The request may have been done, or not, or may be done later.
            ConnectionError: The server can't be reached, or is busy.
            LogError: The answer is none of a server of a log: the block could not understand it.
            Exception: What the answer stands for.
        """
        seconds = silence or self.timeout or _CONNECT_TIMEOUT
        timeout = httpx2.Timeout(seconds, connect=_CONNECT_TIMEOUT)
        try:
            with self._http.stream(method, path, timeout=timeout, **options) as response:
                if not response.is_success:
                    raise self._error(method, response)
                yield response
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise ConnectionError(f"{self.address}: {error}") from error
        except (KeyError, TypeError, ValueError, httpx2.SSEError):
            raise LogError(
                f"{self.address} is no patch log: the server answers something else"
            ) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            what = str(error) or type(error).__name__
            raise Unanswered(f"{self.address}: {what}") from error

    def _error(self, method: str, response: httpx2.Response) -> Exception:
        response.read()
        fields = None
        with suppress(ValueError):
            fields = response.json()
        error = error_of(response.status_code, fields, self.address)
        # A server that failed may have made a change before.
        is_unknown = method == "POST" and response.is_server_error
        return Unanswered(str(error)) if is_unknown else error

    def again(self, request: Callable[[], _T], patience: float | None = None) -> _T:
        """Return what a request gives that only reads: again and again, until it is answered.

        ``patience`` is in place of the timeout.
        """
        end = time.monotonic() + (self.timeout if patience is None else patience)
        for wait in waits():
            try:
                return request()
            except ConnectionError:
                if time.monotonic() + wait > end:
                    raise
            time.sleep(wait)
        raise AssertionError("the waits never end")

    def json(
        self,
        path: str,
        make: Callable[[Any], _T],
        *,
        patience: float | None = None,
        silence: float | None = None,
        **parameters: Any,
    ) -> _T:
        """Return what ``make`` makes of an answer in JSON; see `ask` and `again`."""

        def request() -> _T:
            with self.ask("GET", path, silence, params=parameters) as response:
                return make(_parse(response))

        return self.again(request, patience)

    def post(self, path: str, make: Callable[[Any], _T], **options: Any) -> _T:
        """Send a request that changes the log, once; return what ``make`` makes of its answer."""
        with self.ask("POST", path, LONG, **options) as response:
            return make(_parse(response))

    def change(self, path: str, make: Callable[[Any], _T], **parameters: Any) -> _T:
        """Send a change, as `post`; an OSError with EIO says that nobody knows its outcome."""
        try:
            return self.post(path, make, params=parameters)
        except Unanswered as error:
            raise self.unknown("the log was changed", error) from error

    def unknown(self, what: str, error: object) -> OSError:
        """Return the error for a change of which nobody knows whether it was made."""
        return OSError(errno.EIO, f"it is unknown whether {what}: {error}", self.address)


def _parse(response: httpx2.Response) -> Any:
    data = bytearray()
    for part in response.iter_bytes():
        data += part
        if len(data) > _MOST_JSON:
            raise ValueError("the answer is too large")
    return json.loads(data)

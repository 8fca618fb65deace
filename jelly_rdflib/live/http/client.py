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
_TOKEN = "JELLYP_TOKEN"
_CONNECT_TIMEOUT = 10.0
LONG = 600.0
"""Seconds for the server to do what may take long: to append or squash patches, to check a log."""
# The most that an answer in JSON may have, in bytes.
_MOST_JSON = 1 << 26


class Unanswered(ConnectionError):
    """A request may have reached the server, and no answer says what became of it."""


class Client:
    """Makes requests to a server of a patch log; the arguments are those of `PatchLog`."""

    def __init__(self, address: str, token: str | None, timeout: float) -> None:
        if httpx2.URL(address).userinfo:
            # Addresses are shown in messages.
            raise ValueError(f"an address has no user name or password: give a token, or {_TOKEN}")
        self.address = address.rstrip("/")
        self.timeout = timeout
        headers = {"Accept": JSON}
        if token := os.environ.get(_TOKEN) if token is None else token:
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx2.Client(base_url=f"{self.address}/", headers=headers)
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
            ConnectionError: The server can't be reached, or is busy; or it is `Unanswered`.
            LogError: There is no log: the block could not understand the answer.
            Exception: What the answer stands for.
        """
        seconds = silence or self.timeout or _CONNECT_TIMEOUT
        timeout = httpx2.Timeout(seconds, connect=_CONNECT_TIMEOUT)
        try:
            with self._http.stream(method, path, timeout=timeout, **options) as response:
                if not response.is_success:
                    raise self._error(response)
                yield response
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise ConnectionError(f"{self.address}: {error}") from error
        except (KeyError, TypeError, ValueError, httpx2.SSEError):
            what = "is no patch log: the server answers something else"
            raise LogError(f"{self.address} {what}") from None
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise Unanswered(f"{self.address}: {str(error) or type(error).__name__}") from error

    def _error(self, response: httpx2.Response) -> Exception:
        response.read()
        fields = None
        with suppress(ValueError):
            fields = response.json()
        error = error_of(response.status_code, fields, self.address)
        # A server that failed may have made a change before.
        is_unknown = response.request.method == "POST" and response.is_server_error
        return Unanswered(str(error)) if is_unknown else error

    def again(self, request: Callable[[], _T], patience: float | None = None) -> _T:
        """Return what a request gives: again and again while there is a ConnectionError.

        ``patience`` has the seconds for that; by default the timeout.
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
        """Send a change, once; return what ``make`` makes of the answer in JSON."""
        with self.ask("POST", path, LONG, **options) as response:
            return make(_parse(response))

    def unknown(self, what: str, error: Exception) -> OSError:
        """Return the error for a change of which nobody knows whether it was made."""
        return OSError(errno.EIO, f"it is unknown whether {what}: {error}", self.address)


def _parse(response: httpx2.Response) -> Any:
    data = bytearray()
    for part in response.iter_bytes():
        data += part
        if len(data) > _MOST_JSON:
            raise ValueError("the answer is too large")
    return json.loads(data)

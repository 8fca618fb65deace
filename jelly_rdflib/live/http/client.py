"""Requests to the server of a patch log, with a second try where that is safe."""

from __future__ import annotations

import errno
import json
import os
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx2
from rdflib.term import URIRef

from jelly_rdflib.errors import LogConflict, LogError, MissingVersion
from jelly_rdflib.live.http.wire import JSON
from jelly_rdflib.live.waiting import waits

_T = TypeVar("_T")
TOKEN = "JELLYP_TOKEN"
"""The name of the environment variable with the bearer token."""

_CONNECT_TIMEOUT = 10.0
# Seconds for the server to do what may take long: to append or squash patches, to check a log.
LONG = 600.0
# The most that an answer in JSON may have, in bytes.
_MOST_JSON = 1 << 26
# Answers of a server, or of a proxy before it, that is not there at the moment.
_TRY_AGAIN = (429, 502, 503, 504)


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
        headers = {} if not token else {"Authorization": f"Bearer {token}"}
        self._http = httpx2.Client(
            base_url=f"{self.address}/",
            headers=headers,
            timeout=httpx2.Timeout(timeout or _CONNECT_TIMEOUT, connect=_CONNECT_TIMEOUT),
        )
        # A PatchLog of a folder need not be closed, so neither does this.
        self.close = weakref.finalize(self, self._http.close)
        """Closes all connections."""

    def json(
        self,
        path: str,
        *,
        patience: float | None = None,
        silence: float | None = None,
        **parameters: Any,
    ) -> Any:
        """Return an answer in JSON; ``patience`` and ``silence`` are those of `get`."""

        def take(response: httpx2.Response) -> Any:
            parts, size = [], 0
            for part in response.iter_bytes():
                parts.append(part)
                size += len(part)
                if size > _MOST_JSON:
                    raise self.no_log()
            return self._parse(b"".join(parts))

        return self.get(
            path, {"Accept": JSON}, take, parameters, patience=patience, silence=silence
        )

    def get(
        self,
        path: str,
        headers: dict[str, str],
        take: Callable[[httpx2.Response], _T],
        parameters: dict[str, Any] | None = None,
        *,
        patience: float | None = None,
        silence: float | None = None,
    ) -> _T:
        """Return what ``take`` makes of an answer: again and again, until one comes as a whole.

        ``patience`` is in place of the timeout, and ``silence`` as for `stream`.
        """
        end = time.monotonic() + (self.timeout if patience is None else patience)
        for wait in waits():
            try:
                with self.stream(path, headers, parameters, silence=silence) as response:
                    return take(response)
            except ConnectionError:
                if time.monotonic() + wait > end:
                    raise
            time.sleep(wait)
        raise AssertionError("the waits never end")

    def post(self, path: str, **options: Any) -> Any:
        """Send a request that changes the log, once; return the answer in JSON.

        Raises:
            Unanswered: The request may have been done, or not, or may be done later.
        """
        timeout = httpx2.Timeout(LONG, connect=_CONNECT_TIMEOUT)
        try:
            response = self._http.post(path, timeout=timeout, **options)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise ConnectionError(f"{self.address}: {error}") from error
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            what = str(error) or type(error).__name__
            raise Unanswered(f"{self.address}: {what}") from error
        if response.status_code >= 500:
            raise Unanswered(f"{self.address}: {self._detail(response)[0]}")
        self._check(response)
        return self._parse(response.content)

    def change(self, path: str, **parameters: str) -> Any:
        """Have the server change something; return its answer.

        Raises:
            OSError: With EIO: it is unknown whether the change was made.
        """
        try:
            return self.post(path, params=parameters)
        except Unanswered as error:
            raise self.unknown("the log was changed", error) from error

    def unknown(self, what: str, error: object) -> OSError:
        """Return the error for a change of which nobody knows whether it was made."""
        return OSError(errno.EIO, f"it is unknown whether {what}: {error}", self.address)

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
            detail = fields["detail"]
            if isinstance(detail, list):
                detail = "; ".join(str(each["msg"]) for each in detail)
            return str(detail), fields
        except (ValueError, KeyError, TypeError):
            return f"the server answers {response.status_code} {response.reason_phrase}", {}

    def _parse(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except ValueError:
            raise self.no_log() from None

    def no_log(self) -> LogError:
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

"""Access to a server: bearer tokens (RFC 6750) with rights, and a limit on the request rate."""

from __future__ import annotations

import enum
import hashlib
import ipaddress
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from limits import parse as parse_rate
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

# RFC 6750, section 2.1, but with 16 characters or more: a shorter token could be guessed.
_TOKEN = re.compile(r"(?=.{16})[A-Za-z0-9\-._~+/]+=*")
_BEARER = HTTPBearer(auto_error=False)
ALL = "*"
"""Stands for the name of a log if a token must be valid for all logs."""


class Right(enum.IntEnum):
    """The rights of a token; each right includes those before it."""

    READ = 1  # to read and follow logs
    APPEND = 2
    MANAGE = 3  # to verify and create logs, to write snapshots, and to squash patches


_RIGHTS = {right.name.lower(): right for right in Right}


class Tokens:
    """The tokens of a server, and the right that each gives.

    A token is valid for the logs that ``logs`` lists for it, or else for all logs. A malformed
    token raises a ValueError. Only hashes are kept and looked up, so that the response time reveals
    nothing about a token.
    """

    _path: str | os.PathLike[str] | None = None

    def __init__(
        self, rights: Mapping[str, Right], logs: Mapping[str, Collection[str]] | None = None
    ) -> None:
        if not all(map(_TOKEN.fullmatch, rights)):
            # Don't show the token: messages end up in files.
            raise ValueError("a token is 16 or more of A-Z a-z 0-9 - . _ ~ + /, and may end in =")
        self._rights = {_hash(token): right for token, right in rights.items()}
        self._logs = {_hash(token): frozenset(names) for token, names in (logs or {}).items()}

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Tokens:
        """Read a file: each line is a comment, or has a right, a token and optionally log names."""
        rights, logs = {}, {}
        for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
            words = line.split()
            if words and not line.startswith("#"):
                if len(words) < 2 or words[0] not in _RIGHTS or words[1] in rights:
                    what = f"expected a right ({', '.join(_RIGHTS)}), a new token, any log names"
                    raise ValueError(f"{os.fspath(path)}, line {number}: {what}")
                rights[words[1]] = _RIGHTS[words[0]]
                if words[2:]:
                    logs[words[1]] = words[2:]
        if not rights:
            raise ValueError(f"{os.fspath(path)} has no token")
        tokens = cls(rights, logs)
        tokens._path = path
        return tokens

    def reload(self) -> None:
        """Reload the token file, if any. After an error the tokens are unchanged."""
        if self._path is not None:
            vars(self).update(vars(self.read(self._path)))

    def right(self, token: str) -> Right | None:
        """Return the right that a token gives; None for an unknown token."""
        return self._rights.get(_hash(token))

    def covers(self, token: str | None, log: str | None) -> bool:
        """Return whether a token is valid for a log; a missing token (None) is not checked."""
        return token is None or log is None or log in self._logs.get(_hash(token), (log,))


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class Gate:
    """Admits requests whose token gives the needed right, up to the rate limit."""

    def __init__(self, tokens: Tokens | None, rate: str | None, *, is_open: bool) -> None:
        self._tokens = tokens
        self._is_open = is_open
        # If the server has no tokens, its OpenAPI description must not mention any.
        self._bearer = (lambda: None) if tokens is None else _BEARER
        self._rate = None if rate is None else parse_rate(rate)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def admit(self, host: str, right: Right, token: str | None, log: str | None) -> None:
        """Count a request from a host; raise an HTTPException to refuse it.

        ``log`` is the name of the log that the request is for, or None.
        """
        if self._rate is not None and not self._limiter.hit(self._rate, host):
            raise HTTPException(429, "too many requests", {"Retry-After": "1"})
        self.check(right, token, log)

    def check(self, right: Right, token: str | None, log: str | None) -> None:
        """Raise an HTTPException unless the token gives the right."""
        if self._tokens is None:
            return
        found = None if token is None else self._tokens.right(token)
        if found is None:
            what = "a bearer token is needed" if token is None else "this token is not accepted"
            raise HTTPException(401, what, {"WWW-Authenticate": "Bearer"})
        if found < right or not self.may_see(token, log):
            headers = {"WWW-Authenticate": 'Bearer error="insufficient_scope"'}
            where = {None: "", ALL: " for all logs"}.get(log, f" for the log {log}")
            detail = f"this needs a token with the right {right.name.lower()}{where}"
            raise HTTPException(403, detail, headers)

    def may_see(self, token: str | None, log: str | None) -> bool:
        """Return whether the holder of a token may learn that a log exists."""
        return self._tokens is None or self._tokens.covers(token, log)

    def needs(self, right: Right, log: str | None) -> Any:
        """Return a FastAPI dependency that admits requests with a right.

        The token must be valid for the log that the path names, or for ``log`` if it names none.
        """
        bearer = Depends(self._bearer)

        async def check(
            request: Request, credentials: HTTPAuthorizationCredentials | None = bearer
        ) -> None:
            self._check_browser(request)
            token = None if credentials is None else credentials.credentials
            self.admit(client_of(request), right, token, request.path_params.get("name", log))
            request.state.token = token

        return Depends(check)

    def _check_browser(self, request: Request) -> None:
        """Refuse requests that a browser may have sent on behalf of another site's page."""
        if self._tokens is None and not self._is_open and not is_local(request.url.hostname or ""):
            raise HTTPException(403, "without tokens only programs on this machine are served")
        origin = request.headers.get("origin")
        site = request.headers.get("sec-fetch-site", "none")
        # An origin is a scheme and a host. Don't parse it, since it may be malformed.
        is_own = origin is None or origin.partition("://")[2] == request.url.netloc
        if request.method not in ("GET", "HEAD") and (
            not is_own or site not in ("none", "same-origin")
        ):
            raise HTTPException(403, "pages of other sites can't change the log")


def client_of(request: Request) -> str:
    """Return the host of a client."""
    return request.client.host if request.client else ""


def is_local(host: str) -> bool:
    """Return whether only programs on this machine can reach a server with this host name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

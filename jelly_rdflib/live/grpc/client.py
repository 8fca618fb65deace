"""Calls to a gRPC server."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import grpc

from jelly_rdflib.errors import LimitError, LogConflict, LogError, MissingVersion
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.http import wire
from jelly_rdflib.options import Limits

_FIRST_SECONDS = 10.0
STRANGE = ("INTERNAL", "UNKNOWN")
"""Codes that may mean a server fault, perhaps a permanent one, or a reset connection."""
# The codes that mean that the server is unreachable for now, or that a connection was lost.
_LOST = ("UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED", *STRANGE)
_OPTIONS = {
    "grpc.initial_reconnect_backoff_ms": 100,
    # This is also the time limit for making a connection.
    "grpc.min_reconnect_backoff_ms": 10_000,
    "grpc.max_reconnect_backoff_ms": 5000,
    # These settings detect a server that has vanished without closing the connection.
    "grpc.keepalive_time_ms": 20_000,
    "grpc.keepalive_timeout_ms": 10_000,
}


class GrpcClient:
    """A channel to the server at an address; its messages never show secrets.

    The client uses the settings ``token``, ``ca``, ``certificate`` and ``key`` of the address.
    """

    def __init__(self, address: Address, limits: Limits, topic: str = "") -> None:
        self.url = str(address)
        token = address.take("token", str, os.environ.get(wire.TOKEN, ""))
        files = [address.take(name, str, "") for name in ("ca", "key", "certificate")]
        address.check_all_taken()
        self.topic = topic or address.path
        self._metadata: list[tuple[str, str | bytes]] = [("topic-bin", self.topic.encode())]
        self._has_token = bool(token)
        if token:
            self._metadata.append(("authorization", f"Bearer {token}"))
        self._most = limits.max_frame_size
        options = [*_OPTIONS.items(), ("grpc.max_receive_message_length", self._most)]
        if address.scheme == "grpcs":
            ca, key, certificate = (Path(file).read_bytes() if file else None for file in files)
            credentials = grpc.ssl_channel_credentials(ca, key, certificate)
            self._channel = grpc.secure_channel(address.host, credentials, options)
        elif any(files):
            raise ValueError(f"{self.url}: certificates are for grpcs://")
        else:
            self._channel = grpc.insecure_channel(address.host, options)

    def call(self, kind: str, method: str, request: Any, timeout: float | None = None) -> Any:
        """Start a call whose messages are bytes; ``kind`` names a method of grpc's channels."""
        start = getattr(self._channel, kind)(method)
        return start(request, metadata=self._metadata, timeout=timeout)

    def told_by(self, call: Any) -> dict[str, Any]:
        """Wait until the server has accepted the call, and return its initial metadata.

        Raise an RpcError if the call is refused, and a ConnectionError if there is no response.
        """
        # Use a timer, since grpc's timeout would limit the whole call, which may last forever.
        timer = threading.Timer(_FIRST_SECONDS, call.cancel)
        timer.daemon = True
        timer.start()
        try:
            told: dict[str, Any] = dict(call.initial_metadata() or ())
            if "version" not in told:
                if call.code() == grpc.StatusCode.OK or call.cancelled():
                    raise ConnectionError("it does not respond, or is not a patch log server")
                raise call
        finally:
            timer.cancel()
        return told

    def is_lost(self, error: Any) -> bool:
        """Return whether it makes sense to try again after this error."""
        return not isinstance(error, grpc.RpcError) or error.code().name in _LOST

    def error(self, error: Any, more: str = "") -> Exception:
        """Return the exception for a failed call; ``more`` says what the failure means."""
        if not hasattr(error, "code"):
            return ConnectionError(f"{self.url}: {error}{more}")
        code, message = error.code().name, f"{self.url}: {error.details()}{more}"
        if code in ("UNAUTHENTICATED", "PERMISSION_DENIED"):
            lacks_token = code == "UNAUTHENTICATED" and not self._has_token
            return PermissionError(message + (f": {wire.ADVICE_ON_TOKENS}" if lacks_token else ""))
        if code == "NOT_FOUND":
            return MissingVersion(message)
        if code == "DATA_LOSS":
            return LogError(message)
        if code == "RESOURCE_EXHAUSTED" and "larger than max" in message:
            return LimitError(message, limit="max_frame_size", value=self._most)
        if code == "ABORTED":
            newest: dict[str, Any] = dict(error.trailing_metadata() or ())
            head, version = newest.get("head"), str(newest.get("version", 0))
            number = int(version) if version.isdecimal() else 0
            return LogConflict(message, head=str(head) if head else None, version=number)
        return ConnectionError(message)

    def close(self) -> None:
        """End all calls."""
        self._channel.close()

"""The process of a server: its signals, and its access log."""

from __future__ import annotations

import copy
import logging
import signal
import ssl
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jelly_rdflib.cli.printable import say, tell

if TYPE_CHECKING:
    import uvicorn

    from jelly_rdflib.live.http.server import LogServer


class Reload:
    """Rereads the token file and the certificate after SIGHUP.

    Args:
        server: The server whose tokens and certificate are replaced.
        config: The configuration of uvicorn, already loaded.
    """

    def __init__(self, server: LogServer, config: uvicorn.Config) -> None:
        self._server = server
        self._config = config
        self._is_asked = False
        # The signal handler only sets a flag, since a signal may arrive at any moment. The work is
        # done by `_look`, which uvicorn calls about once a second.
        config.callback_notify, config.timeout_notify = self._look, 0
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, self._ask)

    def _ask(self, *_: object) -> None:
        self._is_asked = True

    async def _look(self) -> None:
        if not self._is_asked:
            return
        self._is_asked = False
        try:
            self._read()
        except (OSError, ValueError) as error:
            say(f"jellyp: nothing is changed: {error}", err=True)
        else:
            tell("the tokens and the certificate were read again")

    def _read(self) -> None:
        certificate, key = self._config.ssl_certfile, self._config.ssl_keyfile
        context = pair = None
        if certificate is not None and key is not None:
            # Load them into a new context: if the key did not match the certificate, the context
            # in use would be left without a certificate.
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            try:
                context.load_cert_chain(certificate, key)
            except ssl.SSLError as error:
                raise ValueError(f"{certificate} and {key}: {error}") from error
            pair = Path(key).read_bytes(), Path(certificate).read_bytes()
        if self._server.tokens is not None:
            self._server.tokens.reload()
        if self._config.ssl is not None:
            self._server.certificate = pair

            # This is called for each new connection, whether or not the client names a server.
            def exchange(connection: Any, *_: object) -> None:
                connection.context = context

            self._config.ssl.sni_callback = exchange


def end_well_at_sigterm() -> None:
    """Exit with status 0 after SIGTERM, the usual way to end a server."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def access_log() -> dict[str, Any]:
    """Return the configuration of uvicorn's logs with time, client, request and status.

    The query of an address is left out, since somebody may have put a secret into it.
    """
    from uvicorn.config import LOGGING_CONFIG

    config: dict[str, Any] = copy.deepcopy(LOGGING_CONFIG)
    config["formatters"]["access"] = {"format": "%(asctime)s %(message)s"}
    config["filters"] = {"no query": {"()": lambda: _without_query}}
    config["handlers"]["access"]["filters"] = ["no query"]
    return config


def _without_query(record: logging.LogRecord) -> bool:
    if isinstance(record.args, tuple):
        client, method, path, *others = record.args
        record.args = (client, method, str(path).partition("?")[0], *others)
    return True

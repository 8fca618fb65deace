"""Applies changes to a dataset on Apache Jena Fuseki, as RDF Patch over HTTP."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import cache, partial
from tempfile import SpooledTemporaryFile
from typing import Any

import httpx2

from jelly_rdflib.core.batch import check_closed, follow_transaction
from jelly_rdflib.errors import ApplyError
from jelly_rdflib.graph.apply import RemoteResult
from jelly_rdflib.graph.stores.statements import check_graph, check_operation, check_statement
from jelly_rdflib.live.http.watched import Unanswered, WatchedClient, start_of
from jelly_rdflib.live.http.wire import ERRORS
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.streams.writing import PatchWriter

VARIABLES = ("JELLYP_FUSEKI_TOKEN", "JELLYP_FUSEKI_USER", "JELLYP_FUSEKI_PASSWORD")
"""The environment variables with a bearer token, a user name and a password."""

# The seconds that the server may take to apply a transaction.
_TIMEOUT = 600.0
# How many bytes of a transaction are kept in memory, and how many are sent at once.
_MOST_IN_MEMORY, _PIECE = 1 << 20, 1 << 16
# Cached, since reading the certificates is slow.
_ssl_context = cache(httpx2.create_ssl_context)
# How many characters of a response are shown in an error message.
_MOST_SHOWN = 200


def apply_to_fuseki(
    operations: Iterable[Operation],
    address: str,
    *,
    token: str | None = None,
    user: str | None = None,
    password: str | None = None,
    timeout: float = _TIMEOUT,
) -> RemoteResult:
    """Apply patches to a dataset on a server, as `jelly_rdflib.apply` does for its address.

    Each transaction is one request, which the server applies wholly or not at all. The request is
    sent when the transaction has ended: if it is aborted or has an error, nothing is sent.
    Until then a long transaction is kept in a temporary file.

    Args:
        operations: The operations to apply.
        address: The dataset's endpoint for patches: ``http://localhost:3030/ds/patch``.
        token: A bearer token; by default from the first of the variables in `VARIABLES`.
        user: A user name for basic authentication; by default from the second variable.
        password: The user's password; by default from the third variable, if no user is given.
        timeout: The seconds that the server may take to apply a transaction.

    Raises:
        ApplyError: An operation is invalid, or has a quoted triple or a literal as subject; or a
            transaction starts or ends in the wrong place; or the server refuses a transaction.
        PermissionError: The server wants a token or password, or does not accept the given one.
        ConnectionError: The server can't be reached; or the connection was lost, and it is unknown
            whether a transaction was applied. Applying it again does no harm.
        ValueError: The address has a user name or a password, or is not an http or https address.
    """
    if token is None and user is None:
        token, user, known = map(os.environ.get, VARIABLES)
        if password is None:
            password = known
        else:
            token = None
    url = httpx2.URL(address)
    if url.scheme not in ("http", "https") or url.userinfo:
        # Messages show addresses, so a password there would leak.
        raise ValueError(
            f"a dataset's address is like http://localhost:3030/ds/patch, without a user name"
            f" or a password: set {', '.join(VARIABLES)} instead"
        )
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    auth = (user, password or "") if user and not token else None
    connected = WatchedClient(address, headers=headers, auth=auth, verify=_ssl_context())
    is_explicit = False
    count = before = patches = committed = aborted = 0
    with (
        closing(connected) as client,
        SpooledTemporaryFile(_MOST_IN_MEMORY) as file,
    ):
        transaction = _Transaction(file, timeout)
        for operation in operations:
            check_operation(operation)
            op = operation[0]
            count += op != Op.END
            if op in (Op.A, Op.D, Op.PA, Op.PD):
                transaction.add(operation)
            elif op != Op.H:
                if op == Op.END:
                    check_closed(is_explicit, "a patch ends")
                    patches, before = patches + 1, count
                else:
                    is_explicit = follow_transaction(op, is_explicit)
                if op == Op.TA:
                    aborted += 1
                else:
                    committed += transaction.send(client, address) or op == Op.TC
                transaction.clear()
        check_closed(is_explicit)
        committed += transaction.send(client, address)
    patches += count > before
    return RemoteResult(patches=patches, operations=count, committed=committed, aborted=aborted)


class _Transaction:
    """The text of a transaction, in memory or in a temporary file."""

    def __init__(self, file: SpooledTemporaryFile[bytes], timeout: float) -> None:
        self._file, self._timeout = file, timeout
        self.clear()

    def clear(self) -> None:
        """Drop the text."""
        self._file.seek(0)
        self._file.truncate()
        self._writer = PatchWriter(self._file, format="rdf-patch")

    def add(self, operation: Any) -> None:
        """Add a change; refuse one that rdflib can't hold, since Fuseki would silently drop it."""
        if operation[0] in (Op.A, Op.D):
            check_statement(*operation[1:4])
            check_graph(operation[4])
        if not self._writer.in_transaction:
            self._writer.begin()
        self._writer.write(operation)

    def send(self, client: WatchedClient, address: str) -> bool:
        """Send the transaction to the server, if it has changes; return whether it has any."""
        if not self._writer.in_transaction:
            return False
        self._writer.commit()
        self._writer.encoder.flush()
        size = self._file.tell()
        self._file.seek(0)
        pieces: Iterator[bytes] = iter(partial(self._file.read, _PIECE), b"")
        headers = {"Content-Type": "application/rdf-patch", "Content-Length": str(size)}
        request = client.stream("POST", address, self._timeout, content=pieces, headers=headers)
        try:
            with request as (answer, _):
                body, kind = start_of(answer), answer.headers.get("content-type", "")
        except Unanswered as error:
            what = "; it is unknown whether a transaction was applied"
            raise ConnectionError(f"{error}{what}") from error
        if answer.is_success and not body:
            return True
        what = f"{address}: the server answers {answer.status_code} {answer.reason_phrase}"
        lines = body.decode("utf-8", "replace").split("\n") if kind.startswith("text/plain") else []
        if detail := next((line.strip() for line in lines if line.strip()), ""):
            what += f": {detail[:_MOST_SHOWN]}"
        more = "; it is not an endpoint for patches" if answer.is_success else ""
        raise ERRORS.get(answer.status_code, ApplyError)(what + more)

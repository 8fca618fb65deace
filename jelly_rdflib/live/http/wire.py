"""Shared by the server and its clients: media types, ETags, and errors."""

from __future__ import annotations

from typing import Any

from rdflib.term import URIRef

from jelly_rdflib import errors
from jelly_rdflib.log.incoming import UnfitPatch
from jelly_rdflib.log.names import InvalidId

JELLY_PATCH = "application/x-jelly-rdf-patch"
JELLY = "application/x-jelly-rdf"
JSON = "application/json"
EVENTS = "text/event-stream"
# Each event is a line of JSON. The stored bytes of a small patch follow the line of its event.
EVENTS_WITH_PATCHES = "application/x-jelly-patch-events"

TOKEN = "JELLYP_TOKEN"  # the environment variable with the bearer token
ADVICE_ON_TOKENS = f"set the environment variable {TOKEN}, or in Python the argument token"
MOST_ENTRIES = 1000  # the maximum number of patches that a response lists
MAX_INLINE = 1 << 16  # the largest segment that an event includes, in bytes
MAX_LINE = 1 << 16  # the largest event without its segment, in bytes
HEARTBEAT = 15.0  # the seconds after which a server without news sends an event
LOG_ID = "Log-Id"  # the header with the log's id in a response with events
EMPTY = "empty"  # the ETag of a log without patches


def etag(head: str | None) -> str:
    """Return the ETag of a log whose newest patch has this id; None: it has no patches."""
    # The ETag of an empty log is this package's own word, since RFC 9110 has no condition for an
    # empty log: "If-None-Match: *" requires that the log does not exist.
    return f'"{EMPTY if head is None else head}"'


# The first row that matches an error applies.
_STATUSES: tuple[tuple[Any, int], ...] = (
    (errors.LogConflict, 412),
    (errors.MissingVersion, 404),
    (errors.LimitError, 413),
    ((UnfitPatch, InvalidId, errors.DecodeError, errors.EncodeError), 400),
)
# The attributes of a LogError that make up its text.
_IN_DETAIL = ("message", "path", "advice")
ERRORS: dict[int, type[Exception]] = {
    **dict.fromkeys((401, 403), PermissionError),
    # The server, or a proxy in front of it, is unavailable for now.
    **dict.fromkeys((429, 502, 503, 504), ConnectionError),
}
"""The errors for a server's statuses, used if the response does not describe the error itself."""


def answer_to(error: Exception) -> tuple[int, dict[str, Any]]:
    """Return the status and the JSON for a request that failed; a 500 reveals no details."""
    if isinstance(error, errors.LogConflict) and error.is_locked:
        return 503, {"detail": "other processes or threads are writing to the log"}
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        # The log may be missing while a backup is restored.
        return 503, {"detail": "the log, or one of its files, is missing at the moment"}
    for kinds, status in _STATUSES:
        if isinstance(error, kinds):
            fields = {name: each for name, each in vars(error).items() if name not in _IN_DETAIL}
            return status, {"detail": str(error), **fields}
    return 500, {"detail": "the server can't do that now: see its standard error"}


def error_of(status: int, fields: Any, address: str) -> Exception:
    """Return the error in a response; raise a KeyError or TypeError if it can't be parsed."""
    has_detail = isinstance(fields, dict) and "detail" in fields
    detail = fields["detail"] if has_detail else f"the server answers {status}"
    if isinstance(detail, list):
        # FastAPI lists faults of the parameters.
        detail = "; ".join(each["msg"] for each in detail)
    if status == 412:
        expected, head = (fields[key] and URIRef(fields[key]) for key in ("expected", "head"))
        version = fields["version"]
        return errors.LogConflict(detail, expected=expected, head=head, version=version)
    if status == 404 and has_detail and (into := fields.get("squashed_into", 0)) != 0:
        return errors.MissingVersion(detail, squashed_into=into and int(into))
    if status == 404 and (not has_detail or detail == "Not Found"):
        # The server has nothing at this path.
        detail = "there is no patch log at this address; a server of one log has it at its root"
    return ERRORS.get(status, errors.LogError)(f"{address}: {detail}")

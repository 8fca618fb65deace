"""Appends the patch in a request, under the conditions in its headers (RFC 9110, section 13)."""

from __future__ import annotations

from typing import IO, Any

from fastapi import HTTPException
from rdflib.term import URIRef
from werkzeug.http import parse_etags, quote_etag

from jelly_rdflib.errors import LogConflict
from jelly_rdflib.live.http import wire
from jelly_rdflib.log import LogEntry
from jelly_rdflib.log.history import History
from jelly_rdflib.log.incoming import open_incoming
from jelly_rdflib.log.names import parse_patch_id
from jelly_rdflib.log.versions import point_of
from jelly_rdflib.options import PatchOptions


def append(
    history: History, body: IO[bytes], format: Any, if_match: str | None, if_none_match: str | None
) -> LogEntry:
    """Append a patch; raise a LogConflict or an HTTPException if a condition is not met."""
    while True:
        with open_incoming(body, history.limits, format, file=body) as incoming:
            try:
                return history.append(
                    incoming,
                    prev=_expected(history, incoming.prev, if_match, if_none_match),
                    options=incoming.options or PatchOptions(),
                )
            except LogConflict as error:
                # With "*" any patch may be the newest, so try again if another one came first.
                is_late = not error.is_locked and error.expected != error.head
                if if_match != "*" or incoming.prev is not None or not is_late:
                    raise
        body.seek(0)


def _expected(
    history: History, prev: URIRef | None, if_match: str | None, if_none_match: str | None
) -> URIRef | None:
    """Return the id of the patch that a new patch must follow, given the new patch's ``prev``."""
    with history.reading() as state:
        newest = state.newest()
    version, head = point_of(newest)
    unwanted = parse_etags(if_none_match)
    named = {each.partition(";")[0] for each in unwanted.as_set(include_weak=True)}
    if unwanted.star_tag or str(head or wire.EMPTY) in named:
        what = f"If-None-Match excludes the newest patch, <{head}>"
        raise LogConflict(what, expected=head, head=head, version=version)
    if if_match is None:
        if prev is None:
            what = "If-Match must name the patch that this one follows, by the ETag of the log"
            raise HTTPException(428, what)
        return prev
    # Only strong ETags count: in If-Match weak ones match nothing (RFC 9110).
    tags = parse_etags(if_match)
    if tags.star_tag:
        return prev or head
    heads = [each.partition(";")[0] for each in tags]
    ids = [None if each == wire.EMPTY else parse_patch_id(each) for each in heads]
    if not all(quote_etag(each) in if_match for each in tags):
        raise HTTPException(400, "the ETags in If-Match must have quotation marks")
    if not ids:
        what = f"a weak ETag matches nothing; the newest patch is <{head}>"
        raise LogConflict(what, head=head, version=version)
    if prev is not None and prev not in ids:
        raise HTTPException(400, f"If-Match names {if_match}, but the patch names {prev}")
    return prev or (head if head in ids else ids[0])

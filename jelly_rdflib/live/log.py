"""Patch logs, in folders and on servers, as sources and sinks."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from itertools import chain

from rdflib.term import Literal

from jelly_rdflib.core.batch import TermKind
from jelly_rdflib.core.source import is_address
from jelly_rdflib.core.text import find_generalized_statement
from jelly_rdflib.errors import EncodeError, LimitError, LogConflict, MissingVersion
from jelly_rdflib.headers import ID, PREV
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.sink import Sink
from jelly_rdflib.live.threaded import ThreadedSource
from jelly_rdflib.log import LogEntry, PatchLog
from jelly_rdflib.log.database import DEFAULT_TIMEOUT
from jelly_rdflib.log.entry import may_follow
from jelly_rdflib.log.following import check_positions, follow
from jelly_rdflib.log.incoming import UnfitPatch, default_options
from jelly_rdflib.log.names import InvalidId, parse_patch_id
from jelly_rdflib.log.source import Source
from jelly_rdflib.log.versions import EMPTY, Point, Version, point_of, position_of, version_at
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.patch.patch import Patch

# The seconds after which a source that watches a folder checks again whether it was closed.
_LOOK = 0.5


def _open(address: Address, limits: Limits) -> PatchLog:
    token = address.take("token", str, "") or None
    wait = address.take("wait", float, DEFAULT_TIMEOUT)
    address.check_all_taken()
    return PatchLog(str(address), limits=limits, timeout=wait, token=token)


class LogSource(ThreadedSource):
    """The patches of a log, as they are appended.

    The setting ``start`` is ``"earliest"``, ``"latest"``, or the version before the first patch:
    its number or the id of its patch.
    """

    def __init__(self, address: Address, limits: Limits, timeout: float | None) -> None:
        start = address.take("start", str, "earliest")
        self._log = _open(address, limits)
        super().__init__(self._log.location, timeout)
        self._link = self._log.link
        # Keep the id of the patch, too: with it the source notices if the log is replaced.
        self._start = position_of(self._find(start))

    def _find(self, start: str) -> Point:
        if start == "latest":
            return point_of(self._log.head)
        version = 0 if start == "earliest" else version_at(start)
        return point_of(self._log.entry(version)) if version else EMPTY

    def _read(self, version: Version) -> Generator[tuple[Patch, Point], None, None]:
        # Closing the client ends a wait for a server; a wait for a folder needs a timeout.
        timeout = None if is_address(self._log.location) else _LOOK
        while not self._is_closed.is_set():
            for entry in self._log.follow(version, timeout=timeout):
                version = point = point_of(entry)
                yield entry.read(), point

    def _close(self) -> None:
        self._log.close()


class LogSink(Sink):
    """A log to which patches are appended: each patch is on disk when `send` returns.

    A patch follows whatever other writers have appended; see `append_newest`.
    """

    def __init__(self, address: Address, limits: Limits, options: PatchOptions | None) -> None:
        self._log = _open(address, limits)
        super().__init__(self._log.location, limits)
        self._options = options

    def _send(self, patch: Patch) -> None:
        append_newest(self._log, patch, self._options)

    def _close(self) -> None:
        self._log.close()


open_source, open_sink = LogSource, LogSink


def append_newest(log: PatchLog, patch: Patch, options: PatchOptions | None) -> LogEntry:
    """Append a patch after the newest one, or after the patch that its header ``prev`` names.

    If the log already has the patch, with the same ``id`` and ``prev``, it is not appended again.
    A LogConflict is raised if the patch that the header names already has a successor, or if the
    log stays locked; for other errors see `jelly_rdflib.PatchLog.append`.
    """
    while True:
        try:
            return log.append(patch, options=options)
        except LogConflict as error:  # noqa: PERF203
            if error.is_locked:
                raise
            log.refresh()
            if (found := _find(log, patch)) is not None:
                return found
            if PREV in patch.header:
                raise


def _find(log: PatchLog, patch: Patch) -> LogEntry | None:
    """Return the entry of a patch that the log has, with the same ``id`` and ``prev``."""
    header = patch.header
    if ID not in header:
        return None
    try:
        found = log.entry(parse_patch_id(header[ID]))
    except MissingVersion as error:
        return log.entry(error.squashed_into) if error.squashed_into else None
    is_it = PREV not in header or may_follow(found, parse_patch_id(header[PREV]))
    return found if is_it else None


def _needed_options(patch: Patch) -> PatchOptions:
    """Return options that allow the terms of a patch, and no others."""
    has_quoted = has_generalized = False
    for part in patch._slices():
        batch, kinds = part.as_batch(), bytes(part.batch.terms.kinds)
        has_generalized = has_generalized or find_generalized_statement(batch) is not None
        if not has_quoted and TermKind.TRIPLE_TERM in kinds:
            # Look at the slice's own rows: the batch may use quoted triples only in other rows.
            columns = (batch.s, batch.p, batch.o)
            has_quoted = any(kinds[term] == TermKind.TRIPLE_TERM for term in {*chain(*columns)})
    options = default_options(patch)
    return replace(options, rdf_star=has_quoted, generalized_statements=has_generalized)


# The name of the header that stores a patch's position in the source that the log follows.
_POSITION = "live-position"
# The seconds between two acknowledgments of the patches that are in the log.
_INTERVAL = 1.0


def append_from(
    source: Source, log: PatchLog, *, progress: Callable[[LogEntry], object] | None = None
) -> int:
    """Append the patches of a source to a log as they arrive, until the source ends.

    Each patch gets a header ``live-position`` with its position in the source, so that no patch is
    appended twice, wherever the program is interrupted.

    Args:
        source: The source, which must be the same each time.
        log: The log; nothing else may append to it.
        progress: Called with each patch that was appended.

    Returns:
        The new version of the log.

    Raises:
        LogConflict: Another writer has appended a patch.
        LogError, LimitError: The log can't accept a patch, for example because its ``prev`` does
            not name the newest patch. With the setting ``bad=skip`` the patch is left out instead.
        ValueError: The log has followed another source, or the source has no positions.

    See Also:
        - `connect`: returns the source for an address.
        - `Replica.follow`: keep the data instead of the patches; with an example.
    """
    check_positions(source)
    for entry in reversed(log.patches()):
        if (found := entry.header.get(_POSITION)) is not None:
            source.resume(str(found))
            break

    def take(patch: Patch) -> None:
        if _POSITION in patch.header:
            patch = Patch(row for row in patch if row[0] != Op.H or row[1].lower() != _POSITION)
        position = Patch([(Op.H, _POSITION, Literal(source.position))])
        named = Patch.of_slices([*position._slices(), *patch._slices()])
        try:
            entry = log.append(named, options=_needed_options(named))
        except LogConflict as error:
            if error.is_locked:
                raise
            # This is not an error if the log has the patch: it may have arrived twice, or another
            # process may have appended it.
            log.refresh()
            if _find(log, patch) is None:
                if PREV not in patch.header:
                    raise
                source.leave_out(error)
        except (UnfitPatch, InvalidId, EncodeError, LimitError) as error:
            source.leave_out(error)
        else:
            if progress is not None:
                progress(entry)

    follow(source, take, lambda: None, store_every=_INTERVAL)
    return log.version

"""A log of patches in a folder."""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rdflib.graph import Dataset, Graph
from rdflib.store import Store
from rdflib.term import Node, URIRef

from jelly_rdflib import importers
from jelly_rdflib.core.batch import BatchSlice, Tabular
from jelly_rdflib.core.source import is_address
from jelly_rdflib.core.warning import warn
from jelly_rdflib.display.html import report_html
from jelly_rdflib.display.words import count
from jelly_rdflib.errors import DecodeError, LimitError, LogError, LogWarning, MissingVersion
from jelly_rdflib.graph.graphs import empty_dataset
from jelly_rdflib.log.database import DEFAULT_TIMEOUT
from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.log.files import check_empty, load_snapshot
from jelly_rdflib.log.history import FolderHistory, History
from jelly_rdflib.log.incoming import default_options, open_incoming
from jelly_rdflib.log.link import Link
from jelly_rdflib.log.names import Compression, parse_patch_id
from jelly_rdflib.log.replay import Position, Progress, replay_entries
from jelly_rdflib.log.tables import entries_table
from jelly_rdflib.log.verify import LogProblem
from jelly_rdflib.log.versions import (
    EMPTY,
    LogState,
    Point,
    SnapshotRow,
    Version,
    check_chain,
    point_of,
)
from jelly_rdflib.nodes import as_iri
from jelly_rdflib.operations import Operation
from jelly_rdflib.options import Limits, PatchOptions, as_limits
from jelly_rdflib.types import ChangeFormat, Readable

if TYPE_CHECKING:
    from typing_extensions import Self

# The number of patches that a notebook shows.
_MOST_SHOWN = 50
_NOT_MADE = "{}: a log must be made on the server itself: jellyp log init"


class PatchLog(Tabular):
    """A log of patches: a folder with a chain of patches, each in a file.

    Each patch has an ``id``, and all but the first have a ``prev``, the id of the previous patch
    (RDF Patch, "Header"). After the n-th patch the data have version n; version 0 is empty. A
    version is given by its number or by the id of its patch. None is the newest, unless an
    argument says otherwise.

    The object is a view: it has the patches that were in the log when it was made, or at the last
    `refresh`, and the patches that it appended itself. `append` adds a patch only if the newest
    patch of the view is still the newest of the log, so no patch follows one that its author has
    not seen. Any number of processes may read and append at the same time; each thread needs its
    own object. If another process squashes versions, this object can't read them any more either.

    A log is also a table of all its operations for libraries that support Arrow:
    ``duckdb.sql("FROM log")``, ``log.to_polars()``. The column ``version`` is the version that a
    row's patch makes, and ``time`` is when the patch was committed; ``patch`` numbers the patches
    from 1 on, and an operation ``END`` ends each patch. In
    ``log.to_polars(["op", "s", "header:by"])`` each row also has its patch's header ``by``.

    Args:
        path: The folder; or the address of a log on a server, ``http://…`` or ``https://…``, see
            ``jellyp log serve``. An address needs the extra ``http``.
        create: Make the log if it does not exist. An existing log is continued, while the method
            `create` refuses it.
        compression: ``"zst"`` to compress the files of a new log with zstd.
        limits: The limits for reading patches, both new ones and those in the log; by default
            `Limits()`.
        timeout: The seconds to wait for other writers. After that any method, even one that only
            reads, raises a `jelly_rdflib.LogConflict`. For a server: the seconds for which a lost
            connection is retried; if the first connection fails, it is not retried.
        token: The bearer token for a server; by default that of the environment variable
            ``JELLYP_TOKEN``, if it is set.

    Raises:
        LogError: The folder is not a log, or is a log of another format.
        OSError: The folder does not exist or can't be read. For a server: a ConnectionError if
            it can't be reached, a PermissionError if the token does not allow it.
        ValueError: The compression is unknown; ``create`` is given for a server, or ``token`` for a
            folder.

    Examples:
        >>> import tempfile
        >>> from rdflib import Literal
        >>> from jelly_rdflib import Op
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = PatchLog(folder, create=True)
        ...     entry = log.append([(Op.A, s, p, Literal("old"), None)])
        ...     entry = log.append(
        ...         [(Op.D, s, p, Literal("old"), None), (Op.A, s, p, Literal("new"), None)]
        ...     )
        ...     [[str(quad[2]) for quad in log.checkout(version).quads()] for version in (0, 1, 2)]
        [[], ['old'], ['new']]
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        compression: Compression = None,
        limits: Limits | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        token: str | None = None,
    ) -> None:
        limits = as_limits(limits)
        self._history: History
        if is_address(path):
            if create or compression is not None:
                raise ValueError(_NOT_MADE.format(path))
            self._history = importers.import_remote_log()(path, limits, timeout, token)
        elif token is not None:
            raise ValueError(f"a token is only for a server: {os.fspath(path)} is a folder")
        else:
            self._history = folder = FolderHistory(path, limits, timeout)
            if create:
                folder.create(compression)
        self._log_id, self._compression, self._head = self._history.read_log()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        compression: Compression = None,
        limits: Limits | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> PatchLog:
        """Make a new log and its parent folders; the arguments are those of the class.

        Raises:
            FileExistsError: The log exists.
            LogError: The folder is neither empty nor a log.
            ValueError: The compression is unknown.
        """
        if is_address(path):
            raise ValueError(_NOT_MADE.format(path))
        if not FolderHistory(path, Limits(), timeout).create(compression):
            raise FileExistsError(
                f"there is a patch log at {os.fspath(path)} already: PatchLog(path) opens it"
            )
        return cls(path, limits=limits, timeout=timeout)

    def __getstate__(self) -> dict[str, Any]:
        # If the log is on a server, the copy raises an error, since connections can't be pickled.
        return {**self.__dict__, "_history": copy(self._history)}

    def __repr__(self) -> str:
        return f"<PatchLog {self.location!r}: version {self.version}>"

    def _repr_html_(self) -> str:
        """Return a table of the newest patches, for notebooks, without reading their files."""
        heading = f"PatchLog {os.path.basename(self.location)}: version {self.version}"
        try:
            entries = self.latest(_MOST_SHOWN)
            snapshots = self.snapshots
        except (LogError, OSError) as error:
            return report_html(heading, [f"Error: {error}"])
        earlier = entries[0].first - 1 if entries else 0
        above = [f"… and {count(earlier, 'earlier version')}"] if earlier else []
        return report_html(heading, [*above, entries_table(entries, snapshots)])

    def _origins(self) -> Iterator[tuple[int, datetime.datetime]]:
        return ((entry.version, entry.time) for entry in self.patches())

    def _slices(self) -> Iterator[BatchSlice]:
        for entry in self.patches():
            with closing(entry.batches()) as batches:
                yield from batches._slices()

    @property
    def path(self) -> Path:
        """The folder, as an absolute path.

        Raises:
            LogError: The log is on a server: see `location`.
        """
        return self._history.path

    @property
    def location(self) -> str:
        """The folder, or the address on a server."""
        return self._history.location

    @property
    def link(self) -> Link:
        """The connection to the log's server, which shows whether the server can be reached."""
        return self._history.link

    @property
    def log_id(self) -> str:
        """An id of the log, which no other log has."""
        return self._log_id

    @property
    def compression(self) -> str | None:
        """The compression of the log's files: ``"zst"`` or None."""
        return self._compression

    @property
    def head(self) -> LogEntry | None:
        """The newest patch; None if the log is empty."""
        return self._head

    @property
    def version(self) -> int:
        """The newest version; 0 if the log is empty."""
        return point_of(self._head).version

    @property
    def snapshots(self) -> list[int]:
        """The versions that have snapshots."""
        with self._history.reading() as state:
            return [snapshot.version for snapshot in state.snapshots(self.version)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to a server; nothing happens for a folder."""
        self._history.close()

    def refresh(self) -> LogEntry | None:
        """Update the view with the changes of other writers, and return the newest patch."""
        with self._history.reading() as state:
            self._head = state.newest()
        return self._head

    def patches(self, since: Version = None, upto: Version = None) -> list[LogEntry]:
        """Return the patches that lead from one version to another, without reading them.

        Args:
            since: The version before the first patch; by default 0.
            upto: The version of the last patch.

        Raises:
            LogError: The version does not exist or was squashed; or the log is broken.
            ValueError: ``since`` is newer than ``upto``.
        """
        entries, start, end = self._between(since, upto)
        if start > end:
            raise ValueError(
                f"version {start} is newer than {end}: to go back, invert the patches that lead"
                f" from {end} to {start}"
            )
        return entries

    def latest(self, count: int = 10) -> list[LogEntry]:
        """Return the last ``count`` patches or fewer, oldest first, without reading them."""
        with self._history.reading() as state:
            return state.latest(point_of(self._head), count)

    def follow(self, since: Version = None, *, timeout: float | None = None) -> Iterator[LogEntry]:
        """Iterate over new patches as they are appended by anyone, and wait for the next one.

        Each patch is returned once, in order, and moves the view to its version.

        Args:
            since: The version before the first patch; by default that of the view.
            timeout: The seconds without a new patch after which the iteration ends; None: never.

        Raises:
            LogError: The version does not exist or was squashed, perhaps during the wait; or the
                log was replaced: the next patch does not follow the last one.

        Warns:
            ConnectionWarning: The server can't be reached, and is retried; or can be reached again.

        Examples:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     log, other = PatchLog(folder, create=True), PatchLog(folder)
            ...     entry = other.append([])
            ...     [patch.version for patch in log.follow(timeout=0)]
            [1]
        """
        with self._history.reading() as state:
            point = self._point(state, since)
        last = time.monotonic()
        for entry in self._history.news(point, timeout):
            if entry is not None:
                check_chain([entry], point, None, self.location)
                point = point_of(entry)
                # Never move the view back: `refresh` or `append` may have moved it past this
                # patch.
                if entry.version > self.version:
                    self._head = entry
                yield entry
                last = time.monotonic()
            elif timeout is not None and time.monotonic() >= last + timeout:
                return

    def entry(self, version: Version = None) -> LogEntry:
        """Return the patch that makes a version, without reading it.

        Args:
            version: The version; by default the newest.

        Raises:
            LogError: The version does not exist or was squashed, or is 0, which no patch makes; or
                the log is broken.
        """
        with self._history.reading() as state:
            return state.entry(version, self.version)

    def append(
        self,
        patch: Readable | Iterable[Operation],
        *,
        header: Mapping[str, Node | str] | None = None,
        prev: str | None = None,
        options: PatchOptions | None = None,
        format: ChangeFormat | None = None,
    ) -> LogEntry:
        """Append a patch: when this returns, the patch is in the log and on the disk.

        If the process ends, the power fails or the user presses Ctrl+C before that, the log either
        is unchanged or has the whole patch. After an error the log is unchanged, with one
        exception: an OSError with ``errno.EIO`` means that it is unknown whether the patch was
        committed. Then call `refresh` before trying again, since the patch may be in the log.

        The patch gets an ``id`` if it lacks one. Memory holds one frame, up to 1 MiB of the
        segment, the first headers, and the keys of later ones. These headers and keys may take
        ``max_text_size`` bytes, enough for some 20,000 short headers; those of a `Patch` or a
        list, which are in memory anyway, are not counted. Lexical forms, headers and aborted
        transactions are kept. In a log all statements are quads: a statement without a graph
        becomes one of the default graph.

        Args:
            patch: A `Patch`, operations, or what `jelly_rdflib.read_operations` reads; one patch.
            header: Headers to add to those of the patch, such as ``{"title": "Release 2"}``; a str
                becomes a literal.
            prev: The id of the patch that it must follow, such as ``log.entry(1).id``: by default
                its own header, or else the newest patch of this view.
            options: Sizes of lookups and frames, and whether quoted triples and generalized
                statements are allowed. By default those of the input, if that is Jelly-Patch; for
                other input, a patch that is known to be short gets small lookups.
            format: The name of the format, an extension or a media type; see
                `jelly_rdflib.read_operations`.

        Raises:
            LogConflict: The patch does not follow the newest patch, since another writer was first:
                see `refresh`. Or the log stayed locked for longer than ``timeout``.
            LogError: The input has no patch or several, the patch's ids are not UUIDs, or the log
                has a patch with the same id or is broken.
            EncodeError: An operation can't be expressed with the options, or is out of place.
            DecodeError: The input breaks a rule of the format.
            LimitError: The input or the written segment exceeds the limits.
            TypeError: ``patch`` has a type that can't be read as a patch.
            LookupError: The format is unknown, or is not a format of changes.
            ValueError: ``prev`` differs from the patch's header; a format is given for operations.
            OSError: The disk is full or fails; or it is unknown whether the patch was committed,
                see above.
        """
        with open_incoming(patch, self._history.limits, format, header=header) as incoming:
            expected = point_of(self._head).id if prev is None else parse_patch_id(prev)
            if incoming.prev is not None:
                if prev is not None and incoming.prev != expected:
                    raise ValueError(f"prev is {expected}, but the patch has prev {incoming.prev}")
                expected = incoming.prev
            self._head = self._history.append(
                incoming,
                prev=expected,
                options=options or incoming.options or default_options(patch),
            )
        return self._head

    def replay(
        self,
        target: Graph,
        *,
        since: Version = None,
        upto: Version = None,
        position: URIRef | None = None,
        normalize: bool | None = False,
        strict: bool = False,
        progress: Progress | None = None,
    ) -> int:
        """Apply patches to a graph or dataset: each wholly or not at all.

        With ``position`` the dataset stores its own position in the log, in a graph of that name,
        so that each patch is applied once, however often this is called or interrupted.
        A store with transactions changes the position in the transaction of the patch. In other
        stores, an interrupted patch is applied again from its start, with the same result. Only a
        replay may write to this graph: a patch that changes it is refused, and so is a target
        whose graph has statements from elsewhere.

        Args:
            target: The graph or dataset to change.
            since: The version of the target; by default 0, which is empty.
            upto: The version to reach. A target that is past it already is not changed.
            position: The name of the graph. If ``since`` is given, the position is first set to
                that version, which replaces all statements of the graph.
            normalize: Whether literals get the normal form of their value; see
                `jelly_rdflib.read_operations`. False by default: the target gets the lexical forms
                of the patches. True may be better for a target that was filled from another source,
                if rdflib has rewritten ``"01"^^xsd:integer`` to ``1`` there.
            strict: Refuse a patch with an operation that changes nothing, such as a deletion that
                finds nothing: the target is not the version that the patch was made for. Squashed
                patches are exempt, since they also delete statements added in between.
            progress: Called with each applied `LogEntry`.

        Returns:
            The new version of the target.

        Raises:
            LogError: The version does not exist or was squashed; a segment is damaged; the target's
                position is not in the log, or was not written by a replay.
            ApplyError: An operation can't be applied, see `jelly_rdflib.apply`; or a patch changes
                the graph with the position; or with ``strict`` an operation changes nothing. Then
                the target has the version before the refused patch.
            TypeError: The target is not a graph, or with a position, not a dataset.
            ValueError: The position names the default graph.

        Examples:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     log = PatchLog(folder, create=True)
            ...     entry = log.append([])
            ...     target = Dataset()
            ...     log.replay(target, position=URIRef("urn:position"))
            1
        """
        kept = None
        if position is not None:
            kept = Position(target, as_iri(position), self._log_id)
            since = kept.read() if since is None else since
            with self._history.reading() as state:
                since = self._point(state, since)
            kept.set(since)
        entries, start, end = self._between(since, upto)
        replay_entries(
            entries, target, position=kept, normalize=normalize, strict=strict, progress=progress
        )
        return max(start, end)

    def checkout(
        self,
        version: Version = None,
        *,
        store: str | Store = "Jelly",
        target: Dataset | None = None,
        progress: Progress | None = None,
    ) -> Dataset:
        """Return the data of a version, made from the latest snapshot that is not newer.

        The data are in ``target``, or in a new dataset, and keep the lexical forms of the patches.
        A new dataset has only the prefixes of the patches, not those that rdflib binds by default.

        Args:
            version: The version; by default the newest.
            store: The store of the new dataset, as for rdflib's Dataset: by default a
                `JellyStore`; ``"default"`` is rdflib's own.
            target: An empty dataset to fill, with any store; then ``store`` is not used.
            progress: Called with each applied `LogEntry`.

        Raises:
            LogError: The version does not exist or was squashed; a segment is damaged.
            ApplyError: An operation can't be applied; see `jelly_rdflib.apply`.
            TypeError: The target is not a Dataset.
            ValueError: The target is not empty.

        Warns:
            LogWarning: A snapshot is damaged or missing; the data are made without it.
        """
        if target is None:
            target = empty_dataset(store)
        check_empty(target)
        start = EMPTY
        with self._history.reading() as state:
            snapshots = state.snapshots(self._point(state, version).version)
        for snapshot in reversed(snapshots):
            if self._load_snapshot(snapshot, target):
                start = Point(snapshot.version, URIRef(snapshot.id))
                break
        replay_entries(self._between(start, version)[0], target, progress=progress)
        return target

    def snapshot(self, version: Version = None) -> Path:
        """Write a snapshot: the whole data of a version, from which `checkout` starts.

        The file is Jelly-RDF; its namespaces are the prefixes of the whole dataset, as in rdflib.

        Args:
            version: The version; by default the newest.

        Returns:
            The file; on a server, its path relative to the address. An existing snapshot of the
            version is only replaced if it is damaged.

        Raises:
            LogError, ApplyError: As for `checkout`.
            OSError: The file can't be written. Then no file is left.
        """
        entry = self.entry(version)
        return self._history.add_snapshot(entry, lambda: self.checkout(entry.version))

    def squash(self, first: Version = 1, last: Version = None) -> LogEntry:
        """Replace several consecutive patches with one that has the same effect.

        `jelly_rdflib.compact` makes the new patch: in one transaction each statement occurs once,
        aborted transactions are left out, and headers are kept. It has the ``id`` of the last
        patch and the ``prev`` of the first, and a header ``squashed`` with the versions that it
        replaces. All of these versions but the last are removed, along with their snapshots. A
        target at a removed version can't be updated any more; a target at the version before the
        first, or at the last or a later version, can.

        The new patch deletes each statement that was added and deleted again. To undo the patch,
        first use `jelly_rdflib.effective`, which keeps only the operations that really change the
        version before it, then `jelly_rdflib.invert`.

        Args:
            first: The first version, or the id of the patch that makes it.
            last: The last one.

        Returns:
            The new patch.

        Raises:
            LogError: The versions don't exist, or were squashed already, perhaps by another
                process just now; or a segment is damaged.
            OSError: The patch can't be written. Then the log is unchanged.
        """
        if type(first) is not int or not 1 <= first <= self.version:
            first = self.entry(first).first
        entries, _, end = self._between(first - 1, last)
        if not entries:
            raise MissingVersion(f"there are no versions from {first} to {end} to be squashed")
        if len(entries) == 1:
            return entries[0]
        entry = self._history.squash(entries)
        # Update the view only if it ends with the patch: `refresh` adds patches of other writers.
        if self.version == entry.version:
            self._head = entry
        return entry

    def verify(self, *, deep: bool = False) -> list[LogProblem]:
        """Find all problems of the log on the disk.

        The database is checked, and every file is read to the end: segments must match the
        database, must have one patch each, and must name the previous patch; snapshots must be
        whole. Unknown files are problems, too, except those of an interrupted writer, since the
        next writer removes them.

        Args:
            deep: Also replay the patches, and compare each snapshot with the replayed version.

        Returns:
            The problems, each with advice; an empty list if the log is whole.

        Warns:
            LogWarning: With ``deep``: an operation of a patch changes nothing, such as a deletion
                that finds nothing. The log is whole, but the patch was not made for the version
                before it.
        """
        return self._history.find_problems(deep=deep)

    def _load_snapshot(self, snapshot: SnapshotRow, target: Dataset) -> bool:
        """Load a snapshot; warn and return False if that fails."""
        try:
            load_snapshot(self._history.open_snapshot(snapshot), target, self._history.limits)
        except LimitError:
            raise
        except (LogError, DecodeError, OSError) as error:
            warn(f"the snapshot of version {snapshot.version} is not used: {error}", LogWarning)
            return False
        return True

    def _point(self, state: LogState, version: Version) -> Point:
        """Locate a version; None is the newest of this view."""
        return point_of(self._head) if version is None else state.locate(version, self.version)

    def _between(self, since: Version, upto: Version) -> tuple[list[LogEntry], int, int]:
        """Return the patches between two versions, and the numbers of both versions."""
        with self._history.reading() as state:
            start = EMPTY if since is None else self._point(state, since)
            end = self._point(state, upto)
            return state.between(start, end), start.version, end.version

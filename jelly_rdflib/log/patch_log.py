"""A log of patches in a folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from rdflib.graph import Dataset, Graph
from rdflib.term import URIRef

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import DecodeError, LimitError, LogError, LogWarning
from jelly_rdflib.log.database import DEFAULT_TIMEOUT
from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.log.files import check_empty, empty_dataset, load_snapshot
from jelly_rdflib.log.history import History, Snapshot
from jelly_rdflib.log.incoming import default_options, open_incoming
from jelly_rdflib.log.names import make_patch_id, parse_patch_id
from jelly_rdflib.log.publisher import Publisher
from jelly_rdflib.log.replay import Position, Progress, replay_entries
from jelly_rdflib.log.staging import read_stored
from jelly_rdflib.log.verify import LogProblem, find_problems
from jelly_rdflib.nodes import as_iri
from jelly_rdflib.options import Limits, PatchOptions


class PatchLog:
    """A log of patches: a folder with a file for each, in a chain.

    Each patch has an ``id``, and but for the first a ``prev``, the id of the patch before it (RDF
    Patch, "Header"). After the n-th patch the data have version n; version 0 is empty. Where a
    version is asked for, its number or its patch's id will do, and None is the newest.

    The object is a view: it has the patches that were there when it was made, or at the last
    `refresh`, and those that it appended itself. `append` adds only after the newest patch of the
    view. So a patch that was made for what one has seen can't follow one that one has not seen,
    whoever appended that. Any number of processes may read and append at the same time; each thread
    needs an object of its own. If another process squashes versions, this object can't read them
    any more either.

    Args:
        path: The folder.
        create: Make the log if there is none.
        compression: ``"zst"`` to have the files of a new log compressed with zstd.
        limits: What to accept of patches, those of the log included; by default `Limits`' own
            defaults.
        timeout: How many seconds to wait for others who write: then each method, also one that
            only reads, raises a `jelly_rdflib.LogConflict`.

    Raises:
        LogError: The folder is no log, or not of this format: see ``jellyp log upgrade``.
        OSError: There is no such folder, or it can't be read.
        ValueError: There is no such compression.

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
        compression: str | None = None,
        limits: Limits | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        self._history = History(path, limits or Limits(), timeout)
        if create:
            self._history.create(compression)
        self._log_id, self._compression, self._head = self._history.read_log()
        is_compressed = self._compression is not None
        self._publisher = Publisher(self._history, is_compressed=is_compressed)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        compression: str | None = None,
        limits: Limits | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> PatchLog:
        """Make a new log, and the folders that it is in; arguments as for the class.

        Raises:
            FileExistsError: There is a log.
            LogError: The folder has other things in it.
            ValueError: There is no such compression.
        """
        if not History(path, Limits(), timeout).create(compression):
            raise FileExistsError(f"there is a patch log at {os.fspath(path)}")
        return cls(path, limits=limits, timeout=timeout)

    def __repr__(self) -> str:
        return f"<PatchLog {str(self.path)!r}: version {self.version}>"

    @property
    def path(self) -> Path:
        """The folder, as an absolute path."""
        return self._history.path

    @property
    def compression(self) -> str | None:
        """How the log's files are compressed: ``"zst"`` or None."""
        return self._compression

    @property
    def head(self) -> LogEntry | None:
        """The newest patch; None if there is none."""
        return self._head

    @property
    def version(self) -> int:
        """The newest version; 0 if there is no patch."""
        return 0 if self._head is None else self._head.version

    @property
    def snapshots(self) -> list[int]:
        """The versions of which there are snapshots."""
        return [snapshot.version for snapshot in self._snapshots(self.version)]

    def refresh(self) -> LogEntry | None:
        """Look what others have done to the log.

        Returns:
            The newest patch.
        """
        with self._history.database.reading() as connection:
            self._head = self._history.newest(connection)
        return self._head

    def patches(self, since: Any = None, upto: Any = None) -> list[LogEntry]:
        """Return the patches that lead from one version to another; none of them is read.

        Args:
            since: The version before the first of them; by default 0.
            upto: The version that the last of them makes.

        Raises:
            LogError: There is no such version, or it was squashed; or the log is broken.

        Examples:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     log = PatchLog(folder, create=True)
            ...     entry = log.append([])
            ...     [patch.version for patch in log.patches()]
            [1]
        """
        return self._between(since, upto)[0]

    def entry(self, version: Any = None) -> LogEntry:
        """Return the patch that makes a version; it is not read.

        Args:
            version: Which.

        Raises:
            LogError: There is no such version, or it was squashed, or it is 0, which no patch
                makes; or the log is broken.
        """
        with self._history.database.reading() as connection:
            found = self._history.resolve(connection, version, self.version)
            if found == 0:
                raise LogError("version 0 is empty: no patch makes it")
            return self._history.find(connection, found)

    def append(
        self,
        patch: Any,
        *,
        prev: Any = None,
        options: PatchOptions | None = None,
        format: str | None = None,
    ) -> LogEntry:
        """Append a patch: when this returns, the patch is in the log and on the disk.

        The end of the process or a failure of power before that leaves the log as it was, or with
        the whole patch. After Ctrl+C it may be either. After an error the log is as it was, but for
        one: an OSError with ``errno.EIO`` that says that it can't be told now whether the patch was
        committed. Then look again (`refresh`) before trying again, since it may be in the log.

        The patch gets an ``id`` if it has none. All of it is read once. In memory are a frame, up
        to 1 MiB of the segment, the headers at its start, and the keys of later ones: headers take
        up to ``max_text_size`` bytes, which is some 20,000 short ones; those of a `Patch` or a list
        are not counted, being there anyway. Lexical forms, headers and aborted transactions are
        kept. In a log all statements are quads: one without a graph is one of the default graph.

        Args:
            patch: A `Patch`, operations, or what `jelly_rdflib.read_operations` takes, with one
                patch.
            prev: The id of the patch that it is to follow: by default what its own header says, or
                else the newest that this object knows.
            options: Sizes of lookups and frames, and whether there may be quoted triples and
                generalized statements, as for `jelly_rdflib.PatchWriter`. By default a patch that
                is seen to be short has small lookups.
            format: As for `jelly_rdflib.read_operations`.

        Raises:
            LogConflict: Another patch is the newest: someone was first. See `refresh`. Or others
                were writing for longer than ``timeout``.
            LogError: There is no patch or more than one, its ids are no UUIDs, the log has a patch
                with its id, or is broken.
            EncodeError: An operation can't be expressed with the options, or is out of place.
            DecodeError: The input breaks a rule of the format.
            LimitError: The input asks for more than the limits, or what was written of it does.
            TypeError: ``patch`` is none of these.
            ValueError: ``prev`` is not what the patch says; there is a format for operations.
            OSError: The disk is full, or anything else that is wrong with it; or it can't be told
                whether the patch was committed, see above.
        """
        with open_incoming(patch, self._history.limits, format) as incoming:
            head_id = None if self._head is None else self._head.id
            expected = head_id if prev is None else parse_patch_id(prev)
            if incoming.prev is not None:
                if prev is not None and incoming.prev != expected:
                    raise ValueError(f"prev is {expected}, but the patch says {incoming.prev}")
                expected = incoming.prev
            self._head = self._publisher.append(
                incoming,
                id=incoming.id or make_patch_id(),
                prev=expected,
                options=options or default_options(patch),
            )
        return self._head

    def replay(
        self,
        target: Graph,
        *,
        since: Any = None,
        upto: Any = None,
        position: URIRef | None = None,
        normalize: bool | None = False,
        progress: Progress | None = None,
    ) -> int:
        """Apply patches to a graph or dataset: each wholly or not at all.

        With ``position`` the dataset itself keeps how far it came, in a graph of that name, so that
        each patch is applied once, however often this is called and wherever it breaks off. In a
        store with transactions that is changed in the transaction of the patch. In others, what
        broke off in a patch is done again from its start, which comes to the same. A patch that
        changes this graph is refused, and so is what it may have put there in another way.

        Args:
            target: What to apply them to, as for `jelly_rdflib.apply`.
            since: The version that the target has; by default 0, which is empty.
            upto: The version that it is to have.
            position: The name of a graph. With ``since`` the position is set to that first,
                whatever the graph has.
            normalize: As for `jelly_rdflib.read_operations`, but False by default: the target gets
                the lexical forms that were put in. For one that was filled from elsewhere, where
                rdflib has rewritten ``"01"^^xsd:integer`` to ``1``, True may be the better.
            progress: Called with each `LogEntry` that was applied.

        Returns:
            The version that the target has now.

        Raises:
            LogError: There is no such version, or it was squashed; a segment is damaged; the target
                has a position that the log does not have, or that no replay has put there.
            ApplyError: The target can't take an operation: as by `jelly_rdflib.apply`; or a patch
                changes the graph with the position. The target has the version before it then.
            TypeError: The target is no graph, or no dataset where there is a position.
            ValueError: The position is to be in the default graph.

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
            if since is None:
                # Of two the newer one: the other was to go next.
                since = max((self._resolve(id) for id in kept.read()), default=0)
            kept.set(self.entry(since).id if self._resolve(since) else None)
        entries, start, end = self._between(since, upto)
        replay_entries(entries, target, position=kept, normalize=normalize, progress=progress)
        return max(start, end)

    def checkout(
        self,
        version: Any = None,
        *,
        target: Dataset | None = None,
        progress: Progress | None = None,
    ) -> Dataset:
        """Return the data of a version, made from the nearest snapshot before it.

        The data have the lexical forms that were put in. A dataset that is made here has just the
        prefixes that the patches have bound, and not those that rdflib binds by itself.

        Args:
            version: Which.
            target: An empty dataset to fill, of any store; by default a new one.
            progress: Called with each `LogEntry` that was applied.

        Returns:
            The target.

        Raises:
            LogError: There is no such version, or it was squashed; a segment is damaged.
            ApplyError: The target can't take an operation: as by `jelly_rdflib.apply`.
            ValueError: The target is not empty.

        Warns:
            LogWarning: A snapshot is damaged or missing; it is made from others, or without.
        """
        if target is None:
            target = empty_dataset()
        else:
            check_empty(target)
        end = self._resolve(version)
        start = 0
        for snapshot in reversed(self._snapshots(end)):
            if self._load_snapshot(snapshot, target):
                start = snapshot.version
                break
        replay_entries(self._between(start, end)[0], target, progress=progress)
        return target

    def snapshot(self, version: Any = None) -> Path:
        """Write a snapshot: a version as a whole, from which `checkout` starts.

        It is Jelly-RDF, with the prefixes as namespaces of the whole dataset, which is how rdflib
        has them.

        Args:
            version: Which.

        Returns:
            The file. If there was a snapshot of the version, and it is not damaged, it is that.

        Raises:
            LogError: As by `checkout` and `entry`.
            ApplyError: As by `checkout`.
            OSError: The file can't be written. None is left then.
        """
        entry = self.entry(version)
        found = self._snapshots(entry.version)
        if found and found[-1].version == entry.version:
            with suppress(LogError, OSError):
                path = self._history.snapshot_path(found[-1])
                read_stored(path, found[-1].digest)
                return path
        return self._publisher.add_snapshot(entry, self.checkout(entry.version))

    def squash(self, first: Any = 1, last: Any = None) -> LogEntry:
        """Make one patch of several that follow one another, with the same effect.

        It is what `jelly_rdflib.compact` makes of them: in one transaction each statement comes
        once, what was aborted is gone, and headers are kept. It has the last one's ``id`` and the
        first one's ``prev``, and a header ``squashed`` says which versions it stands for. Those
        between are gone, and their snapshots, too. A target that has such a version can't be
        brought up to date any more; one that has the version before the first, or a version from
        the last on, can.

        The one patch deletes whatever came and went in the meantime. To undo it, ask first what of
        it takes effect on the version before: ``effective(...)``, then `jelly_rdflib.invert`.

        Args:
            first: The first version, or the id of the patch that makes it.
            last: The last one.

        Returns:
            The patch that is in their place.

        Raises:
            LogError: There are no such versions, or they were squashed already; a segment is
                damaged; someone else squashed them meanwhile.
            OSError: It can't be written. The log is as it was then.
        """
        if type(first) is not int or first < 1:
            first = self.entry(first).first
        entries, _, end = self._between(first - 1, last)
        if not entries:
            raise LogError(f"there are no versions from {first} to {end} to be squashed")
        if len(entries) == 1:
            return entries[0]
        entry = self._publisher.squash(entries)
        # What others have appended meanwhile is not seen before it is looked for.
        if self.version == entry.version:
            self._head = entry
        return entry

    def verify(self, *, deep: bool = False) -> list[LogProblem]:
        """Look for all that is wrong with the log as it is on the disk now.

        The database is looked through, and every file is read to the end: segments are to be what
        the database says, to have one patch each, and to name the patch before; snapshots must be
        whole. Files that are too many are told, too; but not what a writer that was cut off has
        left, since the next one removes it.

        Args:
            deep: Make each version that there is a snapshot of, and compare.

        Returns:
            The problems, each with what to do about it; none if all is well.
        """
        return find_problems(self._history, deep=deep)

    def _load_snapshot(self, snapshot: Snapshot, target: Dataset) -> bool:
        """Load a snapshot, or warn that it can't be."""
        try:
            path = self._history.snapshot_path(snapshot)
            load_snapshot(path, snapshot.digest, target, self._history.limits)
        except LimitError:
            raise
        except (LogError, DecodeError, OSError) as error:
            warn(f"the snapshot of version {snapshot.version} is not used: {error}", LogWarning)
            return False
        return True

    def _resolve(self, version: Any) -> int:
        with self._history.database.reading() as connection:
            return self._history.resolve(connection, version, self.version)

    def _snapshots(self, upto: int) -> list[Snapshot]:
        with self._history.database.reading() as connection:
            return self._history.usable_snapshots(connection, upto)

    def _between(self, since: Any, upto: Any) -> tuple[list[LogEntry], int, int]:
        """Return the patches between two versions, and the numbers of these."""
        with self._history.database.reading() as connection:
            start = 0
            if since is not None:
                start = self._history.resolve(connection, since, self.version)
            end = self._history.resolve(connection, upto, self.version)
            return self._history.between(connection, start, end), start, end

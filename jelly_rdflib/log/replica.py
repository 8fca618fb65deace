"""A dataset that follows a log, kept in a folder together with how far it came."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from rdflib.term import URIRef

from jelly_rdflib.errors import LogError
from jelly_rdflib.log.durable import StagedFile, make_folder, remove_leftovers, staged
from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.log.layout import COMPRESSIONS
from jelly_rdflib.log.locks import locked
from jelly_rdflib.log.names import SNAPSHOT, FileName
from jelly_rdflib.log.patch_log import PatchLog
from jelly_rdflib.log.replay import Progress
from jelly_rdflib.log.snapshot import empty_dataset, list_snapshots, load_snapshot, write_snapshot
from jelly_rdflib.options import Limits

__all__ = ["Replica"]


class Replica:
    """A dataset that follows a log, kept in a folder.

    The data are one file of Jelly-RDF, and its name says which version of the log they are. So data
    and position change together, by a rename, and whatever breaks off leaves both as they were:
    each patch is in the data once. The dataset itself is in memory. For one that is not, a store on
    a disk, see ``position`` of `PatchLog.replay`.

    Args:
        path: The folder; it is made if it is not there.
        compression: ``"zst"`` to have the file compressed with zstd.
        limits: What to accept of the file; by default `Limits`' own defaults.

    Attributes:
        dataset: The data, without the prefixes that rdflib binds by itself. What is changed in it
            by others than `update` is neither kept nor undone.

    Raises:
        LogError: The file is damaged.
        OSError: The folder can't be made or read.
        ValueError: There is no such compression.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = PatchLog(f"{folder}/log", create=True)
        ...     entry = log.append([])
        ...     replica = Replica(f"{folder}/replica")
        ...     print(replica.version, replica.update(log))
        ...     print(Replica(f"{folder}/replica").version)
        0 1
        1
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        compression: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        if compression not in COMPRESSIONS:
            raise ValueError(f"compression is 'zst' or None, not {compression!r}")
        self._path = Path(path)
        self._staging = self._path / "staging"
        self._is_compressed = compression is not None
        self._limits = limits or Limits()
        self._version = 0
        self._id: URIRef | None = None
        make_folder(self._staging)
        self._load()

    def __repr__(self) -> str:
        return f"<Replica {str(self.path)!r}: version {self.version}>"

    @property
    def path(self) -> Path:
        """The folder."""
        return self._path

    @property
    def version(self) -> int:
        """The version of the log that the dataset is; 0 if it is empty."""
        return self._version

    @property
    def id(self) -> URIRef | None:
        """The id of the patch that makes this version; None if the dataset is empty."""
        return self._id

    def update(self, log: PatchLog, *, upto: Any = None, progress: Progress | None = None) -> int:
        """Apply the patches that are missing, and keep the result.

        The log is taken as it was when it was last looked at: see `PatchLog.refresh`. After an
        error `dataset` is another one: what is on the disk.

        Args:
            log: The log. It must be the same each time.
            upto: The version that is wanted, by its number or its patch's id; by default the
                newest. A replica does not go back.
            progress: Called with each `LogEntry` that was applied.

        Returns:
            The version that the dataset is now.

        Raises:
            LogError: The log does not have the version that the dataset is, or has squashed it, or
                has not the version that is wanted; or a segment or snapshot is damaged.
            ApplyError: rdflib can't hold a statement.
            OSError: The file can't be written.
        """
        missing = log.patches(self._id, upto)
        if not missing:
            return self._version
        try:
            with locked(self._path / "lock"):
                if self._version == 0:
                    log.checkout(upto, target=self.dataset, progress=progress)
                else:
                    log.replay(self.dataset, since=self._id, upto=upto, progress=progress)
                self._save(missing[-1])
        except BaseException:
            self._load()
            raise
        self._version, self._id = missing[-1].version, missing[-1].id
        return self._version

    def _load(self) -> None:
        while True:
            self.dataset = empty_dataset()
            self._version, self._id = 0, None
            # Older ones are left where a process was ended before it removed them.
            names = list_snapshots(self._path)
            if not names:
                return
            try:
                load_snapshot(self._path / str(names[-1]), names[-1], self.dataset, self._limits)
            except LogError:
                # Unless another process has replaced it meanwhile.
                if list_snapshots(self._path)[-1:] == names[-1:]:
                    raise
            else:
                self._version, self._id = names[-1].last, names[-1].id
                return

    def _save(self, entry: LogEntry) -> None:
        """Keep the dataset in place of what is there, unless that is newer."""
        old = list_snapshots(self._path)
        if old and old[-1].last >= entry.version:
            # Another process has updated it, too.
            return
        remove_leftovers(self._staging)
        with staged(StagedFile(self._staging)) as file:
            write_snapshot(file, self.dataset, is_compressed=self._is_compressed)
            file.sync()
            version = entry.version
            name = FileName(version, version, entry.id, file.digest, SNAPSHOT, self._is_compressed)
            file.publish(self._path / str(name))
        for each in old:
            with suppress(OSError):
                os.unlink(self._path / str(each))

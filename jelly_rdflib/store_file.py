"""A store on the disk: a file of Jelly-RDF, and a log of changes beside it."""

from __future__ import annotations

import glob
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import LogError
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.graph.apply import apply_statements
from jelly_rdflib.graph.batches import read_batches
from jelly_rdflib.graph.graphs import empty_dataset, write_graph
from jelly_rdflib.log.patch_log import PatchLog
from jelly_rdflib.log.staging import sync_folder
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PhysicalStreamType, StreamOptions
from jelly_rdflib.patch.diff import diff
from jelly_rdflib.patch.parts import join_parts
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.recording.follower import Follower
from jelly_rdflib.recording.record import Recorder, record
from jelly_rdflib.streams.writing import StatementWriter

if TYPE_CHECKING:
    from jelly_rdflib.store.jelly_store import JellyStore

# In the metadata of the file's first frame: the id of its log, and of the patch that made it.
_VERSION = "jelly-rdflib.version"
# A file that is being written changes all the time. One that did not for so many seconds was left
# behind by a process that was killed.
_LEFT_BEHIND = 3600
# A store may have any number of prefixes, so its file and its log may, too.
_LIMITS = Limits(max_prefixes=2**31 - 1)


class StoreFile:
    """Keeps the contents of a store in a file, which is opened until it is closed.

    Each commit is a patch in the log, which is on the disk when the commit returns. The file is a
    snapshot, which says of which version of the log it is. It is written when the store is closed,
    in one step. When it is opened, the patches since are applied. So the log alone has all data.

    Args:
        store: A store without statements. It gets the contents, and forgets its prefixes.
        path: The file; the log is ``path`` + ``.log``. If there is a file without a log, the log's
            first patch is what the file has.
        create: Whether there need be neither of them.
    """

    def __init__(self, store: JellyStore, path: str | os.PathLike[str], *, create: bool) -> None:
        # The file that a link leads to is replaced, not the link.
        self._path = Path(os.path.realpath(path))
        log_path = self._path.with_name(f"{self._path.name}.log")
        is_there = self._path.exists()
        if not (is_there or log_path.exists() or create):
            raise FileNotFoundError(
                f"there is no file {self._path}: open(..., create=True) makes it"
            )
        self._store = store
        self._dataset = empty_dataset(store)
        if any(self._dataset.quads()):
            raise ValueError("a file is opened by an empty store, but this one has statements")
        store.destroy(None)
        # The version that the file has, as its metadata say it.
        self._saved = ""
        self.recorder: Recorder | None = None
        # It gets each transaction that the log gets.
        self.follower: Follower | None = None
        try:
            if is_there:
                self._read()
            self._log = PatchLog(log_path, create=True, limits=_LIMITS)
            self._catch_up(is_there)
            store.commit()
            self._remove_remains()
            # The version before the first transaction that the recorder commits.
            self._first_version = self._log.version
            self.recorder = record(self._dataset, self)
            store.file = self
            self.recorder.__enter__()
        except BaseException:
            self._leave()
            raise

    def __str__(self) -> str:
        return repr(str(self._path))

    # --- opening ----------------------------------------------------------------------------------

    def _read(self) -> None:
        # The version comes first. If another process replaces the file now, patches are applied
        # that the file has already, which changes nothing.
        with closing(read_batches(self._path, format=JELLY.name, limits=_LIMITS)) as batches:
            first = next(batches, None)
        if first is not None:
            self._saved = first.metadata.get(_VERSION, b"").decode("utf-8", "replace")
        apply_statements(self._path, self._dataset, limits=_LIMITS, normalize=False, strict=True)

    def _catch_up(self, is_there: bool) -> None:
        """Bring the store, which has what the file has, to the newest version of the log."""
        log_id, number, patch_id = (*self._saved.split(" "), "", "", "")[:3]
        if self._log.version == 0:
            if is_there:
                self._log.append(join_parts(self._parts()))
                # From here on the file is known as one of this log.
                self._save()
        elif not is_there:
            self._log.checkout(target=self._dataset)
        elif log_id == self._log.log_id:
            if number.isdecimal() and int(number) > self._log.version:
                raise LogError(
                    f"{self._path} has version {number}, but the log beside it, {self._log.path},"
                    f" only {self._log.version}: it is an older copy of the log"
                )
            if self._has(patch_id):
                self._log.replay(self._dataset, since=patch_id)
            else:
                # It was squashed.
                self._store.destroy(None)
                self._log.checkout(target=self._dataset)
        elif self._has_data_of(None) or self._has_first_data():
            # The process that opened the file for the first time was killed before it wrote it; or
            # another program has written the same data.
            self._store.destroy(None)
            self._log.checkout(target=self._dataset)
        else:
            raise LogError(
                f"{self._path} has other data than the log beside it, {self._log.path}: another"
                " program has written one of them. Move it away to go on with the other"
            )

    def _has(self, patch_id: str) -> bool:
        with suppress(LogError):
            return self._log.entry(patch_id).version > 0
        return False

    def _has_data_of(self, version: int | None) -> bool:
        """Has the store the statements of a version? Another program may leave out prefixes."""
        difference = diff(self._log.checkout(version), self._dataset)
        return not any(operation[0] in (Op.A, Op.D) for operation in difference)

    def _has_first_data(self) -> bool:
        # It may have been squashed.
        with suppress(LogError):
            return self._has_data_of(1)
        return False

    def _parts(self) -> Iterator[Operation | Batch]:
        prefixes: list[Operation] = [
            (Op.PA, prefix, iri, None) for prefix, iri in self._dataset.namespaces()
        ]
        return chain([(Op.TX,)], prefixes, read_batches(self._dataset), [(Op.TC,)])

    def _remove_remains(self) -> None:
        """Remove temporary files of processes that were killed while they wrote the file."""
        for path in self._path.parent.glob(f".*.{glob.escape(self._path.name)}"):
            is_ours = re.fullmatch(r"\.[0-9a-f]{16}\..*", path.name)
            with suppress(OSError):
                if is_ours and time.time() - path.stat().st_mtime > _LEFT_BEHIND:
                    path.unlink()

    # --- while it is open -------------------------------------------------------------------------

    def append(self, patch: Patch) -> None:
        """Append a transaction to the log.

        Raises:
            LogError: The commit before it was interrupted: the log has its patch, the store not.
            LogConflict, LimitError, EncodeError, OSError: As by `PatchLog.append`.
        """
        if not self._is_in_step():
            raise LogError(
                "a commit was interrupted when the log had its changes already, and the store has"
                " them no longer: close the file, and open it again"
            )
        if not self._has_effect(patch):
            self._first_version -= 1
            return
        with nullcontext() if self.follower is None else self.follower.writing(patch):
            self._log.append(patch)

    def _has_effect(self, patch: Patch) -> bool:
        """Has a patch, which the store has made, changed anything in the end?

        A transaction that is applied from an iterator, and aborted, is undone operation by
        operation, since others may have changed the store meanwhile. The log is to have nothing of
        it. Most patches have changed the first statement that they name.
        """
        seen = set()
        operation: Any
        for operation in patch:
            op, *terms = operation
            if op in (Op.PA, Op.PD):
                return True
            if op in (Op.A, Op.D) and (statement := tuple(terms)) not in seen:
                seen.add(statement)
                s, p, o, g = terms
                found = self._store.triples((s, p, o), DATASET_DEFAULT_GRAPH_ID if g is None else g)
                # Equal literals may have their language tags in other letters.
                tags = [getattr(o, "language", None) for (_, _, o), _ in found]
                if tags != ([] if op == Op.A else [getattr(o, "language", None)]):
                    return True
        return False

    def _is_in_step(self) -> bool:
        """Has the log one more patch for each transaction that was committed, with an effect?"""
        assert self.recorder is not None
        return self._log.version == self._first_version + self.recorder.committed

    # --- closing ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Write the file, if it is not up to date, and empty the store. Nothing may be pending.

        Raises:
            OSError: The file can't be written. The log has all data.
        """
        try:
            # If they differ, the log is newer: a commit was interrupted, or another process has
            # committed, and maybe written the file.
            self._log.refresh()
            if self._is_in_step() and self._saved != self._version:
                self._save()
        finally:
            self._leave()

    def _leave(self) -> None:
        self._store.file = None
        try:
            if self._store.recording is not None and self.recorder is not None:
                self.recorder.__exit__(None, None, None)
        finally:
            self._store.destroy(None)

    @property
    def _version(self) -> str:
        head = self._log.head
        return "" if head is None else f"{self._log.log_id} {head.version} {head.id}"

    def _save(self) -> None:
        options = StreamOptions(
            physical_type=PhysicalStreamType.QUADS,
            namespace_declarations=any(self._dataset.namespaces()),
        )
        # The end of its name says whether it is compressed.
        path = self._path.with_name(f".{secrets.token_hex(8)}.{self._path.name}")
        try:
            with StatementWriter(path, options, format=JELLY.name) as writer:
                writer.end_frame({_VERSION: self._version.encode()})
                write_graph(self._dataset, writer, namespaces=options.namespace_declarations)
            if self._path.exists():
                shutil.copymode(self._path, path)
            with path.open("r+b") as file:
                os.fsync(file.fileno())
            os.replace(path, self._path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        sync_folder(self._path.parent)
        self._saved = self._version

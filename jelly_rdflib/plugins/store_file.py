"""A store on the disk: a Jelly-RDF file, and a log of changes next to it."""

from __future__ import annotations

import glob
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, nullcontext, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.term import URIRef

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import ApplyError, DecodeError, LogError, LogWarning, MissingVersion
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.graph.apply import apply_statements
from jelly_rdflib.graph.batches import read_batches
from jelly_rdflib.graph.graphs import empty_dataset, write_graph
from jelly_rdflib.log.entry import LogEntry
from jelly_rdflib.log.names import local_path
from jelly_rdflib.log.patch_log import PatchLog
from jelly_rdflib.log.sealed_file import VERSION, SealedFile, Sealer
from jelly_rdflib.log.staging import NEW_FILE, make_folder, sync_folder
from jelly_rdflib.log.versions import Point
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PhysicalStreamType, StreamOptions
from jelly_rdflib.patch.diff import diff
from jelly_rdflib.patch.patch import Patch, join_parts
from jelly_rdflib.recording.follower import Follower
from jelly_rdflib.recording.record import Recorder, record
from jelly_rdflib.streams.destination import compressed, naming_target
from jelly_rdflib.streams.writing import StatementWriter

if TYPE_CHECKING:
    from jelly_rdflib.store.jelly_store import JellyStore

# A file that is being written changes all the time. If one has not changed for this many seconds,
# its writer must have been killed.
_LEFT_BEHIND = 3600
# The file is written when replaying the later patches would take as long as reading the file, and
# at least as long as reading this many bytes. Opening a patch takes about as long as reading
# `_PATCH_COST` bytes.
_LEAST_REPLAY = 1 << 20
_PATCH_COST = 1 << 12
# A store may have any number of prefixes, so its file and its log may, too.
_LIMITS = Limits(max_prefixes=2**31 - 1)


class StoreFile:
    """Keeps the contents of a store in a file, until `close` is called.

    Each commit is a patch in the log, which is on the disk when the commit returns. The file is a
    snapshot: it names its version in the log, and ends with a digest. It is replaced in one step,
    when the store is closed, and after a commit if the patches since the file's version are larger
    than the file. Opening the store applies these patches. The log alone has all data, so a
    damaged file is rebuilt from it.

    Args:
        store: A store without statements. It gets the contents of the file, and loses its own
            prefixes.
        path: The file; the log is ``path`` + ``.log``. If a file has no log, a log is made, and
            its first patch has the contents of the file.
        create: Whether to make the file and the log if both are missing.
    """

    def __init__(self, store: JellyStore, path: str | os.PathLike[str], *, create: bool) -> None:
        # Resolve links, so that saving replaces the file, not the link.
        self._path = Path(os.path.realpath(local_path(path)))
        log_path = self._path.with_name(f"{self._path.name}.log")
        is_there = self._path.exists()
        if not (is_there or log_path.exists() or create):
            raise FileNotFoundError(
                f"there is no file {self._path}: open(..., create=True) makes it"
            )
        self._store = store
        self._dataset = empty_dataset(store)
        if any(self._dataset.quads()):
            raise ValueError("only an empty store can open a file, but this one has statements")
        store.destroy(None)
        # The version according to the metadata of the file.
        self._saved = ""
        # The size of the file in bytes, uncompressed.
        self._size = 0
        # The error that shows the damage, if the file is damaged.
        self._damage: Exception | None = None
        # The bytes of the patches since the file's version, plus the cost of opening each patch.
        self._replay_cost = 0
        self.recorder: Recorder | None = None
        # A second recording, which gets each transaction that the log gets.
        self.follower: Follower | None = None
        try:
            if is_there:
                self._read()
            self._check_rebuildable(log_path.exists())
            if is_there:
                self._restrict(log_path)
            self._log = PatchLog(log_path, create=True, limits=_LIMITS)
            self._check_rebuildable(self._log.version > 0)
            self._catch_up(is_there)
            store.commit()
            self._save_if_due()
            self._remove_remains()
            # The version before the first transaction that the recorder commits.
            self._first_version = self._log.version
            self.recorder = record(self._dataset, self)
            store.file = self
            self.recorder.__enter__()
            self.recorder._call_after_commit(self._save_if_due)
        except BaseException:
            self._leave()
            raise

    def __str__(self) -> str:
        return repr(str(self._path))

    # --- opening ----------------------------------------------------------------------------------

    def _read(self) -> None:
        """Read the file; if it is damaged, the store stays empty."""
        try:
            file = SealedFile(self._path, _LIMITS)
            with closing(file.source) as source:
                apply_statements(
                    source, self._dataset, limits=_LIMITS, normalize=False, strict=True
                )
            if fault := file.fault():
                raise DecodeError(
                    f"{self._path} is damaged, or another program has written to it: {fault}. To"
                    " use it as it is, without its log, convert it to N-Quads and back"
                )
            self._saved, self._size = file.version, file.size
        except (DecodeError, ApplyError) as error:
            self._damage = error
            self._store.destroy(None)

    def _check_rebuildable(self, has_log: bool) -> None:
        if self._damage is not None and not has_log:
            if type(self._damage) is DecodeError:
                fault = self._damage.message.partition("; is the input")[0]
                advice = "a store opens Jelly-RDF, and parse() reads other formats"
                self._damage.message = f"{fault}: {advice}"
            raise self._damage

    def _restrict(self, log_path: Path) -> None:
        """Deny access to the log to users who can't read the file."""
        mode = self._path.stat().st_mode
        # Whoever can read the file must also be able to enter the log's folder. The owner must be
        # able to write the log.
        wanted = mode & 0o777 | (mode & 0o444) >> 2 | 0o700
        is_new = make_folder(log_path)
        found = log_path.stat().st_mode & 0o777
        if not is_new:
            wanted &= found
        if wanted != found:
            # This may fail: the folder may belong to another user, or be on a read-only medium.
            with suppress(OSError):
                log_path.chmod(wanted)

    def _catch_up(self, is_there: bool) -> None:
        """Update the store from the file's version to the newest version of the log."""
        log_id, number, patch_id = (*self._saved.split(" "), "", "", "")[:3]
        if log_id == self._log.log_id and int(number) > self._log.version:
            raise LogError(
                f"{self._path} has version {number}, but the log next to it, {self._log.path},"
                f" only {self._log.version}: it is an older copy of the log. Restore the newer"
                " one, or move the file away to continue with the log, or the log to continue with"
                " the file"
            )
        if self._log.version == 0:
            if is_there:
                self._log.append(join_parts(self._parts()))
                # From now on the file names this log.
                self._save()
        elif self._damage is not None:
            try:
                self._check_out()
            except LogError as error:
                raise LogError(
                    f"{self._damage}. The log next to it can't replace it: {error}"
                ) from error
            warn(
                "the file of the store is not used, and its data were restored from the log next to"
                f" it, {self._log.path}. The file is kept as {self._kept} when it is written again."
                f" The damage: {self._damage}",
                LogWarning,
            )
        elif not is_there:
            self._check_out()
        elif log_id == self._log.log_id:
            # Look for both number and id: in a restored log, a number may mean another version.
            point = Point(int(number), URIRef(patch_id))
            try:
                self._count(self._log.patches(point))
            except MissingVersion as error:
                if error.squashed_into is None:
                    raise LogError(
                        f"{self._path} has version {number}, made by the patch <{patch_id}>, which"
                        f" the log next to it, {self._log.path}, never had: one of them is a copy"
                        " from before the other changed. Move the file away to continue with the"
                        " log, or the log to continue with the file"
                    ) from error
                self._check_out()
            else:
                self._log.replay(self._dataset, since=point)
        elif self._has_data_of(None) or self._has_first_data():
            # The process that first opened the file was killed before it wrote the file; or another
            # program has written the same data.
            self._check_out()
        else:
            raise LogError(
                f"{self._path} does not have the data of the log next to it, {self._log.path}:"
                " another program has written one of them. Move that one away to continue with the"
                " other"
            )

    def _check_out(self) -> None:
        self._store.destroy(None)
        self._log.checkout(target=self._dataset)
        self._count(self._log.patches())

    def _count(self, entries: Iterable[LogEntry]) -> None:
        self._replay_cost += sum(entry.size + _PATCH_COST for entry in entries)

    def _has_data_of(self, version: int | None) -> bool:
        """Return whether the store has a version's statements; prefixes are ignored."""
        difference = diff(self._log.checkout(version), self._dataset)
        return not any(operation[0] in (Op.A, Op.D) for operation in difference)

    def _has_first_data(self) -> bool:
        # If version 1 was squashed, it can't be compared.
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
            LogError: The previous commit was interrupted: the log has its patch, but the store
                does not have its changes.
            LogConflict, LimitError, EncodeError, OSError: As for `PatchLog.append`.
        """
        if not self._is_in_step():
            raise LogError(
                "a commit was interrupted: the log has its changes, but the store has undone them."
                " Close the file, and open it again"
            )
        if not self._has_effect(patch):
            self._first_version -= 1
            return
        with nullcontext() if self.follower is None else self.follower.writing(patch):
            self._count([self._log.append(patch)])

    def _has_effect(self, patch: Patch) -> bool:
        """Return whether a patch, made by the store, has changed anything in the end.

        If a transaction is applied from an iterator and aborted, it is undone operation by
        operation, since other threads may have changed the store in between. Such a patch has no
        effect in the end, and must not get into the log. The search stops at the first effect,
        which is usually that of the first statement.
        """
        seen = set()
        for batch in (part.as_batch() for part in patch._slices()):
            for op, *row in zip(batch.ops, batch.s, batch.p, batch.o, batch.g, strict=True):
                if op in (Op.PA, Op.PD):
                    return True
                statement = s, p, o, g = tuple(batch.terms[number] for number in row)
                if op not in (Op.A, Op.D) or statement in seen:
                    continue
                seen.add(statement)
                found = self._store.triples((s, p, o), DATASET_DEFAULT_GRAPH_ID if g is None else g)
                # Compare the tags, too, since those of equal literals may differ in case.
                tags = [getattr(o, "language", None) for (_, _, o), _ in found]
                if tags != ([] if op == Op.A else [getattr(o, "language", None)]):
                    return True
        return False

    def _is_in_step(self) -> bool:
        """Return whether the log has a patch for each committed transaction with an effect."""
        assert self.recorder is not None
        return self._log.version == self._first_version + self.recorder.committed

    # --- closing ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Write the file if it is outdated, and empty the store. No changes may be pending.

        Raises:
            OSError: The file can't be written. The log has all data.
        """
        try:
            # Don't write the file if the log is newer than the store: a commit was interrupted, or
            # another process has committed, and may have written the file.
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

    @property
    def _kept(self) -> Path:
        """The path under which a damaged file is kept."""
        return self._path.with_name(f"{self._path.name}.damaged")

    def _save_if_due(self) -> None:
        """Write the file if a replay after a crash would take a long time.

        Writing it takes about as long as the commits since it was last written.
        """
        if self._replay_cost > max(_LEAST_REPLAY, self._size):
            # An error here must not reach the caller: the commit has succeeded, since the log has
            # it. `close` tries to write the file again.
            with suppress(OSError, MemoryError):
                self._save()
            self._replay_cost = 0

    def _save(self) -> None:
        options = StreamOptions(
            physical_type=PhysicalStreamType.QUADS,
            namespace_declarations=any(self._dataset.namespaces()),
        )
        path = self._path.with_name(f".{secrets.token_hex(8)}.{self._path.name}")
        # A new file gets the permissions of the log.
        like = self._path if self._path.exists() else self._log.path
        mode = like.stat().st_mode & (0o777 if like == self._path else 0o666)
        try:
            # Until the file has its final mode, only the owner can read it. The extension
            # determines whether it is compressed.
            with naming_target(path, self._path):
                with (
                    open(os.open(path, NEW_FILE, 0o600), "wb") as raw,
                    closing(compressed(raw, path.name)) as packed,
                ):
                    sealer = Sealer(packed)
                    with StatementWriter(sealer, options, format=JELLY.name) as writer:
                        writer.end_frame({VERSION: self._version.encode()})
                        write_graph(
                            self._dataset, writer, namespaces=options.namespace_declarations
                        )
                    sealer.seal()
                with path.open("r+b") as file:
                    # Change the mode only now that the file is open: the new mode may not allow
                    # the owner to open it.
                    path.chmod(mode)
                    os.fsync(file.fileno())
                if self._damage is not None and self._path.exists():
                    os.replace(self._path, self._kept)
                self._damage = None
                os.replace(path, self._path)
        except BaseException:
            # Raise the first error, not one that follows from it.
            with suppress(OSError):
                path.unlink()
            raise
        sync_folder(self._path.parent)
        self._saved, self._size = self._version, sealer.size
        self._replay_cost = 0

"""A store on the disk: a file of Jelly-RDF, and a log of changes beside it."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rdflib.term import URIRef

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import LogError
from jelly_rdflib.graph.apply import apply_statements
from jelly_rdflib.graph.batches import read_batches
from jelly_rdflib.graph.graphs import empty_dataset, write_graph
from jelly_rdflib.log.patch_log import PatchLog
from jelly_rdflib.log.staging import sync_folder
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import PhysicalStreamType, StreamOptions
from jelly_rdflib.patch.diff import diff
from jelly_rdflib.patch.parts import join_parts
from jelly_rdflib.recording.record import record
from jelly_rdflib.streams.writing import StatementWriter

if TYPE_CHECKING:
    from jelly_rdflib.store.jelly_store import JellyStore

# In the metadata of the file's first frame: the id of the patch that makes its version.
_VERSION = "jelly-rdflib.version"


class StoreFile:
    """Keeps the contents of a store in a file, which is opened until it is closed.

    Each commit is a patch in the log, which is on the disk when the commit returns. The file is a
    snapshot, which says of which version of the log it is. It is written when the store is closed,
    in one step. When it is opened, the patches since are applied. So the log alone has all data.

    Args:
        store: An empty store, which gets the contents.
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
        self._dataset = empty_dataset(store)
        if any(self._dataset.quads()):
            raise ValueError("a file is opened by an empty store, but this one has statements")
        # The version that the file has.
        self._saved: URIRef | None = None
        try:
            if is_there:
                self._saved = self._read()
            self._log = PatchLog(log_path, create=True)
            self._catch_up(is_there)
            store.commit()
            self._recorder = record(self._dataset, self._log)
            self._recorder.__enter__()
        except BaseException:
            store.destroy(None)
            raise

    def _catch_up(self, is_there: bool) -> None:
        """Bring the store, which has what the file has, to the newest version of the log."""
        if self._log.version == 0:
            if is_there:
                self._log.append(join_parts(self._parts()))
        elif not is_there:
            self._log.checkout(target=self._dataset)
        elif self._has_version():
            self._log.replay(self._dataset, since=self._saved)
        elif diff(self._log.checkout(), self._dataset):
            raise LogError(
                f"{self._path} has other data than the log beside it, {self._log.path}: another"
                " program has written one of them. Move it away to go on with the other"
            )

    def _read(self) -> URIRef | None:
        """Read the file into the store; return its version."""
        # The version first: to apply a patch again to a newer file does nothing.
        first = next(read_batches(self._path, format="jelly-rdf"), None)
        apply_statements(self._path, self._dataset, limits=None, normalize=False, strict=True)
        version = None if first is None else first.metadata.get(_VERSION)
        return None if version is None else URIRef(version.decode())

    def _has_version(self) -> bool:
        """Has the log the version of the file, which was not squashed?"""
        with suppress(LogError):
            return self._saved is not None and self._log.entry(self._saved).version > 0
        return False

    def _parts(self) -> Iterator[Operation | Batch]:
        prefixes = [(Op.PA, *prefix, None) for prefix in self._dataset.namespaces()]
        return chain([(Op.TX,)], prefixes, read_batches(self._dataset), [(Op.TC,)])

    def close(self) -> None:
        """Write the file, if it is not up to date. Nothing may be pending.

        Raises:
            OSError: It can't be written. The log has all data.
        """
        self._recorder.__exit__(None, None, None)
        head = self._log.head
        if head is not None and head.id != self._saved:
            self._save(head.id)

    def _save(self, version: URIRef) -> None:
        options = StreamOptions(
            physical_type=PhysicalStreamType.QUADS,
            namespace_declarations=any(self._dataset.namespaces()),
        )
        # The end of its name says whether it is compressed.
        path = self._path.with_name(f".{secrets.token_hex(8)}.{self._path.name}")
        try:
            with StatementWriter(path, options, format="jelly-rdf") as writer:
                writer.end_frame({_VERSION: version.encode()})
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

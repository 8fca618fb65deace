"""The files of a log: segments and snapshots.

A segment has one patch. The patch's headers identify its place in the log: its id and the id of
the previous patch. A snapshot stores a whole dataset, its statements and prefixes, as Jelly-RDF, so
that a checkout need not apply all patches. The prefixes are those of the whole dataset, since
rdflib binds prefixes for a whole store. A snapshot leaves out graphs without statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from rdflib.graph import Dataset
from rdflib.term import Literal, Node, URIRef

from jelly_rdflib.core.batch import Batch, BatchSlice
from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import EncodeError, LogError
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.graph.apply import apply_read
from jelly_rdflib.graph.batches import read_batches
from jelly_rdflib.graph.graphs import write_graph
from jelly_rdflib.graph.stores.contents import Contents
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.headers import ID, PREV, SQUASHED, header_key
from jelly_rdflib.log.names import SNAPSHOT, FileName
from jelly_rdflib.log.staging import StagedFile
from jelly_rdflib.operations import Header, Op
from jelly_rdflib.options import (
    Limits,
    PatchOptions,
    PatchStatementType,
    PatchStreamType,
    PhysicalStreamType,
    StreamOptions,
)
from jelly_rdflib.streams.destination import ZstdFile
from jelly_rdflib.streams.open_input import open_input
from jelly_rdflib.streams.writing import PatchWriter, StatementWriter
from jelly_rdflib.types import Readable


@dataclass(frozen=True)
class Place:
    """The place of a patch in a log: its first and last version, its id and the previous id.

    Only a squashed patch has more than one version; applying it makes the last one.
    """

    first: int
    last: int
    id: URIRef
    prev: URIRef | None

    def headers(self) -> list[Header]:
        """Return the headers for the place; the header ``squashed`` names the replaced versions."""
        return [(Op.H, key, value) for key, value in self._values().items() if value is not None]

    def check(self, headers: Iterable[Header]) -> None:
        """Check that the headers of a patch, or those at its start, match this place."""
        wanted = self._values()
        found: dict[str, list[Node]] = {key: [] for key in wanted}
        for _, key, value in headers:
            # The key "previous" counts as "prev" only if there is no header "prev".
            values = found.get(header_key(key) if self.prev is None else key.lower())
            # Two values of a key are enough for an error, so don't keep more.
            if values is not None and len(values) < 2:
                values.append(value)
        for key, expected in wanted.items():
            if found[key] != ([] if expected is None else [expected]):
                shown = " and ".join(map(show, found[key])) or "missing"
                advice = f"it should be {show(expected)}" if expected else "there should be none"
                raise LogError(f"its header {key} is {shown}; {advice}")

    def _values(self) -> dict[str, Node | None]:
        values: dict[str, Node | None] = {ID: self.id, PREV: self.prev}
        if self.first != self.last:
            # Check this header only for a squashed patch: other patches may have one that was
            # copied from another log.
            values[SQUASHED] = Literal(f"{self.first}-{self.last}")
        return values


FORMAT: Final = "jelly-patch"


def segment_options(options: PatchOptions) -> PatchOptions:
    """Return options for a segment: for one FLAT stream of quads."""
    kind: Any = {"stream_type": PatchStreamType.FLAT, "statement_type": PatchStatementType.QUADS}
    return replace(options, delimited=True, **kind)


def write_segment(sink: Any, parts: Iterable[Any], place: Place, options: PatchOptions) -> None:
    """Write a patch as a segment.

    ``parts`` must not have the headers of the place or an `Op.END`. ``options`` determine the
    sizes of lookups and frames, and which terms are allowed.
    """
    writer = PatchWriter(sink, segment_options(options), format=FORMAT)
    writer.write_all(place.headers())
    for part in parts:
        writer.write_all(part)
    if writer.in_transaction:
        raise EncodeError("the patch ends inside a transaction, without TC or TA")
    writer.close()


@contextmanager
def sink_to(file: StagedFile, *, is_compressed: bool) -> Iterator[Any]:
    """Yield a sink that writes a file, compressed or not; the file is complete after the block."""
    if not is_compressed:
        yield file
        return
    sink = ZstdFile(file, has_checksum=True)
    yield sink
    # An error in the block skips this line: then the file is discarded, so it need not be closed.
    sink.close()


def check_segment(source: bytes | Path, place: Place, *, limits: Limits) -> None:
    """Check that a segment is one patch, with the headers of its place before all others."""

    def headers() -> Iterator[Header]:
        patches = 0
        for batch in read_batches(source, limits=limits, format=FORMAT):
            yield from headers_of(batch)
            patches += bytes(batch.ops).count(Op.END)
        if patches != 1:
            raise LogError(f"it has {patches} patches, not one")

    place.check(headers())


def headers_of(batch: Batch) -> list[Header]:
    """Return the headers in a batch."""
    return BatchSlice(batch, 0, len(batch)).headers()


def write_snapshot(
    file: StagedFile, dataset: Dataset, version: int, id: URIRef, *, is_compressed: bool
) -> str:
    """Write a version of a dataset to the disk; return the name for the file.

    The same dataset always gives the same bytes. ``id`` names the patch that makes this version.
    """
    has_prefixes = any(dataset.namespaces())
    options = StreamOptions(
        physical_type=PhysicalStreamType.QUADS, namespace_declarations=has_prefixes
    )
    with (
        sink_to(file, is_compressed=is_compressed) as sink,
        StatementWriter(sink, options) as writer,
    ):
        write_graph(dataset, writer, namespaces=has_prefixes)
    file.sync()
    return str(FileName(version, version, id, file.digest, SNAPSHOT, is_compressed))


def check_empty(target: Dataset) -> None:
    """Check that a target is a dataset without statements."""
    contents = Contents(target)
    if not contents.is_dataset:
        raise TypeError(f"the target must be a Dataset, not a {type(target).__name__}")
    if any(True for name in contents.graphs for _ in contents.triples(name)):
        raise ValueError("the target must be empty: it gets only the statements of one version")


def load_snapshot(source: Readable, target: Dataset, limits: Limits) -> None:
    """Load the bytes of a snapshot into an empty dataset, which stays empty after an error."""
    opened = open_input(source, format=JELLY.name, holds_changes=False, limits=limits)
    apply_read(opened.operations(), Target(target), is_held=True, limits=limits)

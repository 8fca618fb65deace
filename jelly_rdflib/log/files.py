"""The files of a log: segments and snapshots.

A segment has one patch, which names its id and the id of the patch before it: its place. A snapshot
has a whole dataset as Jelly-RDF, its statements and its prefixes, so that not all patches must be
applied to get there. Jelly-RDF declares prefixes for a whole stream, as rdflib binds them for a
whole store. Graphs without statements are not in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import zstandard
from rdflib.graph import Dataset
from rdflib.namespace import NamespaceManager
from rdflib.term import Literal, Node, URIRef

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import EncodeError, LogError
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.graph.apply import apply_read
from jelly_rdflib.graph.graphs import write_graph
from jelly_rdflib.graph.stores.contents import Contents
from jelly_rdflib.graph.stores.statements import show_term
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.headers import ID, PREV, header_key
from jelly_rdflib.log.staging import StagedFile, read_stored
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import (
    Limits,
    PatchOptions,
    PatchStatementType,
    PatchStreamType,
    PhysicalStreamType,
    StreamOptions,
)
from jelly_rdflib.streams.open_input import open_input
from jelly_rdflib.streams.reading import read_batches
from jelly_rdflib.streams.writing import PatchWriter, StatementWriter

_SQUASHED = "squashed"


@dataclass(frozen=True)
class Place:
    """A patch's place in a log.

    Args:
        first: The first version that it stands for.
        last: The last one, which it makes; the same, unless it was squashed.
        id: Its id.
        prev: The id of the patch before it; None for the first.

    Examples:
        >>> for header in Place(2, 4, URIRef("uuid:4"), URIRef("uuid:1")).headers():
        ...     print(*header[1:])
        id uuid:4
        prev uuid:1
        squashed 2-4
    """

    first: int
    last: int
    id: URIRef
    prev: URIRef | None

    def headers(self) -> list[Operation]:
        """Return the headers that the patch begins with.

        A squashed patch has a header ``squashed``, so that also the file alone says which versions
        it stands for.
        """
        return [(Op.H, key, value) for key, value in self._values().items() if value is not None]

    def check(self, headers: Iterable[Operation]) -> None:
        """Check the headers of a patch.

        Args:
            headers: All that it has, or those at its start.

        Raises:
            LogError: They don't go with this place.
        """
        found = [(self._key(key), value) for _, key, value in self.some(headers)]
        for key, wanted in self._values().items():
            values = [value for each, value in found if each == key]
            if values != ([] if wanted is None else [wanted]):
                shown = " and ".join(map(show_term, values)) or "missing"
                wish = f"it should be {show_term(wanted)}" if wanted else "there should be none"
                raise LogError(f"its header {key} is {shown}; {wish}")

    def some(self, headers: Iterable[Operation]) -> list[Operation]:
        """Return those that say a place, as many as show what is wrong: two of each key."""
        counts = Counter(self._values().keys())
        some = []
        for header in headers:
            key = self._key(header[1])
            if 0 < counts[key] <= 2:
                counts[key] += 1
                some.append(header)
        return some

    @staticmethod
    def has_header(operation: Operation) -> bool:
        """Is this a header that says a place?"""
        return operation[0] == Op.H and header_key(operation[1]) in (ID, PREV, _SQUASHED)

    def _key(self, key: str) -> str:
        """Return what a key is compared by: with a ``prev``, ``previous`` says no place."""
        return header_key(key) if self.prev is None else key.lower()

    def _values(self) -> dict[str, Node | None]:
        values: dict[str, Node | None] = {ID: self.id, PREV: self.prev}
        if self.first != self.last:
            # One that is in a place of its own may come from a log in which it was squashed.
            values[_SQUASHED] = Literal(f"{self.first}-{self.last}")
        return values


FORMAT = "jelly-patch"


def write_segment(
    file: StagedFile,
    operations: Iterable[Operation],
    *,
    place: Place,
    options: PatchOptions,
    is_compressed: bool,
) -> None:
    """Write a patch as a segment: one FLAT stream of quads.

    Args:
        file: Where to.
        operations: What comes after the headers that go with its place; without an `Op.END`.
        place: Its place.
        options: Sizes of lookups and frames, and which terms there may be.
        is_compressed: Whether to compress it with zstd.

    Raises:
        EncodeError: An operation can't be expressed with the options, or is out of place.
    """
    options = replace(
        options,
        stream_type=PatchStreamType.FLAT,
        statement_type=PatchStatementType.QUADS,
        delimited=True,
    )
    with compressed(file, is_compressed=is_compressed) as sink:
        writer = PatchWriter(sink, options, format=FORMAT)
        writer.write_all(place.headers())
        writer.write_all(operations)
        if writer.in_transaction:
            raise EncodeError("the patch ends inside a transaction: neither TC nor TA came")
        writer.close()


@contextmanager
def compressed(file: StagedFile, *, is_compressed: bool) -> Iterator[Any]:
    """Hold what writes to a file, compressed with zstd or as it is; complete after the block."""
    if is_compressed:
        compressor = zstandard.ZstdCompressor(write_checksum=True)
        sink = compressor.stream_writer(file, closefd=False)  # type: ignore[arg-type]
        yield sink
        # Not after an error: there is nothing more to write then.
        sink.close()  # type: ignore[no-untyped-call]
    else:
        yield file


def check_segment(
    source: bytes | Path,
    place: Place,
    *,
    limits: Limits,
    check_header: Callable[[Operation], None] | None = None,
) -> None:
    """Check a whole segment: one patch, with the headers that go with its place.

    Args:
        source: What `read_stored` returned, or a file's `StagedFile.source`.
        place: Its place.
        limits: What to accept.
        check_header: Called with each header after those of its place.

    Raises:
        LogError: It is not so.
        DecodeError, LimitError: It breaks a rule of the format.
    """
    headers: list[Operation] = []
    own = len(place.headers())
    patches = 0
    for batch in read_batches(source, limits=limits, format=FORMAT):
        found = list(headers_of(batch))
        if check_header is not None:
            for header in found[own:]:
                check_header(header)
            own = max(0, own - len(found))
        headers = place.some(chain(headers, found))
        patches += bytes(batch.ops).count(Op.END)
    if patches != 1:
        raise LogError(f"it has {patches} patches, not one")
    place.check(headers)


def headers_of(batch: Batch) -> Iterator[Operation]:
    """Iterate over the headers in a batch."""
    if Op.H not in bytes(batch.ops):
        return iter(())
    return (operation for operation in batch if operation[0] == Op.H)


def empty_dataset() -> Dataset:
    """Make a dataset without prefixes; rdflib would bind a set of its own."""
    dataset = Dataset()
    dataset.namespace_manager = NamespaceManager(dataset, bind_namespaces="none")
    return dataset


def write_snapshot(file: StagedFile, dataset: Dataset, *, is_compressed: bool) -> None:
    """Write a dataset; the same one always gives the same bytes."""
    has_prefixes = any(dataset.namespaces())
    options = StreamOptions(
        physical_type=PhysicalStreamType.QUADS, namespace_declarations=has_prefixes
    )
    with (
        compressed(file, is_compressed=is_compressed) as sink,
        StatementWriter(sink, options) as writer,
    ):
        write_graph(dataset, writer, namespaces=has_prefixes)


def check_empty(target: Dataset) -> None:
    """Check that a dataset has no statements.

    Raises:
        TypeError: It is none.
        ValueError: It has.
    """
    contents = Contents(target)
    if not contents.is_dataset:
        raise TypeError(f"a Dataset is wanted, not a {type(target).__name__}")
    if any(True for name in contents.graphs for _ in contents.triples(name)):
        raise ValueError("the target is not empty: a version is all that it is to have")


def load_snapshot(path: Path, digest: str, target: Dataset, limits: Limits) -> None:
    """Add what a snapshot has to an empty dataset, which stays empty after an error.

    Raises:
        LogError: The file is damaged, or is gone.
        DecodeError, LimitError: It breaks a rule of the format.
    """
    source = read_stored(path, digest)
    opened = open_input(source, format=JELLY.name, holds_changes=False, limits=limits)
    apply_read(opened.operations(), Target(target), is_held=True, limits=limits)

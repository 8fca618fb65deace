"""Segments: files of one patch each, which names its id and the id of the patch before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import zstandard

from jelly_rdflib.batches import read_batches
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import EncodeError, LogError
from jelly_rdflib.log.durable import StagedFile
from jelly_rdflib.log.place import Place
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PatchOptions, PatchStatementType, PatchStreamType
from jelly_rdflib.patch_writer import PatchWriter

__all__ = ["FORMAT", "check_segment", "compressed", "headers_of", "write_segment"]

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
        with compressor.stream_writer(file, closefd=False) as sink:  # type: ignore[arg-type]
            yield sink
    else:
        yield file


def check_segment(
    source: bytes | Path, place: Place, *, limits: Limits, is_linked: bool = True
) -> None:
    """Check a whole segment: one patch, with the headers that go with its place.

    Args:
        source: What `read_stored` returned.
        place: Its place.
        limits: What to accept.
        is_linked: Whether it is known what comes before it.

    Raises:
        LogError: It is not so.
        DecodeError, LimitError: It breaks a rule of the format.
    """
    headers: list[Operation] = []
    patches = 0
    for batch in read_batches(source, limits=limits, format=FORMAT):
        headers = place.some(chain(headers, headers_of(batch)))
        patches += bytes(batch.ops).count(Op.END)
    if patches != 1:
        raise LogError(f"it has {patches} patches, not one")
    place.check(headers, is_linked=is_linked)


def headers_of(batch: Batch) -> Iterator[Operation]:
    """Iterate over the headers in a batch."""
    if Op.H not in bytes(batch.ops):
        return iter(())
    return (operation for operation in batch if operation[0] == Op.H)

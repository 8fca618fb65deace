"""Segments: files of one patch each, which names its id and the id of the patch before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import zstandard
from rdflib.term import Node, URIRef

from jelly_rdflib.batches import read_batches
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import EncodeError, LogError
from jelly_rdflib.log.durable import StagedFile
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PatchOptions, PatchStatementType, PatchStreamType
from jelly_rdflib.patch_writer import PatchWriter
from jelly_rdflib.stores.statements import show_term

__all__ = ["FORMAT", "check_header", "check_segment", "compressed", "write_segment"]

FORMAT = "jelly-patch"


def write_segment(
    file: StagedFile,
    operations: Iterable[Operation],
    *,
    id: URIRef,
    prev: URIRef | None,
    options: PatchOptions | None,
    is_compressed: bool,
) -> None:
    """Write a patch as a segment: one FLAT stream of quads.

    Args:
        file: Where to.
        operations: What comes after the headers ``id`` and ``prev``; without an `Op.END`.
        id: The patch's id.
        prev: The id of the patch before it.
        options: Sizes of lookups and frames, and which terms there may be.
        is_compressed: Whether to compress it with zstd.

    Raises:
        EncodeError: An operation can't be expressed with the options, or is out of place.
    """
    options = replace(
        options or PatchOptions(),
        stream_type=PatchStreamType.FLAT,
        statement_type=PatchStatementType.QUADS,
        delimited=True,
    )
    with compressed(file, is_compressed=is_compressed) as sink:
        writer = PatchWriter(sink, options, format=FORMAT)
        writer.header("id", id)
        if prev is not None:
            writer.header("prev", prev)
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


def check_header(source: bytes | Path, *, id: URIRef, prev: URIRef | None, limits: Limits) -> None:
    """Check that a segment begins with the ids that it is to have.

    Raises:
        LogError: It does not.
        DecodeError, LimitError: Its first frame breaks a rule of the format.
    """
    batches = read_batches(source, limits=limits, format=FORMAT)
    try:
        _check_ids(_ids_in(next(batches)), id, prev)
    finally:
        batches.close()


def check_segment(
    source: bytes | Path,
    *,
    id: URIRef,
    prev: URIRef | None,
    limits: Limits,
    is_linked: bool = True,
) -> None:
    """Check a whole segment: one patch, with the ids that it is to have.

    Args:
        source: What `read_stored` returned.
        id: The patch's id.
        prev: The id of the patch before it.
        limits: What to accept.
        is_linked: Whether it is known what comes before it.

    Raises:
        LogError: It is not so.
        DecodeError, LimitError: It breaks a rule of the format.
    """
    ids: list[tuple[str, Node]] = []
    patches = 0
    for batch in read_batches(source, limits=limits, format=FORMAT):
        ids.extend(_ids_in(batch))
        patches += bytes(batch.ops).count(Op.END)
    if patches != 1:
        raise LogError(f"it has {patches} patches, not one")
    _check_ids(ids, id, prev, is_linked=is_linked)


def _ids_in(batch: Batch) -> list[tuple[str, Node]]:
    if Op.H not in bytes(batch.ops):
        return []
    return [(each[1], each[2]) for each in batch if each[0] == Op.H and each[1] in ("id", "prev")]


def _check_ids(
    found: list[tuple[str, Node]], id: URIRef, prev: URIRef | None, *, is_linked: bool = True
) -> None:
    wanted = {"id": id, "prev": prev} if is_linked else {"id": id}
    for key, value in wanted.items():
        values = [each for name, each in found if name == key]
        if values != ([] if value is None else [value]):
            shown = " and ".join(map(show_term, values)) or "missing"
            wish = "there should be none" if value is None else f"it should be {show_term(value)}"
            raise LogError(f"its header {key} is {shown}; {wish}")

"""Targets that decode, encode and decode again; both results must be equal."""

from __future__ import annotations

import io
import random
import warnings
import zlib
from typing import Any

import jelly_rdflib as jr
from tests.core.jelly.statement_support import plain_frame, write_frames
from tests.core.test_round_trips import expected as rdf_patch_says
from tests.oracle.term_producer import needs
from tests.oracle.terms import Plain, operation, with_simple_strings

from .outcomes import attempt, choose, plain_operations

__all__ = ["round_trip_patch", "round_trip_rdf"]


def _dice(data: bytes) -> random.Random:
    """Return a random generator that is the same for the same input."""
    return random.Random(zlib.crc32(data))


def _sizes(rng: random.Random) -> dict[str, Any]:
    """Return random sizes of lookups and frames, small and large."""
    return {
        "max_name_table_size": rng.choice([8, 9, 16, 4000]),
        "max_prefix_table_size": rng.choice([0, 1, 2, 150]),
        "max_datatype_table_size": rng.choice([0, 1, 2, 32]),
        "frame_rows": rng.choice([1, 2, 7, 512]),
        "frame_bytes": rng.choice([1, 100, 1_000_000]),
    }


def _has_room(operations: list[Plain], sizes: dict[str, Any]) -> bool:
    """Return whether the lookups are large enough for each row."""
    names, datatypes = needs(operations)
    most = (sizes["max_name_table_size"], sizes["max_datatype_table_size"])
    return bool(names <= most[0] and datatypes <= most[1])


def _write(operations: Any, **arguments: Any) -> bytes:
    file = io.BytesIO()
    with jr.PatchWriter(file, **arguments) as writer:
        writer.write_all(operations)
    return file.getvalue()


def round_trip_patch(data: bytes) -> None:
    """Write Jelly-Patch with any options, from tuples and from batches; also text and Thrift."""
    reader = jr.read_operations(data, format="jelly-patch", normalize=False)
    read = attempt(lambda: plain_operations(reader))
    if read.error is None and reader.options is not None:
        choose(data, PATCH_WAYS)(data, read.items, reader.options)


def _round_trip_jelly(data: bytes, operations: list[Plain], old: jr.PatchOptions) -> None:
    sizes = _sizes(_dice(data))
    options = jr.PatchOptions(
        stream_type=old.stream_type,
        statement_type=old.statement_type,
        generalized_statements=old.generalized_statements,
        rdf_star=old.rdf_star,
        **sizes,
    )
    try:
        written = _write(map(operation, operations), options=options)
    except jr.EncodeError:
        if _has_room(operations, sizes):
            raise
        return
    expected = with_simple_strings(tuple(operations))
    for again in (written, _write_batches(data, options=options)):
        assert with_simple_strings(tuple(_read(again, "jelly-patch"))) == expected


def _write_batches(data: bytes, **arguments: Any) -> bytes:
    file = io.BytesIO()
    with jr.PatchWriter(file, **arguments) as writer:
        for batch in jr.read_batches(data, format="jelly-patch"):
            writer.write_all(batch)
    return file.getvalue()


def _read(data: bytes, format: Any) -> list[Plain]:
    return list(plain_operations(jr.read_operations(data, format=format, normalize=False)))


def _round_trip_text(data: bytes, operations: list[Plain], _: jr.PatchOptions) -> None:
    _round_trip_other(data, operations, "rdf-patch")


def _round_trip_thrift(data: bytes, operations: list[Plain], _: jr.PatchOptions) -> None:
    _round_trip_other(data, operations, "rdf-patch-thrift")


def _round_trip_other(data: bytes, operations: list[Plain], format: str) -> None:
    """Write another format; operations that it can't express must be refused."""
    try:
        written = _write(map(operation, operations), format=format)
    except jr.EncodeError:
        try:
            _write_batches(data, format=format)
        except jr.EncodeError:
            return
        raise
    assert _write_batches(data, format=format) == written
    assert _read(written, format) == rdf_patch_says(operations)
    assert _write(map(operation, _read(written, format)), format=format) == written


PATCH_WAYS = (_round_trip_jelly, _round_trip_text, _round_trip_thrift)


def round_trip_rdf(data: bytes) -> None:
    """Write Jelly-RDF with any options, from tuples and from batches."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _round_trip_rdf(data)


def _round_trip_rdf(data: bytes) -> None:
    reader = jr.read_frames(data, normalize=False)
    read = attempt(lambda: map(plain_frame, reader))
    if read.error is not None:
        return
    assert reader.options is not None
    rng = _dice(data)
    sizes = _sizes(rng)
    operations = [each for frame in read.items for each in frame.operations]
    options = jr.StreamOptions(
        stream_name=reader.options.stream_name,
        physical_type=reader.options.physical_type,
        logical_type=reader.options.logical_type,
        generalized_statements=reader.options.generalized_statements,
        rdf_star=reader.options.rdf_star,
        namespace_declarations=True,
        **sizes,
    )
    try:
        written = write_frames(read.items, options)
    except jr.EncodeError:
        if _has_room(operations, sizes):
            raise
        return
    again = list(map(plain_frame, jr.read_frames(written, normalize=False)))
    expected = with_simple_strings(tuple(operations))
    assert with_simple_strings(tuple(op for f in again for op in f.operations)) == expected
    if options.is_grouped:
        metadata = [frame.metadata for frame in read.items]
        assert [frame.metadata for frame in again] == metadata
    file = io.BytesIO()
    with jr.StatementWriter(file, options) as writer:
        for batch in jr.read_batches(data, format="jelly-rdf"):
            writer.write_all(batch)
            writer.end_frame(batch.metadata)
    of_batches = [plain_frame(f) for f in jr.read_frames(file.getvalue(), normalize=False)]
    assert with_simple_strings(tuple(op for f in of_batches for op in f.operations)) == expected

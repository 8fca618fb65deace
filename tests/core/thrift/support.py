"""Reading and writing RDF Patch in Thrift in plain form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jelly_rdflib as jr
from jelly_rdflib.core.batch import BatchSource, OperationReader
from jelly_rdflib.core.thrift import ThriftBatchReader, ThriftEncoder
from jelly_rdflib.nodes import NODE_TYPES, make_node_factory
from tests.oracle.terms import Plain, operation, plain_operation
from tests.support import EncoderWriter

__all__ = ["ThriftWriter", "attempt", "batches", "read", "write", "write_batches"]


class ThriftWriter(EncoderWriter):
    """Writes operations, and batches, in Thrift."""

    def __init__(self, sink: Callable[[bytes], object]) -> None:
        super().__init__(ThriftEncoder(NODE_TYPES, sink))


def batches(source: Any, **limits: int) -> BatchSource:
    return ThriftBatchReader(source, make_node_factory(False), jr.Limits(**limits))


def read(source: Any, **limits: int) -> list[Plain]:
    """Return the plain operations of an input."""
    return [plain_operation(op) for op in OperationReader(batches(source, **limits))]


def attempt(source: Any, **limits: int) -> tuple[list[Plain], jr.DecodeError | None]:
    """Return the plain operations of an input up to the first fault, and the fault."""
    found: list[Plain] = []
    try:
        found.extend(map(plain_operation, OperationReader(batches(source, **limits))))
    except jr.DecodeError as error:
        return found, error
    return found, None


def write(plain_operations: Iterable[Plain]) -> bytes:
    """Return what is written for plain operations."""
    pieces: list[bytes] = []
    encoder = ThriftWriter(pieces.append)
    encoder.write_all(map(operation, plain_operations))
    encoder.finish()
    return b"".join(pieces)


def write_batches(source: Iterable[Any]) -> bytes:
    """Return what is written for batches."""
    pieces: list[bytes] = []
    encoder = ThriftWriter(pieces.append)
    for batch in source:
        encoder.write_all(batch)
    encoder.finish()
    return b"".join(pieces)

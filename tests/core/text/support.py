"""Reading and writing RDF Patch text in plain form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jelly_rdflib as jr
from jelly_rdflib.core.batch import OperationReader
from jelly_rdflib.core.text import TextBatchReader, TextPatchEncoder
from jelly_rdflib.nodes import NODE_TYPES, make_node_factory
from tests.oracle.terms import Plain, operation, plain_operation
from tests.support import EncoderWriter

__all__ = ["TextWriter", "attempt", "batches", "read", "write", "write_batches"]


class TextWriter(EncoderWriter):
    """Writes operations, and batches, as text."""

    def __init__(self, sink: Callable[[bytes], object]) -> None:
        super().__init__(TextPatchEncoder(NODE_TYPES, sink))


def batches(source: Any, **limits: int) -> TextBatchReader:
    return TextBatchReader(source, make_node_factory(False), jr.Limits(**limits))


def operations(source: Any, **limits: int) -> Iterable[Any]:
    return OperationReader(batches(source, **limits))


def read(source: Any, **limits: int) -> list[Plain]:
    """Return the plain operations of a text."""
    if isinstance(source, str):
        source = source.encode()
    return [plain_operation(op) for op in operations(source, **limits)]


def attempt(source: Any, **limits: int) -> tuple[list[Plain], jr.DecodeError | None]:
    """Return the plain operations of a text up to the first fault, and the fault."""
    found: list[Plain] = []
    try:
        found.extend(plain_operation(op) for op in operations(source, **limits))
    except jr.DecodeError as error:
        return found, error
    return found, None


def write(plain_operations: Iterable[Plain]) -> bytes:
    """Return the text of plain operations."""
    pieces: list[bytes] = []
    encoder = TextWriter(pieces.append)
    encoder.write_all(map(operation, plain_operations))
    encoder.finish()
    return b"".join(pieces)


def write_batches(source: Iterable[Any]) -> bytes:
    """Return the text of batches."""
    pieces: list[bytes] = []
    encoder = TextPatchEncoder(NODE_TYPES, pieces.append)
    for batch in source:
        encoder.write_batch(batch)
    encoder.finish()
    return b"".join(pieces)

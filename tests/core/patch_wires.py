"""Reads and writes RDF Patch as text and as Thrift, in plain form."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import jelly_rdflib as jr
from jelly_rdflib.core.batch import BatchSource, OperationReader
from jelly_rdflib.core.text import TextBatchReader, TextPatchEncoder
from jelly_rdflib.core.thrift import ThriftBatchReader, ThriftEncoder
from jelly_rdflib.nodes import NODE_TYPES, make_node_factory
from tests.oracle.terms import Plain, operation, plain_operation
from tests.support import EncoderWriter


@dataclass(frozen=True)
class PatchWire:
    """A serialization of RDF Patch.

    Args:
        encoder: The encoder class.
        reader: The reader class.
    """

    encoder: Any
    reader: Any

    def writer(self, sink: Callable[[bytes], object]) -> EncoderWriter:
        """Return a writer of operations and batches."""
        return EncoderWriter(self.encoder(NODE_TYPES, sink))

    def batches(self, source: Any, **limits: int) -> BatchSource:
        return self.reader(source, make_node_factory(False), jr.Limits(**limits))  # type: ignore[no-any-return]

    def attempt(self, source: Any, **limits: int) -> tuple[list[Plain], jr.DecodeError | None]:
        """Return the plain operations of `source` up to the first fault, and the fault."""
        found: list[Plain] = []
        try:
            found.extend(map(plain_operation, OperationReader(self.batches(source, **limits))))
        except jr.DecodeError as error:
            return found, error
        return found, None

    def read(self, source: Any, **limits: int) -> list[Plain]:
        """Return the plain operations of `source`."""
        found, error = self.attempt(source, **limits)
        if error:
            raise error
        return found

    def write(self, plain_operations: Iterable[Plain]) -> bytes:
        """Return the bytes that the encoder writes for plain operations."""
        pieces: list[bytes] = []
        writer = self.writer(pieces.append)
        writer.write_all(map(operation, plain_operations))
        writer.finish()
        return b"".join(pieces)

    def write_batches(self, source: Iterable[Any]) -> bytes:
        """Return the bytes that the encoder writes for batches."""
        pieces: list[bytes] = []
        encoder = self.encoder(NODE_TYPES, pieces.append)
        for batch in source:
            encoder.write_batch(batch)
        encoder.finish()
        return b"".join(pieces)


TEXT = PatchWire(TextPatchEncoder, TextBatchReader)
THRIFT = PatchWire(ThriftEncoder, ThriftBatchReader)

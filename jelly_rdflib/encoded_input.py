"""A source that is opened to be looked into: what it is, its batches, and how many bytes it has."""

from __future__ import annotations

from functools import partial
from typing import Any

from jelly_rdflib.core.batch_reader import BatchReader, BatchSource
from jelly_rdflib.core.frame_survey import FrameSurvey
from jelly_rdflib.core.patch_decoder import PatchFrameDecoder
from jelly_rdflib.core.source import ByteSource, Meter, look_at_start, open_source
from jelly_rdflib.core.statement_decoder import StatementFrameDecoder
from jelly_rdflib.core.text_reader import TextBatchReader
from jelly_rdflib.encodings import find_encoding, guess_by_name, guess_by_start
from jelly_rdflib.encodings.jelly import JELLY
from jelly_rdflib.encodings.jelly_patch import JELLY_PATCH
from jelly_rdflib.encodings.rdf_patch import RDF_PATCH
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits, StreamOptions

__all__ = ["EncodedInput"]


def _look_at_start(opened: memoryview | ByteSource) -> tuple[bytes, memoryview | ByteSource]:
    """Look at first bytes; if they can't be unpacked, whoever reads them is told."""
    try:
        return look_at_start(opened)
    except DecodeError as error:
        assert isinstance(opened, ByteSource)
        return b"", ByteSource(partial(_fail, error), opened.close)
    except BaseException:
        if isinstance(opened, ByteSource):
            opened.close()
        raise


def _fail(error: DecodeError, size: int) -> bytes:
    raise error


class EncodedInput:
    """An open source with its batches, and with what the batches don't say.

    Args:
        source: As for `jelly_rdflib.read_batches`.
        limits: As for `jelly_rdflib.read_batches`.
        format: As for `jelly_rdflib.read_batches`.
        is_exact: Whether Jelly-Patch that is called so, by ``format`` or by its name, must not be
            Jelly-RDF, or the other way round.
        faults: As for the readers of the core: takes errors after which reading goes on.

    Attributes:
        encoding: What it was taken for; Jelly-Patch may turn out to be Jelly-RDF.
        batches: Its batches.
        survey: Counts its frames; None if it has none.
    """

    def __init__(
        self,
        source: Any,
        *,
        limits: Limits | None,
        format: str | None,
        is_exact: bool = False,
        faults: list[DecodeError] | None = None,
    ) -> None:
        self._meter = Meter()
        self._size = 0
        encoding = guess_by_name(source) if format is None else find_encoding(format)
        is_known = encoding is not None
        opened = open_source(source, self._meter)
        if encoding is None:
            start, opened = _look_at_start(opened)
            encoding = guess_by_start(start)
        self.encoding = encoding
        limits = limits or Limits()
        factory = make_node_factory(False)
        self.batches: BatchSource
        self.survey: FrameSurvey | None = None
        if encoding in (JELLY_PATCH, JELLY):
            patches = PatchFrameDecoder(factory, limits, faults=faults)
            statements = StatementFrameDecoder(
                factory, limits, strict=False, is_quiet=True, faults=faults
            )
            if not (is_exact and is_known):
                self.batches = BatchReader(opened, patches, limits, statements)
            else:
                decoder = patches if encoding is JELLY_PATCH else statements
                self.batches = BatchReader(opened, decoder, limits)
            self.survey = FrameSurvey(self.batches)
        elif encoding is RDF_PATCH:
            self.batches = TextBatchReader(opened, factory, limits, faults=faults)
        else:
            self.batches = encoding.open_batches(self._counted(opened), factory, limits)

    def _counted(self, opened: memoryview | ByteSource) -> memoryview | ByteSource:
        """Count what is read of an open source, for a reader that does not tell."""
        if isinstance(opened, memoryview):
            self._size = len(opened)
            return opened

        def read(size: int) -> bytes:
            data = opened.read(size)
            self._size += len(data)
            return data

        return ByteSource(read, opened.close)

    @property
    def has_changes(self) -> bool:
        """Whether it has changes, and not statements; so far as is known."""
        if self.survey is not None:
            return not isinstance(self.batches.options, StreamOptions)
        return self.encoding.holds_changes

    @property
    def format(self) -> str:
        """The name of its encoding."""
        if self.survey is not None:
            return JELLY_PATCH.name if self.has_changes else JELLY.name
        return self.encoding.name

    @property
    def compression(self) -> str | None:
        """How it is compressed: ``"gzip"`` or ``"zstd"``."""
        return self._meter.compression

    @property
    def stored_size(self) -> int:
        """Bytes that were read of it, as they are stored."""
        return self._meter.size

    @property
    def size(self) -> int:
        """Bytes that were decoded, uncompressed."""
        if self.survey is not None:
            return self.survey.position
        if isinstance(self.batches, TextBatchReader):
            return self.batches.position
        return self._size

    @property
    def line_count(self) -> int | None:
        """Lines that were decoded; None if it is no text, or nobody counts them."""
        return self.batches.line_count if isinstance(self.batches, TextBatchReader) else None

    def close(self) -> None:
        """Stop reading, and close the file if it was opened here."""
        self.batches.close()

"""A source that is opened to be looked into: what it is, its batches, and how many bytes it has."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.batch_reader import BatchReader
from jelly_rdflib.core.batch_source import BatchSource
from jelly_rdflib.core.frame_survey import FrameSurvey
from jelly_rdflib.core.input_start import look_at_start
from jelly_rdflib.core.patch_decoder import PatchFrameDecoder
from jelly_rdflib.core.source import ByteSource, Meter, open_source
from jelly_rdflib.core.statement_decoder import StatementFrameDecoder
from jelly_rdflib.core.text_reader import TextBatchReader
from jelly_rdflib.encodings import Encoding, find_encoding, guess_by_name, guess_by_start
from jelly_rdflib.encodings.jelly import JELLY
from jelly_rdflib.encodings.jelly_patch import JELLY_PATCH
from jelly_rdflib.encodings.rdf_patch import RDF_PATCH
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits

__all__ = ["EncodedInput"]


class _Unreadable(BatchSource):
    """Batches of what can't be read at all."""

    def __init__(self, error: DecodeError) -> None:
        self._error: DecodeError | None = error

    def __next__(self) -> Batch:
        error, self._error = self._error, None
        if error is None:
            raise StopIteration
        raise error


class EncodedInput:
    """An open source with its batches, and with what the batches don't say.

    Args:
        source: As for `jelly_rdflib.read_batches`.
        limits: As for `jelly_rdflib.read_batches`.
        format: As for `jelly_rdflib.read_batches`.
        isolated: As for `jelly_rdflib.read_batches`.
        is_exact: Whether Jelly-Patch that is called so, by ``format`` or by its name, must not be
            Jelly-RDF, or the other way round.
        faults: As for the readers of the core: takes errors after which reading goes on.

    Attributes:
        encoding: What it was taken for; None if nothing tells. Jelly may turn out to be the other.
        batches: Its batches.
        survey: Counts its frames; None if it has none.
    """

    def __init__(
        self,
        source: Any,
        *,
        limits: Limits | None,
        format: str | None,
        isolated: bool = False,
        is_exact: bool = False,
        faults: list[DecodeError] | None = None,
    ) -> None:
        self._meter = Meter()
        self._size = 0
        self.encoding = guess_by_name(source) if format is None else find_encoding(format)
        # What was not called by a name tells its kind by itself.
        self._is_exact = is_exact and self.encoding is not None
        self._isolated = isolated
        self.survey: FrameSurvey | None = None
        limits = limits or Limits()
        opened = open_source(source, limits, self._meter)
        try:
            if self.encoding is None:
                start, opened = look_at_start(opened)
                self.encoding = guess_by_start(start, holds_changes=None)
            self.batches = self._open(self.encoding, opened, limits, faults)
        except BaseException as error:
            if isinstance(opened, ByteSource):
                opened.close()
            if not isinstance(error, DecodeError):
                raise
            self.batches = _Unreadable(error)

    def _open(
        self,
        encoding: Encoding,
        opened: memoryview | ByteSource,
        limits: Limits,
        faults: list[DecodeError] | None,
    ) -> BatchSource:
        factory = make_node_factory(False, limits)
        if encoding is RDF_PATCH:
            return TextBatchReader(opened, factory, limits, faults=faults)
        if encoding not in (JELLY_PATCH, JELLY):
            options = {} if encoding.holds_changes else {"isolated": self._isolated}
            return encoding.open_batches(self._counted(opened), factory, limits, **options)
        patches = PatchFrameDecoder(factory, limits, faults=faults)
        statements = StatementFrameDecoder(
            factory, limits, strict=False, is_quiet=True, faults=faults
        )
        if not self._is_exact:
            frames = BatchReader(opened, patches, limits, statements)
        else:
            frames = BatchReader(opened, patches if encoding is JELLY_PATCH else statements, limits)
        self.survey = FrameSurvey(frames)
        return frames

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
            return self.survey.is_patch
        return self.encoding is None or self.encoding.holds_changes

    @property
    def format(self) -> str | None:
        """The name of its encoding; None if nothing tells what that is."""
        if self.survey is not None:
            return JELLY_PATCH.name if self.has_changes else JELLY.name
        return None if self.encoding is None else self.encoding.name

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

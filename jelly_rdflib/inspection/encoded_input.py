"""A source that is opened to be looked into: what it is, its batches, and how many bytes it has."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.batch import Batch, BatchSource
from jelly_rdflib.core.jelly_decoder import BatchReader, FrameStatistics
from jelly_rdflib.core.source import Meter
from jelly_rdflib.core.text import TextBatchReader
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.formats.jelly_patch import JELLY_PATCH
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.open_input import open_input


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
        batches: Its batches.
        statistics: Counts its frames; None if it has none.
        meter: Tells how it is compressed, and how many bytes were read of it as they are stored.
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
        self.meter = Meter()
        self._input = open_input(
            source,
            limits=limits,
            format=format,
            isolated=isolated,
            is_exact=is_exact,
            is_quiet=True,
            faults=faults,
            meter=self.meter,
        )
        self.batches: BatchSource
        try:
            self.batches = self._input.open()
        except DecodeError as error:
            self.batches = _Unreadable(error)
        self.statistics = (
            FrameStatistics(self.batches) if isinstance(self.batches, BatchReader) else None
        )

    @property
    def has_changes(self) -> bool:
        """Whether it has changes, and not statements; so far as is known."""
        if self.statistics is not None:
            return self.statistics.is_patch
        encoding = self._input.encoding
        return encoding is None or encoding.holds_changes

    @property
    def format(self) -> str | None:
        """The name of its encoding; None if nothing tells what that is."""
        if self.statistics is not None:
            return JELLY_PATCH.name if self.has_changes else JELLY.name
        encoding = self._input.encoding
        return None if encoding is None else encoding.name

    @property
    def size(self) -> int:
        """Bytes that were decoded, uncompressed."""
        if self.statistics is not None:
            return self.statistics.position
        if isinstance(self.batches, TextBatchReader):
            return self.batches.position
        return self.meter.unpacked_size

    @property
    def line_count(self) -> int | None:
        """Lines that were decoded; None if it is no text, or nobody counts them."""
        return self.batches.line_count if isinstance(self.batches, TextBatchReader) else None

    def close(self) -> None:
        """Stop reading, and close the file if it was opened here."""
        self.batches.close()

"""An open source with its batches, its format and its sizes."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.batch import Batch, BatchSource
from jelly_rdflib.core.jelly_decoder import BatchReader, FrameStatistics
from jelly_rdflib.core.source import Meter
from jelly_rdflib.core.text import TextBatchReader
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.open_input import open_input


def error_fields(error: DecodeError) -> dict[str, Any]:
    """Return the message of an error, and its place in the input, by name."""
    names = ("message", "offset", "frame", "row", "line", "column")
    return {name: getattr(error, name) for name in names}


class _Unreadable(BatchSource):
    """The batches of a source that can't be opened: none, after the error."""

    def __init__(self, error: DecodeError) -> None:
        self._errors = iter([error])

    def __next__(self) -> Batch:
        raise next(self._errors)


class EncodedInput:
    """An open source with its batches, and with facts that the batches don't have.

    Args:
        source, limits, format, isolated: As for `jelly_rdflib.read_batches`.
        is_exact: Refuse Jelly-RDF if ``format`` or the file's name says Jelly-Patch, and the other
            way round.
        faults: As for the readers of the core: takes the errors after which reading goes on.

    Attributes:
        batches: The batches.
        statistics: The counts of its frames; None if the format has no frames.
        meter: The compression, and the number of stored bytes that were read.
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
        """Whether the source has changes, not statements; True if that is not known yet."""
        if self.statistics is not None:
            return self.statistics.is_patch
        format = self._input.format
        return format is None or format.holds_changes

    @property
    def format(self) -> str | None:
        """The name of the format; None if it is not known."""
        if self.statistics is not None:
            return JELLY_PATCH.name if self.has_changes else JELLY.name
        format = self._input.format
        return None if format is None else format.name

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
        """Lines that were decoded; None if the reader counts no lines."""
        return self.batches.line_count if isinstance(self.batches, TextBatchReader) else None

    def close(self) -> None:
        """Stop reading, and close the file if it was opened here."""
        self.batches.close()

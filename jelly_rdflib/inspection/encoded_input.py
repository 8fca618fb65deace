"""An open source with its batches, its format and its sizes."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.batch import Batch, BatchSource
from jelly_rdflib.core.jelly_decoder import BatchReader, FrameStatistics
from jelly_rdflib.core.source import Meter
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats import Format
from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
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
    """A source that was opened as by `open_input`, with counts that its batches don't have.

    ``statistics`` counts the frames; None if the format has no frames. ``meter`` counts the bytes.
    """

    def __init__(self, source: Any, **arguments: Any) -> None:
        self.meter = Meter()
        self._input = open_input(source, is_quiet=True, meter=self.meter, **arguments)
        self.batches: BatchSource
        self.statistics: FrameStatistics | None = None
        try:
            self.batches = self._input.open()
        except DecodeError as error:
            self.batches = _Unreadable(error)
        if isinstance(self.batches, BatchReader):
            self.statistics = FrameStatistics(self.batches)

    @property
    def format(self) -> Format | None:
        """The format; None if it is not known."""
        if self.statistics is None:
            return self._input.format
        return JELLY_PATCH if self.statistics.is_patch else JELLY

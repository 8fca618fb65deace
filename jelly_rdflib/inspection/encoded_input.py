"""Opens a source to get its batches, its format, and counts of frames and bytes."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.batch import Batch, BatchSource
from jelly_rdflib.core.jelly_decoder import BatchReader, FrameStatistics
from jelly_rdflib.core.source import Meter
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats import Format
from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
from jelly_rdflib.formats.protobuf import JELLY_PATCH_TEXT, JELLY_TEXT, frames_of_text
from jelly_rdflib.streams.open_input import open_input


def error_fields(error: DecodeError) -> dict[str, Any]:
    """Return the message of an error and its position in the input, as named fields."""
    names = ("message", "offset", "frame", "row", "line", "column")
    return {name: getattr(error, name) for name in names}


class _Unreadable(BatchSource):
    """Stands for the batches of a source that can't be opened; it only raises the error."""

    def __init__(self, error: DecodeError) -> None:
        self._errors = iter([error])

    def __next__(self) -> Batch:
        raise next(self._errors)


class EncodedInput:
    """A source that was opened with `open_input`, with counts that its batches don't have.

    ``statistics`` counts the frames; None if the format has no frames. ``meter`` counts the bytes.

    Args:
        source, arguments: As for `open_input`.
        as_frames: Whether Jelly as text is read as the Jelly frames that it describes. Then
            ``is_frame_text`` is true for such a text, and offsets of its batches are not offsets
            in the text.
    """

    def __init__(self, source: Any, *, as_frames: bool = False, **arguments: Any) -> None:
        self.meter = Meter()
        self._input = open_input(source, is_quiet=True, meter=self.meter, **arguments)
        self.batches: BatchSource
        self.statistics: FrameStatistics | None = None
        self.is_frame_text = False
        try:
            if as_frames and self._input.look() in (JELLY_TEXT, JELLY_PATCH_TEXT):
                self._take_frames(self._input.look())
            self.batches = self._input.open()
        except DecodeError as error:
            self.batches = _Unreadable(error)
        if isinstance(self.batches, BatchReader):
            self.statistics = FrameStatistics(self.batches)

    def _take_frames(self, text: Format) -> None:
        """Replace Jelly as text by the frames that it describes."""
        limits = self._input.reading.limits
        self._input.source = frames_of_text(text, self._input.source, limits)
        self._input.format = JELLY_PATCH if text.holds_changes else JELLY
        self.is_frame_text = True

    @property
    def format(self) -> Format | None:
        """The format; None if it is not known."""
        if self.statistics is None:
            return self._input.format
        return JELLY_PATCH if self.statistics.is_patch else JELLY

"""Jelly as text: protobuf's text format of frames, as jelly-cli writes it.

A line such as ``# Frame 0`` precedes each frame. The text is for people: it is larger than any
other format, and slow.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from google.protobuf import message, text_format
from google.protobuf.proto import serialize_length_prefixed

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.jelly_decoder import FrameDecoder
from jelly_rdflib.core.source import ByteSource, read_in_pieces
from jelly_rdflib.errors import DecodeError, EncodeError, LimitError
from jelly_rdflib.formats.format import Format, Reading
from jelly_rdflib.formats.jelly import make_decoders
from jelly_rdflib.formats.protobuf.messages import message_class

# The line before a frame.
_HEAD = re.compile(rb"# Frame \d+\s*$")
_PLACE = re.compile(r"^\d+:\d+ : ('.*': )?", re.DOTALL)


def _frame_class(format: Format) -> Any:
    """Return protobuf's class of a frame."""
    if format.holds_changes:
        return message_class("patch.proto", "RdfPatchFrame")
    return message_class("rdf.proto", "RdfStreamFrame")


class FrameTexts:
    """A sink that turns bare frames into text, and passes the text to another sink."""

    def __init__(self, format: Format, sink: Callable[[bytes], object]) -> None:
        self._frame = _frame_class(format)
        self._sink = sink
        self._count = 0

    def __call__(self, data: bytes) -> None:
        """Write a frame as text."""
        try:
            frame = self._frame.FromString(data)
        except message.DecodeError as error:
            raise EncodeError(
                f"frame {self._count} can't be written as text: it has no valid messages, or quoted"
                f" triples of more than about 95 levels ({error})"
            ) from error
        text = text_format.MessageToString(frame, as_utf8=True)
        self._sink(f"# Frame {self._count}\n{text}".encode())
        self._count += 1


def write_frames(
    format: Format,
    source: memoryview | ByteSource,
    max_size: int,
    sink: Callable[[bytes], object],
) -> None:
    """Write the frames of a text as delimited frames, without any change."""
    for frame, _ in read_frames(format, source, max_size):
        sink(_delimited(frame))


def frame_source(format: Format, source: memoryview | ByteSource, max_size: int) -> ByteSource:
    """Return the delimited frames of a text; reading raises the errors of `read_frames`."""
    pieces = read_in_pieces(source)
    frames = read_frames(format, pieces, max_size)
    waiting = bytearray()

    def read(size: int) -> bytes:
        if not waiting and (found := next(frames, None)) is not None:
            waiting.extend(_delimited(found[0]))
        piece = bytes(waiting[:size])
        del waiting[:size]
        return piece

    return ByteSource(read, pieces.close)


def _delimited(frame: Any) -> bytes:
    file = io.BytesIO()
    serialize_length_prefixed(frame, file)
    return file.getvalue()


def read_frames(
    format: Format, source: memoryview | ByteSource, max_size: int
) -> Iterator[tuple[Any, int]]:
    """Read the frames of a text; yield the message of each, and its offset.

    Raises:
        DecodeError: The text is not in protobuf's text format, or its messages are not frames.
        LimitError: The text of a frame has more than ``max_size`` bytes.
    """
    frame = _frame_class(format)
    for number, (text, offset, line) in enumerate(_cut(read_in_pieces(source), max_size), 1):
        try:
            found = text_format.Parse(text, frame())
        except text_format.ParseError as error:
            # The message starts with the position, and in some errors with the whole line.
            reason = _PLACE.sub("", str(error))
            row = error.GetLine()
            row = None if row is None else line + row - 1
            raise DecodeError(
                reason, offset=offset, frame=number, line=row, column=error.GetColumn()
            ) from error
        except UnicodeDecodeError as error:
            raise DecodeError("the text is not UTF-8", offset=offset, frame=number) from error
        except RecursionError:
            raise LimitError(
                "messages nest deeper than protobuf can read", offset=offset, frame=number
            ) from None
        yield found, offset


def _cut(source: ByteSource, max_size: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield the text of each frame, its offset, and the number of its first line."""
    text = bytearray()
    offset = start = 0
    first = 1
    is_open = False
    lines = iter(partial(io.BufferedReader(_RawSource(source)).readline, max_size + 1), b"")
    for number, line in enumerate(lines, 1):
        is_head = _HEAD.match(line) is not None
        if is_head and is_open:
            yield bytes(text), start, first
        if is_head or not is_open:
            text.clear()
            start, first = offset, number
        # Skip blank lines and comments before the first frame.
        is_open = is_open or is_head or (bool(line.strip()) and not line.startswith(b"#"))
        text += line
        offset += len(line)
        if len(text) > max_size:
            raise LimitError(
                f"text of a frame of more than {max_size} bytes",
                limit="max_frame_size",
                value=max_size,
                offset=start,
                line=first,
            )
    if is_open:
        yield bytes(text), start, first


class _RawSource(io.RawIOBase):
    """Adapts a source to a raw file, which Python's buffered files can wrap."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        piece = self._source.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


class TextBatches(Iterator[tuple[Batch, Any, int, int]]):
    """Iterates over the batches of a text, each with the position of its frame."""

    def __init__(self, format: Format, source: memoryview | ByteSource, reading: Reading) -> None:
        patches, statements = make_decoders(reading)
        self._decoder: FrameDecoder = patches if format.holds_changes else statements
        self._source = read_in_pieces(source)
        frames = read_frames(format, self._source, reading.limits.max_frame_size)
        self._frames = enumerate(frames, 1)
        self._place = 0, 1
        self._is_over = False

    def __del__(self) -> None:
        self.close()

    def __next__(self) -> tuple[Batch, Any, int, int]:
        if self._is_over:
            raise StopIteration
        found = next(self._frames, None)
        try:
            if found is None:
                self._is_over = True
                batch = self._decoder.finish()
                if len(batch) == 0:
                    raise StopIteration
            else:
                number, (frame, offset) = found
                self._place = offset, number
                batch = self._decoder.decode_frame(frame.SerializeToString())
        except DecodeError as error:
            # The decoder's offsets are positions in the binary frame, not in the text.
            error.offset, error.frame = self._place
            raise
        options: Any = self._decoder.options  # type: ignore[attr-defined]  # of both decoders
        offset, number = self._place
        return batch, options, offset, number

    def close(self) -> None:
        """Close the source."""
        self._source.close()

"""Decodes the frames of one stream into Arrow record batches, even from the middle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from jelly_rdflib.core.jelly_decoder import PatchFrameDecoder
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, PatchStreamType, RepeatedOptions

if TYPE_CHECKING:
    import pyarrow as pa

# The maximum number of rows of a record batch: larger ones would not be faster.
MAX_ROWS = 1 << 14
_NO_OPTIONS = (
    ". No frame before it has the stream's options: the stream's first frames were deleted by the"
    " queue's retention, or were in an earlier batch (of foreachBatch, or of a range of offsets),"
    " or were left out by the option startingOffsets, or this is not Jelly-Patch"
)


class StreamState(NamedTuple):
    """The state of a stream between two frames.

    ``checkpoint`` is the decoder's state; it is None before the stream's options. ``place`` is the
    position of the next row, see `jelly_rdflib.arrow.ArrowRows.place`.
    """

    checkpoint: bytes | None
    place: tuple[int, int, int, int, int]


# The state of a stream without frames.
NEW = StreamState(None, (0, 0, 0, -1, -1))


class StreamDecoder:
    """Decodes the frames of one stream into record batches of operations.

    Args:
        stream: The name of the stream, for messages.
        columns: The columns of the record batches.
        limits: The limits of the input.
        on_repeated_options: As for `jelly_rdflib.PatchDecoder`.
        file: The value of the column ``file``.
        state: The state to go on from, which another decoder of this stream has saved.
    """

    def __init__(
        self,
        stream: str,
        columns: Iterable[str],
        limits: Limits,
        on_repeated_options: RepeatedOptions,
        *,
        file: str | None = None,
        state: StreamState = NEW,
    ) -> None:
        from jelly_rdflib.arrow import ArrowRows, arrow_schema

        checkpoint, place = state
        self._stream = stream
        factory = make_node_factory(False, limits)
        self._decoder = PatchFrameDecoder(factory, limits, on_repeated_options=on_repeated_options)
        self._rows = ArrowRows(
            arrow_schema(columns), file=file, place=place, limits=limits, max_rows=MAX_ROWS
        )
        self.end = place[0]
        """The number of rows up to the end of the last patch that has ended.

        For a FLAT stream, which is one patch, it is the number up to the end of the last
        transaction.
        """
        if checkpoint is not None:
            try:
                self._decoder.restore(checkpoint)
            except DecodeError as error:
                error.source = f"stream {stream}: its saved state"
                raise

    @property
    def count(self) -> int:
        """The number of rows of the stream so far."""
        return self._rows.place[0]

    def decode(self, place: str, frame: memoryview | None) -> Iterator[pa.RecordBatch]:
        """Decode a frame, and yield full record batches; ``place`` is its position in its queue.

        Raises:
            DecodeError: The frame is None, or breaks a rule; the message names the stream, the
                position, the frame and the row.
        """
        try:
            if frame is None:
                raise DecodeError("the frame is null")
            batch = self._decoder.decode_frame(frame)
            first = self.count
            yield from self._rows.add(batch)
        except DecodeError as error:
            more = "" if self._decoder.found_options or frame is None else _NO_OPTIONS
            error.message += more
            error.source = f"stream {self._stream}, {place}"
            raise
        ops, marks = bytes(batch.ops), [Op.END]
        options = self._decoder.options
        if options is not None and options.stream_type == PatchStreamType.FLAT:
            marks += (Op.TC, Op.TA)
            if self._rows.place[3] < 0:
                # No transaction is open.
                self.end = self.count
        self.end = max(self.end, *(first + ops.rfind(mark) + 1 for mark in marks if mark in ops), 0)

    def flush(self) -> Iterator[pa.RecordBatch]:
        """Yield the remaining rows."""
        yield from self._rows.flush()

    def save(self) -> StreamState:
        """Return the state from which another decoder can continue."""
        has_options = self._decoder.options is not None
        return StreamState(self._decoder.save() if has_options else None, self._rows.place)

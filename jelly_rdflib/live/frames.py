"""Converts patches to the frames of a stream, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.jelly_decoder import PatchFrameDecoder
from jelly_rdflib.errors import DecodeError, EncodeError
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, PatchOptions, PatchStreamType, RepeatedOptions, as_limits
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.patch.reading import PatchCollector
from jelly_rdflib.streams.writing import PatchWriter

if TYPE_CHECKING:
    from typing_extensions import Buffer

# The tags of a frame's rows, and of the options in a row.
_ROWS = _OPTIONS = 0x0A


class FrameBuffer:
    """A writer's destination that collects frames without their lengths.

    No frame may have more than ``most`` bytes.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._frames: list[bytes] = []

    def write(self, frame: bytes) -> None:
        """Store a frame from the writer."""
        self._frames.append(frame)

    def clear(self) -> None:
        """Discard the frames since the last call of `drain`."""
        self._frames = []

    def drain(self) -> list[bytes]:
        """Return the frames since the last call; raise an EncodeError if one is too large."""
        frames, self._frames = self._frames, []
        largest = max(map(len, frames), default=0)
        if largest > self._most:
            raise EncodeError(
                f"a frame has {largest} bytes, but at most {self._most} are allowed: give options"
                " with a smaller frame_bytes or frame_rows"
            )
        return frames


class LiveEncoder:
    """Turns patches into bare frames, and starts a new stream from time to time.

    A new stream has the same options, and refers to nothing in the stream before it. So readers
    get the same patches whether or not they treat the repeated options as the start of a new
    stream.

    Args:
        options: The options of the streams; by default `PatchOptions()`.
        restart_every: The number of frames after which a stream ends and a new one starts, with
            options and empty lookups. A reader that joins late can start at a new stream.
        max_frame_size: The largest frame that the transport accepts, in bytes.

    Examples:
        >>> encoder = LiveEncoder(PatchOptions.small(), restart_every=1)
        >>> patch = Patch([(Op.TX,), (Op.TC,)])
        >>> [starts_stream(frame) for frame in encoder.encode(patch) + encoder.encode(patch)]
        [True, True]
    """

    def __init__(
        self,
        options: PatchOptions | None = None,
        *,
        restart_every: int = 1000,
        max_frame_size: int = 1 << 20,
    ) -> None:
        options = options or PatchOptions()
        if restart_every < 1:
            raise ValueError(f"a stream must have at least one frame, not {restart_every}")
        # Stop filling a frame at half the maximum size: its last row may be as large as all rows
        # before it.
        most = min(options.frame_bytes, max_frame_size // 2)
        self._restart_every = restart_every
        self._frames = FrameBuffer(max_frame_size)
        self._writer = PatchWriter(self._frames, replace(options, delimited=True, frame_bytes=most))
        self._encoder: Any = self._writer.encoder
        self._encoder.leave_lengths_out()
        self.restart()

    def restart(self) -> None:
        """Make the next frame start a new stream."""
        self._encoder.restart()
        self._frames.clear()
        self._encoder.write_first_ids()
        self._count = 0

    def encode(self, *parts: Patch) -> list[bytes]:
        """Return the frames of a patch: one, or several if it is long.

        Args:
            parts: The patch, or its parts one after another, such as headers to put before it.

        Raises:
            EncodeError: The options can't express the patch, or one of its rows is larger than a
                frame may be. Then the next patch starts a new stream.
        """
        return list(self.encode_parts(parts))

    def encode_parts(self, parts: Iterable[Patch | Batch]) -> Iterator[bytes]:
        """Yield the frames of one patch, given in parts, as soon as each frame is full."""
        if self._count >= self._restart_every:
            self.restart()
        try:
            for part in parts:
                self._writer.write_all(part)
                yield from self._drain()
            self._writer.end_patch()
            self._encoder.flush()
            yield from self._drain()
        except BaseException:
            self.restart()
            raise

    def _drain(self) -> list[bytes]:
        frames = self._frames.drain()
        self._count += len(frames)
        return frames


def starts_stream(frame: Buffer) -> bool:
    """Return whether a frame starts with an options row."""
    data = memoryview(frame).cast("B")[:8]
    if len(data) < 3 or data[0] != _ROWS:
        return False
    # The length of the row is a varint.
    at = next((number for number in range(1, len(data)) if data[number] < 0x80), len(data))
    return at + 1 < len(data) and data[at + 1] == _OPTIONS


class LiveDecoder:
    """Turns the bare frames of one stream, or of several in a row, into patches.

    A FLAT stream does not mark where patches end: each frame is a patch. But if a transaction
    continues in the next frame, the two frames are one patch.

    Args:
        limits: The limits for the frames; by default those of `jelly_rdflib.Limits`.
        on_repeated_options: What options in a later frame mean; see `jelly_rdflib.PatchDecoder`.
            With ``"restart"`` a patch that the earlier stream left unfinished is dropped: its
            producer stopped before it had sent the whole patch.

    Examples:
        >>> encoder, decoder = LiveEncoder(), LiveDecoder()
        >>> for frame in encoder.encode(Patch([(Op.TX,), (Op.TC,)])):
        ...     print(list(decoder.decode(frame)))
        [<Patch: 2 operations, header {}>]
    """

    def __init__(
        self, limits: Limits | None = None, *, on_repeated_options: RepeatedOptions = "restart"
    ) -> None:
        self._limits = as_limits(limits)
        self._on_repeated_options: RepeatedOptions = on_repeated_options
        self._factory = make_node_factory(False, self._limits)
        self._start(None)

    def _start(self, decoder: PatchFrameDecoder | None) -> None:
        if decoder is None or decoder.is_broken:
            decoder = PatchFrameDecoder(
                self._factory, self._limits, on_repeated_options=self._on_repeated_options
            )
        else:
            decoder.restart()
        self._decoder = decoder
        self._patches = PatchCollector(self._limits.max_held_operations)
        self._is_in_transaction = False

    @property
    def options(self) -> PatchOptions | None:
        """The options of the stream; None before they have arrived."""
        return self._decoder.options

    @property
    def is_open(self) -> bool:
        """Return whether a patch has started but not ended yet."""
        return self._patches.is_open

    def decode(self, frame: Buffer) -> Iterator[Patch]:
        """Decode a frame, and yield the patches that end in it.

        Raises:
            DecodeError: The frame breaks a rule; the stream can't be decoded further.
            LimitError: The frame exceeds the limits, or a patch is too large.
        """
        is_used = self._decoder.stream_type or self._decoder.is_broken
        if is_used and self._on_repeated_options == "restart" and starts_stream(frame):
            self._start(self._decoder)
        batch = self._decoder.decode_frame(memoryview(frame).cast("B"))
        if not self._decoder.stream_type:
            raise DecodeError("the stream has no options: its first frame must start with them")
        if self._decoder.stream_type == PatchStreamType.FLAT:
            yield from self._take_flat(batch)
        else:
            yield from self._patches.take(batch)

    def _take_flat(self, batch: Batch) -> Iterator[Patch]:
        ops = bytes(batch.ops)
        start, end = ops.rfind(Op.TX), max(ops.rfind(Op.TC), ops.rfind(Op.TA))
        if start != end:
            self._is_in_transaction = start > end
        cut = end + 1 if self._is_in_transaction else len(ops)
        self._patches.add(batch, 0, cut)
        if cut and self._patches.is_open:
            yield self._patches.end()
        self._patches.add(batch, cut, len(ops))

"""The first bytes of an input, by which it is told what it is."""

from __future__ import annotations

import re
from typing import IO

from jelly_rdflib.core.source import ByteSource, with_start

# How much of an input is looked at, at the most.
START_SIZE = 64
BLANKS = b" \t\r\n"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FRAME_HEAD = b"# Frame "
# Comments, and strings or what comes behind their start.
_MAY_HOLD_ANY = re.compile(rb"#[^\r\n]*|[\"'].*", re.DOTALL)
# The tag of a row in a frame, and that of the options in a row.
_ROW = _OPTIONS = 0x0A
# Of a row and of metadata; and both spelled longer than need be, as no character begins.
_TAGS = (b"\n", b"z", b"\x8a", b"\xfa")
TEXT_BYTES = bytes(byte for byte in range(256) if byte >= 0x20 or byte in b"\t\n\r\f")


def look_at_start(source: memoryview | ByteSource) -> tuple[bytes, memoryview | ByteSource]:
    """Return some first bytes of an open source, and a source that still has them.

    Of a live source no more are waited for than are needed to tell a text from what is not. Of any
    other no more are returned either: what an input is taken for does not hang on the pieces that
    it comes in.
    """
    if isinstance(source, memoryview):
        return _first_that_tell_enough(bytes(source[:START_SIZE])), source
    start = b""
    while len(start) < START_SIZE and not _tells_enough(start):
        more = source.read(START_SIZE - len(start))
        if not more:
            break
        start += more
    opened = ByteSource(with_start(start, source.read), source.close, source.reopen)
    return _first_that_tell_enough(start), opened


def has_control_characters(start: bytes) -> bool:
    """Are there bytes that no text has, but in a string or a comment?

    A first character that is none of UTF-8 is one, such as most lengths of more than one byte.
    """
    try:
        start[:4].decode()
    except UnicodeDecodeError as error:
        if error.start == 0 and error.reason != "unexpected end of data":
            return True
    if not _may_be_frame(start):
        start = _MAY_HOLD_ANY.sub(b"", start)
    return start.translate(None, TEXT_BYTES) != b""


def _behind_length(start: bytes) -> tuple[bytes, int]:
    """Return what comes behind the length of a frame, and the length; b"" if that goes on."""
    length = 0
    for place, byte in enumerate(start[:5]):
        length |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return start[place + 1 :], length
    return b"", length


def _may_be_frame(start: bytes) -> bool:
    """Is there the tag of a row or of metadata, at the start or behind a length?"""
    return start[:1] == b"\n" or _behind_length(start)[0][:1] in _TAGS


def is_frame(start: bytes) -> bool:
    r"""Are these the first bytes of a frame of Jelly, though they could be those of a text?

    Lengths and tags may look like letters and line ends, and a name in the options has no control
    characters either: ``A\n"\n every`` is a frame, ``A\n<urn:s>`` is none.
    """
    if len(start) < 5:
        return False
    if start[0] == _ROW and start[2] == _OPTIONS:
        # A bare frame: a row, and the options in it, which fill it.
        return start[3] + 2 == start[1]
    # The same behind the length of the frame.
    row, length = _behind_length(start)
    return (
        len(row) >= 4
        and row[0] == _ROW
        and row[2] == _OPTIONS
        and row[3] + 2 == row[1]
        and row[1] + 2 <= length
    )


def is_delimited(file: IO[bytes]) -> bool:
    """Are these frames of Jelly with their lengths? The file goes back to its start."""
    start = file.read(START_SIZE)
    file.seek(0)
    return start[:1] != b"\n" and is_frame(start)


def _first_that_tell_enough(start: bytes) -> bytes:
    for size in range(3, len(start)):
        if _tells_enough(start[:size]):
            return start[:size]
    return start


def _tells_enough(start: bytes) -> bool:
    start = start.removeprefix(BYTE_ORDER_MARK)
    if has_control_characters(start):
        return len(start) >= 3
    if len(start) < (5 if start[:1] in (b"<", b"@") else 1):
        return False
    if start.startswith(FRAME_HEAD[: len(start)]):
        # The text of a frame, whose first field tells what it is a frame of.
        return False
    if _may_be_frame(start):
        # Then only that there are no control characters says that it is none.
        return is_frame(start)
    if start[0] == ord("<"):
        # Up to its end the name of an element looks like an IRI.
        return start[1] in b"?!" or any(byte in b" \t\r\n>" for byte in start)
    if start[0] in b"{[":
        # Turtle's lists and graphs, too, start with brackets.
        return len(start.strip(b"{[" + BLANKS)) > 0
    # The shortest row of a text is "Z." and an LF. Blanks may come before it, but a length, too,
    # may look like a blank.
    return len(start) >= 3 and start[0] not in BLANKS

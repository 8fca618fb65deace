"""Examines the first bytes of an input to find its format."""

from __future__ import annotations

import re
from typing import IO

from jelly_rdflib.core.source import ByteSource, with_start

# The maximum number of bytes to examine.
START_SIZE = 64
BLANKS = b" \t\r\n"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FRAME_HEAD = b"# Frame "
# Comments and strings, which may be cut off.
_MAY_HOLD_ANY = re.compile(rb"#[^\r\n]*|[\"'].*", re.DOTALL)
# The tag of a row in a frame, and the tag of the options in a row.
_ROW = _OPTIONS = 0x0A
# The tags of a row and of metadata, also in overlong form, which can't start a UTF-8 character.
_TAGS = (b"\n", b"z", b"\x8a", b"\xfa")
TEXT_BYTES = bytes(byte for byte in range(256) if byte >= 0x20 or byte in b"\t\n\r\f")


def look_at_start(source: memoryview | ByteSource) -> tuple[bytes, memoryview | ByteSource]:
    """Return the first bytes of an open source, and a source that still has them.

    From a live source, wait only for the bytes that are needed to distinguish text from binary
    data. From any other source, return no more bytes either, so that the result does not depend on
    the pieces in which the bytes arrive.
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
    """Return whether the start has bytes that a text can contain only in a string or a comment.

    A first character that is invalid UTF-8 counts, too, since most lengths of more than one byte
    look like that.
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
    """Return the bytes after a frame's length, and the length; b"" if the length is cut off."""
    length = 0
    for place, byte in enumerate(start[:5]):
        length |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return start[place + 1 :], length
    return b"", length


def _may_be_frame(start: bytes) -> bool:
    """Return whether the tag of a row or of metadata is at the start, or after a length."""
    return start[:1] == b"\n" or _behind_length(start)[0][:1] in _TAGS


def is_frame(start: bytes) -> bool:
    r"""Return whether bytes that could start a text are the first bytes of a Jelly frame.

    Lengths and tags may look like letters and line ends, and a name in the options is a text
    anyway: ``A\n"\n every`` starts a frame, ``A\n<urn:s>`` does not.
    """
    if len(start) < 5:
        return False
    if start[0] == _ROW and start[2] == _OPTIONS:
        # A bare frame starts with a row that consists of the options.
        return start[3] + 2 == start[1]
    # A delimited frame has such a row after its length.
    row, length = _behind_length(start)
    return (
        len(row) >= 4
        and row[0] == _ROW
        and row[2] == _OPTIONS
        and row[3] + 2 == row[1]
        and row[1] + 2 <= length
    )


def is_delimited(file: IO[bytes]) -> bool:
    """Return whether a file has delimited Jelly frames, and go back to the file's start."""
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
        # This is the text form of a frame; its first field shows the kind of Jelly.
        return False
    if _may_be_frame(start):
        # Without control characters this may still be a text; only complete options decide.
        return is_frame(start)
    if start[0] == ord("<"):
        # The start of an element's name looks like an IRI, so its end must be seen.
        return start[1] in b"?!" or any(byte in b" \t\r\n>" for byte in start)
    if start[0] in b"{[":
        # More is needed after brackets, which also start JSON-LD and Turtle's lists and graphs.
        return len(start.strip(b"{[" + BLANKS)) > 0
    # The shortest row of a text is "Z." and an LF. Blanks may come before it, but a length may also
    # look like a blank.
    return len(start) >= 3 and start[0] not in BLANKS

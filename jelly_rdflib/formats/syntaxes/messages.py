"""The protocol between the child process with a parser and the parent that started it.

The child leads. It asks for bytes of the text when its parser needs some. It sends each batch as a
Jelly-RDF stream of one frame, so that no lookup grows with the text. Its last message is the end of
the text, or an error.
"""

from __future__ import annotations

import struct

# The head of the child's messages: a kind, and the size of the body that follows. WANT has no body:
# its size is the number of bytes that the parser wants. HASH asks for the hash of the whole text.
# DROPPED reports that a base direction was left out.
ANSWER = struct.Struct(">cI")
WANT, HASH, FRAME, DROPPED, ERROR, END = b"W", b"H", b"F", b"D", b"E", b"."
# The body of an ERROR: whether it is a LimitError, whether the source caused it; its offset, line
# and column, with -1 for None; then in UTF-8 the name of the limit (or nothing), a newline, and the
# message.
TOLD = struct.Struct(">??qqq")
# The head of the parent's messages: the size of the body, or SOURCE_FAILED if reading failed.
INPUT = struct.Struct(">I")
SOURCE_FAILED = 0xFFFFFFFF
# The child may take ``max_parser_seconds`` per this many MiB of text, rounded up.
TEXT_PER_TIME = 8
# The exit status of a child that is out of memory.
NO_MEMORY = 12
# How many bytes the child asks for at a time, although its parser only asks it for a few KiB.
PIECE_SIZE = 1 << 16

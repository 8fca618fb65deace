"""The protocol between the process of a parser and the process that started it.

The child leads. It asks for bytes of the text when its parser wants some, and sends each batch as a
frame of Jelly-RDF that is a stream of its own, so that no lookup grows with the text. Its last
message is the end of the text, or an error.
"""

from __future__ import annotations

import struct

# The head of the child's messages: a kind, and the size of the body that follows. WANT has no body:
# its number is how many bytes the parser wants. HASH asks for the hash of the whole text. DROPPED
# tells that a base direction was left out.
ANSWER = struct.Struct(">cI")
WANT, HASH, FRAME, DROPPED, ERROR, END = b"W", b"H", b"F", b"D", b"E", b"."
# The body of an ERROR: whether it is a LimitError, whether the source caused it, its offset, line
# and column, where -1 stands for None; then the limit's name, if it has one, a newline, and its
# message, in UTF-8.
TOLD = struct.Struct(">??qqq")
# The parent's messages: the size of the bytes that follow; SOURCE_FAILED if it can't read any.
INPUT = struct.Struct(">I")
SOURCE_FAILED = 0xFFFFFFFF
# MiB of text, each begun, for which the child has ``max_parser_seconds``.
TEXT_PER_TIME = 8
# The exit status of a child that is out of memory.
NO_MEMORY = 12
# Bytes of the text that are asked for at once: a parser asks for a few KiB at a time.
PIECE_SIZE = 1 << 16

"""What a process with a parser and the process that started it tell each other.

The child leads. It asks for bytes of the text when its parser wants some, and sends each batch as a
frame of Jelly-RDF that is a stream of its own, so that no lookup grows with the text. At last it
says that the text is at its end, or what is wrong with it.
"""

from __future__ import annotations

import struct

# What the child sends: a kind, and the size of the body that follows. With WANT there is no body,
# and the number says how many bytes the parser wants.
ANSWER = struct.Struct(">cI")
WANT, FRAME, ERROR, END = b"W", b"F", b"E", b"."
# The body of an ERROR: whether it is a LimitError, whether it comes of the source, its offset, line
# and column, where -1 stands for None; then its message in UTF-8.
TOLD = struct.Struct(">??qqq")
# What the parent sends: the size of the bytes that follow; SOURCE_FAILED if it can't read any.
INPUT = struct.Struct(">I")
SOURCE_FAILED = 0xFFFFFFFF
# MiB of text, each begun, for which the child has ``max_parser_seconds``.
TEXT_PER_TIME = 8
# The exit status of a child that gets no more memory.
NO_MEMORY = 12

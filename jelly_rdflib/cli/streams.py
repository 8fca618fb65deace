"""Standard input, output and error, which whoever starts a program may have closed."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, NoReturn


class _Closed(io.RawIOBase):
    """Stands for a stream that is closed: to use it is an error, which names it."""

    def __init__(self, number: int, title: str) -> None:
        self._number = number
        self._title = title

    def fileno(self) -> int:
        return self._number

    def readable(self) -> bool:
        return self._number == 0

    def writable(self) -> bool:
        return self._number > 0

    def readinto(self, buffer: Any) -> NoReturn:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), self._title)

    def write(self, data: Any) -> NoReturn:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), self._title)


def open_standard_streams() -> None:
    """Put something in the place of each standard stream that is closed.

    For a closed stream Python has None. The next file that is opened would get the stream's number,
    and C code that writes to this number would write into the file. To read from or write to a
    closed standard input or output raises an OSError. What is written to a closed standard error is
    dropped.
    """
    for number, (name, title) in enumerate(
        (("stdin", "standard input"), ("stdout", "standard output"), ("stderr", "standard error"))
    ):
        if getattr(sys, name) is not None:
            continue
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)
        if number == 2:
            sys.stderr = open(number, "w", closefd=False)  # noqa: SIM115
        elif number == 1:
            sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed(number, title)))
        else:
            sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed(number, title)))

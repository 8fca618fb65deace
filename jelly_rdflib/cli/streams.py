"""Replaces standard input, output and error if the caller has closed them."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, NoReturn


class _Closed(io.RawIOBase):
    """Stand-in for a closed stream: each use raises an OSError that names the stream."""

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
    """Replace each closed standard stream.

    For a closed stream Python has None. The next opened file would get the stream's number, and C
    code that writes to this number would write into the file. The replacement of standard input and
    output raises an OSError when it is used. The replacement of standard error drops all text.
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

"""Locks on files, which the system frees when a process ends, however it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from jelly_rdflib.errors import LogError

__all__ = ["lock_file", "locked", "try_lock_file"]

if sys.platform != "win32":
    import fcntl


def lock_file(fd: int) -> None:
    """Lock an open file; wait for it if another has it locked.

    Raises:
        LogError: The system has no such locks.
    """
    _check_platform()
    if sys.platform != "win32":
        fcntl.flock(fd, fcntl.LOCK_EX)


def try_lock_file(fd: int) -> bool:
    """Lock an open file, unless another has it locked.

    Returns:
        Whether it is locked now.

    Raises:
        LogError: The system has no such locks.
    """
    _check_platform()
    if sys.platform != "win32":
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@contextmanager
def locked(path: os.PathLike[str]) -> Iterator[int]:
    """Hold the lock of a file, which is made if it is not there.

    Yields:
        Its file descriptor, for reading and writing.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    try:
        lock_file(fd)
        yield fd
    finally:
        # The lock is free even if that fails, and what was written may be lost.
        with suppress(OSError):
            os.close(fd)


def _check_platform() -> None:
    if sys.platform == "win32":
        raise LogError(
            "a patch log can be read here, but not written: that takes flock(), which Windows lacks"
        )

"""Faults: a process that is killed, or a disk that is full, at each call of ``os``.

What changes files is called by its name in ``os``, and there the faults are put in its way. The
calls are counted, and at the one whose turn it is the fault happens. Those of SQLite are in `shim`,
failures of power in `outage`.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

ALL_CALLS = ("open", "write", "fsync", "close", "mkdir", "link", "replace", "unlink")
"""The calls of ``os`` that change something, and those around them."""

KILLED = 86


@contextmanager
def intercepted(around: Callable[[str, Callable[..., Any], Any], Any]) -> Iterator[None]:
    """Have a function called in place of each call: with its name, itself and its arguments.

    Nothing waits for the disk: files outlive these faults without it.
    """
    real = {name: getattr(os, name) for name in ALL_CALLS}

    def wrapped(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            # The package gives none by keyword; what does is of this module, or of Python.
            if more:
                return real[name](*arguments, **more)
            made = os.fstat if name == "fsync" else real[name]
            return around(name, made, arguments)

        return call

    for name in ALL_CALLS:
        setattr(os, name, wrapped(name))
    try:
        yield
    finally:
        for name, function in real.items():
            setattr(os, name, function)


def run_and_kill(work: Callable[[], object], turn: int) -> str:
    """Run something in a process that is killed before one of its calls.

    Args:
        work: What is run.
        turn: Which call, counted from 0; of those between which no file changes, the first counts.

    Returns:
        The name of the call; empty if the work was done before it came to that.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run_child(work, turn, writer)
    os.close(writer)
    with open(reader, "rb") as pipe:
        said = pipe.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, KILLED), said
    return said


def _run_child(work: Callable[[], object], turn: int, writer: int) -> None:
    count, has_changed = -1, True
    say = os.write

    def around(name: str, real: Callable[..., Any], arguments: Any) -> Any:
        nonlocal count, has_changed
        changes = _changes_files(name, arguments)
        # SQLite's own changes may come after the one, and before the other.
        is_new_point, has_changed = changes or has_changed, changes
        count += is_new_point
        if is_new_point and count == turn:
            say(writer, name.encode())
            os._exit(KILLED)
        return real(*arguments)

    try:
        with intercepted(around):
            work()
    except BaseException as error:
        say(writer, repr(error).encode())
        os._exit(1)
    os._exit(0)


def _changes_files(name: str, arguments: Any) -> bool:
    """Is a file other after this call? Those of `open` are new ones."""
    return name in ("write", "mkdir", "link", "replace", "unlink") or (
        name == "open" and bool(arguments[1] & os.O_CREAT)
    )


@contextmanager
def full_disk(turn: int, *, stays_full: bool) -> Iterator[list[str]]:
    """Have a call fail for want of room, and maybe all later ones that need room.

    Args:
        turn: Which call, counted from 0; if the disk stays full, of those that need room.
        stays_full: Whether it is so from then on.

    Yields:
        A list that gets the name of the first call that failed.
    """
    count = -1
    failed: list[str] = []

    def around(name: str, real: Callable[..., Any], arguments: Any) -> Any:
        nonlocal count
        needs_room = name == "fsync" or (name != "unlink" and _changes_files(name, arguments))
        is_counted = needs_room or not stays_full
        count += is_counted
        if is_counted and (count == turn or (failed and stays_full)):
            failed.append(name)
            if name == "write":
                half = memoryview(arguments[1])
                real(arguments[0], half[: len(half) // 2])
            if name == "close":
                # Closed it is all the same.
                real(*arguments)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*arguments)

    with intercepted(around):
        yield failed

"""Injects faults at calls of ``os``: the process is killed, or the disk is full.

The package changes files through functions of ``os``, which this module replaces. It counts the
calls, and injects the fault at one of them. `shim` does the same for SQLite's calls, and `outage`
for power failures.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

ALL_CALLS = ("open", "write", "fsync", "close", "mkdir", "link", "replace", "unlink")
"""The calls of ``os`` that change something, and related calls."""

KILLED = 86


@contextmanager
def intercepted(around: Callable[[str, Callable[..., Any], Any], Any]) -> Iterator[None]:
    """Replace each call with a call of `around` with its name, its function and its arguments.

    No call waits for the disk: files survive these faults without an fsync.
    """
    real = {name: getattr(os, name) for name in ALL_CALLS}

    def wrapped(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            # The package passes no keywords. A call with keywords is from this module or from
            # Python.
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
    """Run `work` in a process that is killed before one of its calls.

    Args:
        work: The function to run.
        turn: The number of the call, counted from 0. If no file changes between several calls,
            only the first of them counts.

    Returns:
        The name of the call; empty if the work ended before that call.
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
        # A call counts if the previous call changed a file. A call that changes a file always
        # counts, since SQLite may have changed files after the previous call.
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
    """Return whether this call changes a file; `open` may create one."""
    return name in ("write", "mkdir", "link", "replace", "unlink") or (
        name == "open" and bool(arguments[1] & os.O_CREAT)
    )


@contextmanager
def full_disk(turn: int, *, stays_full: bool) -> Iterator[list[str]]:
    """Make a call fail because the disk is full, and optionally all later calls that need space.

    Args:
        turn: The number of the call, counted from 0; if the disk stays full, only calls that need
            space count.
        stays_full: Whether the disk stays full.

    Yields:
        A list that receives the name of the first call that failed.
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
                # The file is closed even if the call fails.
                real(*arguments)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*arguments)

    with intercepted(around):
        yield failed

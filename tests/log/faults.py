"""Faults: a process that is killed, power that fails, or a disk that is full, at each system call.

What changes files is called by its name in ``os``, and there the faults are put in its way. The
calls are counted, and at the one whose turn it is the fault happens.
"""

from __future__ import annotations

import errno
import functools
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Any

__all__ = ["Kill", "full_disk", "intercepted", "run_and_kill"]

ALL_CALLS = (
    *("open", "write", "pwrite", "ftruncate", "fsync", "close"),
    *("mkdir", "rename", "replace", "link", "unlink", "remove"),
)
"""The calls of ``os`` that change something, and those around them."""

KILLED = 86


@contextmanager
def intercepted(around: Callable[[str, Callable[..., Any], Any], Any]) -> Iterator[None]:
    """Have a function called in place of each call: with its name, itself and its arguments."""
    real = {name: getattr(os, name) for name in ALL_CALLS}

    def wrapped(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            # The package gives none by keyword; what does is of this module, or of Python.
            return real[name](*arguments, **more) if more else around(name, real[name], arguments)

        return call

    for name in ALL_CALLS:
        setattr(os, name, wrapped(name))
    try:
        yield
    finally:
        for name, function in real.items():
            setattr(os, name, function)


class Kill(Enum):
    """How a process ends."""

    BEFORE_A_CALL = "killed before a call"
    IN_A_WRITE = "killed in the middle of a write"
    NAMES_LOST = "power fails; what was done to folders and not brought to the disk is undone"
    NEW_NAMES_LOST = "power fails; the same, but what was deleted stays so"
    DATA_LOST = "power fails; files that were not brought to the disk are empty"


class Disk:
    """What of the changes to files has not come to the disk yet.

    Args:
        trash: A folder for what is deleted, as long as that can be undone.
    """

    def __init__(self, trash: Path) -> None:
        self.trash = trash
        self.paths: dict[int, str] = {}
        self.dirty: set[str] = set()
        # Of each change: the folder, whether a name is new, and what undoes it.
        self.undo: list[tuple[str, bool, Callable[[], None]]] = []

    def call(self, name: str, real: Callable[..., Any], arguments: Any) -> Any:
        path = str(arguments[0])
        folder = os.path.dirname(path)
        if name == "open" and arguments[1] & os.O_CREAT and not os.path.exists(path):
            self.undo.append((folder, True, lambda: os.unlink(path)))
        elif name in ("unlink", "remove"):
            kept = self.trash / str(len(list(self.trash.iterdir())))
            shutil.copy2(path, kept)
            self.undo.append((folder, False, lambda: shutil.copy2(kept, path) and None))
        elif name == "mkdir":
            self.undo.append((folder, True, lambda: shutil.rmtree(path)))
        elif name in ("rename", "replace"):
            new = str(arguments[1])
            kept = self.trash / str(len(list(self.trash.iterdir())))
            had = os.path.exists(new)
            if had:
                shutil.copy2(new, kept)
            back = functools.partial(_move_back, new, path, kept, had)
            self.undo.append((os.path.dirname(new), True, back))
            if path in self.dirty:
                self.dirty.remove(path)
                self.dirty.add(new)
        result = real(*arguments)
        if name == "open":
            self.paths[result] = path
        elif name in ("write", "pwrite", "ftruncate"):
            self.dirty.add(self.paths[arguments[0]])
        elif name == "fsync":
            synced = self.paths[arguments[0]]
            self.dirty.discard(synced)
            self.undo = [each for each in self.undo if each[0] != synced]
        return result

    def lose(self, kill: Kill) -> None:
        if kill == Kill.DATA_LOST:
            for path in self.dirty:
                with suppress(FileNotFoundError):
                    os.truncate(path, 0)
        for _, is_new, undo in reversed(self.undo):
            if kill == Kill.NAMES_LOST or (kill == Kill.NEW_NAMES_LOST and is_new):
                with suppress(FileNotFoundError):
                    undo()


def _move_back(new: str, old: str, kept: Path, had: bool) -> None:
    shutil.move(new, old)
    if had:
        shutil.copy2(kept, new)


def run_and_kill(
    work: Callable[[], object], turn: int, kill: Kill, trash: Path
) -> tuple[bool, str]:
    """Run something in a process that is killed at one of its calls.

    Args:
        work: What is run.
        turn: At which call, counted from 0.
        kill: How.
        trash: An empty folder.

    Returns:
        Whether the work was done, and the name of the call; empty if that was not reached.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run_child(work, turn, kill, trash, writer)
    os.close(writer)
    with open(reader, "rb") as pipe:
        said = pipe.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, KILLED), said
    return said == "done", said if status == KILLED else ""


def _run_child(work: Callable[[], object], turn: int, kill: Kill, trash: Path, writer: int) -> None:
    disk = Disk(trash)
    count = -1
    is_counting = True
    say = os.write

    def end(name: str) -> None:
        nonlocal is_counting
        is_counting = False
        disk.lose(kill)
        say(writer, name.encode())
        os._exit(KILLED)

    def around(name: str, real: Callable[..., Any], arguments: Any) -> Any:
        nonlocal count
        if not is_counting:
            return real(*arguments)
        count += 1
        if count == turn:
            if kill == Kill.IN_A_WRITE and name in ("write", "pwrite"):
                half = memoryview(arguments[1])
                real(arguments[0], half[: len(half) // 2], *arguments[2:])
            end(name)
        return disk.call(name, real, arguments)

    try:
        with intercepted(around):
            work()
            # It is acknowledged now, and power may fail all the same.
            is_counting = False
            disk.lose(kill)
            say(writer, b"done")
    except BaseException as error:
        say(writer, repr(error).encode())
        os._exit(1)
    os._exit(0)


@contextmanager
def full_disk(turn: int, *, stays_full: bool) -> Iterator[list[str]]:
    """Have a call fail for want of room, and maybe all later ones that need room.

    Yields:
        A list that gets the name of the first call that failed.
    """
    count = -1
    failed: list[str] = []

    def around(name: str, real: Callable[..., Any], arguments: Any) -> Any:
        nonlocal count
        count += 1
        needs_room = name in ("write", "pwrite", "fsync", "mkdir", "rename", "link") or (
            name == "open" and arguments[1] & os.O_CREAT
        )
        if count == turn or (failed and stays_full and needs_room):
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

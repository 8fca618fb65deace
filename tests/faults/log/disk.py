"""Computes the states that a disk may be in after a power failure.

A file system guarantees only that synced data is on the disk: a file's bytes after an fsync of the
file, names after an fsync of their folder. Other changes may or may not be there, in any order. So
the disk may be in many states at each moment between two calls. This module generates the states
that lose or reorder the most, and some random ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

State = dict[str, "bytes | None"]
"""The content of a folder: the bytes of each file by path, or None for a folder."""


@dataclass(frozen=True)
class Call:
    """A call that changed something, as recorded by the shim."""

    name: str
    path: str
    other: str
    offset: int
    data: bytes


def read_record(data: bytes, folder: Path) -> Iterator[Call]:
    """Yield the calls that the shim recorded, with paths relative to `folder`."""
    position = 0
    while position < len(data):
        end = data.index(b"\n", position)
        name, path, other, offset, size = data[position:end].decode().split("\t")
        position = end + 1 + int(size)
        yield Call(
            name,
            path if name == "mark" else _relative(path, folder),
            _relative(other, folder) if other else "",
            int(offset),
            data[end + 1 : position],
        )


def _relative(path: str, folder: Path) -> str:
    return str(PurePosixPath(path).relative_to(folder))


def _parent(path: str) -> str:
    return str(PurePosixPath(path).parent)


@dataclass
class File:
    """A file, independent of its name.

    Args:
        kept: The bytes on the disk.
        changes: The offset and bytes of each write since then; None truncates the file at the
            offset.
    """

    kept: bytes = b""
    changes: list[tuple[int, bytes | None]] = field(default_factory=list)

    def content(self, keeps: Callable[[int], bool] = lambda index: True) -> bytes:
        data = bytearray(self.kept)
        for index, (offset, piece) in enumerate(self.changes):
            if not keeps(index):
                continue
            data.extend(bytes(max(0, offset - len(data))))
            if piece is None:
                del data[offset:]
            else:
                data[offset : offset + len(piece)] = piece
        return bytes(data)

    def zeros(self) -> bytes:
        """Return the file's bytes on a disk that has the new size but not the new data."""
        size = len(self.content())
        return self.kept[:size] + bytes(max(0, size - len(self.kept)))

    def sync(self) -> None:
        self.kept = self.content()
        self.changes.clear()


@dataclass(frozen=True)
class Naming:
    """A change of names that is not on the disk yet.

    Args:
        removed: The name that is removed, or empty.
        added: The name that is added, or empty.
        file: The file with the new name; None for a folder.
    """

    removed: str
    added: str
    file: File | None

    def split(self, folder: str) -> tuple[Naming, Naming]:
        """Return the part of the change in `folder`, and the part in other folders."""

        def pick(path: str, is_here: bool) -> str:
            return path if (_parent(path) == folder) == is_here else ""

        here, elsewhere = (
            Naming(pick(self.removed, is_here), pick(self.added, is_here), self.file)
            for is_here in (True, False)
        )
        return here, elsewhere

    def apply(self, names: dict[str, File | None]) -> None:
        if self.removed:
            names.pop(self.removed, None)
        if self.added:
            names[self.added] = self.file


class Disk:
    """A folder, as programs see it and as it is on the disk.

    Args:
        folder: The folder's initial content, which is all on the disk.
    """

    def __init__(self, folder: Path) -> None:
        self.kept: dict[str, File | None] = {".": None}
        for path in sorted(folder.rglob("*")):
            file = None if path.is_dir() else File(path.read_bytes())
            self.kept[str(path.relative_to(folder))] = file
        self.names = dict(self.kept)
        self.namings: list[Naming] = []

    def do(self, call: Call) -> None:
        """Apply a call."""
        if call.name == "mark":
            return
        if call.name == "sync":
            self._sync(call.path)
        elif call.name in ("write", "truncate"):
            file = self.names.get(call.path)
            if file is not None:
                file.changes.append((call.offset, call.data if call.name == "write" else None))
            else:
                # The file was deleted while it was open.
                assert call.path.endswith(" (deleted)"), call
        else:
            self._name(call)

    def _name(self, call: Call) -> None:
        if call.name in ("create", "mkdir"):
            naming = Naming("", call.path, File() if call.name == "create" else None)
        elif call.name in ("unlink", "rmdir"):
            naming = Naming(call.path, "", None)
        elif call.name == "rename":
            naming = Naming(call.path, call.other, self.names[call.path])
        else:
            assert call.name == "link", call
            naming = Naming("", call.other, self.names[call.path])
        naming.apply(self.names)
        self.namings.append(naming)

    def _sync(self, path: str) -> None:
        file = self.names[path]
        if file is not None:
            file.sync()
            return
        rest = []
        for naming in self.namings:
            here, elsewhere = naming.split(path)
            here.apply(self.kept)
            if elsewhere.removed or elsewhere.added:
                rest.append(elsewhere)
        self.namings = rest

    def states(self, chance: random.Random) -> Iterator[State]:
        """Yield states that the disk may be in after a power failure; the last one is random."""
        everything = [True] * len(self.namings)
        nothing = [False] * len(self.namings)
        new_only = [bool(each.added) for each in self.namings]
        gone_only = [not each.added for each in self.namings]
        for names in (everything, nothing, new_only, gone_only):
            yield self._state(names, lambda file, index: True)
            yield self._state(names, lambda file, index: False)
        yield self._state(everything, lambda file, index: True, are_zeros=True)
        files = [each for each in self._files() if each.changes]
        for one in files:
            # The system writes files in an arbitrary order.
            yield self._state(everything, lambda file, index, one=one: file is one)
            yield self._state(everything, lambda file, index, one=one: file is not one)
            yield self._state(everything, lambda file, index: index < len(file.changes) - 1)
            yield self._state(everything, lambda file, index: index >= len(file.changes) // 2)
        if self.namings or files:
            picked = [chance.random() < 0.5 for _ in self.namings]
            yield self._state(picked, lambda file, index: chance.random() < 0.5)

    def _files(self) -> list[File]:
        found: list[File] = []
        for file in [*self.kept.values(), *self.names.values()]:
            if file is not None and not any(file is each for each in found):
                found.append(file)
        return found

    def _state(
        self,
        is_named: list[bool],
        keeps: Callable[[File, int], bool],
        *,
        are_zeros: bool = False,
    ) -> State:
        names = dict(self.kept)
        for naming, is_kept in zip(self.namings, is_named, strict=True):
            if is_kept:
                naming.apply(names)
        state: State = {}
        for path, file in sorted(names.items()):
            parents = [str(each) for each in PurePosixPath(path).parents if path != "."]
            if any(parent not in names for parent in parents):
                # The folder itself is not on the disk.
                continue
            if file is None:
                state[path] = None
            elif are_zeros:
                state[path] = file.zeros()
            else:
                state[path] = file.content(lambda index, file=file: keeps(file, index))
        return state

    def seen(self) -> State:
        """Return the state that programs see."""
        return self._state([True] * len(self.namings), lambda file, index: True)


def write_state(state: State, folder: Path) -> None:
    """Write the content of `state` into `folder`."""
    for path, data in state.items():
        if data is None:
            (folder / path).mkdir(exist_ok=True)
        else:
            (folder / path).write_bytes(data)


def read_state(folder: Path) -> State:
    """Return the content of `folder`."""
    state: State = {".": None}
    for path in sorted(folder.rglob("*")):
        state[str(path.relative_to(folder))] = None if path.is_dir() else path.read_bytes()
    return state

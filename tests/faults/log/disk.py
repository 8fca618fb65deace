"""What a disk may have after a failure of power, by the calls that came before it.

A file system promises that what was brought to the disk is there: a file's bytes after an fsync of
the file, names after one of their folder. All else may be there or not, in any order. So for each
moment between two calls there are many states that the disk may be in; of those, the ones are made
here in which most is lost or most is mixed up, and some by chance.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

State = dict[str, "bytes | None"]
"""What a folder has: the bytes of each file by its path; None for a folder."""


@dataclass(frozen=True)
class Call:
    """A call that changed something, as the shim has recorded it."""

    name: str
    path: str
    other: str
    offset: int
    data: bytes


def read_record(data: bytes, folder: Path) -> Iterator[Call]:
    """Read what the shim has recorded; paths come out relative to a folder."""
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
    """A file, whatever its name is.

    Args:
        kept: What is on the disk.
        changes: What was written since: where to, and what. None cuts the file there.
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
        """Return what there is if the size was brought to the disk, and nothing else."""
        size = len(self.content())
        return self.kept[:size] + bytes(max(0, size - len(self.kept)))

    def sync(self) -> None:
        self.kept = self.content()
        self.changes.clear()


@dataclass(frozen=True)
class Naming:
    """A change of names that is not on the disk yet.

    Args:
        removed: The name that goes; empty if none does.
        added: The name that comes.
        file: What gets it; None for a folder.
    """

    removed: str
    added: str
    file: File | None

    def split(self, folder: str) -> tuple[Naming, Naming]:
        """Return what of it is in a folder, and what is in another."""

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
        folder: What there is at first, all of it on the disk.
    """

    def __init__(self, folder: Path) -> None:
        self.kept: dict[str, File | None] = {".": None}
        for path in sorted(folder.rglob("*")):
            file = None if path.is_dir() else File(path.read_bytes())
            self.kept[str(path.relative_to(folder))] = file
        self.names = dict(self.kept)
        self.namings: list[Naming] = []

    def do(self, call: Call) -> None:
        """Follow a call."""
        if call.name == "mark":
            return
        if call.name == "sync":
            self._sync(call.path)
        elif call.name in ("write", "truncate"):
            file = self.names.get(call.path)
            if file is not None:
                file.changes.append((call.offset, call.data if call.name == "write" else None))
            else:
                # It was unlinked while it was open.
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
        """Make states that the disk may be in after a failure of power, the last one by chance."""
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
            # The system writes them in an order of its own.
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
        """Return what programs see."""
        return self._state([True] * len(self.namings), lambda file, index: True)


def write_state(state: State, folder: Path) -> None:
    """Make a folder that has what a state has."""
    for path, data in state.items():
        if data is None:
            (folder / path).mkdir(exist_ok=True)
        else:
            (folder / path).write_bytes(data)


def read_state(folder: Path) -> State:
    """Return what a folder has."""
    state: State = {".": None}
    for path in sorted(folder.rglob("*")):
        state[str(path.relative_to(folder))] = None if path.is_dir() else path.read_bytes()
    return state

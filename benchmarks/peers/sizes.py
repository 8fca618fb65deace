"""Measure the size of each writer's output, uncompressed and with gzip."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

from .inputs import Changes
from .jvm import NAMES, Jvm, write_file
from .task import WRITE, Task

__all__ = ["Size", "check", "measure"]


@dataclass(frozen=True)
class Size:
    """The size of a writer's output, in bytes."""

    who: str
    format: str
    plain: int
    gzipped: int


def measure(changes: Changes, jvm: Jvm, scratch: Path) -> list[Size]:
    """Make each writer write the changes; return the sizes."""
    sizes = []
    for extension in NAMES:
        sizes.append(_size("jelly-rdflib", extension, changes.read(extension)))
        path = scratch / f"data.{extension}"
        write_file(jvm, changes, extension, path)
        sizes.append(_size(NAMES[extension], extension, path.read_bytes()))
        path.unlink()
    return sizes


def _size(who: str, extension: str, content: bytes) -> Size:
    return Size(who, extension, len(content), len(gzip.compress(content, 6)))


def check(tasks: list[Task], sizes: list[Size]) -> None:
    """Check that timed writers wrote complete output, as large as the measured sizes.

    Raises:
        AssertionError: The output of a writer has a different size.
    """
    expected = {(size.who, size.format): size.plain for size in sizes}
    for task in tasks:
        size = expected.get((task.who, task.format), task.size)
        if task.kind == WRITE and task.size != size:
            raise AssertionError(f"{task.who}, {task.how}: {task.size} bytes, not {size}")

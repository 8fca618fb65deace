"""Something that a contestant is timed at."""

from __future__ import annotations

import gc
import itertools
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["APPLY", "KINDS", "READ", "WRITE", "Task", "in_python", "length"]

READ = "read"
WRITE = "write"
APPLY = "apply"
KINDS = (READ, WRITE, APPLY)


@dataclass
class Task:
    """Reading, writing or applying the changes, by one library in one way.

    Attributes:
        kind: One of `KINDS`.
        who: The library.
        how: What it makes of what.
        format: The extension of what is read or written.
        run: Does it once; returns the clock's seconds, and a count: of the rows read, the bytes
            written, or the quads in the store.
        count: What the count is to be; for a writer, `sizes.check` says.
        is_ours: Whether it is this package's.
        seconds: Of each round.
        size: The bytes written; 0 where nothing is.
    """

    kind: str
    who: str
    how: str
    format: str
    run: Callable[[], tuple[float, int]]
    count: int | None = None
    is_ours: bool = False
    seconds: list[float] = field(default_factory=list)
    size: int = 0

    def round(self) -> None:
        """Do it once, and keep the time.

        Raises:
            AssertionError: The count is not what it should be.
        """
        seconds, count = self.run()
        if self.count not in (None, count):
            raise AssertionError(f"{self.who}, {self.how}: {count}, not {self.count}")
        self.size = count if self.kind == WRITE else 0
        self.seconds.append(seconds)


def in_python(
    work: Callable[..., Any],
    count: Callable[[Any], int] = lambda result: result,
    prepare: Callable[[], tuple[Any, ...]] = tuple,
) -> Callable[[], tuple[float, int]]:
    """Make what `Task.run` is of work in this process.

    Args:
        work: What is timed.
        count: Counts by what it returned, outside the timing.
        prepare: Makes its arguments, outside the timing.
    """

    def run() -> tuple[float, int]:
        arguments = prepare()
        gc.collect()
        start = time.perf_counter()
        result = work(*arguments)
        seconds = time.perf_counter() - start
        return seconds, count(result)

    return run


def length(items: Iterable[Any]) -> int:
    """Take all items and keep none, by C code alone; return how many there were."""
    counter = itertools.count()
    deque(zip(items, counter, strict=False), maxlen=0)
    return next(counter)

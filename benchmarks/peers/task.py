"""The class of timed tasks."""

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
    """Reading, writing or applying the changes with one library in one way.

    Attributes:
        kind: One of `KINDS`.
        who: The library.
        how: The input and the output.
        format: The extension of the file that is read or written.
        run: Does the task once. Returns the elapsed seconds and a count: of rows read, bytes
            written, or quads in the store.
        count: The expected count; for writers `sizes.check` checks the count.
        is_ours: Whether the library is this package.
        seconds: The seconds of each round.
        size: The bytes written; 0 if the task writes nothing.
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
        """Do the task once, and store the time.

        Raises:
            AssertionError: The count is wrong.
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
    """Return a function for `Task.run` that does the work in this process.

    Args:
        work: The timed function.
        count: Returns the count for the result of ``work``, untimed.
        prepare: Makes the arguments of ``work``, untimed.
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
    """Consume all items in C code without keeping any; return the number of items."""
    counter = itertools.count()
    deque(zip(items, counter, strict=False), maxlen=0)
    return next(counter)

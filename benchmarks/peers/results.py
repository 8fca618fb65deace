"""What a run has measured."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

from .sizes import Size
from .task import Task

__all__ = ["Result", "Results"]


@dataclass(frozen=True)
class Result:
    """All about one set of changes."""

    name: str
    about: str
    count: int
    tasks: list[Task]
    sizes: list[Size]

    def rate(self, task: Task) -> float:
        """Return the millions of statements a second, by the median."""
        return self.count / median(task.seconds) / 1e6


@dataclass(frozen=True)
class Results:
    """All that was measured, and with what."""

    results: list[Result]
    facts: dict[str, Any]
    versions: dict[str, str]
    machine: str
    date: str

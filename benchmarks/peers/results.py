"""The measurements of a run."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

from .sizes import Size
from .task import KINDS, Task

__all__ = ["Result", "Results"]


@dataclass(frozen=True)
class Result:
    """The measurements of one set of changes."""

    name: str
    about: str
    count: int
    tasks: list[Task]
    sizes: list[Size]

    def rate(self, task: Task) -> float:
        """Return the median rate, in millions of statements per second."""
        return self.count / median(task.seconds) / 1e6

    @property
    def kinds(self) -> list[str]:
        """The kinds of tasks with these changes, a subset of `KINDS`."""
        return [kind for kind in KINDS if self.ranking(kind)]

    def ranking(self, kind: str) -> list[Task]:
        """Return the tasks of a kind, fastest first."""
        tasks = (task for task in self.tasks if task.kind == kind)
        return sorted(tasks, key=self.rate, reverse=True)


@dataclass(frozen=True)
class Results:
    """All measurements, with the machine and the versions."""

    results: list[Result]
    facts: dict[str, Any]
    versions: dict[str, str]
    machine: str
    date: str

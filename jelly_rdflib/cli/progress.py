"""Progress bars on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from typing import Any

# A bar is shown after this time, in seconds.
PATIENCE = 0.5


class Progress:
    """A progress bar for the time of a ``with`` block.

    Args:
        label: The text beside the bar.
        total: The amount of work; None if it is unknown.
        is_bytes: Whether the amount is in bytes.
    """

    def __init__(self, label: str, total: int | None, *, is_bytes: bool = True) -> None:
        self._label = label
        self._total = total
        self._is_bytes = is_bytes
        self._done = 0
        self._start = time.monotonic()
        self._is_shown = sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        self._is_shown = False

    def advance(self, count: int) -> None:
        """Add to the amount of finished work."""
        if not self._is_shown:
            return
        self._done += count
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done)
        elif time.monotonic() > self._start + PATIENCE:
            self._bar = _make_bar(is_bytes=self._is_bytes)
            self._bar.start()
            self._task = self._bar.add_task(self._label, total=self._total, completed=self._done)


def _make_bar(*, is_bytes: bool) -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )
    from rich.progress import Progress as Bar

    counts = (DownloadColumn(), TransferSpeedColumn()) if is_bytes else (MofNCompleteColumn(),)
    return Bar(
        # A file's name is no markup.
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *counts,
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )

"""Progress bars on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# What is done sooner than this, in seconds, needs no bar.
PATIENCE = 0.5


class Progress:
    """Shows how far something is, once it takes longer.

    Args:
        label: What is going on.
        total: What is to be done; None if that is not known.
        is_bytes: Whether that is in bytes.
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

    def advance(self, count: int) -> None:
        """Say that so many more are done."""
        if not self._is_shown:
            return
        self._done += count
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done)
        elif time.monotonic() > self._start + PATIENCE:
            self._bar = _make_bar(is_bytes=self._is_bytes)
            self._bar.start()
            self._task = self._bar.add_task(self._label, total=self._total, completed=self._done)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        self._is_shown = False


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
        # What a file is called is no markup.
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *counts,
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def show_progress(label: str, total: int | None, *, is_bytes: bool = True) -> Iterator[Progress]:
    """Show a bar for the time of a block; arguments as for `Progress`."""
    progress = Progress(label, total, is_bytes=is_bytes)
    try:
        yield progress
    finally:
        progress.close()

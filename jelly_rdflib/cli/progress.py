"""Progress bars on standard error, if that is a terminal.

In a pipeline of several commands only the last one shows a bar. Two bars would overwrite each
other, and the last command runs the longest.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from jelly_rdflib.cli.options import shows_progress

# The seconds after which a bar is shown.
PATIENCE = 0.5
# Terminals with fewer columns show no speed.
NARROW = 60


@contextmanager
def show_progress(
    label: str, total: int | None, *, is_bytes: bool = True, is_shown: bool = True
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar during a block; yield a function that adds to the finished work.

    If ``total`` is None, the total is unknown. ``--quiet`` and ``--no-progress`` turn the bar off.
    """
    bar: Any = None
    may_show = is_shown and shows_progress() and sys.stderr.isatty() and not _writes_to_a_pipe()
    start = time.monotonic()
    done = 0

    def advance(count: int) -> None:
        nonlocal bar, done
        done += count
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done)
        elif may_show and time.monotonic() > start + PATIENCE:
            bar = _make_bar(is_bytes=is_bytes)
            bar.add_task(label, total=total, completed=done)
            bar.start()

    try:
        yield advance
    finally:
        may_show = False
        if bar is not None:
            bar.stop()


def _writes_to_a_pipe() -> bool:
    """Return whether standard output is a pipe: then the command that reads it may show a bar."""
    try:
        return stat.S_ISFIFO(os.fstat(1).st_mode)
    except OSError:
        return False


def _make_bar(*, is_bytes: bool) -> Any:
    from rich import progress
    from rich.console import Console
    from rich.table import Column

    console = Console(stderr=True)
    amounts: list[Any] = [progress.MofNCompleteColumn()]
    if is_bytes:
        size = progress.DownloadColumn(table_column=Column(no_wrap=True))
        amounts = [size, progress.TransferSpeedColumn()]
        # Leave out the speed on a narrow terminal, where the bar would take two lines.
        amounts = amounts[: 1 + (console.width >= NARROW)]
    # The name of a file must not be read as markup.
    label = progress.TextColumn("{task.description}", markup=False)
    columns = (label, progress.BarColumn(), *amounts, progress.TimeRemainingColumn())
    return progress.Progress(*columns, console=console, transient=True)

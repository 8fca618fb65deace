"""Reads hostile input in a separate process, and checks the outcome and the memory."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.sanitized import UNDER_SANITIZERS

ROOT = Path(__file__).resolve().parents[2]
# AddressSanitizer adds memory around each block, and retains some freed memory.
MAX_PEAK = 800_000_000 if UNDER_SANITIZERS else 200_000_000
# Seconds of wall-clock time. This limit only stops endless work.
TIMEOUT = 300


@dataclass(frozen=True)
class Report:
    """The outcome of an input.

    Args:
        error: The class of the error that refused the input, or None if the input was read.
        message: The message of the error.
        result: The number that the use returned.
        seconds: The processor time.
        peak: The peak memory of the process, in bytes.
        children: The peak memory of a process that it started.
    """

    error: str | None
    message: str
    result: int
    seconds: float
    peak: int
    children: int


def read_hostile(
    uses: Iterable[str],
    format: str,
    source: Path | Iterable[bytes],
    *,
    limits: dict[str, int] | None = None,
) -> dict[str, Report]:
    """Make a separate process use an input; check that its memory stays within the limit.

    Args:
        uses: Some of `tests.hostile.child.USES`, one after another.
        format: The format of the input.
        source: A file, or pieces that are sent through a pipe.
        limits: Limits other than the defaults.

    Returns:
        The outcome of each use.
    """
    uses = list(uses)
    path = str(source) if isinstance(source, Path) else "-"
    command = [sys.executable, "-m", "tests.hostile.child", ",".join(uses), format, path]
    path_of_modules = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path_of_modules}
    child = subprocess.Popen(
        [*command, json.dumps(limits or {})],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        if not isinstance(source, Path):
            _feed(child, source)
        out, _ = child.communicate(timeout=TIMEOUT)
    finally:
        child.kill()
    assert child.returncode == 0, (uses, format, child.returncode)
    lines: list[dict[str, Any]] = [json.loads(line) for line in out.splitlines()]
    reports = {use: Report(**line) for use, line in zip(uses, lines, strict=True)}
    for use, report in reports.items():
        assert report.peak < MAX_PEAK, (use, report)
        # A message shows only a part of an invalid value, which may have any size.
        assert len(report.message) < 2000
    return reports


def _feed(child: subprocess.Popen[bytes], pieces: Iterable[bytes]) -> None:
    assert child.stdin is not None
    try:
        for piece in pieces:
            child.stdin.write(piece)
        child.stdin.flush()
    except BrokenPipeError:
        # The process has read enough, and closed the pipe.
        pass


def write_pieces(path: Path, pieces: Iterable[bytes]) -> Path:
    """Write pieces to a file."""
    with path.open("wb") as file:
        file.writelines(pieces)
    return path

"""Reading hostile input in a process of its own, and what is asked of that."""

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
# AddressSanitizer keeps some memory around each block, and some that was freed.
MAX_PEAK = 800_000_000 if UNDER_SANITIZERS else 200_000_000
# Of the clock; to notice what never ends, and nothing else.
TIMEOUT = 300


@dataclass(frozen=True)
class Report:
    """What came of an input.

    Args:
        error: The class of the error that it was refused with; None if it was read.
        message: What the error says.
        result: What the use counted.
        seconds: Processor time.
        peak: The most memory of the process, in bytes.
        children: The most memory of a process that it started.
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
    """Let a process of its own use an input, and check that it takes no more memory than it may.

    Args:
        uses: Some of `tests.hostile.child.USES`, one after another.
        format: The format of the input.
        source: A file, or pieces that come through a pipe.
        limits: Limits other than the defaults.

    Returns:
        For each use what came of it.
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
        # Of what is wrong, which may be of any size, a message shows a part.
        assert len(report.message) < 2000
    return reports


def _feed(child: subprocess.Popen[bytes], pieces: Iterable[bytes]) -> None:
    assert child.stdin is not None
    try:
        for piece in pieces:
            child.stdin.write(piece)
        child.stdin.flush()
    except BrokenPipeError:
        # It has read enough.
        pass


def write_pieces(path: Path, pieces: Iterable[bytes]) -> Path:
    """Write pieces to a file."""
    with path.open("wb") as file:
        file.writelines(pieces)
    return path

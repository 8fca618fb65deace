"""Faults that any transport must survive, with nothing lost and nothing doubled."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.cli.support import COMMAND, ENVIRONMENT


def kill_at_random(arguments: Sequence[str], times: int, seed: int, *, most: float = 1.5) -> None:
    """Run ``jellyp`` and kill it after up to so many seconds, again and again."""
    moments = random.Random(seed)
    for _ in range(times):
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        time.sleep(moments.uniform(0.2, most))
        process.send_signal(signal.SIGKILL)
        _, err = process.communicate()
        # It ran until it was killed.
        assert process.returncode == -signal.SIGKILL, err.decode()


def numbers_in(log: Path | str | os.PathLike[str]) -> list[int]:
    """Return the numbers in the statements of a log, patch by patch."""
    entries = jr.PatchLog(log).patches()
    return [int(row[3]) for entry in entries for row in entry.read() if row[0] == Op.A]

"""Faults for all transports; after each, no patch may be lost or applied twice."""

import json
import os
import random
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from tests.support import ROOT


def kill_followers(
    kind: str,
    url: str,
    folder: Path,
    send: Callable[[int], object],
    *,
    kills: int,
    seed: int,
    timeout: float = 5.0,
    **settings: Any,
) -> None:
    """Kill followers at random times, and then let the last one finish.

    Args:
        kind: What the follower writes: ``"replica"`` or ``"log"``.
        url: The address of the source.
        folder: The folder of the replica or log.
        send: Sends some patches. It is called with the number of the current kill.
        kills: The number of kills.
        seed: The seed of the random times.
        timeout: The seconds without a patch after which the last follower ends.
        settings: The settings of the source.
    """
    random_ = random.Random(seed)
    command = [sys.executable, "-m", "tests.live.follower", kind, url, str(folder)]
    for number in range(kills):
        send(number)
        process = _start([*command, json.dumps(settings), "600"])
        assert process.stdout is not None
        if number % 5:
            # Some followers are killed while they open their data and connect.
            process.stdout.readline()
            time.sleep(random_.random() * 0.1)
        else:
            time.sleep(random_.random() * 1.5)
        process.kill()
        process.communicate()
    process = _start([*command, json.dumps(settings), str(timeout)])
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors


def _start(command: list[str]) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True)


def numbers_in(kind: str, folder: Path) -> list[int]:
    """Return the numbers of the patches that a follower has stored: objects of their statements.

    For a log the numbers are in order. For a replica they are checked against its patch count.
    """
    if kind == "replica":
        replica = jr.Replica(folder)
        found = sorted({int(quad[2]) for quad in replica.dataset.quads()})
        assert replica.version == len(found)
        return found
    log = jr.PatchLog(folder)
    return [int(next(row[3] for row in entry.read() if row[0] == Op.A)) for entry in log.patches()]


def memory_of(pid: int) -> int:
    """Return the memory of a process in bytes."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) << 10


def check_outages_are_told(
    url: str, stop: Callable[[], object], start: Callable[[], object], **settings: Any
) -> None:
    """Stop a server twice, and check that a source reports each loss and each return once."""

    def wait_for(is_connected: bool, source: live.Source) -> None:
        end = time.monotonic() + 60
        while source.is_connected != is_connected and time.monotonic() < end:
            assert source.receive(0.02) is None
        assert source.is_connected == is_connected

    with warnings.catch_warnings(record=True) as told, live.connect(url, **settings) as source:
        warnings.simplefilter("always")
        for _ in range(2):
            wait_for(True, source)
            assert source.receive(0.1) is None
            stop()
            wait_for(False, source)
            assert isinstance(source.last_error, OSError)
            # The source retries more than once.
            assert source.receive(0.3) is None
            start()
            wait_for(True, source)
            assert source.last_error is None
    texts = [str(each.message) for each in told if each.category is jr.ConnectionWarning]
    assert [" is lost, at " in text for text in texts] == [True, False] * 2

"""Simulates a power failure at each moment of some tasks: the disk must then have a whole log."""

import hashlib
import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from jelly_rdflib.log import staging
from tests.faults.log.child import Child
from tests.faults.log.disk import Call, Disk, State, read_record, read_state, write_state
from tests.faults.log.known import Known
from tests.faults.log.side import LAST, Seen, Side

Steps: TypeAlias = list[tuple[str, int]]

STEPS: Steps = [
    *[("append", 100), ("update", 0), ("snapshot", 0), ("squash", 0), ("create", 0)],
    *[("keep", 1), ("keep", 2), ("close", 0)],
]


@dataclass
class Outages:
    """The results of the power failures.

    Args:
        calls: The number of calls that changed something.
        states: The number of distinct disk states that were checked.
        faults: The faults, each with the call after which power failed.
    """

    calls: int = 0
    states: int = 0
    faults: list[str] = field(default_factory=list)


def cut_power(template: Path, folder: Path, steps: Steps, is_large: bool) -> Outages:
    """Do some tasks, and check the states that the disk may be in after each of their calls.

    Args:
        template: The folder to start from.
        folder: A path that does not exist; the folder is removed afterwards.
        steps: The tasks, with a number for each.
        is_large: Whether files are on disk from their first byte, like large files.
    """
    shutil.copytree(template, folder / "place")
    try:
        calls, results = _record(folder / "place", steps, is_large)
        works = list(zip(steps, results, strict=True))
        return _judge_all(template, folder, calls, works)
    finally:
        shutil.rmtree(folder)


def _record(place: Path, steps: Steps, is_large: bool) -> tuple[list[Call], list[list[Seen]]]:
    def make() -> Side:
        if is_large:
            staging._AT_ONCE = 1
        return Side(place)

    path = place.with_name("record")
    record = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    child = Child.fork(make)
    try:
        child.call("open")
        answer = child.call("run_all", steps, record)
    finally:
        child.end()
        os.close(record)
    assert not answer.error, answer
    return list(read_record(path.read_bytes(), place)), answer.value


def _judge_all(
    template: Path,
    folder: Path,
    calls: list[Call],
    works: list[tuple[tuple[str, int], list[Seen]]],
) -> Outages:
    outages, chance = Outages(len(calls)), random.Random(1)
    disk = Disk(template)
    known = Known()
    judged: set[bytes] = set()
    rest = iter(works)
    (work, number), seen = next(rest)
    known.begin(work, number)
    for index, call in enumerate(calls):
        disk.do(call)
        if call.name == "mark":
            known.finish(work, number, seen)
            judged.clear()
            (work, number), seen = next(rest, (("nothing", 0), []))
            known.begin(work, number)
        for state in disk.states(chance):
            digest = _digest(state)
            if digest not in judged:
                judged.add(digest)
                outages.states += 1
                for fault in _judge(state, folder / "state", known):
                    what = f"{call.name} {call.path}"
                    outages.faults.append(f"call {index} of {work}, after {what}: {fault}")
    _check_record(disk.seen(), read_state(folder / "place"))
    return outages


def _judge(state: State, place: Path, known: Known) -> Iterator[str]:
    place.mkdir()
    write_state(state, place)
    try:
        yield from known.compare(Side(place).judge(LAST))
    except Exception as error:
        yield f"{type(error).__name__}: {error}"
    finally:
        shutil.rmtree(place)


def _digest(state: State) -> bytes:
    hash = hashlib.sha256()
    for path, data in state.items():
        hash.update(f"{path}\0{None if data is None else len(data)}\0".encode())
        hash.update(data or b"")
    return hash.digest()


def _check_record(recorded: State, real: State) -> None:
    """Check that the record has all changes; if not, a call bypassed the shim."""
    names = {path for path in recorded.keys() | real.keys() if not path.endswith("-shm")}
    strange = sorted(path for path in names if recorded.get(path, b"?") != real.get(path, b"?"))
    assert not strange, f"the shim has missed what was done to {strange}"

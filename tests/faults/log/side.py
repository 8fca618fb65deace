"""The tasks of processes on a log: of the two interleaved ones, and of the later judge."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rdflib import Dataset, Literal

import jelly_rdflib as jr
from jelly_rdflib import LogError, Op, PatchLog, Replica
from tests.faults.log.shim import Shim
from tests.log.support import P, S, numbers, patch_id

FIRST = 4
"""The number of patches that the log has initially."""

LAST = 300
"""The number that the judging process appends."""

TIMEOUT = 0.0
"""A process reports a locked log at once, because waiting for a stopped process is useless."""

Seen = tuple[int, int, str]
"""A version that a process saw: the first version of its patch, the version, and the id."""


def id_of(number: int) -> str:
    return str(patch_id(number))


def patch(number: int) -> list[jr.Operation]:
    """Return a patch that adds a number that no other patch adds."""
    return [
        (Op.H, "id", patch_id(number)),
        (Op.TX,),
        (Op.A, S, P, Literal(str(number)), None),
        (Op.TC,),
    ]


def make_template(folder: Path) -> None:
    """Create a log, and a replica that lacks the log's last versions."""
    log = PatchLog.create(folder / "log")
    for number in range(1, FIRST + 1):
        log.append(patch(number))
        if number == 2:
            Replica(folder / "replica").update(log)


def seen_of(entries: list[jr.LogEntry]) -> list[Seen]:
    return [(entry.first, entry.version, str(entry.id)) for entry in entries]


@dataclass
class Verdict:
    """The findings of the third process, the judge.

    Args:
        problems: What is wrong in any case, whatever happened before.
        entries: The patches in the log.
        contents: The numbers in the newest version of the log.
        snapshots: The versions that have snapshots.
        replica: The version of the replica.
        has_new: Whether the log that `Side.create` creates exists.
        kept: The numbers in the store file that `Side.keep` creates.
    """

    problems: list[str]
    entries: list[Seen]
    contents: set[int]
    snapshots: list[int]
    replica: int
    has_new: bool
    kept: set[int]


class Side:
    """One process; another process calls its methods.

    Args:
        folder: The folder of the log and the replica.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log: Any = None
        self.kept = Dataset(store="Jelly")

    def open(self) -> list[Seen]:
        self.log = PatchLog(self.folder / "log", timeout=TIMEOUT)
        return []

    def run(
        self, work: str, argument: Any, turn: int, with_reads: bool, pipes: tuple[int, int, int]
    ) -> tuple[Any, int]:
        """Do a task with the shim armed; return its result and the number of its calls."""
        shim = Shim()
        question, answer, record = pipes
        shim.arm(
            self.folder,
            turn,
            with_reads=with_reads,
            question=question,
            answer=answer,
            record=record,
        )
        try:
            result = getattr(self, work)(argument)
        finally:
            count = shim.disarm()
        return result, count

    def run_all(self, steps: list[tuple[str, int]], record: int) -> list[list[Seen]]:
        """Do several tasks while their calls are recorded; return the result of each task.

        The record has a mark at the end of each task.
        """
        shim = Shim()
        shim.arm(self.folder, record=record)
        results = []
        for work, number in steps:
            results.append(getattr(self, work)(number))
            shim.mark(work)
        shim.disarm()
        return results

    def refresh(self, _: Any = None) -> list[Seen]:
        """Refresh the log; return all versions."""
        self.log.refresh()
        return seen_of(self.log.patches())

    def append(self, number: int) -> list[Seen]:
        return seen_of([self.log.append(patch(number))])

    def open_and_append(self, number: int) -> list[Seen]:
        self.open()
        return self.append(number)

    def squash(self, _: Any) -> list[Seen]:
        return seen_of([self.log.squash(1, 3)])

    def snapshot(self, _: Any) -> list[Seen]:
        self.log.snapshot(FIRST)
        return []

    def update(self, _: Any) -> list[Seen]:
        """Bring the replica up to date, and check that its data equals the log's."""
        replica = Replica(self.folder / "replica", timeout=TIMEOUT)
        replica.update(self.log)
        assert len(numbers(replica.dataset)) == replica.version, "the replica has something else"
        return [(replica.version, replica.version, str(replica.id))]

    def create(self, _: Any) -> list[Seen]:
        """Create a log in an empty folder."""
        PatchLog(self.folder / "new", create=True, timeout=TIMEOUT)
        return []

    def keep(self, number: int) -> list[Seen]:
        """Add a number to a file-backed store, and commit the change."""
        if number == 1:
            self.kept.open(self.folder / "kept.jelly", create=True)
        self.kept.add((S, P, Literal(str(number))))
        self.kept.commit()
        return []

    def close(self, _: Any) -> list[Seen]:
        """Close the store's file."""
        self.kept.close()
        return []

    def read(self, _: Any) -> list[Seen]:
        """Read the newest data like a reader, and verify the log."""
        seen = self.refresh()
        assert len(numbers(self.log.checkout())) == self.log.version, "the data are others"
        for problem in self.log.verify():
            # The problems include files that can't be read.
            raise LogError(f"verify() finds: {problem}")
        return seen

    def judge(self, last: int) -> Verdict:
        """Check the log as a later process would, and continue the log."""
        log = PatchLog(self.folder / "log")
        problems = [f"verify() finds: {each}" for each in log.verify(deep=True)]
        entries = log.patches()
        dataset = Dataset()

        def check(entry: jr.LogEntry) -> None:
            if len(numbers(dataset)) != entry.version:
                problems.append(f"version {entry.version} is not what its patches make")

        log.replay(dataset, progress=check)
        has_new = (self.folder / "new" / "log.db").exists()
        if (self.folder / "new").exists():
            new = PatchLog(self.folder / "new", create=True)
            new.append(patch(1))
            problems += [f"verify() finds: {each}" for each in PatchLog(new.path).verify()]
        kept = Dataset(store="Jelly")
        kept.open(self.folder / "kept.jelly", create=True)
        verdict = Verdict(
            problems,
            seen_of(entries),
            numbers(log.checkout()),
            log.snapshots,
            self._check_replica(log, problems),
            has_new,
            numbers(kept),
        )
        kept.close()
        version = log.append(patch(last)).version
        later = PatchLog(self.folder / "log")
        problems += [f"later verify() finds: {each}" for each in later.verify()]
        if not verdict.entries[-1][1] + 1 == version == later.version:
            problems.append("what is appended later is not there")
        return verdict

    def _check_replica(self, log: PatchLog, problems: list[str]) -> int:
        replica = Replica(self.folder / "replica")
        version = replica.version
        if len(numbers(replica.dataset)) != version:
            problems.append("the replica is not what its version says")
        if version in [entry.version for entry in log.patches()]:
            if log.entry(version).id != replica.id:
                problems.append(f"the replica has a version {version} that the log has not")
            replica.update(log)
            if numbers(replica.dataset) != numbers(log.checkout()):
                problems.append("the replica does not become what the log is")
        return version

"""Compares a log with the tasks that were reported as done."""

from tests.faults.log.side import FIRST, Seen, Verdict, id_of


class Known:
    """The known facts about a log that was copied from the template.

    Attributes:
        seen: The versions that any process saw.
        acknowledged: The version that each appended number received.
        possible: The numbers that may or may not be in the log, because an append was started.
        kept: The numbers that were committed to the file of a store.
        last_kept: The last number that may be in that file.
    """

    def __init__(self) -> None:
        self.seen: set[Seen] = set()
        self.acknowledged: dict[int, Seen] = {}
        self.possible: set[int] = set()
        self.kept: set[int] = set()
        self.last_kept = 0
        self._done: set[str] = set()

    def begin(self, work: str, number: int) -> None:
        """Record that the task was started, and may be done."""
        if "append" in work:
            self.possible.add(number)
        if work == "keep":
            self.last_kept = number

    def finish(self, work: str, number: int, seen: list[Seen]) -> None:
        """Record that the task is done, and which versions it returned."""
        self.seen.update(seen)
        self._done.add(work)
        if "append" in work:
            self.acknowledged[number] = seen[0]
        if work == "keep":
            self.kept.add(number)

    def compare(self, verdict: Verdict) -> list[str]:
        """Return the differences between the log and its expected content."""
        faults = list(verdict.problems)
        entries = {version: (first, id) for first, version, id in verdict.entries}
        newest = max(entries)

        def is_there(version: int, id: str) -> bool:
            if version in entries:
                return entries[version][1] == id
            # If the version was squashed, its id is gone.
            return any(first <= version < last for last, (first, _) in entries.items())

        for number, (_, version, id) in self.acknowledged.items():
            if id != id_of(number):
                faults.append(f"{number} was appended with the id {id}")
            if not is_there(version, id) or number not in verdict.contents:
                faults.append(f"{number} was acknowledged as version {version}, and is lost")
        for _, version, id in sorted(self.seen):
            if not is_there(version, id):
                faults.append(f"version {version} was seen with the id {id}, and never committed")
        least = {*range(1, FIRST + 1), *self.acknowledged}
        if not least <= verdict.contents <= least | self.possible:
            faults.append(f"version {newest} has {sorted(verdict.contents)}")
        if "snapshot" in self._done and FIRST not in verdict.snapshots:
            faults.append("the snapshot is lost")
        if "squash" in self._done and (1, 3) not in [entry[:2] for entry in verdict.entries]:
            faults.append("the squash is lost")
        if "update" in self._done and verdict.replica < FIRST:
            faults.append(f"the replica is of version {verdict.replica}")
        if "create" in self._done and not verdict.has_new:
            faults.append("the new log is lost")
        if not self.kept <= verdict.kept <= {*range(1, self.last_kept + 1)}:
            faults.append(f"the store's file has {sorted(verdict.kept)}, not {sorted(self.kept)}")
        return faults

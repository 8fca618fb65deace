"""Interleaves two processes: A stops at a system call, B does its task, then A ends."""

import itertools
import os
import select
import shutil
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from tests.faults.log.child import PATIENCE, Answer, Child, GoneError
from tests.faults.log.known import Known
from tests.faults.log.side import LAST, Side


class End(Enum):
    """The fate of the call that A stopped at, given as the letter that the shim uses."""

    GOES_ON = "g"
    KILLED = "k"
    HALF_WRITTEN = "h"
    FAILS = "e"
    FAILS_AFTER = "E"
    FAILS_FOR_GOOD = "x"
    FULL = "H"
    INTERRUPTED = "s"
    INTERRUPTED_AFTER = "S"


class Meets(Enum):
    """How B accesses the log, and when B does its task."""

    OPEN = "it has the log open, and works while A is stopped"
    FRESH = "it opens the log and works while A is stopped"
    LOOKS = "it has the log open, looks while A is stopped, and works when A is done"


@dataclass(frozen=True)
class Case:
    """A meeting: one way to interleave the calls of two processes, A and B.

    Args:
        a: The task of A.
        b: The task of B.
        meets: How B accesses the log, and when B does its task.
        turn: The number of the call that A stops at.
        end: The fate of that call.
        with_reads: Whether calls that only read also count.
        after_crash: Whether another writer was killed before, just after it had renamed its file.
    """

    a: str
    b: str
    meets: Meets
    turn: int
    end: End
    with_reads: bool = False
    after_crash: bool = False

    def __str__(self) -> str:
        more = ", after a crash" if self.after_crash else ""
        return f"A {self.a}, B {self.b}, {self.meets.name}, call {self.turn}, {self.end.name}{more}"


@dataclass
class Outcome:
    """The outcome of a meeting.

    Args:
        case: The meeting.
        call: The call that A stopped at; empty if A made fewer calls.
        answer: The last answer of A, or None if A was killed.
        blocked: Whether B could not do its task while A was stopped.
        faults: The faults that were found.
    """

    case: Case
    call: str
    answer: Answer | None
    blocked: bool
    faults: list[str]


A_NUMBER, A_LATER, B_NUMBER, CRASHED = 100, 101, 200, 400


class Meeting:
    """Runs one meeting, and stores its state."""

    def __init__(self, case: Case, template: Path, folder: Path) -> None:
        self.case = case
        shutil.copytree(template, folder)
        self.folder = folder
        self.faults: list[str] = []
        self.known = Known()
        self.children: list[Child] = []
        self.a = self.start()
        self.b = self.start()

    def start(self) -> Child:
        child = Child.fork(lambda: Side(self.folder))
        self.children.append(child)
        return child

    def close(self) -> None:
        for child in self.children:
            child.end()
        shutil.rmtree(self.folder)

    def expect(self, child: Child, name: str, *arguments: Any) -> Any:
        """Call the method `name` of `child`, which must not fail, and return its value."""
        answer = child.call(name, *arguments)
        who = "A" if child is self.a else "B"
        if answer.error:
            self.faults.append(f"{who}: {name} failed: {answer}")
        return answer.value

    def look(self, child: Child) -> None:
        self.known.seen.update(self.expect(child, "refresh") or ())

    def peek(self, name: str) -> bool:
        """Make B open or refresh the log while A is stopped; return whether A's lock allowed it."""
        answer = self.b.call(name)
        if "LogConflict" in answer.error:
            return False
        if answer.error:
            self.faults.append(f"B: {name} failed: {answer}")
        self.known.seen.update(answer.value or ())
        return not answer.error

    def note(self, work: str, number: int, answer: Answer) -> bool:
        """Record the answer to a task; return whether the task was done."""
        if answer.error:
            self.known.begin(work, number)
            return False
        self.known.finish(work, number, answer.value)
        return True

    def work(self, child: Child, work: str, number: int) -> None:
        """Do a task; refresh and retry if another process was first. It must finally succeed."""
        answer = child.call(work, number)
        for _ in range(2):
            if self.note(work, number, answer):
                return
            if not is_refused(answer):
                break
            self.look(child)
            answer = child.call(work, number)
        if not self.note(work, number, answer) and not is_pointless(answer):
            who = "A" if child is self.a else "B"
            self.faults.append(f"{who} can't {work} any more: {answer}")


def is_refused(answer: Answer) -> bool:
    """Return whether a task was refused because another process was first."""
    return "LogConflict" in answer.error or is_pointless(answer)


def is_pointless(answer: Answer) -> bool:
    """Return whether a task was refused because its version was squashed."""
    return "LogError" in answer.error and "squashed" in answer.message


class Pipes:
    """The pipes between a stopped process and its controller."""

    def __init__(self) -> None:
        self.question, self.says = os.pipe()
        self.hears, self.answer = os.pipe()

    def wait(self, child: Child) -> str:
        """Wait until `child` stops; return the call, or "" if it answers or ends before that."""
        ready, _, _ = select.select([self.question, child.connection], [], [], PATIENCE)
        return os.read(self.question, 5000).decode().strip() if self.question in ready else ""

    def decide(self, end: End) -> None:
        os.write(self.answer, end.value.encode())

    def close(self) -> None:
        for fd in (self.question, self.says, self.hears, self.answer):
            os.close(fd)


def crash(folder: Path) -> None:
    """Kill an appending process when its file has been renamed, but no row has the file's name.

    Raises:
        LookupError: The process never reached that point.
    """
    for turn in itertools.count():
        pipes = Pipes()
        child = Child.fork(lambda: Side(folder))
        try:
            child.call("open")
            child.send("run", "append", CRASHED + turn, turn, False, (pipes.says, pipes.hears, -1))
            call = pipes.wait(child)
            if not call:
                raise LookupError("the call after the rename was not found")
            if call.startswith("fsync") and call.endswith("/segments"):
                pipes.decide(End.KILLED)
                with suppress(GoneError):
                    child.receive()
                return
        finally:
            # If a process was killed too early, the next process removes the leftovers.
            child.end()
            pipes.close()


def meet(case: Case, template: Path, folder: Path) -> Outcome:
    """Run one meeting, and return the outcome.

    Args:
        case: The meeting.
        template: The folder to start from.
        folder: A path that does not exist; the folder is removed afterwards.
    """
    # A needs two of these descriptors, so the pipes are created first.
    pipes = Pipes()
    meeting = Meeting(case, template, folder)
    try:
        return _meet(meeting, pipes)
    except GoneError as error:
        return Outcome(case, "", None, False, [*meeting.faults, str(error)])
    finally:
        pipes.close()
        meeting.close()


def _meet(meeting: Meeting, pipes: Pipes) -> Outcome:
    case, a, b = meeting.case, meeting.a, meeting.b
    meeting.expect(a, "open")
    if case.meets != Meets.FRESH:
        meeting.expect(b, "open")
    a.send("run", case.a, A_NUMBER, case.turn, case.with_reads, (pipes.says, pipes.hears, -1))
    call = pipes.wait(a).replace(str(meeting.folder), "")
    if not call:
        answer = a.receive(0)
        faults = [f"A: {answer}"] if answer is None or answer.error else []
        return Outcome(case, "", answer, False, faults)

    pending = None
    is_open = case.meets != Meets.FRESH or meeting.peek("open")
    is_free = is_open and meeting.peek("refresh")
    if is_open and case.meets != Meets.LOOKS:
        b.send(case.b, B_NUMBER)
        pending = b.receive()
        if pending is None:
            raise GoneError(f"B hangs in {case.b}")
        is_free &= "LogConflict" not in pending.error
    pipes.decide(case.end)
    answer = None
    is_killed = case.end in (End.KILLED, End.HALF_WRITTEN)
    if is_killed:
        with suppress(GoneError):
            a.receive()
        meeting.known.begin(case.a, A_NUMBER)
    else:
        answer = a.receive()
        if answer is None:
            raise GoneError(f"A hangs in {case.a}")
        is_done = meeting.note(
            case.a, A_NUMBER, Answer(answer.value and answer.value[0], answer.error)
        )
        meeting.faults += unfit(case, call, answer)
    if not is_open:
        meeting.expect(b, "open")
    if pending is None or not meeting.note(case.b, B_NUMBER, pending):
        if pending is not None and not is_refused(pending):
            meeting.faults.append(f"B: {case.b} failed: {pending}")
        if pending is not None:
            meeting.look(b)
        meeting.work(b, case.b, B_NUMBER)
    if not is_killed:
        # Whatever happened to A, its object can continue.
        meeting.look(a)
        meeting.work(a, "append", A_LATER)
        if not is_done and case.end != End.GOES_ON and case.a != "create":
            meeting.work(a, case.a, A_LATER + 1)
    meeting.look(b)
    judge = meeting.start()
    verdict = meeting.expect(judge, "judge", LAST)
    if verdict is not None:
        meeting.faults += meeting.known.compare(verdict)
    return Outcome(case, call, answer, not is_free, meeting.faults)


def unfit(case: Case, call: str, answer: Answer) -> list[str]:
    """Return the faults in the answer that A gave at the end, after it had stopped at a call."""
    if not answer.error:
        # After its own fdatasync fails, SQLite may find all data on the disk, or sync again.
        must_fail = call.startswith("fsync") and case.end in (End.FAILS, End.FAILS_FOR_GOOD)
        # If the deletion of old files is not on the disk, the next writer deletes them.
        clears = case.after_crash or case.a in ("squash", "update")
        if clears and call.endswith(("/segments", "/snapshots", "/staging", "/replica")):
            return []
        return [f"A has done its work though {call} failed"] if must_fail else []
    allowed = {
        End.GOES_ON: (),
        End.INTERRUPTED: ("KeyboardInterrupt",),
        End.INTERRUPTED_AFTER: ("KeyboardInterrupt",),
    }.get(case.end, ("OSError",))
    if case.with_reads and case.end == End.FAILS:
        # If SQLite can't read the database, it reports a malformed database.
        allowed = (*allowed, "LogError")
    # B may have been first.
    is_allowed = set(allowed) & set(answer.error) or is_refused(answer)
    return [] if is_allowed else [f"A: {answer}"]


def count_calls(work: str, template: Path, folder: Path, *, with_reads: bool) -> int:
    """Return the number of calls that a task makes if no other process interferes."""
    shutil.copytree(template, folder)
    child = Child.fork(lambda: Side(folder))
    try:
        child.call("open")
        answer = child.call("run", work, A_NUMBER, -1, with_reads, (-1, -1, -1))
        assert not answer.error, answer
        count: int = answer.value[1]
        return count
    finally:
        child.end()
        shutil.rmtree(folder)

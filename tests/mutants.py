"""Injects small faults into the package, and shows which faults no test notices.

    make mutants MODULE=jelly_rdflib/graph/canonical/pairing.py
    make mutants ARGS="--sample=200 --seed=1 --to=before.jsonl"

If no test notices a fault, a test is missing, or the change has no effect. A sample has the same
number of faults from each folder, in Python and Cython alike. Later, ``--faults before.jsonl``
tries the faults of earlier results again, even if their lines have moved, so that two states of the
tests can be compared. Only copies of the project are changed. Cython modules are compiled without
optimisation. A change that the compiler refuses does not count as a fault.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pygments.lexers import CythonLexer, PythonLexer
from pygments.token import Comment, Keyword, Number, Operator, String

from tests.support import ROOT

CYTHON = (".pyx", ".pxi", ".pxd")
SWAPPED = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "+": "-",
    "-": "+",
    "and": "or",
    "or": "and",
    "not": "",
    "is": "is not",
    "+=": "-=",
    "-=": "+=",
    "True": "False",
    "False": "True",
    "break": "continue",
    "continue": "break",
}
# Declarations, which are not changed.
DECLARATION = re.compile(
    r"\s*(import|from|cimport|include|@|class|def|async def|cdef class|cdef extern|__slots__)\b"
    r"|\s*(cdef|cpdef|ctypedef)\b.*:$|\s*@|if TYPE_CHECKING|.*\) -> |.*\bexcept[?]? -1"
)
STATEMENT = re.compile(r"\s+(raise\b.*\)|[\w.]+\([^=]*\))$")
CAST = re.compile(r"<[a-z_]\w*[ *]*[*]?>|<const \w+[ *]*>|<void[ *]*>")


@dataclass(frozen=True)
class Fault:
    """One line of a module, and the line that replaces it."""

    path: str
    line: int
    before: str
    after: str

    @property
    def room(self) -> str:
        return os.path.dirname(self.path)

    @property
    def is_compiled(self) -> bool:
        return self.path.endswith(CYTHON)

    def find(self, root: Path) -> int | None:
        """Return the number of the nearest line with the old text, or None."""
        path = root / self.path
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        found = [number for number, line in enumerate(lines, 1) if line == self.before]
        return min(found, key=lambda number: abs(number - self.line), default=None)


def faults_of(root: Path, path: Path) -> Iterator[Fault]:
    """Yield the faults of a module in the order of their lines."""
    text = (root / path).read_text("utf-8")
    lines = text.splitlines()
    lexer: Any = CythonLexer() if path.suffix in CYTHON else PythonLexer()
    number, column = 1, 0
    in_strings = set()
    for kind, value in lexer.get_tokens(text):
        if kind in String or kind in Comment:
            in_strings |= set(range(number, number + value.count("\n") + 1))
        elif number <= len(lines) and not DECLARATION.match(lines[number - 1]):
            line = lines[number - 1]
            # The Cython lexer splits operators of two characters.
            operator = line[column : column + 2]
            operator = operator if operator in SWAPPED else value
            if kind in Number.Integer and value.isdigit():
                new: str | None = str(int(value) + 1)
            else:
                new = SWAPPED.get(operator) if kind in Operator or kind in Keyword else None
            is_cast = operator in "<>" and any(
                found.start() <= column < found.end() for found in CAST.finditer(line)
            )
            if new is not None and not is_cast and not line[column:].startswith("is not"):
                after = line[:column] + new + line[column + len(operator) :]
                yield Fault(str(path), number, line, after)
        number += value.count("\n")
        column = len(value) - value.rfind("\n") - 1 if "\n" in value else column + len(value)
    for number, line in enumerate(lines, 1):
        if STATEMENT.match(line) and number not in in_strings and not DECLARATION.match(line):
            indent = line[: len(line) - len(line.lstrip())]
            yield Fault(str(path), number, line, f"{indent}pass")


def sample(root: Path, size: int, seed: int) -> Iterator[Fault]:
    """Yield faults from each folder in turn, including spares for those that do not compile."""
    chance = random.Random(seed)
    rooms = defaultdict(list)
    for path in sorted((root / "jelly_rdflib").rglob("*")):
        if path.suffix in (".py", *CYTHON):
            for fault in faults_of(root, path.relative_to(root)):
                rooms[fault.room].append(fault)
    for faults in rooms.values():
        chance.shuffle(faults)
    # The store and the batch have three turns each, because most of the package is built on them.
    weighty = ("jelly_rdflib/store", "jelly_rdflib/core/batch")
    turns = [room for room in sorted(rooms) for _ in range(3 if room.startswith(weighty) else 1)]
    chance.shuffle(turns)
    while any(rooms.values()):
        for room in turns:
            if rooms[room]:
                yield rooms[room].pop()


def tests_of(root: Path, fault: Fault) -> tuple[str, ...]:
    """Return the module's own tests, then the other tests of the folder that mirrors the module's.

    If that folder does not exist, the nearest parent folder is used. The module's own tests notice
    most faults. Faults in the suite's reader should be noticed by the cases alone.
    """
    path = Path(fault.path)
    if fault.path == "conformance/reader.py":
        return ("tests/conformance/patch/test_faults.py::test_the_reader_without_a_fault_passes",)
    folder = Path("tests", path.relative_to("jelly_rdflib").parent)
    own = folder / f"test_{path.stem}.py"
    while not (root / folder).is_dir():
        folder = folder.parent
    found = sorted(each.relative_to(root) for each in (root / folder).rglob("test_*.py"))
    if folder == Path("tests"):
        found = [each for each in found if each.parent == folder]
    doctests = [fault.path] if path.suffix == ".py" else []
    return (*map(str, sorted(found, key=lambda each: each != own)), *doctests)


class Copy:
    """A copy of the project into which faults are injected, and which is restored after each."""

    def __init__(self, root: Path, files: list[Path], folder: Path) -> None:
        self.folder = folder
        self.output = folder.with_name(folder.name + ".log")
        for path in files:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / path, folder / path, follow_symlinks=False)
        # The tests' child processes must import the copy, too, and each run needs the same
        # examples.
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "HYPOTHESIS_PROFILE": "quick",
            "PYTHONHASHSEED": "0",
            "JELLY_RDFLIB_CFLAGS": "-O0",
        }

    def build(self) -> bool:
        """Compile changed modules; return False if the compiler refuses them."""
        command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
        return self._run(command, None) == 0

    def keep(self) -> None:
        """Save the current state of the copy."""
        self.kept = self.folder.with_name(self.folder.name + "-kept")
        shutil.copytree(self.folder, self.kept, symlinks=True)

    def mend(self) -> None:
        """Restore all files that a fault has changed."""
        for top in ("jelly_rdflib", "conformance", "build"):
            for path in (self.kept / top).rglob("*"):
                place = self.folder / path.relative_to(self.kept)
                if path.is_file() and place.stat().st_mtime_ns != path.stat().st_mtime_ns:
                    shutil.copy2(path, place)

    def test(self, tests: tuple[str, ...], timeout: float | None) -> bool:
        """Return whether the tests pass within the time limit."""
        options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "-m", "not slow"]
        return self._run([sys.executable, "-m", "pytest", *options, *tests], timeout) == 0

    def _run(self, command: list[str], timeout: float | None) -> int | None:
        with self.output.open("w") as output:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            # This also kills the processes that the tests have started.
            subprocess.run(["pkill", "-KILL", "-s", str(process.pid)], check=False)
            process.wait()


class Trial:
    """Tries faults in copies of the project, one for each job."""

    def __init__(self, root: Path, scratch: Path, jobs: int, tests: tuple[str, ...]) -> None:
        self._root = root
        self._tests = tests
        self._copies: queue.Queue[Copy] = queue.Queue()
        self._seconds: dict[frozenset[str], float | None] = {}
        self._lock = threading.Lock()
        listed = subprocess.check_output(["git", "-C", root, "ls-files"], text=True).splitlines()
        files = [Path(each) for each in listed if os.path.lexists(root / each)]
        first = Copy(root, files, scratch / "0")
        if not first.build():
            raise SystemExit("the modules can't be built")
        first.keep()
        self._copies.put(first)
        built = [
            path.relative_to(first.kept)
            for path in first.kept.rglob("*")
            if not path.is_dir() or path.is_symlink()
        ]
        for number in range(1, jobs):
            copy = Copy(first.kept, built, scratch / str(number))
            copy.kept = first.kept
            self._copies.put(copy)

    def try_(self, fault: Fault) -> str | None:
        """Return ``noticed``, ``missed``, or the reason why the fault can't be tried."""
        line = fault.find(self._root)
        if line is None:
            return "gone"
        tests = self._tests or tests_of(self._root, fault)
        copy = self._copies.get()
        try:
            seconds = self._time(copy, tests)
            if seconds is None:
                return "red"
            path = copy.folder / fault.path
            lines = path.read_text("utf-8").split("\n")
            lines[line - 1] = fault.after
            path.write_text("\n".join(lines), "utf-8")
            if fault.is_compiled:
                if not copy.build():
                    return "refused"
            else:
                try:
                    compile(path.read_text("utf-8"), fault.path, "exec")
                except SyntaxError:
                    return "refused"
            return "missed" if copy.test(tests, 60 + 5 * seconds) else "noticed"
        finally:
            copy.mend()
            self._copies.put(copy)

    def _time(self, copy: Copy, tests: tuple[str, ...]) -> float | None:
        """Return how long the tests take without a fault, or None if they don't pass."""
        # Modules of the same folder have the same tests in another order.
        key = frozenset(each for each in tests if each.startswith("tests"))
        with self._lock:
            if key not in self._seconds:
                started = time.monotonic()
                is_green = copy.test(tests, None)
                self._seconds[key] = time.monotonic() - started if is_green else None
                if not is_green:
                    print(copy.output.read_text("utf-8", "replace")[-2000:])
            return self._seconds[key]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("module", type=Path, nargs="?", help="a file, relative to the project")
    parser.add_argument("tests", nargs="*", help="tests to run (default: those of the folder)")
    parser.add_argument("--sample", type=int, help="try this number of faults of the whole package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=Path, help="try the faults of these results again")
    parser.add_argument("--to", type=Path, help="write the results to this file, one per line")
    parser.add_argument("--root", type=Path, default=ROOT, help="another state of the project")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if given.faults:
        fields = [json.loads(line) for line in given.faults.read_text("utf-8").splitlines()]
        wanted: Iterator[Fault] = iter(
            Fault(*(each[name] for name in ("path", "line", "before", "after"))) for each in fields
        )
    elif given.sample:
        wanted = sample(given.root, given.sample, given.seed)
    elif given.module:
        wanted = faults_of(given.root, given.module)
    else:
        parser.error("name a module, --sample or --faults")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    lock = threading.Lock()

    def work(trial: Trial) -> None:
        while True:
            with lock:
                tried = sum(each["noticed"] + each["missed"] for each in counts.values())
                fault = next(wanted, None)
            if fault is None or (given.sample and tried >= given.sample):
                return
            result = trial.try_(fault)
            with lock:
                counts[fault.room][result or ""] += 1
                if result in ("noticed", "missed") and given.to:
                    with given.to.open("a", encoding="utf-8") as file:
                        file.write(json.dumps({**asdict(fault), "result": result}) + "\n")
                if result != "noticed":
                    print(f"{result}: {fault.path}:{fault.line}\n-{fault.before}\n+{fault.after}")
                    sys.stdout.flush()

    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(given.jobs) as pool:
        trial = Trial(given.root, Path(scratch), given.jobs, tuple(given.tests))
        for done in [pool.submit(work, trial) for _ in range(given.jobs)]:
            done.result()
    for room, count in sorted(counts.items()):
        print(f"{count['noticed']:4} of {count['noticed'] + count['missed']:4}  {room}")
    total = sum(counts.values(), Counter())
    print(f"{total['noticed']} of {total['noticed'] + total['missed']} faults were noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

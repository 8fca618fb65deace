"""Measure the time and memory of functions over the size of their input."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.hostile.attacks import ATTACKS, Attack

__all__ = ["KINDS", "Curve", "Kind", "Point", "measure"]

ROOT = Path(__file__).resolve().parents[2]
POINTS = 7
# The wanted time for the largest input, in seconds, and its maximum size, in bytes.
SECONDS = 0.25
MAX_SIZE = 16 << 20
# `invert` keeps several thousand operations in memory, and further ones in a file, which take
# longer. All measured sizes should be beyond that point.
SECONDS_OF = {"invert": 16.0}
MAX_SIZE_OF = {"invert": 64 << 20}
FIRST_SIZE = 64 << 10
WARM_SIZE = 4 << 10
# Only the largest inputs determine the slope, so that the fixed costs of a use don't count.
SLOPE_POINTS = 5
MAX_SLOPE = 1.2
# Other load only adds time. So each point is the fastest of this many rounds, and points of a curve
# that still looks steep are measured again.
ROUNDS = 2
STEEP = 1.1
MAX_REPEATS = 2
MAX_PEAK = 200_000_000
MAX_GROWTH = 32 << 20


@dataclass(frozen=True)
class Kind:
    """A use of a kind of input.

    Args:
        attack: The name of the input, one of `tests.hostile.attacks.ATTACKS`.
        use: One of `tests.hostile.child.USES`.
    """

    attack: str
    use: str

    @property
    def name(self) -> str:
        """The name in tables and pictures."""
        return f"{self.attack}, {self.use}"

    @property
    def is_ordinary(self) -> bool:
        """Whether the input is ordinary output of writers, not an attack."""
        return self.attack.startswith("ordinary")


def _kinds(use: str, *attacks: str) -> list[Kind]:
    return [Kind(attack, use) for attack in attacks]


GROUPS: dict[str, list[Kind]] = {
    "Jelly-Patch": [
        *_kinds(
            "batches",
            "ordinary patch",
            "lookup refills",
            "prefixes under names",
            "long iris",
            "empty frames",
            "options rows",
            "small frames",
            "repeated rows",
            "distinct labels",
            "nested triples",
            "merged fields",
        ),
        *_kinds("batches", "ordinary gzip members", "empty gzip members"),
        *_kinds("batches", "ordinary zstd frames", "empty zstd frames"),
        *_kinds("operations", "ordinary patch", "numbers with exponents"),
    ],
    "Jelly-RDF, text, Thrift, other RDF": [
        *_kinds("batches", "ordinary statements", "empty graphs", "metadata"),
        *_kinds(
            "batches",
            "ordinary text",
            "escapes",
            "long rows",
            "quoted in text",
        ),
        *_kinds("batches", "ordinary thrift", "transactions in thrift"),
        *_kinds("batches", "ordinary n quads", "turtle prefix redefined"),
        *_kinds("batches", "quoted in n quads", "turtle long prefix", "trig nested"),
        *_kinds("batches", "xml collections", "json values"),
    ],
    "Applying and the algebra of patches": [
        *_kinds(
            "apply",
            "empty transactions",
            "aborted transactions",
            "added and deleted",
            "prefixes in transactions",
            "new graphs",
            "headers",
            "prefixes in text",
        ),
        *_kinds("parse", "repeated namespaces"),
        *_kinds("compact", "added and deleted", "headers"),
        *_kinds("invert", "empty transactions", "ordinary patch"),
        *_kinds("concat", "ordinary patch"),
        *_kinds("diff", "ordinary statements"),
        *_kinds("diff canonical", "rings of blank nodes", "star of blank nodes"),
        *_kinds("log", "small patches"),
    ],
    "Inspecting, validating, rewriting": [
        *_kinds("inspect", "ordinary patch", "lookup refills", "empty patches"),
        *_kinds("validate", "ordinary patch", "headers", "bad iris", "bad rows"),
        *_kinds("validate", "quotes without end", "options rows"),
        *_kinds("index", "ordinary patch", "lookup refills"),
        *_kinds("rewrite", "ordinary patch", "lookup refills", "prefixes under names"),
        *_kinds("text", "ordinary patch"),
    ],
}
KINDS = [kind for kinds in GROUPS.values() for kind in kinds]


@dataclass(frozen=True)
class Point:
    """The measurements of one size.

    Args:
        size: The bytes of the input.
        seconds: The processor time.
        peak: The peak memory of the process, in bytes.
    """

    size: int
    seconds: float
    peak: int


@dataclass(frozen=True)
class Curve:
    """The measurements of one use of a kind of input, over the input's size."""

    kind: Kind
    points: list[Point]

    @property
    def slope(self) -> float:
        """The exponent of the growth of time: 1 for linear, 2 for quadratic."""
        points = self.points[-SLOPE_POINTS:]
        x = [math.log(point.size) for point in points]
        y = [math.log(point.seconds) for point in points]
        mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
        covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
        return covariance / sum((a - mean_x) ** 2 for a in x)

    @property
    def growth(self) -> int:
        """The memory of the largest input minus that of an input an eighth as large, in bytes."""
        return self.points[-1].peak - self.points[-4].peak

    def problems(self) -> list[str]:
        """Return a message for each missed target."""
        found = []
        name = self.kind.name
        if self.slope > MAX_SLOPE:
            found.append(f"{name}: time grows with the power {self.slope:.2f} of the size")
        if self.growth > MAX_GROWTH:
            found.append(f"{name}: memory grows by {self.growth / 1e6:.0f} MB")
        peak = max(point.peak for point in self.points)
        if peak > MAX_PEAK:
            found.append(f"{name}: it takes {peak / 1e6:.0f} MB")
        return found


def measure(kind: Kind, tell: Callable[[], None] = lambda: None) -> Curve:
    """Measure a curve.

    Args:
        kind: The kind to measure.
        tell: Called after each size.

    Raises:
        RuntimeError: The input is refused, but should be read.
    """
    with TemporaryDirectory() as folder, _Input(ATTACKS[kind.attack], Path(folder)) as input_:
        largest = _find_size(kind, input_)
        points = []
        for step in reversed(range(POINTS)):
            point = _point(kind, input_, largest >> step)
            for _ in range(1, ROUNDS):
                point = _faster(kind, input_, point)
            points.append(point)
            tell()
        curve = Curve(kind, points)
        for _ in range(MAX_REPEATS):
            if curve.slope <= STEEP:
                break
            curve = Curve(kind, [_faster(kind, input_, point) for point in curve.points])
    return curve


class _Input:
    """An attack in a growing file, and a second file that contains a part from its start.

    Args:
        attack: The attack.
        folder: The folder for the files.
    """

    def __init__(self, attack: Attack, folder: Path) -> None:
        self.format = attack.format
        self._end_of_all = attack.end
        self._pieces = attack.pieces()
        self._whole = folder / "whole"
        self._start = folder / "start"
        self._file = self._whole.open("wb")
        # The offsets where the pieces end in the file.
        self._ends = [0]
        self.warm = folder / "warm"
        shutil.copyfile(self.up_to(WARM_SIZE)[0], self.warm)

    def __enter__(self) -> _Input:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def up_to(self, size: int) -> tuple[Path, int]:
        """Return a file with pieces up to a size, and the actual size."""
        while self._ends[-1] < size:
            self._ends.append(self._ends[-1] + self._file.write(next(self._pieces)))
        self._file.flush()
        shutil.copyfile(self._whole, self._start)
        end = self._ends[bisect_left(self._ends, size)]
        os.truncate(self._start, end)
        with self._start.open("ab") as file:
            file.write(self._end_of_all)
        return self._start, end


def _find_size(kind: Kind, input_: _Input) -> int:
    """Return a size that needs about the wanted time."""
    seconds = SECONDS_OF.get(kind.use, SECONDS)
    max_size = MAX_SIZE_OF.get(kind.use, MAX_SIZE)
    size = FIRST_SIZE
    while True:
        point = _point(kind, input_, size)
        if size >= max_size or point.seconds * 2 > seconds:
            return size
        factor = 4 if point.seconds * 8 < seconds else 2
        size = min(size * factor, max_size)


def _point(kind: Kind, input_: _Input, size: int) -> Point:
    path, written = input_.up_to(size)
    report = _read(kind, input_, path)
    return Point(written, max(report["seconds"], 1e-5), report["peak"])


def _faster(kind: Kind, input_: _Input, point: Point) -> Point:
    """Measure a point again; return the smaller time and the larger memory."""
    again = _point(kind, input_, point.size)
    return Point(point.size, min(point.seconds, again.seconds), max(point.peak, again.peak))


def _read(kind: Kind, input_: _Input, path: Path) -> dict[str, Any]:
    arguments = [kind.use, input_.format, str(path), "{}", str(input_.warm)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.child", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    if report["error"] is not None:
        raise RuntimeError(f"{kind.name}: {report['message']}")
    return report

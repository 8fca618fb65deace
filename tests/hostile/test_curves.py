"""What is measured for the curves of time over size tells squares from a machine at other work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from benchmarks.reliability import curves
from benchmarks.reliability.curves import MAX_REPEATS, POINTS, Kind, measure

KIND = Kind("repeated rows", "batches")


def seconds_are(
    monkeypatch: pytest.MonkeyPatch, seconds: Callable[[int], float], noise: Iterator[float]
) -> list[int]:
    """Let reading take as long as is said, and return the sizes that are read then."""
    sizes: list[int] = []

    def read(kind: Kind, input_: Any, path: Path) -> dict[str, Any]:
        sizes.append(path.stat().st_size)
        return {"seconds": seconds(sizes[-1]) * next(noise), "peak": 1 << 25}

    monkeypatch.setattr(curves, "_read", read)
    return sizes


def test_time_as_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = seconds_are(monkeypatch, lambda size: size / 4e6, repeat(1.0))
    curve = measure(KIND)
    assert curve.slope == pytest.approx(1, abs=0.01)
    assert curve.problems() == []
    assert sizes[-POINTS:] == [point.size for point in curve.points]


def test_time_as_the_square_of_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is measured again, and is what it was."""
    sizes = seconds_are(monkeypatch, lambda size: size**2 / 1e12, repeat(1.0))
    curve = measure(KIND)
    assert curve.slope == pytest.approx(2, abs=0.01)
    assert "time grows with the power 2" in curve.problems()[0]
    assert sizes.count(sizes[-1]) >= 1 + MAX_REPEATS


def test_other_work_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two largest sizes took twice as long as they need, the first time."""
    sizes = seconds_are(monkeypatch, lambda size: size / 4e6, repeat(1.0))
    measure(KIND)
    undisturbed = len(sizes) - 2
    noise = chain(repeat(1.0, undisturbed), [2.0, 2.0], repeat(1.0))
    sizes = seconds_are(monkeypatch, lambda size: size / 4e6, noise)
    assert measure(KIND).slope == pytest.approx(1, abs=0.01)
    assert len(sizes) == undisturbed + 2 + POINTS

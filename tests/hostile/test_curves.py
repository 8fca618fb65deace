"""What is measured for the curves of time over size tells squares from a machine at other work."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from benchmarks.reliability import curves
from benchmarks.reliability.curves import (
    MAX_REPEATS,
    MAX_SLOPE,
    POINTS,
    ROUNDS,
    STEEP,
    Kind,
    measure,
)

KIND = Kind("repeated rows", "batches")


def seconds_are(
    monkeypatch: pytest.MonkeyPatch, seconds: Callable[[int], float], noise: Iterator[float]
) -> list[int]:
    """Let reading take as long as is said, and return the sizes that are read then."""
    sizes: list[int] = []

    def read(kind: Kind, input_: Any, path: Path) -> dict[str, Any]:
        sizes.append(path.stat().st_size)
        # Each time takes more memory than the one before.
        return {"seconds": seconds(sizes[-1]) * next(noise), "peak": len(sizes) << 10}

    monkeypatch.setattr(curves, "_read", read)
    return sizes


def test_time_as_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each size is measured twice."""
    sizes = seconds_are(monkeypatch, lambda size: size / 4e6, repeat(1.0))
    curve = measure(KIND)
    assert curve.slope == pytest.approx(1, abs=0.01)
    assert curve.problems() == []
    points = sizes[-ROUNDS * POINTS :]
    assert points == [point.size for point in curve.points for _ in range(ROUNDS)]
    assert curve.points[-1].peak == len(sizes) << 10


def test_time_as_the_square_of_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is measured again, and is what it was."""
    sizes = seconds_are(monkeypatch, lambda size: size**2 / 1e12, repeat(1.0))
    curve = measure(KIND)
    assert curve.slope == pytest.approx(2, abs=0.01)
    assert "time grows with the power 2" in curve.problems()[0]
    again = sizes[-MAX_REPEATS * POINTS :]
    assert again == MAX_REPEATS * [point.size for point in curve.points]
    assert sizes[-MAX_REPEATS * POINTS - 1] == curve.points[-1].size


def test_other_work_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest size took twice as long as it needs, each of the first times."""
    sizes = seconds_are(monkeypatch, lambda size: size / 4e6, repeat(1.0))
    measure(KIND)
    undisturbed = len(sizes) - ROUNDS
    noise = chain(repeat(1.0, undisturbed), repeat(2.0, ROUNDS), repeat(1.0))
    sizes = seconds_are(monkeypatch, lambda size: size / 4e6, noise)
    curve = measure(KIND)
    assert curve.slope == pytest.approx(1, abs=0.01)
    assert curve.points[-1].peak == len(sizes) << 10
    assert len(sizes) == undisturbed + ROUNDS + POINTS


def test_a_slope_that_is_not_steep_is_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def almost_steep(size: int) -> float:
        return math.pow(size, STEEP - 0.02) / 2e7

    sizes = seconds_are(monkeypatch, almost_steep, repeat(1.0))
    curve = measure(KIND)
    assert curve.slope == pytest.approx(STEEP - 0.02, abs=0.005)
    assert sizes[-ROUNDS * POINTS] == curve.points[0].size


def test_a_slope_between_steep_and_too_steep(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is measured again, and no problem."""
    slope = (STEEP + MAX_SLOPE) / 2
    sizes = seconds_are(monkeypatch, lambda size: math.pow(size, slope) / 1e8, repeat(1.0))
    curve = measure(KIND)
    assert curve.slope == pytest.approx(slope, abs=0.005)
    assert curve.problems() == []
    assert sizes[-MAX_REPEATS * POINTS] == curve.points[0].size

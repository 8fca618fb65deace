"""A driver for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.log.live.child import Child
from tests.log.live.driver import start_driver
from tests.log.live.shim import WHY_NOT


@pytest.fixture(scope="module")
def driver(folder: Path) -> Iterator[Child]:
    if WHY_NOT:
        pytest.skip(WHY_NOT)
    started = start_driver(folder)
    yield started
    started.end()

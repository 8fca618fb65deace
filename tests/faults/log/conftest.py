"""Fixtures: in-memory logs, and a driver for all tests of a module."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.log.child import Child
from tests.faults.log.driver import start_driver
from tests.faults.log.shim import WHY_NOT
from tests.log import conftest as logs

tmp_path = logs.tmp_path
folder = logs.folder


@pytest.fixture(scope="module")
def driver(folder: Path) -> Iterator[Child]:
    if WHY_NOT:
        pytest.skip(WHY_NOT)
    started = start_driver(folder)
    yield started
    started.end()

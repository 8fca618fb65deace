"""Logs in memory: these tests bring files to the disk thousands of times."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


def make_folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="jelly-log-", dir=MEMORY if MEMORY.is_dir() else None))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Make a folder: in memory where the system has such a place."""
    yield from make_folder()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Make a folder for all examples of a property."""
    yield from make_folder()

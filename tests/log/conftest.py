"""Fixtures that keep logs in memory, since these tests sync thousands of files."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rdflib

from jelly_rdflib import PatchLog
from jelly_rdflib.algebra import sources
from jelly_rdflib.formats import jelly
from jelly_rdflib.log import files
from jelly_rdflib.streams import open_input, patch_operations

MEMORY = Path("/dev/shm")
# Literals of this datatype are counted when nodes are made.
NOTED = rdflib.URIRef("urn:noted")


def make_folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="jelly-log-", dir=MEMORY if MEMORY.is_dir() else None))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Make a folder, in memory if the system has a file system for that."""
    yield from make_folder()


@pytest.fixture
def log(request: pytest.FixtureRequest, tmp_path: Path) -> PatchLog:
    """Return an empty log; see `both` in `support`."""
    return PatchLog.create(tmp_path / "log", compression=getattr(request, "param", None))


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Make one folder for all examples of a property test."""
    yield from make_folder()


@pytest.fixture
def works(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count calls that decode, encode or make nodes; fail if tuples are made or read."""
    found: Counter[str] = Counter()

    def counting(module: Any, name: str, what: str) -> None:
        original = getattr(module, name)

        def counted(*arguments: Any, **more: Any) -> Any:
            found[what] += 1
            return original(*arguments, **more)

        monkeypatch.setattr(module, name, counted)

    def fail(*_: Any, **more: Any) -> Any:
        raise AssertionError("a tuple was made")

    counting(jelly, "BatchReader", "decoded")
    counting(files, "PatchWriter", "encoded")
    monkeypatch.setattr(open_input.Input, "operations", fail)
    monkeypatch.setattr(sources, "NodeBatches", fail)
    monkeypatch.setattr(patch_operations.PatchOperations, "__iter__", fail)
    monkeypatch.setitem(
        rdflib.term._toPythonMapping, NOTED, lambda text: found.update(nodes=1) or text
    )
    return found

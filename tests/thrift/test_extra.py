"""thrift is an extra: it is imported when it is needed, and its lack is told."""

from __future__ import annotations

import importlib.metadata
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib.encodings import rdf_patch_thrift

from .test_reader import DATA

HINT = r"pip install 'jelly-rdflib\[thrift\]'"


@pytest.fixture(autouse=True)
def forget() -> Any:
    rdf_patch_thrift._check_thrift.cache_clear()
    yield
    rdf_patch_thrift._check_thrift.cache_clear()


def calls(tmp_path: Path) -> list[Any]:
    path = tmp_path / "x.rdfpb"
    return [
        lambda: list(jr.read_operations(DATA)),
        lambda: list(jr.read_operations(io.BytesIO(DATA))),
        lambda: jr.PatchWriter(path),
        lambda: jr.PatchWriter(io.BytesIO(), format="rdf-patch-thrift"),
    ]


def test_without_thrift(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "thrift.protocol.fastbinary", None)
    (tmp_path / "x.rdfpb").write_bytes(b"precious")
    for call in calls(tmp_path):
        with pytest.raises(ImportError, match=HINT):
            call()
    assert (tmp_path / "x.rdfpb").read_bytes() == b"precious"


@pytest.mark.parametrize("version", ["0.9.3", "0.16.0", "0.24.0"])
def test_with_an_old_thrift(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One whose decoder crashes at deeply nested input."""
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    for call in calls(tmp_path):
        with pytest.raises(ImportError, match=f"{HINT} .found {version}"):
            call()


@pytest.mark.parametrize("version", ["0.25.0", "0.30.1", "1.0.0", "0.26.0.post1"])
def test_with_a_newer_thrift(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    assert len(list(jr.read_operations(DATA))) > 0


def test_it_is_not_imported_before() -> None:
    code = (
        "import sys, jelly_rdflib as jr, jelly_rdflib.encodings\n"
        "jr.PatchWriter, list(jr.read_operations(b'TX . TC .'))\n"
        "assert jelly_rdflib.encodings.find_encoding('rdfpb').names\n"
        "assert not any(name.split('.')[0] == 'thrift' for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

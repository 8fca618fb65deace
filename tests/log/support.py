"""Numbered patches for the tests of logs, and functions that read the state of a log."""

import os
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.operations import Operation
from jelly_rdflib.terms import plain

S, P, GRAPH = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")

# Runs a test twice, with uncompressed and with compressed files in the fixture `log`.
both = pytest.mark.parametrize("log", [None, "zst"], ids=["plain", "zstd"], indirect=True)


def add(number: Any, g: Any = None) -> Operation:
    return (Op.A, S, P, Literal(str(number)), g)


def delete(number: Any, g: Any = None) -> Operation:
    return (Op.D, S, P, Literal(str(number)), g)


def change(number: int) -> list[Operation]:
    """Return the n-th patch of a log, which adds n and deletes n - 1."""
    return [(Op.TX,), delete(number - 1), add(number), add(number, GRAPH), (Op.TC,)]


def patch_id(number: int) -> URIRef:
    return URIRef(f"uuid:{number:08x}-0000-4000-8000-abcdefabcdef")


def fill(log: jr.PatchLog, count: int) -> jr.PatchLog:
    """Append a number of patches."""
    for _ in range(count):
        number = log.version + 1
        log.append([(Op.H, "id", patch_id(number)), *change(number)])
    return log


def numbers(dataset: Dataset, g: Any = None) -> set[int]:
    """Return the numbers in a graph; by default in the default graph."""
    graph = dataset.default_graph if g is None else dataset.graph(g)
    return {int(o) for _, _, o in graph}


def state(dataset: Dataset) -> tuple[set[Any], set[Any]]:
    """Return the quads of a dataset, with their lexical forms, and its prefixes.

    Strings are normalized: a squash may choose another spelling than a patch.
    """
    quads = {
        tuple(term and (type(term), plain(term).n3()) for term in quad) for quad in dataset.quads()
    }
    return quads, {(prefix, str(iri)) for prefix, iri in dataset.namespaces()}


def files(folder: Path) -> list[Path]:
    """Return the files in a folder and its subfolders, sorted."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def put_folder(path: Path) -> None:
    """Replace a file by a folder."""
    path.unlink()
    path.mkdir()


def put_pipe(path: Path) -> None:
    """Replace a file by a pipe."""
    path.unlink()
    os.mkfifo(path)

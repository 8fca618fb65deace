"""Sixteen releases of schema.org: real data that changes, for the benchmarks and some tests.

The README in this folder states their source and licence. The file is stored next to a notebook
that also reads it, so that both can be downloaded together. Wheels and the sdist don't contain it.
"""

from __future__ import annotations

import lzma
import re
from pathlib import Path

from rdflib import URIRef

__all__ = ["releases"]

PATH = Path(__file__).parents[2] / "docs" / "notebooks" / "releases.nt.xz"


def releases() -> list[tuple[URIRef, str]]:
    """Return the graph name and the N-Triples of each release, oldest first."""
    text = lzma.decompress(PATH.read_bytes()).decode()
    # A comment before each release contains the graph name.
    _, *parts = re.split(r"^# (\S+)\n", text, flags=re.MULTILINE)
    return [(URIRef(name), lines) for name, lines in zip(parts[::2], parts[1::2], strict=True)]

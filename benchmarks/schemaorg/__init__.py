"""Sixteen releases of schema.org: real data that changed, for the benchmarks and some tests.

The README beside this says where they are from, and under which licence. They lie beside the
notebook that reads them, too: whoever downloads both can run it. Wheels and the sdist have none of
this.
"""

from __future__ import annotations

import lzma
import re
from pathlib import Path

from rdflib import URIRef

__all__ = ["releases"]

PATH = Path(__file__).parents[2] / "docs" / "notebooks" / "releases.nt.xz"


def releases() -> list[tuple[URIRef, str]]:
    """Return the name of the graph and the N-Triples of each release, oldest first."""
    text = lzma.decompress(PATH.read_bytes()).decode()
    # A comment before each release has its name.
    _, *parts = re.split(r"^# (\S+)\n", text, flags=re.MULTILINE)
    return [(URIRef(name), lines) for name, lines in zip(parts[::2], parts[1::2], strict=True)]

"""The tasks of other Python packages."""

from __future__ import annotations

import io

import pyoxigraph as ox
from pyjelly.integrations.rdflib.parse import parse_jelly_flat  # type: ignore[import-untyped]
from pyjelly.integrations.rdflib.serialize import (  # type: ignore[import-untyped]
    flat_stream_to_file,
)
from rdflib import Dataset
from rdflib.parser import create_input_source

import jelly_rdflib as jr
from benchmarks import data
from benchmarks.works import TermsOnly

from .inputs import Changes
from .task import READ, WRITE, Task, in_python, length

__all__ = ["tasks"]


def tasks(changes: Changes) -> list[Task]:
    """Return the readers and writers."""
    jelly, n_quads, text = changes.read("jelly"), changes.read("nq"), changes.read("rdfp")
    statements = [each[1:] for each in changes.operations if each[0] in (jr.Op.A, jr.Op.D)]
    quads = list(ox.parse(n_quads, ox.RdfFormat.N_QUADS))

    def write_jelly() -> int:
        file = io.BytesIO()
        flat_stream_to_file(iter(statements), file, data.pyjelly_options())
        return file.tell()

    def read_text() -> None:
        TermsOnly().parse(create_input_source(data=text), Dataset())

    return [
        Task(
            READ,
            "pyjelly",
            "to rdflib terms",
            "jelly",
            in_python(lambda: length(parse_jelly_flat(io.BytesIO(jelly)))),
            changes.count,
        ),
        Task(
            READ,
            "pyoxigraph",
            "to its terms",
            "nq",
            in_python(lambda: length(ox.parse(n_quads, ox.RdfFormat.N_QUADS))),
            changes.count,
        ),
        # The parser does not report how many rows it has read, and its target receives no rows.
        Task(
            READ,
            "rdflib patch",
            "to rdflib terms",
            "rdfp",
            in_python(read_text, lambda _: 0),
        ),
        Task(WRITE, "pyjelly", "from rdflib terms", "jelly", in_python(write_jelly)),
        Task(
            WRITE,
            "pyoxigraph",
            "from its terms",
            "nq",
            in_python(lambda: len(ox.serialize(quads, format=ox.RdfFormat.N_QUADS) or b"")),
        ),
    ]

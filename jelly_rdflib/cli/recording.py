"""Records what SPARQL Update changes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import rdflib.plugins.sparql
from pyparsing import ParseException
from rdflib.graph import Dataset

from jelly_rdflib.cli.inputs import InputError
from jelly_rdflib.errors import RecordError
from jelly_rdflib.formats import Encoding
from jelly_rdflib.recording.record import record
from jelly_rdflib.streams.writing import PatchWriter


def record_updates(
    dataset: Dataset, updates: Iterable[str], destination: Any, encoding: Encoding
) -> None:
    """Run updates, and write a transaction for each.

    Args:
        dataset: What they change.
        updates: Files of SPARQL Update; "-" is standard input.
        destination: What `PatchWriter` takes.
        encoding: An encoding of changes.

    Raises:
        InputError: One of the updates is at fault.
    """
    # As SPARQL has it. If the default graph were the union of all graphs, rdflib 7.6 could not
    # insert data into it either.
    rdflib.plugins.sparql.SPARQL_DEFAULT_GRAPH_UNION = False
    with (
        PatchWriter(destination, format=encoding.name) as writer,
        record(dataset, writer) as recorder,
    ):
        for path in updates:
            name, text = _read(path)
            # rdflib 7.6 raises for an update without any operation.
            if not re.sub("#.*", "", text).strip():
                raise InputError(name, "it has no SPARQL Update")
            with recorder.transaction():
                try:
                    dataset.update(text)
                except ParseException as error:
                    place = f"line {error.lineno}, column {error.column}"
                    raise InputError(name, f"{error.msg} ({place})") from error
                except RecordError:
                    raise
                except Exception as error:
                    # Whatever rdflib can't evaluate.
                    raise InputError(name, f"{type(error).__name__}: {error}") from error


def _read(path: str) -> tuple[str, str]:
    """Return what a file is called, and its text."""
    is_standard_input = path == "-"
    name = "standard input" if is_standard_input else path
    data = sys.stdin.buffer.read() if is_standard_input else Path(path).read_bytes()
    try:
        return name, data.decode()
    except UnicodeDecodeError as error:
        raise InputError(name, f"the text is not UTF-8 (byte {error.start})") from error

"""Snapshots: whole datasets as Jelly-RDF, so that not all patches must be applied to get there.

A snapshot has the statements and the prefixes of a dataset. Jelly-RDF declares prefixes for a whole
stream, as rdflib binds them for a whole store. Graphs without statements are not in it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from rdflib.graph import Dataset
from rdflib.namespace import NamespaceManager

from jelly_rdflib.apply import apply_read
from jelly_rdflib.encodings.jelly import JELLY
from jelly_rdflib.graphs import write_graph
from jelly_rdflib.log.durable import StagedFile
from jelly_rdflib.log.names import SNAPSHOT, FileName, list_names
from jelly_rdflib.log.segment import compressed
from jelly_rdflib.log.stored import read_stored
from jelly_rdflib.options import Limits, PhysicalStreamType, StreamOptions
from jelly_rdflib.rdf import StatementWriter, read_statement_operations
from jelly_rdflib.stores.contents import Contents
from jelly_rdflib.stores.target import Target

__all__ = ["check_empty", "empty_dataset", "list_snapshots", "load_snapshot", "write_snapshot"]


def empty_dataset() -> Dataset:
    """Make a dataset without prefixes; rdflib would bind a set of its own."""
    dataset = Dataset()
    dataset.namespace_manager = NamespaceManager(dataset, bind_namespaces="none")
    return dataset


def write_snapshot(file: StagedFile, dataset: Dataset, *, is_compressed: bool) -> None:
    """Write a dataset; the same one always gives the same bytes."""
    has_prefixes = any(dataset.namespaces())
    options = StreamOptions(
        physical_type=PhysicalStreamType.QUADS, namespace_declarations=has_prefixes
    )
    with (
        compressed(file, is_compressed=is_compressed) as sink,
        StatementWriter(sink, options) as writer,
    ):
        write_graph(dataset, writer, namespaces=has_prefixes)


def check_empty(target: Dataset) -> None:
    """Check that a dataset has no statements.

    Raises:
        TypeError: It is none.
        ValueError: It has.
    """
    contents = Contents(target)
    if not contents.is_dataset:
        raise TypeError(f"a Dataset is wanted, not a {type(target).__name__}")
    if any(True for name in contents.graphs for _ in contents.triples(name)):
        raise ValueError("the target is not empty: a version is all that it is to have")


def load_snapshot(path: Path, name: FileName, target: Dataset, limits: Limits) -> None:
    """Add what a snapshot has to an empty dataset.

    Raises:
        LogError: The file is damaged, or is gone.
        DecodeError, LimitError: It breaks a rule of the format.
    """
    read = partial(read_statement_operations, limits=limits, normalize=False)
    apply_read(read_stored(path, name), Target(target), read, limits=limits, format=JELLY.name)


def list_snapshots(folder: Path) -> list[FileName]:
    """Return the names of the snapshots in a folder, oldest version first."""
    names = map(FileName.parse, list_names(folder))
    found = [name for name in names if name is not None and name.kind == SNAPSHOT]
    return sorted(found, key=lambda name: (name.last, str(name)))

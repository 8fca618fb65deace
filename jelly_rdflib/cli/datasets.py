"""Loads and saves datasets in memory."""

from __future__ import annotations

import os
from typing import Any

import click
from rdflib.graph import Dataset

from jelly_rdflib.cli.inputs import InputArgument
from jelly_rdflib.formats import Format, find_format
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.graph.graphs import empty_dataset, write_graph
from jelly_rdflib.options import StreamOptions
from jelly_rdflib.streams.writing import StatementWriter


def load(input_: InputArgument) -> Dataset:
    """Load the statements and prefixes of an input; literals keep their lexical forms.

    The null device is an empty dataset. Any other input without bytes is an error, since the
    program that should have written it may have failed.
    """
    dataset = empty_dataset()
    if input_.name == os.devnull:
        input_.format = input_.format or find_format("n-quads")
    for batch in input_.batches():
        if input_.format.holds_changes:
            raise click.UsageError(
                f"{input_.name} has changes; this command needs a dataset, which has statements"
            )
        apply(batch, dataset, atomic=False)
    return dataset


def save(dataset: Dataset, destination: Any, format: Format) -> None:
    """Write the statements and prefixes of a dataset, sorted by graphs and terms."""
    if format.holds_changes:
        raise click.UsageError(f"a dataset can't be written as {format.name}: see jellyp diff")
    options = None
    if format.options_type:
        has_prefixes = any(True for _ in dataset.namespaces())
        options = StreamOptions(namespace_declarations=has_prefixes)
    with StatementWriter(destination, options, format=format.name) as writer:
        write_graph(dataset, writer, namespaces=True)

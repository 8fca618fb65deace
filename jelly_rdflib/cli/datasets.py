"""Datasets in memory: loaded, patched, compared and saved."""

from __future__ import annotations

from typing import Any

import click
from rdflib.graph import Dataset
from rdflib.namespace import NamespaceManager

from jelly_rdflib.cli.inputs import InputArgument, InputError
from jelly_rdflib.errors import ApplyError, DecodeError
from jelly_rdflib.formats import Format
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.graph.graphs import write_graph
from jelly_rdflib.options import StreamOptions
from jelly_rdflib.patch.diff import diff
from jelly_rdflib.streams.writing import PatchWriter, StatementWriter


def load(input_: InputArgument) -> Dataset:
    """Load the statements and prefixes of an input; literals keep their lexical forms.

    Raises:
        InputError: The input is invalid, or rdflib can't hold it.
        UsageError: The input has changes.
    """
    dataset = Dataset()
    # Only the prefixes of the input.
    dataset.namespace_manager = NamespaceManager(dataset, bind_namespaces="none")
    for batch in input_.batches():
        if input_.known_encoding().holds_changes:
            raise click.UsageError(
                f"{input_.name} has changes; this command needs a dataset, which has statements"
            )
        try:
            apply(batch, dataset, atomic=False)
        except ApplyError as error:
            raise InputError(input_.name, error) from error
    return dataset


def apply_patch(input_: InputArgument, dataset: Dataset) -> None:
    """Apply an input to a dataset.

    Raises:
        InputError: The input is invalid.
        UsageError: The input has statements.
    """
    _, format = input_.look()
    if not format.holds_changes:
        raise click.UsageError(f"{input_.name} has statements; a patch has changes")
    try:
        apply(
            input_.file, dataset, limits=input_.limits, normalize=False, format=input_.format_name
        )
    except (ApplyError, DecodeError) as error:
        raise InputError(input_.name, error) from error


def save(dataset: Dataset, destination: Any, format: Format) -> None:
    """Write the statements and prefixes of a dataset, sorted by graphs and terms.

    Raises:
        EncodeError: The format can't express a statement of the dataset.
        UsageError: The format is for changes.
    """
    if format.holds_changes:
        raise click.UsageError(f"a dataset can't be written as {format.name}: see jellyp diff")
    options = StreamOptions(namespace_declarations=True) if format is JELLY else None
    with StatementWriter(destination, options, format=format.name) as writer:
        write_graph(dataset, writer, namespaces=True)


def write_difference(
    old: Dataset,
    new: Dataset,
    destination: Any,
    format: Format,
    *,
    canonical: bool,
    has_prefixes: bool,
) -> None:
    """Write the patch that turns one dataset into another; see `jelly_rdflib.diff`.

    Without ``has_prefixes`` the prefixes of both datasets are removed first.
    """
    if not has_prefixes:
        for dataset in (old, new):
            dataset.namespace_manager = NamespaceManager(Dataset(), bind_namespaces="none")
    patch = diff(old, new, canonical=canonical)
    with PatchWriter(destination, format=format.name) as writer:
        writer.write_all(patch)

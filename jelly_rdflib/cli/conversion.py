"""Converts inputs, batch by batch, to one output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import click

from jelly_rdflib.cli.filters import Filters
from jelly_rdflib.cli.input_errors import naming
from jelly_rdflib.cli.inputs import InputArgument, StartedInput
from jelly_rdflib.cli.outputs import open_output
from jelly_rdflib.cli.stream_options import make_options
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import JellyError
from jelly_rdflib.formats import Format, guess_by_name
from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
from jelly_rdflib.operations import Op
from jelly_rdflib.options import StreamOptions
from jelly_rdflib.streams.writing import PatchWriter, StatementWriter


def convert(
    input_: InputArgument,
    destination: Any,
    format: Format,
    filters: Filters,
    output_options: Mapping[str, Any],
    *,
    merges_graphs: bool = False,
    base: str | None = None,
) -> None:
    """Write what filters let through of an input in another format.

    Args:
        input_, destination, format: From where to where, and as what.
        filters: What is written of the input.
        output_options: Those of `jelly_options`.
        merges_graphs: Whether statements are written without their graphs.
        base: The IRI that relative IRIs of the input are relative to.
    """
    batches = filters.batches(input_, **({} if base is None else {"base": base}))
    # The input's format and options are known after its first batch.
    try:
        first = list(islice(batches, 1))
    except ValueError as error:
        if base is None or isinstance(error, JellyError):
            raise
        raise click.UsageError(f"{input_.name}: {error}") from error
    if input_.format.holds_changes != format.holds_changes:
        held, wanted, advice = "changes", "statements", "apply"
        if format.holds_changes:
            held, wanted, advice = "statements", "changes", "diff"
        raise click.UsageError(
            f"{input_.name} has {held}, and {format.name} is for {wanted}: see jellyp {advice}"
        )
    if format.holds_changes and merges_graphs:
        raise click.UsageError("--merge-graphs is for statements")
    if merges_graphs and format is JELLY and output_options["stream_type"] is None:
        output_options = {**output_options, "stream_type": "triples"}
    is_same_jelly = input_.format is format and format in (JELLY, JELLY_PATCH)
    options = make_options(
        [input_.options] if is_same_jelly and input_.options is not None else [],
        format,
        output_options,
        has_graphs=input_.format.has_graphs,
        has_prefixes=input_.format.has_prefixes,
    )
    with naming(input_.name), open_writer(destination, options, format) as writer:
        write_batches(chain(first, batches), writer, merges_graphs=merges_graphs)


def transcode(sources: Sequence[str], output: str, output_options: Mapping[str, Any]) -> None:
    """Write the streams of Jelly in several inputs as one; arguments as for `convert`."""
    inputs = [StartedInput(source, on_repeated_options="restart") for source in sources]
    format = inputs[0].format
    for each in inputs:
        if each.format not in (JELLY, JELLY_PATCH) or each.options is None:
            raise click.UsageError(f"{each.name} is no Jelly: see jellyp convert")
        if each.format is not format:
            raise click.UsageError(
                f"{each.name} is {each.format.title}, but {inputs[0].name} is {format.title}"
            )
    if (guess_by_name(output) or format) is not format:
        raise click.UsageError(f"the streams are {format.title}, but {output!r} is not")
    declared = [each.options for each in inputs]
    options = make_options(declared, format, output_options, is_joined=len(inputs) > 1)
    is_pending = False
    with open_output(output) as destination, open_writer(destination, options, format) as writer:
        for each in inputs:
            with naming(each.name):
                is_pending = write_batches(each.batches(), writer, is_pending=is_pending)


def open_writer(destination: Any, options: Any, format: Format) -> Any:
    """Open a writer of changes or statements, as the format has them."""
    kind: Any = PatchWriter if format.holds_changes else StatementWriter
    return kind(destination, options, format=format.name)


def write_batches(
    batches: Iterator[Batch],
    writer: Any,
    *,
    merges_graphs: bool = False,
    is_pending: bool = False,
) -> bool:
    """Write batches; frames with a meaning, or with metadata, stay frames.

    ``is_pending``: rows wait in the open frame that are written before these, or by this call as
    it returns.
    """
    options = writer.options
    has_frames = isinstance(options, StreamOptions)
    is_grouped = has_frames and options.is_grouped
    for batch in batches:
        is_frame = is_grouped or (has_frames and options.delimited and bool(batch.metadata))
        if is_frame and is_pending:
            writer.end_frame()
        if merges_graphs:
            _write_triples(batch, writer)
        else:
            writer.write_all(batch)
        if is_frame:
            writer.end_frame(batch.metadata)
        is_pending = not is_frame
    return is_pending


def _write_triples(batch: Batch, writer: Any) -> None:
    """Write the namespaces, and the statements without their graphs."""
    has_namespaces = writer.options is None or writer.options.namespace_declarations
    for op, *terms in batch:
        if op == Op.A:
            writer.write(tuple(terms[:3]))
        elif has_namespaces:
            writer.add_namespace(*terms[:2])

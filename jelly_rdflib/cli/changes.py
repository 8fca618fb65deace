"""Reads and writes patches for commands, with Jelly-Patch options that suit their terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jelly_rdflib.cli.input_errors import naming
from jelly_rdflib.cli.inputs import StartedInput, error_of_statements
from jelly_rdflib.cli.outputs import open_output, patch_format
from jelly_rdflib.cli.stream_options import join_options
from jelly_rdflib.core.batch import GeneratedBatches
from jelly_rdflib.operations import Operation
from jelly_rdflib.options import PatchOptions, PatchStreamType
from jelly_rdflib.streams.sources import OpenedElsewhere
from jelly_rdflib.streams.writing import PatchWriter


def start_changes(path: str, format: str | None) -> StartedInput:
    """Start reading an input of changes; raise a UsageError for statements."""
    input_ = StartedInput(path, format, may_be_empty=True)
    if not input_.format.holds_changes:
        raise error_of_statements(input_.name)
    return input_


def source_of(input_: StartedInput) -> Any:
    """Return an input of changes as a source for the functions of `jelly_rdflib.algebra`."""
    return OpenedElsewhere(lambda: GeneratedBatches(input_.batches()), input_.can_reopen)


def write_changes(
    operations: Iterable[Operation], inputs: Sequence[StartedInput], output: str, to: str | None
) -> None:
    """Write operations made from inputs to an output; errors name the inputs."""
    format = patch_format(output, to)
    options = None
    declared = [each.options for each in inputs if each.options is not None]
    if format.options_type is not None and declared:
        fields = join_options(declared)
        if len(inputs) > 1 and fields["stream_type"] == PatchStreamType.FRAME:
            # A patch made from several inputs may be too large for one frame.
            fields["stream_type"] = PatchStreamType.PUNCTUATED
        options = PatchOptions(**fields)
    with (
        naming(*(each.name for each in inputs)),
        open_output(output) as destination,
        PatchWriter(destination, options, format=format.name) as writer,
    ):
        writer.write_all(operations)

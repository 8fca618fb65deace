"""Converts inputs, batch by batch, to one output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import click

from jelly_rdflib.cli.filters import Filters
from jelly_rdflib.cli.input_errors import naming
from jelly_rdflib.cli.inputs import FROM_STATEMENTS, InputArgument, StartedInput
from jelly_rdflib.cli.options import chosen_limits, is_log
from jelly_rdflib.cli.outputs import check_terminal, open_output
from jelly_rdflib.cli.stream_options import make_options
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.jelly_decoder import FrameReader, holds_changes
from jelly_rdflib.errors import JellyError
from jelly_rdflib.formats import Format
from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
from jelly_rdflib.formats.protobuf import check_protobuf
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import StreamOptions
from jelly_rdflib.streams.destination import Destination
from jelly_rdflib.streams.frames import message_parts
from jelly_rdflib.streams.writing import PatchWriter, StatementWriter

# Text formats in which generalized statements are accepted only if the user allows them.
_LINES = ("n-triples", "n-quads")


def convert(
    input_: InputArgument,
    destination: Any,
    format: Format | None,
    filters: Filters,
    output_options: Mapping[str, Any],
    *,
    merges_graphs: bool = False,
    base: str | None = None,
) -> None:
    """Write those operations of an input that pass the filters, in another format.

    Args:
        input_, destination: What to read, and where to write.
        format: The format of the output; None means that of the input.
        filters: The filters of the input.
        output_options: The options of `jelly_options`.
        merges_graphs: Whether statements are written without their graphs.
        base: The IRI that relative IRIs of the input are relative to.
    """
    is_unchanged = filters == Filters() and not merges_graphs and base is None
    is_unchanged = is_unchanged and all(value is None for value in output_options.values())
    if is_unchanged and format is not None and _copy_frames(input_, destination, format):
        return
    # Keep base directions here: the writer knows whether its format supports them.
    settings: dict[str, Any] = {"keeps_directions": True}
    settings |= {} if base is None else {"base": base}
    if output_options["generalized_statements"] and input_.patches is None:
        input_.look()
        # Other formats need no setting, since they declare what they contain.
        settings |= {"generalized": True} if input_.format.name in _LINES else {}
    batches = filters.batches(input_, **settings)
    # The input's format and options are known after its first batch.
    try:
        first = list(islice(batches, 1))
    except ValueError as error:
        if base is None or isinstance(error, JellyError):
            raise
        raise click.UsageError(f"{input_.name}: {error}") from error
    written: Format = format or input_.format
    if format is None:
        check_terminal("-", written)
    _check_kind(input_.name, written, holds_changes=input_.format.holds_changes)
    if written.holds_changes and merges_graphs:
        raise click.UsageError("--merge-graphs is for statements")
    if (
        merges_graphs
        and written.options_type is StreamOptions
        and output_options["stream_type"] is None
    ):
        output_options = {**output_options, "stream_type": "triples"}
    options = make_options(
        # Take over the input's options if both formats have options.
        [] if input_.options is None or written.options_type is None else [input_.options],
        written,
        output_options,
        has_graphs=input_.format.has_graphs,
        has_prefixes=input_.format.has_prefixes,
    )
    with naming(input_.name), open_writer(destination, options, written) as writer:
        write_batches(chain(first, batches), writer, merges_graphs=merges_graphs)


def _check_kind(name: str, format: Format, *, holds_changes: bool) -> None:
    if holds_changes != format.holds_changes:
        held, wanted, advice = "changes", "statements", "see jellyp apply"
        if format.holds_changes:
            held, wanted, advice = "statements", "changes", FROM_STATEMENTS
        raise click.UsageError(f"{name} has {held}, but {format.name} is for {wanted}: {advice}")


def _copy_frames(input_: InputArgument, destination: Any, format: Format) -> bool:
    """Convert Jelly to Jelly as text, or the reverse, with unchanged frames.

    Returns:
        False, without writing, unless one format is Jelly and the other is Jelly as text.
    """
    if format.options_type is None or input_.patches is not None:
        return False
    source = input_.look().source
    found = input_.format
    if found.options_type is None or found.is_text == format.is_text:
        return False
    check_protobuf((format if format.is_text else found).title)
    from jelly_rdflib.formats.protobuf.jelly_text import FrameTexts, write_frames

    limits = chosen_limits()
    output = Destination(destination)

    def write_text() -> None:
        put = FrameTexts(format, output.write)
        for number, frame in enumerate(FrameReader(source, limits)):
            if number == 0 and (kind := holds_changes(frame)) is not None:
                _check_kind(input_.name, format, holds_changes=kind)
            put(frame)

    def write_jelly() -> None:
        _check_kind(input_.name, format, holds_changes=found.holds_changes)
        write_frames(found, source, limits.max_frame_size, output.write)

    output.open()
    output.close_after(write_text if format.is_text else write_jelly)
    return True


def join(
    sources: Sequence[str],
    from_: str | None,
    output: str,
    to: Format | None,
    output_options: Mapping[str, Any],
) -> None:
    """Write the Jelly streams of several inputs as one; the arguments are as for `convert`."""
    for source in sources:
        if is_log(source):
            raise click.UsageError(f"{source} is a patch log: convert it alone, as one IN")
    settings: dict[str, Any] = {"on_repeated_options": "restart", "keeps_directions": True}
    inputs = [StartedInput(source, from_, **settings) for source in sources]
    format = inputs[0].format
    for each in inputs:
        if each.format not in (JELLY, JELLY_PATCH) or each.options is None:
            raise click.UsageError(f"{each.name} is not Jelly: convert joins only Jelly files")
        if each.format is not format:
            raise click.UsageError(
                f"{each.name} is {each.format.title}, but {inputs[0].name} is {format.title}"
            )
    check_terminal(output, format)
    if (to or format) is not format:
        raise click.UsageError(f"the streams are {format.title}, but {output!r} is not")
    declared = [each.options for each in inputs]
    options = make_options(declared, format, output_options, is_joined=True)
    is_pending = False
    with open_output(output) as destination, open_writer(destination, options, format) as writer:
        for each in inputs:
            with naming(each.name):
                is_pending = write_batches(each.batches(), writer, is_pending=is_pending)


def open_writer(destination: Any, options: Any, format: Format) -> Any:
    """Open a writer of changes or of statements, depending on the format."""
    kind: Any = PatchWriter if format.holds_changes else StatementWriter
    return kind(destination, options, format=format.name)


def write_batches(
    batches: Iterator[Batch],
    writer: Any,
    *,
    merges_graphs: bool = False,
    is_pending: bool = False,
) -> bool:
    """Write batches; keep frames that are graphs or datasets, or that have metadata.

    ``is_pending`` means that the open frame still has rows of earlier calls. Return whether it has
    rows after this call.
    """
    options = writer.options
    has_frames = isinstance(options, StreamOptions)
    is_grouped = has_frames and options.is_grouped
    # Whether the graph or dataset that is being written continues in the next part.
    is_open = False
    frames = (
        (batch, has_frames and options.delimited and bool(batch.metadata), batch.metadata)
        for batch in batches
    )
    for part, is_end, metadata in message_parts(batches) if is_grouped else frames:
        if is_pending and not is_open and (is_grouped or is_end):
            writer.end_frame()
        if isinstance(part, Batch) and not merges_graphs:
            writer.write_all(part)
        else:
            _write_rows(part, writer, merges_graphs=merges_graphs)
        if is_end:
            writer.end_frame(metadata)
        is_pending = not is_end
        is_open = is_grouped and not is_end
    return is_pending


def _write_rows(rows: Iterable[Operation], writer: Any, *, merges_graphs: bool) -> None:
    """Write namespaces and statements; with ``merges_graphs``, statements without their graphs."""
    has_namespaces = writer.options is None or writer.options.namespace_declarations
    for op, *terms in rows:
        if op == Op.A:
            writer.write(tuple(terms[:3] if merges_graphs else terms))
        elif has_namespaces:
            writer.add_namespace(*terms[:2])

"""Converts an input, batch by batch; options of Jelly are the user's, else those of the input."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import click

from jelly_rdflib.cli.inputs import InputArgument, InputError
from jelly_rdflib.errors import EncodeError
from jelly_rdflib.formats import Format
from jelly_rdflib.formats.jelly import JELLY, JELLY_PATCH
from jelly_rdflib.options import (
    LogicalStreamType,
    PatchOptions,
    PatchStreamType,
    PhysicalStreamType,
    StreamOptions,
)
from jelly_rdflib.streams.writing import PatchWriter, StatementWriter

# The advice in messages of encoders, and the same advice for the command line.
_ADVICE = {
    "options need rdf_star=True": "give --rdf-star",
    "options need generalized_statements=True": "give --generalized",
    "options need a type with graphs, such as QUADS": "give --stream-type quads",
}


def convert(
    input_: InputArgument, destination: Any, format: Format, wishes: Mapping[str, Any]
) -> None:
    """Write an input in another format.

    Args:
        input_: The input.
        destination: The ``destination`` of a writer.
        format: The format of the output.
        wishes: The options of the output by name, None for those that were not given:
            ``stream_type``, ``preset``, ``frame_rows``, ``rdf_star``, ``generalized``.

    Raises:
        UsageError: The format does not go with the input, or with the wishes.
        InputError: The input is invalid, or can't be expressed in the format with these options.
    """
    try:
        _convert(input_, destination, format, wishes)
    except EncodeError as error:
        message = str(error)
        for advice, option in _ADVICE.items():
            message = message.replace(advice, option)
        raise InputError(input_.name, message) from error


def _convert(
    input_: InputArgument, destination: Any, format: Format, wishes: Mapping[str, Any]
) -> None:
    batches = input_.batches()
    # The input's format and options are known after its first batch.
    first = list(itertools.islice(batches, 1))
    source = input_.known_encoding()
    if format.holds_changes and not source.holds_changes:
        raise click.UsageError(
            f"{input_.name} has statements, and {format.name} is for changes: see jellyp diff"
        )
    if source.holds_changes and not format.holds_changes:
        raise click.UsageError(
            f"{input_.name} has changes, and {format.name} is for statements: see jellyp apply"
        )
    options = _make_options(format, source, input_.options, wishes)
    kind: Any = PatchWriter if format.holds_changes else StatementWriter
    # A frame that is a graph or a dataset stays one if the output has the same type.
    is_grouped = isinstance(options, StreamOptions) and options.is_grouped
    with kind(destination, options, format=format.name) as writer:
        for batch in itertools.chain(first, batches):
            writer.write_all(batch)
            if is_grouped:
                writer.end_frame(batch.metadata)


def _make_options(
    format: Format, source: Format, given: Any, wishes: Mapping[str, Any]
) -> PatchOptions | StreamOptions | None:
    """Make the options of the output; None for a format without options.

    Args:
        format: The format of the output.
        source: The format of the input.
        given: The options of the input; None if it has none.
        wishes: The options that the user gave.
    """
    if format not in (JELLY, JELLY_PATCH):
        for name, wish in wishes.items():
            if wish is not None:
                option = "--" + name.replace("_", "-")
                raise click.UsageError(f"{option} is for Jelly: {format.name} has no such option")
        return None

    fields: dict[str, Any] = {}
    # A stream should declare only features that it may use: False if the input does not tell.
    for name, wish in (("rdf_star", "rdf_star"), ("generalized_statements", "generalized")):
        wanted = wishes[wish]
        fields[name] = getattr(given, name, False) if wanted is None else wanted
    if given is not None and wishes["preset"] is None:
        for name in ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size"):
            fields[name] = getattr(given, name)
    if wishes["frame_rows"] is not None:
        fields["frame_rows"] = wishes["frame_rows"]
    if format is JELLY:
        fields |= _statement_fields(source, given, wishes["stream_type"])
        kind: Any = StreamOptions
    else:
        fields |= _patch_fields(given, wishes["stream_type"])
        kind = PatchOptions
    made: PatchOptions | StreamOptions
    try:
        made = kind.small(**fields) if wishes["preset"] == "small" else kind.big(**fields)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return made


def _patch_fields(given: Any, stream_type: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if isinstance(given, PatchOptions):
        fields = {"statement_type": given.statement_type, "stream_type": given.stream_type}
    if stream_type is not None:
        fields["stream_type"] = _find_type(PatchStreamType, stream_type)
    return fields


def _statement_fields(source: Format, given: Any, stream_type: str | None) -> dict[str, Any]:
    physical_type = PhysicalStreamType.QUADS if source.has_graphs else PhysicalStreamType.TRIPLES
    fields: dict[str, Any] = {"namespace_declarations": source.has_prefixes}
    if isinstance(given, StreamOptions):
        fields["stream_name"] = given.stream_name
        fields["namespace_declarations"] = given.namespace_declarations
        physical_type = given.physical_type
    if stream_type is not None:
        physical_type = _find_type(PhysicalStreamType, stream_type)
    fields["physical_type"] = physical_type
    if isinstance(given, StreamOptions) and LogicalStreamType.is_consistent(
        given.logical_type, physical_type
    ):
        fields["logical_type"] = given.logical_type
    return fields


def _find_type(enum: Any, name: str) -> Any:
    try:
        return enum[name.upper()]
    except KeyError:
        names = ", ".join(member.name.lower() for member in enum)
        raise click.BadParameter(
            f"{name!r} is not one of {names}", param_hint="'--stream-type'"
        ) from None

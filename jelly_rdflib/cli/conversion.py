"""Converts an input, batch by batch; options of Jelly are the user's, else those of the input."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice
from typing import Any

import click

from jelly_rdflib.cli.filters import Filters
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
_SIZES = ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")


def convert(
    input_: InputArgument,
    destination: Any,
    format: Format,
    filters: Filters,
    output_options: Mapping[str, Any],
) -> None:
    """Write what filters let through of an input in another format.

    ``output_options`` are the options of ``jellyp convert``; None if not given.
    """
    batches = filters.batches(input_)
    # The input's format and options are known after its first batch.
    first = list(islice(batches, 1))
    if input_.format.holds_changes != format.holds_changes:
        held, wanted, advice = "changes", "statements", "apply"
        if format.holds_changes:
            held, wanted, advice = "statements", "changes", "diff"
        raise click.UsageError(
            f"{input_.name} has {held}, and {format.name} is for {wanted}: see jellyp {advice}"
        )
    options = _make_options(input_, format, output_options)
    kind: Any = PatchWriter if format.holds_changes else StatementWriter
    # A frame that is a graph or a dataset stays one if the output has the same type.
    is_grouped = isinstance(options, StreamOptions) and options.is_grouped
    try:
        with kind(destination, options, format=format.name) as writer:
            for batch in chain(first, batches):
                writer.write_all(batch)
                if is_grouped:
                    writer.end_frame(batch.metadata)
    except EncodeError as error:
        message = str(error)
        for advice, option in _ADVICE.items():
            message = message.replace(advice, option)
        raise InputError(input_.name, message) from error


def _make_options(
    input_: InputArgument, format: Format, output_options: Mapping[str, Any]
) -> PatchOptions | StreamOptions | None:
    """Make the options of the output; None for a format without options."""
    if format not in (JELLY, JELLY_PATCH):
        for name, value in output_options.items():
            if value is not None:
                option = "--" + name.replace("_", "-")
                raise click.UsageError(f"{option} is for Jelly: {format.name} has no such option")
        return None

    given, source = input_.options, input_.format
    kind: Any = PatchOptions
    types: Any = PatchStreamType
    type_field = "stream_type"
    kept = ("statement_type", "stream_type")
    # A stream should declare only features that it may use: False if the input does not tell.
    fields: dict[str, Any] = {"rdf_star": False, "generalized_statements": False}
    if format is JELLY:
        kind, types, type_field = StreamOptions, PhysicalStreamType, "physical_type"
        kept = ("stream_name", "logical_type")
        fields[type_field] = types.QUADS if source.has_graphs else types.TRIPLES
        fields["namespace_declarations"] = source.has_prefixes
    if given is not None:
        # The input is Jelly of the same kind.
        sizes = _SIZES if output_options["preset"] is None else ()
        fields |= {name: getattr(given, name) for name in (*fields, *kept, *sizes)}
    chosen = {
        "rdf_star": output_options["rdf_star"],
        "generalized_statements": output_options["generalized"],
        "frame_rows": output_options["frame_rows"],
        type_field: _find_type(types, output_options["stream_type"]),
    }
    fields |= {name: value for name, value in chosen.items() if value is not None}
    logical_type = fields.get("logical_type")
    if logical_type and not LogicalStreamType.is_consistent(logical_type, fields[type_field]):
        del fields["logical_type"]
    try:
        made: PatchOptions | StreamOptions = getattr(kind, output_options["preset"] or "big")(
            **fields
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return made


def _find_type(enum: Any, name: str | None) -> Any:
    try:
        return None if name is None else enum[name.upper()]
    except KeyError:
        names = ", ".join(member.name.lower() for member in enum)
        raise click.BadParameter(
            f"{name!r} is not one of {names}", param_hint="'--stream-type'"
        ) from None

"""Converts an input, batch by batch; options of Jelly are the user's, else those of the input."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice
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
_SIZES = ("max_name_table_size", "max_prefix_table_size", "max_datatype_table_size")


def convert(
    input_: InputArgument, destination: Any, format: Format, wishes: Mapping[str, Any]
) -> None:
    """Write an input in another format.

    The ``wishes`` are the options of ``jellyp convert`` for the output; None if not given.
    """
    batches = input_.batches()
    # The input's format and options are known after its first batch.
    first = list(islice(batches, 1))
    if input_.format.holds_changes != format.holds_changes:
        held, wanted, advice = "changes", "statements", "apply"
        if format.holds_changes:
            held, wanted, advice = "statements", "changes", "diff"
        raise click.UsageError(
            f"{input_.name} has {held}, and {format.name} is for {wanted}: see jellyp {advice}"
        )
    options = _make_options(input_, format, wishes)
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
    input_: InputArgument, format: Format, wishes: Mapping[str, Any]
) -> PatchOptions | StreamOptions | None:
    """Make the options of the output; None for a format without options."""
    if format not in (JELLY, JELLY_PATCH):
        for name, wish in wishes.items():
            if wish is not None:
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
        sizes = _SIZES if wishes["preset"] is None else ()
        fields |= {name: getattr(given, name) for name in (*fields, *kept, *sizes)}
    chosen = {
        "rdf_star": wishes["rdf_star"],
        "generalized_statements": wishes["generalized"],
        "frame_rows": wishes["frame_rows"],
        type_field: _find_type(types, wishes["stream_type"]),
    }
    fields |= {name: wish for name, wish in chosen.items() if wish is not None}
    logical_type = fields.get("logical_type")
    if logical_type and not LogicalStreamType.is_consistent(logical_type, fields[type_field]):
        del fields["logical_type"]
    try:
        made: PatchOptions | StreamOptions = getattr(kind, wishes["preset"] or "big")(**fields)
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

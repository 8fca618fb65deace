"""Options of a Jelly stream to be written: what was asked for, else what the input has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from jelly_rdflib.formats import Encoding
from jelly_rdflib.options import (
    LogicalStreamType,
    PatchOptions,
    PatchStreamType,
    PhysicalStreamType,
    StreamOptions,
)

NAMES = {
    "stream_type": "--stream-type",
    "preset": "--preset",
    "frame_rows": "--frame-rows",
    "rdf_star": "--rdf-star",
    "generalized": "--generalized",
}


def refuse_options(encoding: Encoding, output_options: Mapping[str, Any]) -> None:
    """Refuse options for an encoding that has none.

    Raises:
        UsageError: There are some.
    """
    for name, option in NAMES.items():
        if output_options.get(name) is not None:
            raise click.UsageError(f"{option} is for Jelly: {encoding.name} has no such thing")


def make_patch_options(given: Any, output_options: Mapping[str, Any]) -> PatchOptions:
    """Make the options of a Jelly-Patch stream.

    Args:
        given: Those of the input; None if it has none.
        output_options: What was asked for.

    Raises:
        UsageError: There is no such stream type.
    """
    fields = _common_fields(given, output_options)
    if isinstance(given, PatchOptions):
        fields["statement_type"] = given.statement_type
        fields["stream_type"] = given.stream_type
    if output_options.get("stream_type") is not None:
        fields["stream_type"] = _find_type(PatchStreamType, output_options["stream_type"])
    options: PatchOptions = _make(PatchOptions, fields, output_options)
    return options


def make_stream_options(
    given: Any, output_options: Mapping[str, Any], encoding: Encoding
) -> StreamOptions:
    """Make the options of a Jelly-RDF stream; arguments and errors as for `make_patch_options`.

    Args:
        given: Those of the input; None if it has none.
        output_options: What was asked for.
        encoding: That of the input.
    """
    fields = _common_fields(given, output_options)
    fields["namespace_declarations"] = encoding.has_prefixes
    physical_type = PhysicalStreamType.QUADS if encoding.has_graphs else PhysicalStreamType.TRIPLES
    if isinstance(given, StreamOptions):
        fields["stream_name"] = given.stream_name
        fields["namespace_declarations"] = given.namespace_declarations
        physical_type = given.physical_type
    if output_options.get("stream_type") is not None:
        physical_type = _find_type(PhysicalStreamType, output_options["stream_type"])
    fields["physical_type"] = physical_type
    if isinstance(given, StreamOptions) and LogicalStreamType.is_consistent(
        given.logical_type, physical_type
    ):
        fields["logical_type"] = given.logical_type
    options: StreamOptions = _make(StreamOptions, fields, output_options)
    return options


def _common_fields(given: Any, output_options: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    # A stream should not say that it has what it has not: where the input does not tell, no.
    for name, wish in (("rdf_star", "rdf_star"), ("generalized_statements", "generalized")):
        asked = output_options.get(wish)
        fields[name] = getattr(given, name, False) if asked is None else asked
    if given is not None and output_options.get("preset") is None:
        for name in ("name", "prefix", "datatype"):
            field = f"max_{name}_table_size"
            fields[field] = getattr(given, field)
    if output_options.get("frame_rows") is not None:
        fields["frame_rows"] = output_options["frame_rows"]
    return fields


def _make(kind: Any, fields: dict[str, Any], output_options: Mapping[str, Any]) -> Any:
    try:
        return (
            kind.small(**fields) if output_options.get("preset") == "small" else kind.big(**fields)
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _find_type(enum: Any, name: str) -> Any:
    try:
        return enum[name.upper()]
    except KeyError:
        names = ", ".join(member.name.lower() for member in enum)
        raise click.BadParameter(
            f"{name!r} is not one of {names}", param_hint="'--stream-type'"
        ) from None
